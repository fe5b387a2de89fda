"""What other rules would change: the messages of a story, passed on under each of two rule books."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from earwitness import Cast, Earwitness, Record, Session, SettledMessage, SharingEvent
from earwitness.records.prose import gist

from ..compiled.adjacency import Adjacency
from ..graph.view import GraphView
from ..pantheons.desk import model_of
from ..propagation.personalities import Personalities
from ..propagation.records import Telling
from ..propagation.seeds import seed_of
from ..propagation.walk import spread
from ..rules.book import book_of
from ..rules.records import RuleBook
from .past_facts import known_at, noted_facts, numbers
from .past_state import PastGraphs, flags_when_said, versions_when_said

Learning = Mapping[str, Telling]
"""Character id → how they first learn a message."""


class LearningChange(Record):
    """Somebody who learns a message under one rule book and not under the other, or otherwise."""

    message: str
    """The message's key."""
    said: str
    """Its beginning."""
    character: str
    """Character id."""
    old: Telling | None
    """How they learn it under the old rules; `None` = not at all."""
    new: Telling | None
    """How they learn it under the new ones."""

    def __str__(self) -> str:
        ways = f"{_way(self.old)} → {_way(self.new)}"
        return f"{self.character}: {ways}: {self.said}"


class RulesDifference(Record):
    """Who would have learned what else under new rules. Nothing was written."""

    messages: int
    """How many messages were passed on."""
    day: float
    """The game day up to which tellings count: that of the story."""
    changes: tuple[LearningChange, ...]
    """In the order of messages, then by character."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes)) or "the same characters would have learned the same"


async def rules_difference(ew: Earwitness, story: Session, old: RuleBook, new: RuleBook) -> RulesDifference:
    """Tell a story's messages on under two rule books, and compare who has learned what by today.

    Who perceived each message stays as it was decided. Relations, pantheons and flags are those that the story knew
    when it was said, and the graph of all stories is the one that the rules of that time were asked with.
    """
    said, state = await story.messages(), story.state
    graphs = await _graphs(ew, story, said)
    flags = flags_when_said(await story.backstage().journal())
    events = [_event(story, each, flags.get(each.key, state.flags)) for each in said]
    before, after = (list(_learnings(events, story.cast, book, graphs)) for book in (old, new))
    changes = [
        change
        for message, was, would_be in zip(said, before, after, strict=True)
        for change in _changes(message, was, would_be)
    ]
    return RulesDifference(messages=len(said), day=state.game_day, changes=tuple(changes))


async def _graphs(ew: Earwitness, story: Session, said: Sequence[SettledMessage]) -> Sequence[GraphView]:
    """The graph as it was for each message. Messages between the same two entries have one and the same."""
    if getattr(ew.settings, "relationships", None) is None:
        return [GraphView()] * len(said)
    model = model_of(ew)
    await model.open()
    view, journal = await model.view(), await story.backstage().journal()
    noted, number = noted_facts(journal, story.state), numbers(journal)
    versions = await versions_when_said(story, said)
    is_older = any(each < view.version for each in versions.values())
    past = PastGraphs(view, await model.graph.changes() if is_older else ())
    made: dict[tuple[int, int, bool], GraphView] = {}
    graphs = []
    for each in said:
        at = number[each.key]
        own = any(facts.sequence == at for facts in noted)  # what a message itself notes is known after it
        base = past.at(versions.get(each.key), view)
        known = (id(base), sum(facts.sequence < at for facts in noted), own)
        if known not in made:
            made[known] = base.with_facts(known_at(noted, at))
        graphs.append(made[known])
    return graphs


def _event(story: Session, message: SettledMessage, flags: dict[str, JsonValue]) -> SharingEvent:
    return SharingEvent(
        session=story.id,
        cast=story.cast,
        state=story.state.model_copy(update={"flags": flags}),
        day=message.message.game_day,
        channel=message.message.channel,
        message=message.as_tellable(),
        knowers=tuple(message.participants),
    )


def _learnings(
    events: Iterable[SharingEvent], cast: Cast, book: RuleBook, graphs: Iterable[GraphView]
) -> Iterator[Learning]:
    """Who learns each message by the story's day, under one rule book; budgets count from message to message."""
    people = Personalities(cast)
    compiled: dict[int, Adjacency] = {}
    counts = Counter[tuple[str, float]]()

    def heard(listener: str, day: float) -> int:
        return counts[listener, day]

    for event, graph in zip(events, graphs, strict=True):
        today = event.state.game_day
        adjacency = _compiled(compiled, book, graph)
        found = spread(adjacency, seed_of(event, people), until=today, heard=heard, among=people.characters)
        first = {each.listener: each for each in reversed(found.tellings) if each.day <= today}
        counts.update((each.listener, each.day) for each in first.values())
        yield {people.characters[listener]: each for listener, each in first.items()}


def _compiled(known: dict[int, Adjacency], book: RuleBook, graph: GraphView) -> Adjacency:
    """The rules compiled for a graph; made once for each."""
    if id(graph) not in known:
        known[id(graph)] = Adjacency(book_of(book, graph), graph)
    return known[id(graph)]


def _changes(message: SettledMessage, was: Learning, would_be: Learning) -> Iterator[LearningChange]:
    for id in sorted(was.keys() | would_be.keys()):
        old, new = was.get(id), would_be.get(id)
        if _compared(old) != _compared(new):
            yield LearningChange(message=message.key, said=gist(message.content), character=id, old=old, new=new)


def _compared(telling: Telling | None) -> Sequence[object]:
    """What counts as a difference: from whom, how, on which day, and how far it is believed."""
    return () if telling is None else (telling.teller, telling.how, telling.day, telling.trust)


def _way(telling: Telling | None) -> str:
    return "nothing" if telling is None else f"{telling.how} by {telling.teller} on day {telling.day:g}"
