"""A new world-info file, as SillyTavern reads it, made of prepared lore. Importing it tells the same characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from earwitness.records.character import Cast
from earwitness.records.journal import Piece


def fresh_worldinfo(lore: Sequence[Piece], cast: Cast) -> dict[str, Any]:
    """The file. A filter names those who know an entry; what everybody knows is constant."""
    return {"entries": {str(number): _entry(number, piece, cast) for number, piece in enumerate(lore)}}


def _entry(number: int, piece: Piece, cast: Cast) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "uid": number,
        "key": list(piece.words),
        "keysecondary": [],
        "comment": piece.lore_key or "",
        "content": piece.text,
        "constant": piece.owners is None,
        "selective": False,
        "order": 100,
        "position": 0,
        "disable": piece.owners == (),  # a filter without names would tell everybody
    }
    if piece.owners:
        names = [_name(id, cast) for id in piece.owners]
        entry["characterFilter"] = {"isExclude": False, "names": names, "tags": []}
    return entry


def _name(id: str, cast: Cast) -> str:
    """The display name, if only one character has it; else the id."""
    return cast[id].name if id in cast and cast.called(cast[id].name) == (cast[id],) else id
