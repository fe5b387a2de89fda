"""How far two annotators agree, who labelled the same scenes without seeing each other's labels. Pure.

`annotations/{dev,test}.jsonl` holds `{"scene", "roster", "speakers": [name | null], "first": LABELS, "second": LABELS}`
with LABELS = `{"present": [[name] | null], "addressees": [[name] | null], "knowers": [[name]]}`, one entry per message
or question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from earwitness.records.base import Record
from earwitness_plugins.importers.rows import JsonRow, rows

from .places import PARTS


class Agreement(Record):
    """Agreement on one kind of label."""

    items: int
    """Number of messages, or questions, that both annotators labelled."""
    equal: float
    """Share of them with equal sets of names."""
    kappa: float | None
    """Cohen's kappa of the decisions about single names, speakers left out (Cohen 1960); `None` if it is undefined."""


def agreements(folder: Path) -> dict[str, Agreement]:
    """Kind of label → agreement; empty without annotations. Raises `StoryError` that names file and line."""
    paths = [folder / "annotations" / f"{part}.jsonl" for part in PARTS]
    found = [row for path in paths if path.is_file() for row in rows(str(path))]
    kinds = ("present", "addressees", "knowers")
    return {kind: _agreement(list(_pairs(found, kind))) for kind in kinds if any(_pairs(found, kind))}


LabelPair = tuple[frozenset[str], frozenset[str], Sequence[str]]
"""The names that the first and the second annotator chose, and those there were to choose from."""


def _pairs(found: Iterable[JsonRow], kind: str) -> Iterator[LabelPair]:
    for row in found:
        first, second = (row.values.get(who, {}).get(kind, []) for who in ("first", "second"))
        speakers = row.values.get("speakers", []) if kind != "knowers" else [None] * len(first)
        if not first or not second:
            continue
        for ours, theirs, speaker in zip(first, second, speakers, strict=True):
            if ours is not None and theirs is not None:
                yield (
                    frozenset(ours),
                    frozenset(theirs),
                    [name for name in row.names("roster") or () if name != speaker],
                )


def _agreement(pairs: Sequence[LabelPair]) -> Agreement:
    table = Counter(
        (name in ours, name in theirs) for ours, theirs, names in pairs for name in names
    )  # decisions about single names
    return Agreement(
        items=len(pairs),
        equal=sum(ours == theirs for ours, theirs, _ in pairs) / len(pairs),
        kappa=_kappa(table),
    )


def _kappa(table: Counter[tuple[bool, bool]]) -> float | None:
    total = table.total()
    if not total:
        return None
    observed = (table[True, True] + table[False, False]) / total
    first = (table[True, True] + table[True, False]) / total
    second = (table[True, True] + table[False, True]) / total
    expected = first * second + (1 - first) * (1 - second)
    return None if expected == 1 else (observed - expected) / (1 - expected)
