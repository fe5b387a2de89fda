"""Questions of who knows a fact, one per line; `scene` names a scene of another file of the same `dataset`.

`{"dataset", "scene", "task": "knows", "fact", "character", "knows": bool}` asks of one character,
`{"dataset", "scene", "task": "knowers", "fact", "roster": [name], "knowers": [name]}` for a list. The `fact` may
begin with its `question`; then the answer follows. A list may say who is `misled`, and who only `heard_of` it.
"""

from __future__ import annotations

from .labelled import Labelled, Question
from .rows import JsonRow, first_line, rows

TASKS = ("knows", "knowers")
_KEYS = (b'"scene"', b'"task"', b'"fact"')


class KnowledgeImporter:
    """Reads questions. A file of them holds nothing to replay."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line is, or begins like, a question."""
        del path
        line = first_line(head)
        return line.startswith(b"{") and all(key in line for key in _KEYS)

    def read(self, path: str) -> Labelled:
        """Every question, in order. Raises `StoryError` that names file and line."""
        return Labelled(questions=tuple(map(_question, rows(path))))


def _question(row: JsonRow) -> Question:
    if row.text("task") not in TASKS:
        raise row.error(f"task {row.text('task')!r} is not known. Tasks: {', '.join(TASKS)}.")
    knows = row.values.get("knows")
    if knows is not None and not isinstance(knows, bool):
        raise row.error(f"'knows' must be true or false; it is {knows!r}.")
    return Question(
        dataset=row.optional_text("dataset") or "",
        scene=row.text("scene"),
        fact=row.text("fact"),
        character=row.text("character") if row.text("task") == "knows" else None,
        knows=knows,
        roster=row.names("roster") or (),
        knowers=row.names("knowers"),
        question=row.optional_text("question"),
        misled=row.names("misled") or (),
        heard_of=row.names("heard_of") or (),
    )
