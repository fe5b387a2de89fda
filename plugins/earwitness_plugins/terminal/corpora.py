"""A checked corpus on the terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from earwitness_plugins.applications.corpora.agreement import Agreement
from earwitness_plugins.applications.corpora.check import CorpusCheck, CorpusCounts


def shown(found: CorpusCheck) -> RenderableType:
    """CorpusCounts, agreement and problems of a corpus."""
    said = found.problems or ("The corpus is what its card says.",)
    parts = [_counts(found.name, found.counts)]
    if found.agreement:
        parts.append(_agreement(found.agreement))
    return Group(*parts, *map(Text, said))


def _counts(name: str, counts: CorpusCounts) -> Table:
    table = _table(f"{name}: {counts.scenes:,} scenes, {counts.messages:,} messages", "what", "scenes")
    for what, number in {**counts.styles, **counts.languages, "part test": counts.test}.items():
        table.add_row(what, f"{number:,}")
    table.add_row("with somebody absent", f"{counts.absent:.1%}")
    table.add_row("questions, recall queries", f"{counts.questions:,}, {counts.queries:,}")
    return table


def _agreement(found: dict[str, Agreement]) -> Table:
    table = _table("Two annotators", "label", "n", "equal", "kappa")
    for kind, each in found.items():
        table.add_row(kind, f"{each.items:,}", f"{each.equal:.1%}", "–" if each.kappa is None else f"{each.kappa:.3f}")
    return table


def _table(title: str, *heads: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    return table
