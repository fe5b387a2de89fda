"""A new world-info file, as SillyTavern reads it, from lore that was prepared. Importing it tells the same people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from earwitness.records.character import Cast
from earwitness.records.journal import Piece


def fresh_worldinfo(lore: Sequence[Piece], cast: Cast) -> dict[str, Any]:
    """The file; what only some know names them in its filter, what all know is constant."""
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
    """What everybody calls them, if that is one character's name."""
    return cast[id].name if id in cast and cast.called(cast[id].name) == (cast[id],) else id
