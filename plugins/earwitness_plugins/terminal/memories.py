"""Memories, for a terminal: what, since when, how it was learned, and why it came to mind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from earwitness.backstage.knowers import Knower
from earwitness.patterns import lazy_pattern
from earwitness.records.memory import Memory
from earwitness_plugins.applications.stories.events import RecalledMemory, RecallPlayed, WhoKnowsPlayed
from earwitness_plugins.applications.stories.gist import NEWS, gist

from .long_texts import shortened
from .people import HEARD, NOT_THERE, People, plain

BETWEEN, NARROWEST = 2, 16
"""Characters between two columns of a table, and in a column at least."""
_DAY = lazy_pattern(r" GameDay: (-?[\d.e+]+)$")
SCORES = "Scores run from 0 to 1, relative to the best that this recall found. Scores of two recalls do not compare."
PARTS = {
    "words": "the same words",
    "meaning": "similar meaning",
    "rerank": "similar word by word",
    "context": "said close to something that fits better",
    "recency": "how new it is",
    "news": "learned at the same time as what was said last",
}


def recollection(recall: RecallPlayed, people: People, *, ids: bool = False) -> RenderableType:
    """A panel with what came to mind, and why; with `ids`, also the ids of memories and what scores mean."""
    after = "" if recall.query else " after what was said last"
    title = Text.assemble(people.name(recall.character, bold=True), " remembers", after)
    asked = [Text(f'"{plain(recall.query)}"', style="italic")] if recall.query else []
    asked += [Text(plain(note), style="dim") for note in recall.notes]
    lines = [_remembered(n, memory, people, ids=ids) for n, memory in enumerate(recall.memories, 1)]
    nothing = [] if lines else [Text("nothing", style="dim italic")]
    scores = [Text(_legend(recall.memories), style="dim")] if ids and lines else []
    told = [Text(plain(each), style="dim") for each in recall.consulted] if ids else []
    failed = [Text(f"! {plain(each)}", style="red") for each in recall.failures]
    return Panel(
        Group(*asked, *lines, *nothing, *scores, *told, *failed),
        title=title,
        title_align="left",
        border_style="dim",
        box=box.ROUNDED,
        padding=(0, 1),
    )


def _remembered(number: int, memory: RecalledMemory, people: People, *, ids: bool) -> Text:
    since = "" if memory.learned_day is None or memory.permanent else f", {people.day(memory.learned_day)}"
    reasons = f"   {memory.learned.words(people.called)}{since} · {memory.why}" + (f"\n   {memory.id}" if ids else "")
    unsayable = f"\n   not to be said here: {memory.unsayable}" if memory.unsayable else ""
    parts = (
        (f"{number}. ", "dim"),
        readable(memory.text, people),
        (plain(unsayable), "red"),
        "\n",
        (plain(reasons), "dim"),
    )
    return Text.assemble(*parts)


def _legend(memories: Sequence[RecalledMemory]) -> str:
    """What the scores mean."""
    named = [f"{part}: {words}" for part, words in PARTS.items() if any(part in memory.why for memory in memories)]
    return "\n".join([SCORES, "; ".join(named) + "."]) if named else SCORES


def readable(text: str, people: People) -> str:
    """A gist, shortened, without the day it was said, which is shown separately; news keep theirs, in brackets."""
    lines = plain(shortened(text)).split("\n")
    return "\n".join(_DAY.sub(_on_day(people) if line.startswith(NEWS) else "", line) for line in lines)


def dated(news: str, people: People) -> str:
    """A piece of news, with its day as the calendar calls it, in brackets."""
    return _DAY.sub(_on_day(people), plain(news))


def _on_day(people: People) -> Callable[[re.Match[str]], str]:
    return lambda found: f" ({people.day(float(found[1]))})"


def knowledge(answer: WhoKnowsPlayed, people: People, *, proofs: bool = False) -> RenderableType:
    """Who knows about it: a line for every character; with `proofs`, also the memory that proves it."""
    grid = Table.grid(padding=(0, 2))
    for knower in (answer.knowers[id] for id in people.ids if id in answer.knowers):
        proof = [Text(knower.memory_id or "", style="dim")] if proofs else []
        grid.add_row("  ", _dot(knower), people.name(knower.character), _knows(knower, people), *proof)
    found = [
        Padding(Text.assemble("found in: ", (text, "italic")), (0, 0, 0, 4))
        for text in _texts(answer, people)
        if proofs
    ]
    return Group(Text.assemble("Who knows: ", (plain(answer.text), "italic")), grid, *found)


def _texts(answer: WhoKnowsPlayed, people: People) -> tuple[str, ...]:
    """The memories they know it, or the contrary, from, or heard of it.

    Two who heard the same message remember the same words, which are shown once.
    """
    found = (proof for each in answer.knowers.values() for proof in (each, each.contrary, each.heard_of))
    proofs = [each for each in found if each is not None]
    return tuple(dict.fromkeys(_text(each.text, people) for each in proofs if each.text))


def _text(proof: str, people: People) -> str:
    """A memory that proves that somebody knows it, without headings."""
    return readable(gist(Memory(id="", container="", content=proof, metadata={})), people)


def _dot(knower: Knower) -> Text:
    return Text(HEARD, style="green") if knower.knows else Text(NOT_THERE, style="dim")


def _knows(knower: Knower, people: People) -> Text:
    said = plain(knower.words(people.called))
    return Text(said) if said else Text("nothing found", style="dim")


def summary(memories: dict[str, int], questions: Sequence[WhoKnowsPlayed], people: People) -> RenderableType:
    """Who remembers what, and how they know: a row for every character, a column for every question."""
    title = Text("Who remembers what, and how they know", style="bold")  # above the table, which may be narrower
    return Group(title, _WhoRemembersWhat(memories, questions, people))


@dataclass(frozen=True)
class _WhoRemembersWhat:
    """One table, or several below each other where the columns of one would be too narrow for their words."""

    memories: dict[str, int]
    questions: Sequence[WhoKnowsPlayed]
    people: People

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        room = options.max_width - console.measure(self._table(())).maximum
        for each in _fitting(self.questions, room) or [()]:
            yield self._table(each)

    def _table(self, questions: Sequence[WhoKnowsPlayed]) -> Table:
        table = Table(box=box.SIMPLE_HEAD)
        table.add_column("")
        table.add_column("memories", justify="right")
        for question in questions:
            table.add_column(plain(question.text), header_style="italic", overflow="fold")
        for id in self.people.ids:
            cells = [_cell(question.knowers.get(id), self.people) for question in questions]
            table.add_row(self.people.name(id), str(self.memories.get(id, 0)), *cells)
        return table


def _fitting(questions: Sequence[WhoKnowsPlayed], room: int) -> list[Sequence[WhoKnowsPlayed]]:
    """The questions in groups whose columns are wide enough for their words, if so many characters are left. Pure."""
    groups: list[list[WhoKnowsPlayed]] = []
    left = 0
    for question in questions:
        width = BETWEEN + max([NARROWEST, *map(len, question.text.split())])
        if not groups or width > left:
            groups.append([])
            left = room
        groups[-1].append(question)
        left -= width
    return [*groups]


def _cell(knower: Knower | None, people: People) -> Text:
    if knower is None or not knower.words():
        return Text(NOT_THERE, style="dim")
    return Text.assemble(_dot(knower), " ", _knows(knower, people))
