"""A new character card (V3) made of what was prepared for a character. Importing it gives the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from earwitness.records.character import Character
from earwitness.records.journal import Piece


def fresh_card(member: Character, own: Sequence[Piece], plot: str) -> dict[str, Any]:
    """The card. `own` are the pieces that only this character knows."""
    examples = [each.text for each in own if each.type == "example_dialog"]
    lore = [each for each in own if each.type == "lore"]
    data: dict[str, Any] = {
        "name": member.name,
        "description": "\n\n".join(each.text for each in own if each.type == "character_card"),
        "personality": "",
        "scenario": plot,
        "first_mes": "",
        "mes_example": "\n".join(f"<START>\n{text}" for text in examples),
        "creator_notes": "",
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": [],
        "group_only_greetings": [],
        "tags": [],
        "creator": "",
        "character_version": "",
        "extensions": {"earwitness": {"id": member.id, "aliases": list(member.aliases)}},
    }
    if member.aliases:
        data["nickname"] = member.aliases[0]
    if lore:
        data["character_book"] = {"extensions": {}, "entries": [_entry(*each) for each in enumerate(lore)]}
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": data}


def _entry(number: int, piece: Piece) -> dict[str, Any]:
    return {
        "id": number,
        "keys": list(piece.words),
        "content": piece.text,
        "name": piece.lore_key or "",
        "enabled": True,
        "insertion_order": 100,
        "use_regex": False,
        "constant": False,
        "extensions": {},
    }
