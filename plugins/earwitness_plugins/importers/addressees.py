"""Quotations of a novel, one per line, and to whom each is said.

`{"quote", "text", "speaker", "addressees": [name], "spans": [[start, end]]}`: a file is one scene, a quotation a line
of it. The roster are those who speak in the book; whom it says they address is looked at by nobody who decides.
"""

from __future__ import annotations

from pathlib import Path

from earwitness.patterns import lazy_pattern

from .labelled import Labelled, LabelledLine, LabelledScene
from .rows import JsonRow, first_line, rows

DATASET = "quotations"
_BEGINS = lazy_pattern(rb'\{.*"quote" ?:')


class AddresseesImporter:
    """Reads one novel per file; the session is named after the file."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line begins like a quotation."""
        del path
        return _BEGINS.match(first_line(head)) is not None

    def read(self, path: str) -> Labelled:
        """The novel. Raises `StoryError` that names file and line."""
        lines = tuple(map(_line, rows(path)))
        name = Path(path).stem
        roster = tuple(sorted({line.speaker for line in lines if line.speaker}))  # not in the order of speech
        return Labelled(
            scenes=(LabelledScene(id=name, dataset=DATASET, name=name, group=name, roster=roster, lines=lines),)
        )


def _line(row: JsonRow) -> LabelledLine:
    spans = row.values.get("spans")
    return LabelledLine(
        speaker=row.optional_text("speaker") or None,
        text=row.text("text"),
        key=row.text("quote"),
        addressees=row.names("addressees"),
        judged=False,
        notes={} if spans is None else {"spans": spans},
    )
