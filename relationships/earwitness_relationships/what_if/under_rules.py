"""The messages and conversations of a story, passed on under one rule book. Nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from earwitness import Cast, Earwitness, Session, SettledMessage, Share, SharingEvent
from earwitness.containers import character_container
from earwitness.errors import EarwitnessError
from earwitness.formats import character_memory
from earwitness.records.memory import Support
from earwitness.records.memory_types import MetaValue
from earwitness.records.plan import Answer, Delivery

from ..compiled.adjacency import Adjacency
from ..graph.view import GraphView
from ..propagation.closings import Closing
from ..propagation.listeners import Listeners, SummaryOffer, heard_as
from ..propagation.memo import Memo
from ..propagation.models import SpreadingModel
from ..propagation.models.spread import begun, spread_by_models
from ..propagation.onward import told_first
from ..propagation.passing_on import PassingOn, share_of
from ..propagation.personalities import Personalities
from ..propagation.records import Seed, Telling
from ..propagation.retell import Retellers
from ..propagation.seeds import seed_of
from ..propagation.summaries import Received, Summaries
from ..propagation.talks import HeldMemory, Talk, talks_of
from ..propagation.triage import Heard, Triages
from ..propagation.walk import Walk
from ..rules.book import book_of
from ..rules.records import RuleBook
from ..settings import RelationshipsSettings
from ..tellable import can_tell
from .past_days import PastDay, replayed_walk


@dataclass(frozen=True)
class LearnedWay:
    """How somebody first learns a message, or a summary of a conversation."""

    telling: Telling
    """By whom, on which day."""
    text: str = ""
    """The summary; empty = it is the message itself."""
    keys: tuple[str, ...] = ()
    """Keys of the messages that the summary is about."""


@dataclass(frozen=True)
class PastSaying:
    """A message of the story, or a conversation of it that was closed."""

    event: SharingEvent
    """The message, or the last one of the conversation, with the story as it was then."""
    graph: GraphView
    """The graph as it was then."""
    closing: Closing | None = None
    """The conversation."""
    sequence: int = 0
    """Number of the entry with which it was said or closed."""
    days: Sequence[PastDay] = ()
    """The days that the story came to, in the order of the journal."""


Learning = dict[str, LearnedWay]
"""Character id → how they first learn it."""


class UnderRules:
    """Passes on one thing after the other; budgets and triages count what was told before."""

    def __init__(self, ew: Earwitness, story: Session, book: RuleBook, today: float) -> None:
        """What arrives by `today` counts."""
        self._ew, self._story, self._book, self._today = ew, story, book, today
        self._people = Personalities(story.cast)
        self._compiled: dict[int, Adjacency] = {}
        self._table = ew.settings.table(RelationshipsSettings)
        self._retellers = Retellers.shared(ew.settings, ew.resources, ew.strategies)
        self._triages = Triages.shared(ew.settings, ew.resources, ew.strategies)
        self._models: dict[str, SpreadingModel | None] = {}
        self._made_triages: dict[str, bool] = {}
        self._counts = Counter[tuple[str, float]]()
        self._told = _ToldSoFar()
        self.unanswered: dict[str, str] = {}
        """Option of a rule whose strategy cannot be asked → why."""

    async def learned(self, passed: PastSaying) -> Learning:
        """Who learns it by today, and how."""
        adjacency = self._adjacency(passed.graph)
        if passed.closing is not None:
            return await self._of_closing(adjacency, passed, passed.closing)
        seed = seed_of(passed.event, self._people)
        tellings = [each for each in self._tellings(adjacency, passed, seed) if each.day <= self._today]
        if adjacency.has_triages:
            tellings = await self._worth_telling(passed.event, tellings)
        else:
            self._note(passed.event, [(each, share_of(each, self._people, None)) for each in tellings])
        return {self._people.characters[id]: LearnedWay(each) for id, each in _first(tellings).items()}

    def _tellings(self, adjacency: Adjacency, passed: PastSaying, seed: Seed) -> Iterator[Telling]:
        """Those of the walk, then those of spreading models."""
        people, until, event = self._people, self._today, passed.event
        walk = self._walking(passed)(adjacency, seed, until=until, heard=self._heard_on, among=people.characters)
        walk.run()
        found = tuple(walk.tellings())
        yield from map(self._judgeable, found)
        spreads = begun(adjacency, seed, people.characters)
        models = {each.model: model for each in spreads if (model := self._model(each.model)) is not None}
        known = {**dict.fromkeys(people.of(event.message.participants)), **_first(found)}
        by_models = spread_by_models(adjacency, seed, models, known, spreads, people.characters, until)
        yield from map(self._judgeable, by_models.tellings)

    def _walking(self, passed: PastSaying) -> Callable[..., Walk]:
        return replayed_walk(passed.days, passed.sequence, self._adjacency)

    def _heard_on(self, listener: str, day: float) -> int:
        summaries = sum((who, on) == (listener, day) for who, on, _ in self._told.summaries)
        return self._counts[listener, day] + summaries

    def _model(self, name: str) -> SpreadingModel | None:
        if name not in self._models:
            self._models[name] = self._made("spreading", name, self._table.spreading.get(name, name))
        return self._models[name]

    def _judgeable(self, telling: Telling) -> Telling:
        """The telling; without its triage, if that cannot be made."""
        if (name := telling.triage) is None:
            return telling
        if name not in self._made_triages:
            made = self._made("triage", name, self._table.triages.get(name, name))
            self._made_triages[name] = made is not None
        return telling if self._made_triages[name] else telling.model_copy(update={"triage": None})

    def _made(self, kind: str, name: str, spec: Any) -> Any:
        try:
            context: dict[str, Any] = {"settings": self._ew.settings, "resources": self._ew.resources}
            return self._ew.strategies.make(kind, spec, strategies=self._ew.strategies, **context)
        except EarwitnessError as error:
            self.unanswered[f"{kind}: {name}"] = str(error)
            return None

    def _answered(self, answer: Answer) -> None:
        if answer.failure:
            kind, _, name = answer.by.partition(":")
            self.unanswered[f"{kind}: {name}"] = f"it failed: {answer.failure}"

    async def _worth_telling(self, event: SharingEvent, tellings: Sequence[Telling]) -> list[Telling]:
        """Those that triages let through."""
        event = event.model_copy(update={"standing": self._told})
        memo = _PastMemo(event, self._people, self._told)
        passing = PassingOn(event, self._people, memo, self._retellers, self._triages)
        passed = await passing.passed_on(tellings, can_tell(event))
        for answer in passed.consulted:
            self._answered(answer)
        self._note(event, zip(passed.tellings, passed.shares, strict=True))
        return passed.tellings

    def _note(self, event: SharingEvent, told: Iterable[tuple[Telling, Share]]) -> None:
        """Count what is told, and keep it in mind."""
        every = [*told]
        first = _first([each for each, _ in every])
        self._counts.update(
            (each.listener, each.day) for each, share in every if first[each.listener] is each and share.memory is None
        )
        self._told.deliveries_of.extend(_delivery(self._story.id, event, share) for _, share in every)

    # ── conversations ───────────────────────────────────────────────────────────────────────────────────────────────

    async def _of_closing(self, adjacency: Adjacency, passed: PastSaying, closing: Closing) -> Learning:
        event, walking = passed.event, self._walking(passed)
        found, most = told_first(
            adjacency, closing.messages, event.state, self._people, event.day, self._today, walking=walking
        )
        found = {key: [self._judgeable(each) for each in of if each.day <= self._today] for key, of in found.items()}
        listeners = _PastListeners(self._story, self._ew, self._people, self._told, self._answered)
        writing = _InMind(listeners, self._told)
        await Summaries(writing, self._people, closing.messages, event.day, {}).tell(talks_of(found, most))
        return writing.learned

    def _adjacency(self, graph: GraphView) -> Adjacency:
        """The rules compiled for a graph; made once for each."""
        if id(graph) not in self._compiled:
            self._compiled[id(graph)] = Adjacency(book_of(self._book, graph), graph)
        return self._compiled[id(graph)]


@dataclass
class _ToldSoFar:
    """What everybody would have been told so far. It implements `StandingView`."""

    deliveries_of: list[Delivery] = field(default_factory=list)
    summaries: list[tuple[str, float, Heard]] = field(default_factory=list)
    """Listener's personality id and game day, and the summary that they are told."""
    said: dict[str, list[str]] = field(default_factory=dict)
    """Digest → keys of the messages that say it."""

    async def deliveries(self, keys: Sequence[str]) -> Sequence[Delivery]:
        return sorted((each for each in self.deliveries_of if each.source in keys), key=lambda each: each.due)

    async def told_after(self, sequence: int) -> Sequence[Delivery]:
        return ()


class _PastMemo(Memo):
    """What the sharing rule would have kept."""

    def __init__(self, event: SharingEvent, people: Personalities, told: _ToldSoFar) -> None:
        super().__init__(event, people)
        self._told = told

    async def heard_on(self, day: float) -> list[Delivery]:
        return [each for each in self._told.deliveries_of if each.due == day and each.source != self._key]

    def said_before(self, digest: str) -> list[str]:
        return [key for key in self._told.said.get(digest, ()) if key != self._key]

    def note_said(self, digest: str) -> None:
        self._told.said.setdefault(digest, []).append(self._key)


class _PastListeners(Listeners):
    """What listeners of summaries would have been told on each day."""

    def __init__(
        self,
        story: Session,
        ew: Earwitness,
        people: Personalities,
        told: _ToldSoFar,
        record: Callable[[Answer], None],
    ) -> None:
        super().__init__(story, ew, people, record)
        self._told = told

    async def _heard_by(self, telling: Telling) -> list[Heard]:
        own = self._people.characters[telling.listener]
        deliveries = [each for each in self._told.deliveries_of if each.owner == own and each.due == telling.day]
        summaries = [heard for who, day, heard in self._told.summaries if (who, day) == (telling.listener, telling.day)]
        return [*{each.memory_id: heard_as(each) for each in deliveries}.values(), *summaries]


class _InMind:
    """Keeps in mind who is told which summary. It implements `Writing`."""

    def __init__(self, listeners: Listeners, told: _ToldSoFar) -> None:
        self._listeners, self._told = listeners, told
        self.learned: Learning = {}

    async def noted(self, teller: str, text: str, rests_on: Sequence[str], talk: Talk, version: str = "") -> str:
        return f"{teller}: {text}"

    async def ask_together(self, offers: Sequence[tuple[Talk, HeldMemory, SummaryOffer]]) -> None:
        by_listener = {talk.telling.listener: offer for talk, _, offer in reversed(offers)}
        await self._listeners.ask_together(by_listener.values())

    async def told(self, teller: str, listener: str, held: HeldMemory, offer: SummaryOffer, talk: Talk) -> Received:
        text = await self._listeners.text_of(offer)
        if text is None:
            return Received(())
        memory, telling = f"{teller} to {listener}: {held.memory}", offer.telling
        heard = Heard(memory=memory, text=text, speaker=telling.teller, teller=telling.teller, rule=telling.rule)
        self._told.summaries.append((telling.listener, telling.day, heard))
        self.learned.setdefault(listener, LearnedWay(telling, text, talk.keys))
        return Received([(memory, text)])


def _first(tellings: Sequence[Telling]) -> dict[str, Telling]:
    """Listener → the telling that counts."""
    return {each.listener: each for each in reversed(tellings)}


def _delivery(session: str, event: SharingEvent, share: Share) -> Delivery:
    """What a listener would have, as far as others are compared with it."""
    settled, said = event.message, event.message.message
    due = said.game_day if share.due is None else share.due
    text = settled.heard_by(share.shared_from or "") if share.content is None else share.content
    support = Support(how=share.how, shared_from=share.shared_from, rule=share.rule, learned_day=due)
    own: dict[str, MetaValue] = {"speaker": said.speaker, "gameDay": said.game_day, "location": said.scene}
    return Delivery(
        session=session,
        sequence=said.sequence,
        memory_id=share.memory or f"{said.key} for {share.character}",
        container=character_container(session, share.character).name,
        owner=share.character,
        source=said.key,
        body=character_memory(_name(settled, event.cast), text or said.content, said.game_day, due),
        metadata={**own, **said.channel.metadata, **share.metadata, "participants": [*settled.participants]},
        support=support,
        disguises=dict(settled.disguises),
        due=due,
    )


def _name(settled: SettledMessage, cast: Cast) -> str:
    return settled.disguises.get(settled.speaker, cast.name_of(settled.speaker))
