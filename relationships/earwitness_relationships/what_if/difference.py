"""What other rules would change: the messages of a story, passed on under each of two rule books."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

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
from ..rules.records import Pantheon, RuleBook
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


class LeftOut(Record):
    """An option of a pantheon that is not compared, since it tells otherwise than message by message."""

    book: Literal["old", "new"]
    """The rule book that has it."""
    pantheon: str
    """Slug of the pantheon."""
    option: str
    """As it is written: `when: conversation`."""

    def __str__(self) -> str:
        return f"{self.option} of {self.pantheon}, under the {self.book} rules"


class RulesDifference(Record):
    """Who would have learned what else under new rules. Nothing was written."""

    messages: int
    """How many messages were passed on."""
    day: float
    """The game day up to which tellings count: that of the story."""
    changes: tuple[LearningChange, ...]
    """In the order of messages, then by character."""
    left_out: tuple[LeftOut, ...] = ()
    """What the rules say that was not compared, so that more may have been learned by it, or less."""

    def __str__(self) -> str:
        compared = [*map(str, self.changes)] or ["the same characters would have learned the same"]
        return "\n".join([*compared, *(f"not compared: {each}" for each in self.left_out)])

    def is_whole(self, book: Literal["old", "new"]) -> bool:
        """Whether all that one of the rule books says was compared."""
        return not any(each.book == book for each in self.left_out)


async def rules_difference(ew: Earwitness, story: Session, old: RuleBook, new: RuleBook) -> RulesDifference:
    """Tell a story's messages on under two rule books, and compare who has learned what by today.

    Who perceived each message stays as it was decided. Relations, pantheons and flags are those that the story knew
    when it was said, and the graph of all stories is the one that the rules of that time were asked with. Summaries of
    conversations, spreading models and triages are not compared; `left_out` names those that the rules have.
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
    left_out = (*_left_out("old", old, graphs), *_left_out("new", new, graphs))
    return RulesDifference(messages=len(said), day=state.game_day, changes=tuple(changes), left_out=left_out)


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


def _left_out(book: Literal["old", "new"], rules: RuleBook, graphs: Sequence[GraphView]) -> tuple[LeftOut, ...]:
    """What is not compared of a rule book, and of what the story made of it."""
    books = [rules, *(book_of(rules, graph) for graph in {id(each): each for each in graphs}.values())]
    pantheons = [pantheon for each in books for pantheon in each.pantheons]
    found = ((each.slug, option) for each in pantheons for option in _options_left_out(each))
    return tuple(LeftOut(book=book, pantheon=slug, option=option) for slug, option in dict.fromkeys(found))


def _options_left_out(pantheon: Pantheon) -> Iterator[str]:
    of_relationships = [each.rules for each in pantheon.relationships]
    for rules in [pantheon.rules, *(each.rules for each in pantheon.members), *of_relationships]:
        if rules.when == "conversation":
            yield "when: conversation"
        if rules.spreading is not None:
            yield f"spreading: {rules.spreading}"
        if rules.triage is not None:
            yield f"triage: {rules.triage}"


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
