"""Scenes: JSON Lines with one scene a line.

`{"dataset", "scene", "roster": [name], "messages": [{"kind": "speech" | "narration", "speaker", "text", "present"}]}`;
a message may also carry `marked`, its text with the directions of its delivery, which is then what is played.
"""

from __future__ import annotations

from earwitness.importing import Imported, Scene, SceneLine

from .rows import Row, first_line, rows

_KEYS = (b'"scene"', b'"roster"')


class ScenesImporter:
    """Reads scenes; each becomes a session `{dataset}-{scene}`."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line begins like a scene."""
        del path
        line = first_line(head)
        return line.startswith(b"{") and all(key in line for key in _KEYS)

    def read(self, path: str) -> Imported:
        """Every scene, in order. Raises `StoryError` naming file and line."""
        return Imported(scenes=tuple(map(_scene, rows(path))))


def _scene(row: Row) -> Scene:
    dataset = row.optional_text("dataset")
    name = row.text("scene")
    return Scene(
        id=f"{dataset}-{name}" if dataset else name,
        roster=row.names("roster") or (),
        lines=tuple(_line(message) for message in row.rows("messages")),
    )


def _line(row: Row) -> SceneLine:
    narrated = row.values.get("kind") == "narration"
    return SceneLine(
        speaker=None if narrated else _speaker(row),
        text=row.text("text") if row.values.get("marked") is None else row.text("marked"),
        present=row.names("present"),
    )


def _speaker(row: Row) -> str | None:
    """Who says it; the first of several who speak as one."""
    return row.optional_text("speaker") or next(iter(row.names("speakers") or ()), None)
