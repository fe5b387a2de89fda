"""What a chat says of its characters to Earwitness alone: `chat_metadata.earwitness` in its header.

A line of a chat only has a name. An export says here who that is in the story, and across stories: ids, other names,
and which user's persona.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from earwitness.display_names import usable_name
from earwitness.errors import InputError
from earwitness.imports import ImportedCharacter
from earwitness.records.character import Character, CharacterKind

from .chat_marks import EXTRA
from .files.lenient import LenientObject

METADATA = "chat_metadata"
CAST = "cast"
IDS = ("id", "user_id", "persona_id", "personality_id")


def cast_of(header: LenientObject) -> tuple[ImportedCharacter, ...]:
    """Those of whom the header says more than their names. What cannot be read is left out, and reported."""
    noted = header.values.get(METADATA)
    mark = noted.get(EXTRA) if isinstance(noted, dict) else None
    if mark is None:
        return ()
    given = mark.get(CAST) if isinstance(mark, dict) else None
    if not isinstance(given, list):
        header.note(f"{METADATA}.{EXTRA}", "cannot be read: its characters have names alone")
        return ()
    found = [_character(header, number, each) for number, each in enumerate(given)]
    return tuple({each.name: each for each in reversed(found) if each is not None}.values())[::-1]


def with_cast(header: Mapping[str, Any], cast: Iterable[ImportedCharacter]) -> dict[str, Any]:
    """The header, which says this of its characters."""
    noted = header.get(METADATA)
    described = {CAST: [each.model_dump(mode="json", exclude_defaults=True) for each in cast]}
    return {**header, METADATA: {**(noted if isinstance(noted, dict) else {}), EXTRA: described}}


def _character(header: LenientObject, number: int, given: object) -> ImportedCharacter | None:
    place = f"{METADATA}.{EXTRA}.{CAST}[{number}]"
    if not isinstance(given, dict) or not _is_readable(given):
        header.note(place, "cannot be read: this character has a name alone")
        return None
    described = ImportedCharacter(
        name=usable_name(given["name"]),
        kind=given.get("kind", "character"),
        aliases=tuple(usable_name(each) for each in given.get("aliases", ())),
        **{name: given[name] for name in IDS if name in given},
    )
    try:
        Character(
            described.id or "somebody", name=described.name, **described.model_dump(include={*IDS[1:]})
        ).check_newcomer()
    except InputError as error:
        header.note(place, f"cannot be used: {str(error).rstrip('.')}. This character has a name alone")
        return None
    return described


def _is_readable(given: Mapping[str, Any]) -> bool:
    texts = all(isinstance(given[name], str) and given[name] for name in ("name", *IDS) if name in given)
    aliases = given.get("aliases", [])
    listed = isinstance(aliases, list) and all(isinstance(each, str) and each.strip() for each in aliases)
    named = isinstance(name := given.get("name"), str) and bool(name.strip())
    return texts and listed and named and given.get("kind", "character") in get_args(CharacterKind)
