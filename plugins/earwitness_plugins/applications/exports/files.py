"""The files of an export: what came from a file goes out as that file, byte by byte; new files are made of the rest.

A chat goes out as the story now says it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from earwitness.backstage.records import Before
from earwitness.records.character import Cast
from earwitness.records.journal import Original

from .card import fresh_card
from .chat import chats
from .story_messages import MessagesByKey
from .worldinfo import fresh_worldinfo

FORMATS = ("card", "worldinfo", "chat")
Fresh = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class File:
    """A file to write."""

    name: str
    """Its name, with its ending; unique in the export."""
    data: bytes
    """Its content."""


def files(
    format: str, before: Before, cast: Cast, session: str, messages: MessagesByKey | None = None
) -> tuple[File, ...]:
    """The files of one of `FORMATS`. Chats are made of the `messages` of the story."""
    kept = [each for each in before.originals if each.format == format]
    if format == "chat":
        return tuple(_distinct(_chats(kept, messages or {}, cast, session)))
    fresh = _FRESH[format](before, cast, session, kept) if format in _FRESH else ()
    return tuple(_distinct([*map(_as_it_came, kept), *(File(name, _json(value)) for name, value in fresh)]))


def _chats(kept: Sequence[Original], messages: MessagesByKey, cast: Cast, session: str) -> Iterator[File]:
    """Chats that came into the story, as they now are, and a new one of what came from none."""
    came, fresh = chats(kept, messages, session, cast)
    yield from (File(_as_it_came(original).name, data) for original, data in came)
    if fresh is not None:
        yield File(file_name(session, ".jsonl"), fresh)


def file_name(text: str, ending: str, default: str = "story") -> str:
    """A file name made of any text: an id with a slash in it names no folder."""
    return (re.sub(r"[^\w. -]+", "_", text).strip(". ") or default) + ending


def _as_it_came(original: Original) -> File:
    ending = ".jsonl" if original.format == "chat" else ".json"
    stem = original.name.rpartition(".")[0] or original.name
    return File(file_name(stem, ending, original.format), original.text.encode(original.encoding))


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _cards(before: Before, cast: Cast, session: str, kept: Sequence[Original]) -> Iterator[Fresh]:
    """A card for every character with a card or example dialogue that came from no file."""
    del session
    owners = {each.owner for each in kept}
    plot = "\n\n".join(each.text for each in before.pieces if each.type == "plot")
    for member in cast:
        own = [each for each in before.pieces if each.owners == (member.id,)]
        if member.id not in owners and any(each.type in {"character_card", "example_dialog"} for each in own):
            yield file_name(member.id, ".json"), fresh_card(member, own, plot)


def _worldinfo(before: Before, cast: Cast, session: str, kept: Sequence[Original]) -> Iterator[Fresh]:
    """A world-info file of the lore that came from no file; of all lore, if none came from a lorebook."""
    lore = [each for each in (before.by_hand if kept else before.pieces) if each.type == "lore"]
    if lore:
        yield file_name(session, ".json"), fresh_worldinfo(lore, cast)


_FRESH = {"card": _cards, "worldinfo": _worldinfo}


def _distinct(made: Iterable[File]) -> Iterator[File]:
    """The files, their names made unique by a number."""
    seen: set[str] = set()
    for file in made:
        name, number = file.name, 1
        while name.casefold() in seen:
            number += 1
            stem, _, ending = file.name.rpartition(".")
            name = f"{stem}-{number}.{ending}"
        seen.add(name.casefold())
        yield File(name, file.data)
