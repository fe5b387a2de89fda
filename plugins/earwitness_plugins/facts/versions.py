"""What is known already of what somebody says of themselves: the same again, something new, or a change. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import JsonValue

from .records import SaidFact


def version_of(fact: SaidFact, speaker: str, listener: str, noted: Iterable[JsonValue]) -> int:
    """The version in which this listener hears it: 0 = it is new, or the same as the first; one more for each change.

    What may hold side by side has no versions. `noted` are the notes of `note`, in the order of the journal. No version
    that still stands is given again, whatever was retracted.
    """
    version, value = 0, None
    for heard, given in _heard(fact.topic, speaker, listener, noted) if fact.replaces else ():
        version = given if given is not None else version + (value not in (None, heard))
        value = heard
    return version + (value not in (None, fact.stand.casefold()))


def note(fact: SaidFact, speaker: str, versions: Mapping[str, int]) -> JsonValue:
    """What is noted of a fact of which only one holds at a time: who heard it, and in which version."""
    noted = {"speaker": speaker, "about": fact.topic, "value": fact.stand}
    return {**noted, "listeners": list(versions), "versions": dict(versions)}


def _heard(topic: str, speaker: str, listener: str, noted: Iterable[JsonValue]) -> Iterator[tuple[str, int | None]]:
    """Each value, and its version; `None` where an earlier release has noted it, without its version."""
    for each in noted:
        if not isinstance(each, Mapping) or (each.get("speaker"), each.get("about")) != (speaker, topic):
            continue
        listeners, versions = each.get("listeners"), each.get("versions")
        if isinstance(listeners, list) and listener in listeners:
            version = versions.get(listener) if isinstance(versions, Mapping) else None
            yield str(each.get("value")).casefold(), version if isinstance(version, int) else None
