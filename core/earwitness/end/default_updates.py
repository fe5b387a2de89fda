"""Default sentences: the world updates for state changes that no plugin or host has put into words. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import JsonValue

from ..formats import snake
from ..records.character import Cast
from ..records.state import UNTOLD, State
from ..records.update import Audience, Update

Path = tuple[str, ...]
LONGEST, MOST = 500, 20
"""The most characters of a value, and the most values of one key, that are described.

A memory is a sentence, not a data store.
"""


def default_updates(
    before: State, changes: Mapping[str, JsonValue], worded: Collection[str], cast: Cast, audience: Audience
) -> list[Update]:
    """One update for each changed key that is neither bookkeeping nor already `worded`.

    `changes` are state keys and their new values, JSON-ready. Ids of the `cast` are replaced by names.
    """
    untold = [key for key in changes if key not in UNTOLD and key not in worded]
    old = before.model_dump(mode="json", include=set(untold)) if untold else {}
    return [_update(key, old.get(key), changes[key], cast, audience) for key in untold]


def _update(key: str, old: JsonValue, new: JsonValue, cast: Cast, audience: Audience) -> Update:
    where: dict[str, JsonValue] = {"location": new, "previous_location": old} if key == "current_scene" else {}
    return Update(
        description=_sentence(key, old, new, cast),
        update_type="location_changed" if where else f"{snake(key)}_changed",
        audience=audience,
        metadata={"state_key": key, **where},
    )


def _sentence(key: str, old: JsonValue, new: JsonValue, cast: Cast) -> str:
    """`Weather changed to storm`; `Relationships: Alice, Bob changed to rivals`; `Weather is no longer set`."""
    found = list(_differences(old, new))
    if not any(path for path, _ in found):
        return f"{_words(key)} {_became(new)}"
    parts = [f"{_named(path, cast)} {_became(value)}" for path, value in found[:MOST]]
    more = [f"{len(found) - MOST} more changed"] if len(found) > MOST else []
    return f"{_words(key)}: {'; '.join([*parts, *more])}"


def _became(value: JsonValue) -> str:
    return "is no longer set" if value is None else f"changed to {_value(value)}"


def _differences(old: JsonValue, new: JsonValue, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """Every new value with its path of keys, outermost first; `None` for a value that was removed."""
    if not isinstance(new, dict) or not new or not isinstance(old, dict | None):
        yield path, new
        return
    known = old or {}
    for key in {**known, **new}:
        if key not in new:
            yield (*path, key), None
        elif key not in known or known[key] != new[key]:
            yield from _differences(known.get(key), new[key], (*path, key))


def _named(path: Path, cast: Cast) -> str:
    return ", ".join(cast.name_of(part) for part in path)


def _words(key: str) -> str:
    """`weather` → `Weather`, `questLog` → `Quest log`; `HP` and `mood of Bob` are unchanged."""
    words = (snake(key) if key.isidentifier() and not key.isupper() else key).replace("_", " ").strip() or key
    return words[:1].upper() + words[1:]


def _value(value: JsonValue) -> str:
    text = _text(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _text(value: Any) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case str() if not value.strip():
            return "nothing"
        case str():
            return value
        case list() | dict() if not value:
            return "nothing"
        case list() if all(isinstance(each, str) for each in value):
            return ", ".join(value)
        case _:
            return json.dumps(value, ensure_ascii=False)
