"""What is known already of what somebody says of themselves: the same again, something new, or a change. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from pydantic import JsonValue

from .records import SaidFact


def version_of(fact: SaidFact, speaker: str, listener: str, noted: Iterable[JsonValue]) -> int:
    """How often this listener has heard the speaker say something else about it before; 0 = it is new, or the same.

    What may hold side by side has no versions. `noted` are the notes of `note`, in the order of the journal.
    """
    if not fact.replaces:
        return 0
    heard = [*_heard(fact.about, speaker, listener, noted), fact.value.casefold()]
    return sum(before != after for before, after in pairwise(heard))


def note(fact: SaidFact, speaker: str, listeners: Iterable[str]) -> JsonValue:
    """What is noted of a fact of which only one holds at a time."""
    return {"speaker": speaker, "about": fact.about, "value": fact.value, "listeners": list(listeners)}


def _heard(about: str, speaker: str, listener: str, noted: Iterable[JsonValue]) -> Iterator[str]:
    for each in noted:
        if not isinstance(each, Mapping) or (each.get("speaker"), each.get("about")) != (speaker, about):
            continue
        listeners = each.get("listeners")
        if isinstance(listeners, list) and listener in listeners:
            yield str(each.get("value")).casefold()
