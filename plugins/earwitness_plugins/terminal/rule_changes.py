"""What other rules would change in a story, for a terminal."""

from __future__ import annotations

from itertools import groupby

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from earwitness_relationships.propagation.records import Telling
from earwitness_relationships.what_if import RulesDifference

from .people import People, plain


def rule_changes(found: RulesDifference, people: People) -> RenderableType:
    """Message by message, who learns it otherwise, under the old rules and under the new ones."""
    if not found.changes:
        return Text(f"{found.messages} messages, up to {people.day(found.day)}: everybody would have learned the same.")
    parts: list[RenderableType] = []
    for _, group in groupby(found.changes, key=lambda each: each.message):
        changes = list(group)
        table = Table(box=box.SIMPLE_HEAD)
        for column in ("", "under the old rules", "under the new rules"):
            table.add_column(column)
        for each in changes:
            table.add_row(people.name(each.character), *(_way(way, people, found.day) for way in (each.old, each.new)))
        parts += [Text(plain(f"{changes[0].message}: {changes[0].said}"), style="bold"), Padding(table, (0, 0, 0, 2))]
    return Group(*parts)


def _way(telling: Telling | None, people: People, today: float) -> Text:
    if telling is None:
        return Text(f"would not learn it by {people.day(today)}", style="dim")
    described = "witnessed it, through" if telling.how == "witnessed" else "told by"
    return Text(plain(f"{described} {_name(telling.teller, people)} on {people.day(telling.day)} ({telling.rule})"))


def _name(personality: str, people: People) -> str:
    """The name of the first character who is this personality."""
    ids = (each.id for each in people.cast if each.personality_id == personality)
    return people.called(next(ids, personality))
