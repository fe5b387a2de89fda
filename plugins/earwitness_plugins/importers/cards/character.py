"""The JSON of a character card, of any version, as an imported character.

Sources: Character Card V2 and V3 specifications; V1 is the flat form that both grew from.
"""

from __future__ import annotations

import re
from typing import Any

from earwitness.display_names import usable_name
from earwitness.errors import StoryError
from earwitness.imports import Imported, ImportedCharacter
from earwitness.patterns import lazy_pattern
from earwitness_plugins.importers.files.lenient import LenientObject, lenient_object, storable

from .entries import entries
from .macros import with_character

NAME = ("name", "char_name")
DESCRIPTION = ("description", "char_persona")
SCENARIO = ("scenario", "world_scenario")
FIRST = ("first_mes", "char_greeting")
EXAMPLES = ("mes_example", "example_dialogue")
SPECS = ("chara_card_v2", "chara_card_v3")
LONGEST_NAME = 200
_START = lazy_pattern(r"(?i)^[ \t]*<start>[ \t]*", re.MULTILINE)


def is_card(value: object) -> bool:
    """Whether a JSON document is a character card."""
    if not isinstance(value, dict):
        return False
    data = value.get("data")
    if str(value.get("spec")).startswith("chara_card") or (isinstance(data, dict) and _describes(data)):
        return True
    return "entries" not in value and _describes(value)


def _describes(values: dict[str, Any]) -> bool:
    """Whether these are the fields of a card: at least two, one of which only cards have."""
    own = sum(key in values for keys in (SCENARIO, FIRST, EXAMPLES, ("personality", "char_persona")) for key in keys)
    return own > 0 and own + ("description" in values) + any(key in values for key in NAME) > 1


def imported(value: object, file: str, stem: str, repairs: list[str]) -> Imported:
    """What a card says. A card without a name gets `stem`. Raises `StoryError` for anything but an object."""
    root = lenient_object(value, file, repairs)
    data = _data(root)
    if not any(data.get(*keys)[1] for keys in (NAME, DESCRIPTION, FIRST, ("personality",))) and not root.get(*NAME)[1]:
        raise StoryError(f"{file}: the card has no name, no description and no first message.")
    name = _name(data, root) or _named_after(data, stem)
    nickname = _cleaned(data, "nickname", data.text("nickname"))[:LONGEST_NAME].strip()
    called = nickname or name

    def filled(text: str) -> str:
        return with_character(text, called).strip()

    character = ImportedCharacter(
        name=name,
        aliases=(nickname,) if nickname and nickname != name else (),
        card=filled(_card(data)),
        examples=tuple(filled(each) for each in _START.split(data.text(*EXAMPLES)) if each.strip()),
        greetings=tuple(map(filled, (*_some(data.text(*FIRST)), *data.texts("alternate_greetings")))),
        group_greetings=tuple(map(filled, data.texts("group_only_greetings"))),
        tags=data.texts("tags"),
        file=stem,
    )
    book = data.table("character_book")
    lore = entries(book, "entries", book.text("name").strip() or name, called) if book else ()
    plot = filled(data.text(*SCENARIO)) or None
    return Imported(characters=(character,), plot=plot, lore=lore, repairs=tuple(repairs))


def _data(root: LenientObject) -> LenientObject:
    """The object with the fields: the root in V1, `data` in later versions."""
    if (spec := root.values.get("spec")) is not None and spec not in SPECS:
        root.repaired("spec", spec, f"not one of {', '.join(SPECS)}; read as the newest version")
    if (version := root.values.get("spec_version")) is not None and not isinstance(version, str):
        root.repaired("spec_version", version, "taken as text")
    if "data" not in root.values and root.values.get("spec") is None:
        return root
    data = root.table("data") if root.values.get("data") else None
    if data is None:
        root.note("data", "is missing: the fields at the root were read")
    return data or root


def _name(data: LenientObject, root: LenientObject) -> str:
    name = _cleaned(data, "name", data.text(*NAME) or root.text(*NAME))
    if len(name) > LONGEST_NAME:
        data.repaired("name", name, f"cut to {LONGEST_NAME} characters")
    return name[:LONGEST_NAME].strip()


def _cleaned(data: LenientObject, key: str, given: str) -> str:
    """A name as a memory can show it."""
    plain = " ".join(given.split())
    if (name := usable_name(plain, "")) != plain:
        data.repaired(key, plain, f"taken as {name!r}; a name has no colon and nothing invisible")
    return name


def _named_after(data: LenientObject, stem: str) -> str:
    name = usable_name(storable(stem.replace("_", " ")))[:LONGEST_NAME].strip()
    data.note("name", f"is empty: the character is named {name!r} after the file")
    return name


def _card(data: LenientObject) -> str:
    description, personality = data.text(*DESCRIPTION).strip(), data.text("personality").strip()
    return "\n\n".join((*_some(description), *_some(personality and f"Personality: {personality}")))


def _some(text: str) -> tuple[str, ...]:
    return (text,) if text.strip() else ()
