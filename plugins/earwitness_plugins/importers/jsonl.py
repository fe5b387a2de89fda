"""Plain JSON Lines: one message per line, `{"speaker", "text"}`, and what else is known.

That is `"key"`; who was there and who perceived all of it (`"present"`, `"audience"`); `"speak_as"`; where it was said:
`"place"`, `"context"`, `"channel"`, `"guild"`, `"persona"`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from earwitness.errors import StoryError
from earwitness.imports import Imported, Scene, SceneLine
from earwitness.patterns import lazy_pattern
from earwitness.records.channel import Channel, Context

from .rows import JsonRow, first_line, rows

_CHANNEL = {"context": "context", "channel": "channel_id", "guild": "guild_id", "persona": "persona_id"}
_BEGINS = lazy_pattern(rb'\{\s*"(?:speaker|text|key|present|audience|place)"\s*:')


class JsonlImporter:
    """Reads one conversation per file; the session is named after the file. A `speaker` of null is narration."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line is, or begins like, a message."""
        del path
        return _is_message(first_line(head))

    def read(self, path: str) -> Imported:
        """The conversation as one scene. Raises `StoryError` that names file and line."""
        lines = tuple(_line(row) for row in rows(path))
        if not lines:
            raise StoryError(f"{path}: it holds no message.")
        return Imported(scenes=(Scene(id=Path(path).stem, roster=_roster(lines), lines=lines),))


def _is_message(line: bytes) -> bool:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # longer than what was looked at
        return _BEGINS.match(line) is not None
    return isinstance(value, dict) and "speaker" in value and "text" in value


def _line(row: JsonRow) -> SceneLine:
    return SceneLine(
        speaker=row.optional_text("speaker"),
        text=row.text("text"),
        key=row.optional_text("key"),
        present=row.names("present"),
        speak_as=row.optional_text("speak_as"),
        audience=row.names("audience"),
        place=row.optional_text("place"),
        channel=_channel(row),
        line=row.line,
    )


def _channel(row: JsonRow) -> Channel | None:
    """Where it was said, where the row says so. Raises `StoryError` for an unknown context."""
    given = {field: row.optional_text(key) for key, field in _CHANNEL.items()}
    if given["context"] not in (None, *(valid := get_args(Context))):
        raise row.error(f"context {given['context']!r} must be one of {', '.join(valid)}.")
    said = {field: value for field, value in given.items() if value is not None}
    return Channel.model_validate(said) if said else None


def _roster(lines: Iterable[SceneLine]) -> tuple[str, ...]:
    """Everybody who speaks, is present or in an audience, in order of first appearance."""
    return tuple(dict.fromkeys(name for line in lines for name in _named(line)))


def _named(line: SceneLine) -> tuple[str, ...]:
    return (*([line.speaker] if line.speaker else []), *(line.present or ()), *(line.audience or ()))
