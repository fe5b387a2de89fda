"""Quotations of a novel, one per line, and to whom each is said.

`{"quote", "text", "speaker", "addressees": [name], "spans": [[start, end]]}`: a file is one scene, a quotation a line
of it, unless its rows name a `scene` (and a `dataset`): then a file holds many. The roster are those who speak in the
scene; whom it says they address is looked at by nobody who decides.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from earwitness.patterns import lazy_pattern

from .labelled import Labelled, LabelledLine, LabelledScene
from .rows import JsonRow, first_line, rows

DATASET = "quotations"
_BEGINS = lazy_pattern(rb'\{.*"quote" ?:')


class AddresseesImporter:
    """Reads one novel per file, whose session is named after the file, or the scenes that its rows name."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line begins like a quotation."""
        del path
        return _BEGINS.match(first_line(head)) is not None

    def read(self, path: str) -> Labelled:
        """The novel or the scenes. Raises `StoryError` that names file and line."""
        stem = Path(path).stem
        scenes = groupby(rows(path), key=lambda row: (row.optional_text("dataset"), row.optional_text("scene")))
        return Labelled(
            scenes=tuple(_scene(list(each), dataset or DATASET, name or stem) for (dataset, name), each in scenes)
        )


def _scene(quotations: list[JsonRow], dataset: str, name: str) -> LabelledScene:
    lines = tuple(map(_line, quotations))
    roster = tuple(sorted({line.speaker for line in lines if line.speaker}))  # not in the order of speech
    id = name if dataset == DATASET else f"{dataset}-{name}"
    return LabelledScene(id=id, dataset=dataset, name=name, group=name, roster=roster, lines=lines)


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
