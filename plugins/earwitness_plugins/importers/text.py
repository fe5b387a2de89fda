"""Plain transcripts, one message per line: `Name: text`.

A line without a name continues the message before it; after an empty line it is narration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from earwitness.errors import StoryError
from earwitness.imports import Imported, Scene, SceneLine
from earwitness.patterns import lazy_pattern

from .chat_start import there_at_first
from .files.content_type import is_text, text_of
from .files.lenient import storable
from .files.limits import read_bytes
from .files.text_encoding import decoded

LOOKED_AT = 40
_STAMP = r"(?:\[[^\]\n]{1,40}\]\s*)?"
_NAME = r"[^\W\d_](?:[\w .'’-]{0,38}[\w.'’)])?"
_SPEAKER = rf"\*\*(?P<bold>{_NAME}):?\*\*:?|<(?P<angled>{_NAME})>|(?P<plain>{_NAME}):"
_SAID = lazy_pattern(rf"{_STAMP}(?:{_SPEAKER})[ \t]+(?P<text>\S.*)")
_TOLD = lazy_pattern(r"[*(\[].*[*)\]]")


class TextImporter:
    """Reads one conversation per file; the session is named after the file."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line is a message, or at least a third of the first lines are."""
        if not is_text(head) or Path(path).suffix.casefold() in {".json", ".jsonl", ".yaml", ".yml", ".toml"}:
            return False
        lines = [line.strip() for line in text_of(head).splitlines() if line.strip()][:LOOKED_AT]
        said = [_SAID.fullmatch(line) is not None for line in lines]
        return any(said[:1]) or (any(said) and sum(said) * 3 >= len(said))

    def read(self, path: str) -> Imported:
        """The conversation. Raises `StoryError` when nobody speaks in it."""
        found = decoded(read_bytes(path))
        lines = tuple(_lines(found.text))
        roster = tuple(dict.fromkeys(line.speaker for line in lines if line.speaker))
        if not roster:
            raise StoryError(f"{path}: nobody speaks in it. Write one message per line, as in Alice: Good morning.")
        repairs = tuple(f"{path}: {repair}" for repair in found.repairs)
        return Imported(
            scenes=(Scene(id=Path(path).stem, roster=roster, lines=lines, present=there_at_first(roster, ())),),
            repairs=repairs,
        )


def _lines(text: str) -> Iterator[SceneLine]:
    """The messages, each with the lines that continue it."""
    speaker: str | None = None
    said: list[str] = []
    apart, begin = True, 0
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        found = _SAID.fullmatch(line)
        if said and (found or _tells(line, apart)):
            yield SceneLine(speaker=speaker, text="\n".join(said), line=begin)
            said = []
        if found or not said:
            speaker, begin = _name(found) if found else None, number
        if line:
            said.append(storable(found["text"] if found else line))
        apart = not line
    if said:
        yield SceneLine(speaker=speaker, text="\n".join(said), line=begin)


def _tells(line: str, apart: bool) -> bool:
    """Whether a line without a name tells something, and does not go on with what was said. `apart`: after a gap."""
    return bool(line) and (apart or _TOLD.fullmatch(line) is not None)


def _name(found: re.Match[str]) -> str:
    return (found["bold"] or found["angled"] or found["plain"]).rstrip()
