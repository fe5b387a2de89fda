"""The sharing rule `relationships`: who else learns of a message, by the rule book and the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from pydantic import JsonValue

from earwitness import Derivation, Settings, Share, SharingAnswer, SharingEvent
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies

from ..bubble_mark import mark_of
from ..compiled.adjacency import Adjacency
from ..graph.view import GraphView
from ..model import RelationshipsModel, StoryPicture
from ..personas.rule import retold_of_personas
from ..rules.feeds import noted, places_of
from ..rules.strategy_names import spec_of
from ..settings import RelationshipsSettings
from ..tellable import can_tell, told_before
from .foresight import foreseen, stops_of, told_later
from .heard_in_hubs import told_in_hub
from .hub_readers import HubReaders
from .hub_walk import HubWalk
from .hubs import arrived_by_now, before_walk, in_hub, on_their_way, overtaken, still_told, without_sooner
from .lapsed import RulesOnArrival
from .later import LaterQuestions
from .memo import Memo
from .models import SpreadingModel
from .models.spread import SpreadByModels, begun, spread_by_models
from .passing_on import PassingOn, share_of
from .personalities import Personalities
from .question_context import QuestionContext
from .records import HubTelling, Seed, Telling
from .refusals import message_refusal
from .retell import Retellers
from .seeds import seed_of, seed_of_arrived
from .triage import Triages
from .walk import HeardOn


@dataclass(frozen=True)
class SharingQuestion:
    """What the rule is asked, and what it rests on."""

    event: SharingEvent
    adjacency: Adjacency
    people: Personalities
    memo: Memo
    readers: HubReaders


@dataclass(frozen=True)
class ToldNow:
    """What the walk of a message found, beside what was told of it before."""

    seed: Seed
    earlier: Mapping[str, Telling]
    """Listener → how they were told before."""
    before: Sequence[HubTelling]
    """What hubs were told before."""
    walk: HubWalk
    tellings: Sequence[Telling]
    """Who is told now, one by one."""
    hubs: Sequence[HubTelling]
    """What hubs are told now."""
    read: Mapping[str, Telling]
    """Who reads it in a hub → the telling, where somebody asks for that."""

    @property
    def known(self) -> Mapping[str, Telling]:
        """Listener → how they know it, before named models spread it."""
        return {**self.earlier, **self.read, **_first(self.tellings)}


SHARE_OF_LIMIT = 0.8
"""Of the time that the rule has, what retellers and triages have together."""
SaidInHub = tuple[HubTelling, Mapping[str, str]]
"""What a hub is told, and what each of its tellers says."""


class RelationshipsSharing:
    """Passes on what members of pantheons live and learn.

    What takes days is told on when it arrives, by the rules, the graph and the flags of that day.
    """

    def __init__(self, *, settings: Settings, resources: Resources, strategies: Strategies, path: str) -> None:
        self._model = RelationshipsModel.shared(settings, resources, strategies, path)
        self._table = settings.table(RelationshipsSettings)
        self._strategies = strategies
        self._retellers = Retellers.shared(settings, resources, strategies)
        self._triages = Triages.shared(settings, resources, strategies)
        self._strict = settings.strict
        self._limit = SHARE_OF_LIMIT * settings.end.plugin_timeout
        self._spreading: dict[str, SpreadingModel] = {}
        self._people: Personalities | None = None
        self._later = LaterQuestions(self._told, self._context)

    async def open(self) -> None:
        """Open the graph."""
        await self._model.open()

    async def close(self) -> None:
        """Close the graph, and the retellers and triages that were asked."""
        try:
            await self._later.close()
            await self._retellers.close()
            await self._triages.close()
        finally:
            await self._model.close()

    async def share(self, event: SharingEvent) -> SharingAnswer:
        """Who learns of the message; when tellings have arrived, who learns of it next. It may answer later, where a
        reteller or triage takes its time."""
        if event.may_answer_later:
            return await self._later.answer(event)
        return await self._told(event, self._context(event))

    async def _told(self, event: SharingEvent, context: QuestionContext) -> SharingAnswer:
        picture = await self._picture(event)
        adjacency = self._model.adjacency(picture)
        people = self._of(event)
        readers = HubReaders(picture.book, picture.graph, adjacency, people, event.joined)
        asked = SharingQuestion(event, adjacency, people, Memo(event, people), readers)
        if event.ahead is not None:
            return await self._foreseen(asked, event.ahead, picture.version, context)
        return await self._shared(asked, picture, context)

    async def _picture(self, event: SharingEvent) -> StoryPicture:
        """The rules and the graph: of other words of a message, those by which it was told before."""
        if event.ahead is not None:
            return await self._model.picture(event.session, event.state)
        is_reworded = event.message.message.revision > 0 and not event.arrived
        entry = event.told_at if event.as_of is None else event.as_of
        return await self._model.picture_at(event, entry, anew=is_reworded or event.as_of is not None)

    async def _shared(self, asked: SharingQuestion, picture: StoryPicture, context: QuestionContext) -> SharingAnswer:
        event, memo, people = asked.event, asked.memo, asked.people
        if event.arrived:
            await memo.sweep()
        told = await _told_now(asked, picture.graph)
        by_models = self._by_models(asked, told.seed, told.known, event.day)
        words = _words(event, people, told.before)
        again = {people.characters[each.teller] for each in by_models.tellings}  # models let them tell for days
        words = {**await told_before(event, again - words.keys()), **words}
        texts, beside_hubs = told.walk.texts, asked.adjacency.has_hubs
        passing = PassingOn(
            event, people, memo, self._retellers, self._triages, texts, context, asked.readers, beside_hubs=beside_hubs
        )
        tellings = [*told.tellings, *by_models.tellings]
        listed, hubs = context.as_first_asked(tellings, told.hubs, asked.readers)
        passed = await passing.passed_on(listed, words)
        first = _first(passed.tellings)
        said = [await self._in_hub(each, people, words, context) for each in hubs]
        _keep(asked, told, first, said, by_models)
        read_there = (each for hub, texts in said for each in _shares_in_hub(told.walk, hub, people, texts))
        personal = retold_of_personas(self._table, event, passed.shares, read_there)
        return SharingAnswer(
            shares=tuple(passed.shares),
            derived=(*_derived(asked, told, first, said), *personal),
            facts=() if event.arrived else _fed(picture, event),
            consulted=tuple(passed.consulted),
            version=picture.version,
        )

    def _context(self, event: SharingEvent) -> QuestionContext:
        context = QuestionContext.within(self._limit, event.session, event.message.message.key, event.data)
        context.strict = self._strict
        return context

    async def _in_hub(
        self, hub: HubTelling, people: Personalities, words: Mapping[str, str], context: QuestionContext
    ) -> SaidInHub:
        """What a hub is told, and what each of its tellers says."""
        said: dict[str, str] = {}
        for each in hub.tellings:
            heard = words.get(people.characters.get(each.teller, ""), "")
            text = await self._retellers.text(heard, each, context)
            said[each.teller] = heard if text is None else text
        return hub.model_copy(update={"text": next(filter(None, said.values()), "")}), said

    async def _foreseen(
        self, asked: SharingQuestion, ahead: float, version: str, context: QuestionContext
    ) -> SharingAnswer:
        event, people = asked.event, asked.people
        seed = seed_of(event, people)
        heard = await heard_on_days(asked)
        spread = foreseen(asked.adjacency, seed, heard, people, ahead)
        later = told_later(asked.adjacency, seed, heard, people, spread)
        by_models = self._by_models(asked, seed, _first(spread.tellings), seed.day + ahead)
        tellings = [*spread.tellings, *by_models.tellings]
        passing = PassingOn(
            event, people, asked.memo, self._retellers, self._triages, context=context, readers=asked.readers
        )
        passed = await passing.passed_on(tellings, can_tell(event))
        stops = (*spread.stops, *passed.stops, *later)
        spread = spread.model_copy(update={"tellings": tuple(passed.tellings), "stops": stops})
        return SharingAnswer(
            shares=tuple(passed.shares),
            stops=stops_of(spread, people),
            consulted=tuple(passed.consulted),
            version=version,
        )

    def _by_models(
        self, asked: SharingQuestion, seed: Seed, earlier: Mapping[str, Telling], until: float
    ) -> SpreadByModels:
        """The tellings of named spreading models: the rounds of today, by today's rules and relations."""
        adjacency, people, event = asked.adjacency, asked.people, asked.event
        spreads = asked.memo.spreads() if event.arrived else begun(adjacency, seed, people.characters)
        if not spreads:
            return SpreadByModels()
        models = {each.model: self._model_of(each.model) for each in spreads}
        known = {**dict.fromkeys(people.of(event.message.participants)), **earlier}
        return spread_by_models(adjacency, seed, models, known, spreads, people.characters, until)

    def _model_of(self, name: str) -> SpreadingModel:
        if name not in self._spreading:
            spec = spec_of(self._strategies, self._table.spreading, "spreading", name)
            self._spreading[name] = self._strategies.make("spreading", spec)
        return self._spreading[name]

    def _of(self, event: SharingEvent) -> Personalities:
        if self._people is None or self._people.cast is not event.cast:
            self._people = Personalities(event.cast)
        return self._people


async def _told_now(asked: SharingQuestion, graph: GraphView) -> ToldNow:
    event, memo = asked.event, asked.memo
    earlier, before = (await memo.earlier_tellings(), memo.in_hubs()) if event.arrived else ({}, [])
    seed = seed_of_arrived(event, asked.people, earlier) if event.arrived else seed_of(event, asked.people)
    if before:
        before = [*still_told(before, _on_arrival(asked, seed), event.day)]
    walk = _walked(asked, seed, await heard_on_days(asked), earlier, before)
    on_way = on_their_way(before, asked.readers, event.day)
    tellings = [*_sooner(walk.tellings(), earlier, on_way)]
    told = (_at_this_moment(each, event, graph) for each in walk.hub_tellings())
    hubs = [without_sooner(each, on_way, asked.readers) for each in _sooner_in_hubs(told, before)]
    tellings += overtaken(hubs, earlier, asked.readers)
    return ToldNow(seed, earlier, before, walk, tellings, hubs, _readers(asked.adjacency, walk, hubs))


def _keep(
    asked: SharingQuestion,
    told: ToldNow,
    first: Mapping[str, Telling],
    said: Sequence[SaidInHub],
    by_models: SpreadByModels,
) -> None:
    """Keep what is still to arrive, and who hears how much on which day."""
    in_hubs = [*arrived_by_now(asked.event, told.before, asked.readers.graph.version), *(hub for hub, _ in said)]
    asked.memo.keep({**told.earlier, **first}, in_hubs, by_models.left)
    if asked.adjacency.counts_days or asked.adjacency.has_triages:
        asked.memo.note([*first.values(), *told.read.values(), *_of_hubs(asked, said)])
    if asked.adjacency.has_triages:
        known = _known_otherwise(told, first)
        asked.memo.note_in_hubs([told_in_hub(asked.event, hub, {*known, *hub.earlier}) for hub, _ in said])


def _derived(
    asked: SharingQuestion, told: ToldNow, first: Mapping[str, Telling], said: Iterable[SaidInHub]
) -> Iterator[Derivation]:
    """The memories in hubs."""
    for hub, texts in said:
        yield from in_hub(asked.event, hub, asked.people, _known_otherwise(told, first), texts)


def _known_otherwise(told: ToldNow, first: Mapping[str, Telling]) -> set[str]:
    """Those who do not read it in a hub."""
    return {*told.seed.direct, *told.seed.heard, *told.earlier, *first}


def _of_hubs(asked: SharingQuestion, said: Iterable[SaidInHub]) -> list[Telling]:
    """What hubs are told, so that the day is noted: nobody in particular is told it."""
    if not asked.adjacency.has_triages:
        return []
    return [each.model_copy(update={"hub": False}) for hub, _ in said for each in hub.tellings[:1]]


async def heard_on_days(asked: SharingQuestion) -> HeardOn | None:
    """How much listeners are told on a day, if some rule asks for it."""
    if asked.adjacency.counts_days or asked.adjacency.has_triages:
        await asked.memo.look_up()
    if not asked.adjacency.counts_days:
        return None
    counts = await asked.memo.heard()
    return lambda listener, day: counts.get((listener, day), 0)


def _walked(
    asked: SharingQuestion,
    seed: Seed,
    heard: HeardOn | None,
    earlier: Mapping[str, Telling],
    in_hubs: Sequence[HubTelling],
) -> HubWalk:
    """The walk. Nothing of a bubble is read in hubs, which outlive it, and nothing said in disguise: each reader knows
    the mask or the face, and a hub has one text for all."""
    event, adjacency = asked.event, asked.adjacency
    no_hubs = mark_of(event.state) or event.message.disguises
    walk = HubWalk(
        adjacency,
        seed,
        until=max(seed.day, event.state.game_day) if event.arrived and adjacency.has_hubs else seed.day,
        heard=heard,
        tellings_before=len(earlier) + (_number_of_readers(in_hubs, asked.readers) if adjacency.has_budgets else 0),
        among=asked.people.characters,
        hubs=None if no_hubs else before_walk(event, in_hubs, asked.readers),
    )
    walk.run()
    return walk


def _shares_in_hub(walk: HubWalk, told: HubTelling, people: Personalities, texts: Mapping[str, str]) -> Iterator[Share]:
    """What those who read it in a hub would be told, if each had a copy."""
    for listener in walk.readers_of(told):
        for each in told.tellings:
            if text := texts.get(each.teller):
                yield share_of(each.model_copy(update={"listener": listener, "hub": False}), people, text)


def _at_this_moment(hub: HubTelling, event: SharingEvent, graph: GraphView) -> HubTelling:
    """What a hub is told, with the moment at which it is told."""
    messages = event.state.message_count + (event.moment is not None)
    now = {"told_at": event.told_at, "messages": messages, "graph": graph.version}
    until = max(event.day, event.state.game_day) if event.arrived else event.day
    return hub.model_copy(update={**now, "told_on_by_now": hub.tellings[0].day <= until})


def _number_of_readers(hubs: Iterable[HubTelling], readers: HubReaders) -> int:
    return sum(len(readers.of(each)) for each in hubs)


def _readers(adjacency: Adjacency, walk: HubWalk, hubs: Iterable[HubTelling]) -> dict[str, Telling]:
    """A telling for each of those who read it in a hub, where somebody asks for that."""
    if not (adjacency.models or adjacency.counts_days):
        return {}
    return {each.listener: each for hub in hubs for each in walk.read(hub)}


def _on_arrival(asked: SharingQuestion, seed: Seed) -> RulesOnArrival:
    return RulesOnArrival(asked.adjacency, asked.event.day, lambda each: message_refusal(each, seed, "message"))


def _words(event: SharingEvent, people: Personalities, in_hubs: Iterable[HubTelling]) -> dict[str, str]:
    """What each character can tell. Those who told a hub before have told it what it says."""
    earlier = {people.characters.get(each.teller, ""): hub.text for hub in in_hubs for each in hub.tellings}
    return {**earlier, **can_tell(event)}


def _first(tellings: Sequence[Telling]) -> dict[str, Telling]:
    """Listener → the telling that counts."""
    return {each.listener: each for each in reversed(tellings)}


def _sooner(
    tellings: Iterable[Telling], earlier: Mapping[str, Telling], in_hubs: Mapping[str, float]
) -> Iterator[Telling]:
    """Those that arrive before what was on its way to the same listener already, as a copy or in a hub."""
    for each in tellings:
        is_late = each.listener in earlier and each.day >= earlier[each.listener].day
        if not is_late and each.day < in_hubs.get(each.listener, inf):
            yield each


def _sooner_in_hubs(tellings: Iterable[HubTelling], earlier: Iterable[HubTelling]) -> list[HubTelling]:
    days: dict[str, float] = {}
    for each in earlier:
        days[each.slug] = min(each.tellings[0].day, days.get(each.slug, inf))
    return [each for each in tellings if each.tellings[0].day < days.get(each.slug, inf)]


def _fed(picture: StoryPicture, event: SharingEvent) -> tuple[JsonValue, ...]:
    """What the message says of who has what and who is where, if the rule file wants to know."""
    if not picture.book.feeds:
        return ()
    places = places_of(event.state, event.movements)
    scene = event.state.current_scene
    return noted(picture.book, event.updates, event.cast, picture.graph, places, event.day, scene)
