"""What other rules would change in a story, for a terminal."""

from __future__ import annotations

from itertools import groupby
from typing import Literal

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from earwitness_relationships.propagation.records import Telling
from earwitness_relationships.what_if import RulesDifference

from .cells import FoldedCell
from .people import People, plain


def rule_changes(found: RulesDifference, people: People) -> RenderableType:
    """Message by message, who learns it otherwise, under the old rules and under the new ones."""
    left_out = [Text(plain(f"Not compared: {each}."), style="yellow") for each in found.left_out]
    if not found.changes:
        same = f"{found.messages} messages, up to {people.day(found.day)}: everybody would have learned the same."
        return Group(Text(same), *left_out)
    parts: list[RenderableType] = []
    for _, group in groupby(found.changes, key=lambda each: (each.message, each.summary_of, each.title)):
        changes = list(group)
        table = Table(box=box.SIMPLE_HEAD)
        for column in ("", "under the old rules", "under the new rules"):
            table.add_column(column)
        for each in changes:
            ways = (_way(each.old, people, found, "old"), _way(each.new, people, found, "new"))
            table.add_row(*map(FoldedCell, (people.name(each.character), *ways)))
        parts += [Text(plain(f"{changes[0].message}: {changes[0].title}"), style="bold"), Padding(table, (0, 0, 0, 2))]
    return Group(*parts, *left_out)


def _way(telling: Telling | None, people: People, found: RulesDifference, book: Literal["old", "new"]) -> Text:
    if telling is None:
        compared = "" if found.is_whole(book) else ", by what is compared"
        return Text(f"would not learn it by {people.day(found.day)}{compared}", style="dim")
    described = "witnessed it, through" if telling.how == "witnessed" else "told by"
    return Text(plain(f"{described} {_name(telling.teller, people)} on {people.day(telling.day)} ({telling.rule})"))


def _name(personality: str, people: People) -> str:
    """The name of the first character who is this personality."""
    ids = (each.id for each in people.cast if each.personality_id == personality)
    return people.called(next(ids, personality))
