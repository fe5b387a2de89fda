"""Rule books, for a terminal: who is in which pantheon, and who tells whom what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from earwitness_relationships.rules.check import RuleWarning
from earwitness_relationships.rules.edges import RuleEdge, edges
from earwitness_relationships.rules.phrases import how, limited, own, what
from earwitness_relationships.rules.records import Pantheon, RuleBook

from .cells import FoldedCell
from .people import plain

MOST = 200
"""So many rows of a table are shown."""


def rule_tables(book: RuleBook) -> RenderableType:
    """All pantheons of a book, then who tells whom what."""
    tellings = _tellings(list(edges(book)))
    parts = [part for each in book.pantheons for part in _pantheon(each)]
    feeds = [Text(f"{plain(name)} makes {plain(feed.relation)}") for name, feed in book.feeds.items()]
    return Group(
        *parts, *([Text("World updates that feed the graph", style="bold"), *feeds] if feeds else []), tellings
    )


def warning_lines(path: str, warnings: Sequence[RuleWarning]) -> str:
    """`rules.yaml:3:7: warning: …`, one a line."""
    return "\n".join(f"{path}:{each.line}:{each.column}: warning: {plain(each.message)}" for each in warnings)


def counts(book: RuleBook) -> str:
    """`1 pantheon, 3 members, 2 relationships`."""
    members = sum(len(each.members) for each in book.pantheons)
    relationships = sum(len(each.relationships) for each in book.pantheons)
    numbers = ((len(book.pantheons), "pantheon"), (members, "member"), (relationships, "relationship"))
    return ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for number, word in numbers)


def _pantheon(pantheon: Pantheon) -> Iterator[RenderableType]:
    yield Text.assemble(
        (plain(pantheon.name or pantheon.slug), "bold"), (f"  {pantheon.slug} · {pantheon.type}", "dim")
    )
    if pantheon.description:
        yield Text(plain(pantheon.description))
    if pantheon.rules.options:
        yield Text(f"rules: {plain(own(pantheon.rules))}")
    members = [(each.personality_id, each.role, own(each.rules)) for each in pantheon.members]
    yield from _table(("member", "role", "own rules"), members)
    relations = [
        (f"{each.source} → {each.target}", each.type, f"{each.weight:g}", own(each.rules))
        for each in pantheon.relationships
    ]
    yield from _table(("relationship", "type", "weight", "own rules"), relations)
    yield Text()


def _tellings(found: Sequence[RuleEdge]) -> RenderableType:
    rows = [
        (each.teller, f"all of {each.listener}" if each.to_all else each.listener, what(each), *_manner(each))
        for each in found
    ]
    return (
        Group(*_table(("who", "tells", "what", "as", "within these limits"), rows))
        if rows
        else Text("Nobody tells anybody anything: no rule names who tells whom.", style="dim")
    )


def _manner(edge: RuleEdge) -> tuple[str, str]:
    return how(edge.options), limited(edge)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[RenderableType]:
    if not rows:
        return
    table = Table(box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(column)
    for row in rows[:MOST]:
        table.add_row(*(FoldedCell(plain(cell)) for cell in row))
    yield table
    if len(rows) > MOST:
        yield Text(f"… and {len(rows) - MOST:,} more", style="dim")
