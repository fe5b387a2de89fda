"""What should come to a character's mind before a turn, one turn per line; `scene` names a scene of another file.

`{"dataset", "scene", "character", "before": index, "evidence": [index]}`: just before message `before`, the messages
that help `character` to go on. Indices begin with 0. The query is the one that a turn asks.
"""

from __future__ import annotations

from typing import TypeGuard

from .labelled import Asked, Labelled
from .rows import JsonRow, first_line, rows

_KEYS = (b'"scene"', b'"character"', b'"before"', b'"evidence"')


class TurnsImporter:
    """Reads turns with what should be recalled for them. A file of them holds nothing to replay."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line is, or begins like, such a turn."""
        del path
        line = first_line(head)
        return line.startswith(b"{") and all(key in line for key in _KEYS)

    def read(self, path: str) -> Labelled:
        """Every turn, in order. Raises `StoryError` that names file and line."""
        return Labelled(asked=tuple(map(_turn, rows(path))))


def _turn(row: JsonRow) -> Asked:
    before, evidence = row.values.get("before"), row.values.get("evidence")
    if not _is_index(before):
        raise row.error(f"'before' must be the index of a message, from 0; it is {before!r}.")
    if not (isinstance(evidence, list) and evidence and all(_is_index(each) and each < before for each in evidence)):
        raise row.error(f"'evidence' must be a list of indices of messages before {before}; it is {evidence!r}.")
    return Asked(
        dataset=row.optional_text("dataset") or "",
        scene=row.text("scene"),
        character=row.text("character"),
        before=before,
        evidence=tuple(map(str, evidence)),
    )


def _is_index(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
