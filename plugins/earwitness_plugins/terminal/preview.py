"""A preview for a terminal: who would learn a message, when and why, and who would not."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from earwitness.backstage.preview import Preview
from earwitness.records.plan import Delivery
from earwitness.records.stop import Stopped

from .cells import FoldedCell
from .people import HEARD, NOT_THERE, People, plain


def preview(found: Preview, people: People) -> RenderableType:
    """Who would perceive a message, why, who else would learn of it, and who would not."""
    said = Text.assemble(people.name(found.message.speaker, bold=True), "  ", plain(found.message.content))
    lines: list[RenderableType] = [said, Padding(people.heard(found.participants, found.addressees), (0, 0, 0, 4))]
    for id, participant in found.participants.items():
        why = f" {participant.confidence:.2f}  {plain('; '.join(participant.evidence))}"
        lines.append(Padding(people.name(id).append(why, style="dim"), (0, 0, 0, 4)))
    lines += [Padding(table, (0, 0, 0, 4)) for table in _others(found, people)]
    lines += [
        Text(f"struck: {each.owner}: {plain(each.reason or '')}", style="red")
        for each in found.deliveries
        if not each.is_active
    ]
    return Group(*lines)


def _others(found: Preview, people: People) -> list[RenderableType]:
    """A table of those who do not perceive it, if sharing rules say something about anybody."""
    if not (found.tellings or found.stops):
        return []
    table = Table(box=box.SIMPLE_HEAD, title_justify="left")
    for column in ("", "would learn it on", "how", "by the rule"):
        table.add_column(column)
    rows = [*(_row(each, people) for each in found.tellings), *(_stopped(each, people) for each in found.stops)]
    for row in rows:
        table.add_row(*map(FoldedCell, row))
    return [table]


def _row(telling: Delivery, people: People) -> tuple[Text | str, ...]:
    day = people.day(telling.support.learned_day)
    who = Text.assemble((f"{HEARD} ", "bold"), people.name(telling.owner))
    return who, day, plain(telling.learned.words(people.called)), plain(telling.support.rule or "")


def _stopped(stop: Stopped, people: People) -> tuple[Text | str, ...]:
    who = Text(f"{NOT_THERE} {people.called(stop.character)}", style="dim")
    teller = "" if stop.shared_from is None else f"not from {people.called(stop.shared_from)}: "
    return who, "", Text(plain(f"{teller}{stop.reason}"), style="dim"), Text(plain(stop.rule), style="dim")
