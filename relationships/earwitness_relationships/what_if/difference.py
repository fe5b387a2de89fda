"""What other rules would change: what was said in a story, passed on under each of two rule books."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import JsonValue

from earwitness import Earwitness, Record, Session, SettledMessage, SharingEvent
from earwitness.records.journal import Entry
from earwitness.records.prose import counted, gist

from ..graph.past import PastGraphs
from ..graph.view import GraphView
from ..model import PACKAGE
from ..pantheons.desk import model_of
from ..propagation.closings import Closing, closed
from ..propagation.conversations import CONVERSATIONS, Conversations
from ..propagation.records import Telling
from ..rules.book import book_of
from ..rules.records import Pantheon, RuleBook
from .past_days import PastDay, day_entries
from .past_facts import known_at, noted_facts, numbers
from .past_state import flags_by_entry, versions_when_said
from .under_rules import LearnedWay, Learning, PastSaying, UnderRules


class LearningChange(Record):
    """Somebody who learns a message, or a summary of a conversation, under one rule book and not under the other, or
    otherwise."""

    message: str
    """The message's key; of a conversation, that of its last message."""
    said: str
    """Its beginning; that of the summary."""
    character: str
    """Character id."""
    old: Telling | None
    """How they learn it under the old rules; `None` = not at all."""
    new: Telling | None
    """How they learn it under the new ones."""
    summary_of: tuple[str, ...] = ()
    """Keys of the messages that the summary is about, under the new rules if there is one; empty = not a summary."""

    def __str__(self) -> str:
        ways = f"{_way(self.old)} → {_way(self.new)}"
        return f"{self.character}: {ways}: {self.title}"

    @property
    def title(self) -> str:
        """What is learned: the beginning of the message, or `a summary of 3 messages: …`."""
        if not self.summary_of:
            return self.said
        return f"a summary of {counted(len(self.summary_of), 'message')}: {self.said}"


class LeftOut(Record):
    """An option of a pantheon that is not compared, since what it names cannot be asked."""

    book: Literal["old", "new"]
    """The rule book that has it."""
    pantheon: str
    """Slug of the pantheon."""
    option: str
    """As it is written: `triage: novelty`."""
    why: str = ""
    """Why it cannot be asked."""

    def __str__(self) -> str:
        return f"{self.option} of {self.pantheon}, under the {self.book} rules" + (f" ({self.why})" if self.why else "")


class RulesDifference(Record):
    """Who would have learned what else under new rules. Nothing was written."""

    messages: int
    """How many messages were passed on."""
    day: float
    """The game day up to which tellings count: that of the story."""
    changes: tuple[LearningChange, ...]
    """In the order of messages and closed conversations, then by character."""
    left_out: tuple[LeftOut, ...] = ()
    """What the rules say that was not compared, so that more may have been learned by it, or less."""

    def __str__(self) -> str:
        compared = [*map(str, self.changes)] or ["the same characters would have learned the same"]
        return "\n".join([*compared, *(f"not compared: {each}" for each in self.left_out)])

    def is_whole(self, book: Literal["old", "new"]) -> bool:
        """Whether all that one of the rule books says was compared."""
        return not any(each.book == book for each in self.left_out)


async def rules_difference(ew: Earwitness, story: Session, old: RuleBook, new: RuleBook) -> RulesDifference:
    """Tell on what was said in a story under two rule books, and compare who has learned what by today.

    Who perceived each message stays as it was decided, and so does which conversations were closed when. Relations,
    pantheons and flags are those that the story knew when a message was said or a conversation closed, also for later
    hops; the graph of all stories is the one that the rules of that time were asked with. Triages are asked again.
    """
    past, state = await _past(ew, story), story.state
    before, after = (UnderRules(ew, story, book, state.game_day) for book in (old, new))
    changes: list[LearningChange] = []
    for each in past:
        changes += _changes(each, await before.learned(each), await after.learned(each))
    graphs = [each.graph for each in past]
    left_out = (*_left_out("old", old, graphs, before), *_left_out("new", new, graphs, after))
    said = sum(each.closing is None for each in past)
    return RulesDifference(messages=said, day=state.game_day, changes=tuple(changes), left_out=left_out)


async def _past(ew: Earwitness, story: Session) -> list[PastSaying]:
    """The messages and the closed conversations of a story, in their order, each with the story as it was then."""
    said, journal = await story.messages(), await story.backstage().journal()
    flags, number, has_table = flags_by_entry(journal), numbers(journal), _has_table(ew)
    items: list[tuple[int, str, SettledMessage, Closing | None]] = [(number[e.key], e.key, e, None) for e in said]
    for last, closing in await _closings(ew, story) if has_table else ():
        at = number.get(f"closing-{last}", number[closing.last])
        items.append((at, closing.last, closing.messages[-1], closing))
    items.sort(key=lambda each: each[0])
    moments: list[tuple[float, str]] = [(at, key) for at, key, *_ in items]
    brought = [*day_entries(journal)]
    moments += [(entry.sequence + 0.5, _asked_by(entry, items)) for entry, _ in brought]
    graphs = await _graphs(ew, story, moments) if has_table else [GraphView()] * len(moments)
    days = [
        PastDay(entry.sequence, day, graph, flags[entry.sequence])
        for (entry, day), graph in zip(brought, graphs[len(items) :], strict=True)
    ]
    return [
        PastSaying(_event(story, message, flags.get(at, {}), closing), graph, closing, at, days)
        for (at, _, message, closing), graph in zip(items, graphs, strict=False)
    ]


def _asked_by(entry: Entry, items: Sequence[tuple[int, str, SettledMessage, Closing | None]]) -> str:
    """The key of the message whose plan says which graph of all stories held then: of the next one that was said."""
    return next((key for at, key, *_ in items if at > entry.sequence), entry.key)


def _has_table(ew: Earwitness) -> bool:
    return getattr(ew.settings, PACKAGE, None) is not None


async def _closings(ew: Earwitness, story: Session) -> list[tuple[str, Closing]]:
    """The conversations that were closed, without what tellers have lost of them since."""
    facts = [each for each in story.state.facts_of(CONVERSATIONS) if isinstance(each, dict)]
    if not facts:
        return []
    said = [each.as_tellable() for each in await story.messages(retracted=True)]
    known = Conversations(story, ew)
    found = [(last, closing, await known.as_known(closing.messages)) for last, closing in closed(said, facts)]
    return [(last, replace(closing, messages=messages)) for last, closing, messages in found]


async def _graphs(ew: Earwitness, story: Session, items: Sequence[tuple[float, str]]) -> Sequence[GraphView]:
    """The graph as it was at each entry, given with the key of the entry that says which version of the graph of all
    stories it asked. Those between the same two entries have one and the same."""
    model = model_of(ew)
    await model.open()
    view, journal = await model.view(), await story.backstage().journal()
    noted = noted_facts(journal, story.state)
    versions = await versions_when_said(story, dict.fromkeys(key for _, key in items))
    is_older = any(each < view.version for each in versions.values())
    past = PastGraphs(view, await model.graph.changes() if is_older else ())
    made: dict[tuple[int, int, bool], GraphView] = {}
    graphs = []
    for at, key in items:
        own = any(facts.sequence == at for facts in noted)  # what a message itself notes is known after it
        base = past.at(versions.get(key), view)
        known = (id(base), sum(facts.sequence < at for facts in noted), own)
        if known not in made:
            made[known] = base.with_facts(known_at(noted, at))
        graphs.append(made[known])
    return graphs


def _event(
    story: Session, message: SettledMessage, flags: dict[str, JsonValue], closing: Closing | None
) -> SharingEvent:
    day = message.message.game_day if closing is None or closing.day is None else closing.day
    then = {"flags": flags} if closing is None else {"flags": flags, "game_day": day}
    return SharingEvent(
        session=story.id,
        cast=story.cast,
        state=story.state.model_copy(update=then),
        day=day,
        channel=message.message.channel,
        message=message.as_tellable(),
        knowers=tuple(message.participants),
    )


def _left_out(
    book: Literal["old", "new"], rules: RuleBook, graphs: Sequence[GraphView], under: UnderRules
) -> tuple[LeftOut, ...]:
    """What is not compared of a rule book, and of what the story made of it."""
    if not under.unanswered:
        return ()
    books = [rules, *(book_of(rules, graph) for graph in {id(each): each for each in graphs}.values())]
    pantheons = [pantheon for each in books for pantheon in each.pantheons]
    found = ((each.slug, option) for each in pantheons for option in _asked(each) if option in under.unanswered)
    return tuple(
        LeftOut(book=book, pantheon=slug, option=option, why=under.unanswered[option])
        for slug, option in dict.fromkeys(found)
    )


def _asked(pantheon: Pantheon) -> Iterator[str]:
    """The options of a pantheon that name somebody to ask."""
    of_relationships = [each.rules for each in pantheon.relationships]
    for rules in [pantheon.rules, *(each.rules for each in pantheon.members), *of_relationships]:
        if rules.spreading is not None:
            yield f"spreading: {rules.spreading}"
        if rules.triage is not None:
            yield f"triage: {rules.triage}"


def _changes(passed: PastSaying, was: Learning, would_be: Learning) -> Iterator[LearningChange]:
    message = passed.event.message
    for id in sorted(was.keys() | would_be.keys()):
        old, new = was.get(id), would_be.get(id)
        if _compared(old) == _compared(new):
            continue
        ways = [each for each in (new, old) if each is not None]
        yield LearningChange(
            message=message.key,
            said=gist(ways[0].text or message.content),
            character=id,
            old=None if old is None else old.telling,
            new=None if new is None else new.telling,
            summary_of=ways[0].keys,
        )


def _compared(learned: LearnedWay | None) -> Sequence[object]:
    """What counts as a difference: of which messages, from whom, how, on which day, and how far it is believed."""
    if learned is None:
        return ()
    telling = learned.telling
    return (learned.keys, telling.teller, telling.how, telling.day, telling.trust)


def _way(telling: Telling | None) -> str:
    return "nothing" if telling is None else f"{telling.how} by {telling.teller} on day {telling.day:g}"
