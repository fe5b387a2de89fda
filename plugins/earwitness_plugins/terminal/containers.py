"""Stories, containers and previews, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from earwitness.backstage.records import ContainerPage, Overview
from earwitness.ids import WORLD
from earwitness.outcome import Settlement
from earwitness.records.memory import Memory
from earwitness_plugins.applications.stories.gist import gist

from .long_texts import shortened
from .memories import readable
from .people import People, plain


def sessions(ids: Sequence[str]) -> RenderableType:
    """The ids of all stories."""
    return Text("\n".join(map(plain, ids)) or "no stories yet")


def overview(whole: Overview, people: People) -> RenderableType:
    """A story at a glance: state, cast, and how much each remembers."""
    state = whole.state
    head = Text.assemble(
        (plain(whole.session), "bold"), f"  {people.day(state.game_day)} · {plain(state.current_scene)}"
    )
    if whole.parent:
        head.append(f"  (a branch of {plain(whole.parent)})", style="dim")
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("", "id", "kind", "where", "memories"):
        table.add_column(column, justify="right" if column == "memories" else "left")
    for page in whole.containers:
        table.add_row(*_about(page, whole, people))
    return Group(head, table)


def _about(page: ContainerPage, whole: Overview, people: People) -> tuple[Text | str, ...]:
    if page.owner == WORLD:
        return Text("the world", style="dim"), WORLD, "", "", str(page.total)
    where = whole.state.whereabouts.get(page.owner)
    place = "here" if where and where.here else plain((where.place if where else None) or "away")
    if where and where.condition != "awake":
        place = f"{place}, {where.condition.replace('_', ' ')}"
    name = people.name(page.owner)
    if page.owner in whole.guises:
        name.append(f" (as {plain(whole.guises[page.owner])})", style="dim")
    return name, plain(page.owner), whole.cast[page.owner].kind, place, str(page.total)


def container_page(found: ContainerPage, people: People, offset: int = 0) -> RenderableType:
    """The memories of one container, one block each."""
    whose = Text("The world", style="bold") if found.owner == WORLD else people.name(found.owner, bold=True)
    head = whose.append(f"  {plain(found.container)}  {_count(found, offset)}", style="dim")
    return Group(head, *(_block(memory, found.owner, people) for memory in found.memories))


def _count(found: ContainerPage, offset: int) -> str:
    """`13 memories`, `3 of 12 memories`, or for a page of them `1–50 of 1,024 memories`."""
    upto = offset + len(found.memories)
    if not found.memories:
        return f"none of {found.matching if offset else found.total:,} memories"
    if len(found.memories) < found.matching:
        rest = "" if found.matching == found.total else f" that match, of {found.total:,}"
        return f"{offset + 1:,}–{upto:,} of {found.matching:,} memories{rest}"
    shown = f"{found.matching:,}" if found.matching == found.total else f"{found.matching:,} of {found.total:,}"
    return f"{shown} {'memory' if found.total == 1 else 'memories'}"


def _block(memory: Memory, owner: str, people: People) -> RenderableType:
    day = "" if memory.learned_day is None else f" · {people.day(memory.learned_day)}"
    keys = f" · key {', '.join(memory.message_keys)}" if memory.message_keys else ""
    known = "" if owner == WORLD else f" · {memory.learned.words(people.called)}"
    line = f"{memory.id} · {memory.type}{day}{known}{keys}"
    return Group(
        Text(readable(gist(memory).removeprefix("Message: "), people)),
        Padding(Text(plain(line), style="dim"), (0, 0, 0, 2)),
    )


def settled(decided: Settlement, people: People) -> RenderableType:
    """Who perceives a message now."""
    message = decided.message
    if message is None:
        return Text("nothing changed")
    said = Text.assemble(people.name(message.speaker, bold=True), "  ", plain(shortened(message.content)))
    return Group(said, Padding(people.heard(decided.participants, decided.addressees), (0, 0, 0, 4)))
