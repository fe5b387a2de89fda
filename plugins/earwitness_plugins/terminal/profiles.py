"""What a character thinks of another one, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from earwitness.records.prose import counted
from earwitness_plugins.applications.profiles.records import Profile, ProfileClaim

from .people import People, plain


def profile(found: Profile, people: People, *, days: bool = False) -> RenderableType:
    """The claims, each with its memories below; with `days`, under the game day on which each was last shown."""
    rests_on = f", from {counted(found.memories, 'memory', 'memories')}"
    head = Text.assemble(people.name(found.character, bold=True), " on ", people.name(found.of, bold=True), rests_on)
    nothing = [] if found.claims else [Padding(Text("nothing", style="dim italic"), (0, 0, 0, 2))]
    calls = [str(each) for each in found.usage.calls] if found.usage else []
    told = [Text(plain(each), style="dim") for each in (*found.notes, *calls)]
    return Group(head, *_claims(found, people, days=days), *nothing, *told)


def _claims(found: Profile, people: People, *, days: bool) -> Iterator[RenderableType]:
    if not days:
        yield from _lines(found.claims, people, 2)
        return
    for day, claims in found.days.items():
        yield Padding(Text(people.day(day)), (0, 0, 0, 2))
        yield from _lines(claims, people, 4)


def _lines(claims: Iterable[ProfileClaim], people: People, indent: int) -> Iterator[RenderableType]:
    for each in claims:
        since = (
            people.day(each.day) if each.since == each.day else f"{people.day(each.since)} to {people.day(each.day)}"
        )
        hidden = f"\nnot to be said here: {plain(each.unsayable)}" if each.unsayable else ""
        line = Text.assemble(
            plain(each.text), (plain(hidden), "red"), (f"\n{since} · {', '.join(each.evidence)}", "dim")
        )
        yield Padding(line, (0, 0, 0, indent))
