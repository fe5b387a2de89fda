"""Relations and the history of a graph, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.markup import escape
from rich.table import Table

from earwitness.records.state import day_text
from earwitness_relationships.graph.records import GraphChange, Neighbor, Relation

from .people import plain


def relation_table(relations: Sequence[Relation], title: str, most: int) -> Table:
    """One row for each relation, at most `most`."""
    table = _table(title, len(relations) - most, "from", "relation", "to", "weight", "since", "until")
    for each in relations[:most]:
        days = (_day(each.since), _day(each.until))
        table.add_row(_shown(each.source), _shown(each.type), _shown(each.target), f"{each.weight:g}", *days)
    return table


def neighbor_table(found: Sequence[Neighbor], title: str, most: int) -> Table:
    """One row for each neighbour, at most `most`."""
    table = _table(title, len(found) - most, "steps", "node", "kind", "name")
    for each in found[:most]:
        table.add_row(str(each.distance), _shown(each.node.id), each.node.kind, _shown(each.node.name or ""))
    return table


def history_table(changes: Sequence[GraphChange], title: str, most: int) -> Table:
    """One row for each change, at most `most`."""
    table = _table(title, len(changes) - most, "version", "what", "of whom", "weight", "since", "until")
    for change in changes[:most]:
        table.add_row(str(change.version), change.fact.op, *_about(change))
    return table


def _about(change: GraphChange) -> tuple[str, ...]:
    node, relation = change.fact.node, change.fact.relation
    if relation is None:
        return (_shown(f"{node.kind} {node.id}") if node else "everything",)
    who = _shown(f"{relation.source} {relation.type} {relation.target}")
    return who, f"{relation.weight:g}", _day(relation.since), _day(relation.until)


def _shown(text: str) -> str:
    """The text to the letter: without control characters, and with [brackets] that are not markup."""
    return escape(plain(text))


def _day(day: float | None) -> str:
    return "" if day is None else f"day {day_text(day)}"


def _table(title: str, left_out: int, *columns: str) -> Table:
    more = f"and {left_out} more: --limit" if left_out > 0 else None
    table = Table(title=title, title_justify="left", caption=more, caption_justify="left", box=box.SIMPLE)
    for name in columns:
        table.add_column(name, overflow="fold")
    return table
