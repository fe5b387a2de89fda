"""How a memory got where it is, for a terminal: hop by hop, with names, and what was said."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from earwitness.backstage.records import Cited, Explanation, Hop
from earwitness.ids import WORLD
from earwitness.records.memory import Memory
from earwitness.records.memory_types import OUR_TYPES
from earwitness_plugins.applications.stories.gist import NEWS, gist

from .memories import readable
from .people import People, plain

STEP = 2
PREPARED = {
    "plot": "the plot",
    "character_card": "a character's card",
    "example_dialog": "example dialogue",
    "lore": "a piece of lore",
}


def explanation(found: Explanation, people: People) -> RenderableType:
    """A memory's provenance, back to whoever perceived it first."""
    chain = found.sentence(people.called)
    short = [_in(STEP, Text(f"In short: {plain(chain)}."))] if chain else []
    return Group(*_lines(found, people, 0, said_before=""), *short)


def _lines(found: Explanation, people: People, indent: int, said_before: str) -> Iterator[RenderableType]:
    """`said_before` is the text of the hop before: the same text is not shown twice."""
    yield _in(indent, _head(found, people))
    said = _said(found, people)
    if said and said != said_before:
        yield _in(indent + STEP, Text(f"“{said}”" if "speaker" in found.metadata else said, style="italic"))
    for hop in found.supports:
        yield _in(indent + STEP, _hop(hop, people))
        if hop.via:
            yield from _lines(hop.via, people, indent + 2 * STEP, said)
    for line in found.knowledge:
        yield from _news(line, people, indent + STEP)
    for ground in found.rests_on:
        yield _in(indent + STEP, Text("because"))
        yield from _lines(ground, people, indent + 2 * STEP, said)
    for each in found.not_arrived:
        why = (plain(each.why), "dim" if each.reason is None else "red")
        yield _in(indent + STEP, Text.assemble(plain(each.words(people.called)), why))
    if found.origin:
        yield _in(indent + STEP, Text(plain(str(found.origin)), style="dim"))


def _head(found: Explanation, people: People) -> Text:
    who = Text("The world", style="bold") if found.owner == WORLD else people.name(found.owner, bold=True)
    return Text.assemble(who, " remembers " if found.alive else " remembers no more ", _about(found, people), ":")


def _about(found: Explanation, people: People) -> Text:
    speaker, day = found.metadata.get("speaker"), found.metadata.get("gameDay")
    since = f" on {people.day(day)}" if isinstance(day, int | float) else ""
    if isinstance(speaker, str):
        return Text.assemble("what ", people.name(speaker), " said", since, (f" ({plain(found.number)})", "dim"))
    kind = str(found.metadata.get("type", "message"))
    if kind in PREPARED:
        key = found.metadata.get("loreKey")
        return Text.assemble(PREPARED[kind], (f" (key {plain(str(key))!r})" if key else "", "dim"))
    what = "what happened" if kind in OUR_TYPES else f"a {plain(kind)}"
    return Text.assemble(what, since, (f" (key {plain(found.source)!r})" if found.source else "", "dim"))


def _said(found: Explanation, people: People) -> str:
    """What is remembered, without the speaker, the day and the news, which are shown separately."""
    memory = Memory(id=found.memory_id, container="", content=found.content, metadata=found.metadata)
    text = "\n".join(line for line in readable(gist(memory), people).split("\n") if not line.startswith(NEWS))
    if "speaker" not in found.metadata:
        return text
    return text.removeprefix("Message: ").partition(": ")[2]


def _hop(hop: Hop, people: People) -> Text:
    before = hop.learned is not None and hop.learned.way == "before"
    since = "" if before else f" on {people.day(hop.learned_day)}"
    gone = (plain(hop.gone), "red" if hop.status in {"struck", "withdrawn"} else "yellow")
    return Text.assemble(plain(hop.words(people.called)), since, (plain(hop.why), "dim"), plain(hop.doubt), gone)


def _news(line: Cited, people: People, indent: int) -> Iterator[RenderableType]:
    yield _in(indent, Text(f"learned at the same time: {readable(NEWS + line.text, people).removeprefix(NEWS)}"))
    for ground in line.rests_on:
        if ground != line.text:
            yield _in(indent + STEP, Text(f"as the world remembers: {plain(ground)}", style="dim"))


def _in(indent: int, line: Text) -> RenderableType:
    return Padding(line, (0, 0, 0, indent))
