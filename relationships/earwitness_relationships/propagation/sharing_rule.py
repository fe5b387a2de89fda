"""The sharing rule `relationships`: who else learns of a message, by the rule book and the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from earwitness import Settings, SharingAnswer, SharingEvent
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies

from ..canon.marks import mark_of
from ..model import RelationshipsModel, StoryPicture
from ..personas.rule import told_of_personas
from ..rules.feeds import noted, places_of
from ..settings import RelationshipsSettings
from .adjacency import Adjacency
from .foresight import foreseen, stops_of
from .hubs import apart, in_hubs
from .memo import Memo
from .models import SpreadingModel
from .models.spread import SpreadByModels, begun, spread_by_models
from .passing_on import PassingOn
from .personalities import Personalities
from .records import Seed, Telling
from .retell import Retellers, can_tell
from .seeds import seed_of, seed_of_arrived
from .triage import Triages
from .walk import HeardOn, Walk


@dataclass(frozen=True)
class SharingQuestion:
    """What the rule is asked, and what it rests on."""

    event: SharingEvent
    adjacency: Adjacency
    people: Personalities
    memo: Memo


class RelationshipsSharing:
    """Passes on what members of pantheons live and learn.

    What takes days is told on when it arrives, by the rules, the graph and the flags of that day.
    """

    def __init__(self, *, settings: Settings, resources: Resources, strategies: Strategies, path: str) -> None:
        self._model = RelationshipsModel.shared(settings, resources, strategies, path)
        self._table = settings.table(RelationshipsSettings)
        self._strategies = strategies
        self._retellers = Retellers(strategies, self._table.retellers)
        self._triages = Triages(strategies, self._table.triages, strict=settings.strict)
        self._spreading: dict[str, SpreadingModel] = {}
        self._people: Personalities | None = None

    async def open(self) -> None:
        """Open the graph."""
        await self._model.open()

    async def close(self) -> None:
        """Close the graph."""
        await self._model.close()

    async def share(self, event: SharingEvent) -> SharingAnswer:
        """Who learns of the message; when tellings have arrived, who learns of it next."""
        picture = await self._model.picture(event.session, event.state)
        adjacency = self._model.adjacency(picture)
        people = self._of(event)
        asked = SharingQuestion(event, adjacency, people, Memo(event, people))
        if event.ahead is not None:
            return await self._foreseen(asked, event.ahead, picture.version)
        return await self._told(asked, picture)

    async def _told(self, asked: SharingQuestion, picture: StoryPicture) -> SharingAnswer:
        event, memo, people = asked.event, asked.memo, asked.people
        if event.arrived:
            await memo.sweep()
        told = await memo.told() if event.arrived else {}
        seed = seed_of_arrived(event, people, told) if event.arrived else seed_of(event, people)
        heard = await heard_on_days(asked)
        walked = [*_sooner(_walked(asked, seed, heard, len(told)), told)]
        by_models = self._by_models(asked, seed, {**told, **_first(walked)}, event.day)
        copied, shared = _apart(event, [*walked, *by_models.tellings])
        words = can_tell(event)
        passed = await PassingOn(event, people, memo, self._retellers, self._triages).passed_on(copied, words)
        first = _first([*passed.tellings, *shared])
        memo.keep({**told, **first}, by_models.left)
        if asked.adjacency.counts_days or asked.adjacency.has_triages:
            memo.note(first.values())
        known = {*seed.direct, *seed.heard, *(told.keys() - first.keys()), *(each.listener for each in passed.tellings)}
        hubs = in_hubs(event, shared, people, known, words)
        personal = told_of_personas(self._table, event, passed.shares)
        return SharingAnswer(
            shares=tuple(passed.shares),
            derived=(*hubs, *personal),
            facts=() if event.arrived else _fed(picture, event),
            consulted=tuple(passed.consulted),
            version=picture.version,
        )

    async def _foreseen(self, asked: SharingQuestion, ahead: float, version: str) -> SharingAnswer:
        event, people = asked.event, asked.people
        seed = seed_of(event, people)
        spread = foreseen(asked.adjacency, seed, await heard_on_days(asked), people, ahead)
        by_models = self._by_models(asked, seed, _first(spread.tellings), seed.day + ahead)
        tellings = [*spread.tellings, *by_models.tellings]
        passing = PassingOn(event, people, asked.memo, self._retellers, self._triages)
        passed = await passing.passed_on(tellings, can_tell(event))
        stops = (*spread.stops, *passed.stops)
        spread = spread.model_copy(update={"tellings": tuple(passed.tellings), "stops": stops})
        return SharingAnswer(
            shares=tuple(passed.shares),
            stops=stops_of(spread, people),
            consulted=tuple(passed.consulted),
            version=version,
        )

    def _by_models(
        self, asked: SharingQuestion, seed: Seed, told: Mapping[str, Telling], until: float
    ) -> SpreadByModels:
        """The tellings of named spreading models: the rounds of today, by today's rules and relations."""
        adjacency, people, event = asked.adjacency, asked.people, asked.event
        spreads = asked.memo.spreads() if event.arrived else begun(adjacency, seed, people.characters)
        if not spreads:
            return SpreadByModels()
        models = {each.model: self._model_of(each.model) for each in spreads}
        known = {**dict.fromkeys(people.of(event.message.participants)), **told}
        return spread_by_models(adjacency, seed, models, known, spreads, people.characters, until)

    def _model_of(self, name: str) -> SpreadingModel:
        if name not in self._spreading:
            self._spreading[name] = self._strategies.make("spreading", self._table.spreading.get(name, name))
        return self._spreading[name]

    def _of(self, event: SharingEvent) -> Personalities:
        if self._people is None or self._people.cast is not event.cast:
            self._people = Personalities(event.cast)
        return self._people


def _apart(event: SharingEvent, tellings: list[Telling]) -> tuple[list[Telling], list[Telling]]:
    """What is copied, and what is read in hubs: nothing of a bubble, which hubs outlive."""
    return apart(tellings) if mark_of(event.state) is None else (tellings, [])


async def heard_on_days(asked: SharingQuestion) -> HeardOn | None:
    """How much listeners are told on a day, if some rule asks for it."""
    if not asked.adjacency.counts_days:
        return None
    counts = await asked.memo.heard()
    return lambda listener, day: counts.get((listener, day), 0)


def _walked(asked: SharingQuestion, seed: Seed, heard: HeardOn | None, told: int) -> list[Telling]:
    walk = Walk(asked.adjacency, seed, until=seed.day, heard=heard, told=told, among=asked.people.characters)
    walk.run()
    return list(walk.tellings())


def _first(tellings: Sequence[Telling]) -> dict[str, Telling]:
    """Listener → the telling that counts."""
    return {each.listener: each for each in reversed(tellings)}


def _sooner(tellings: Iterable[Telling], told: Mapping[str, Telling]) -> Iterator[Telling]:
    """Those that arrive before what was on its way to the same listener already."""
    return (each for each in tellings if each.listener not in told or each.day < told[each.listener].day)


def _fed(picture: StoryPicture, event: SharingEvent) -> tuple[JsonValue, ...]:
    """What the message says of who has what and who is where, if the rule file wants to know."""
    if not picture.book.feeds:
        return ()
    places = places_of(event.state, event.movements)
    scene = event.state.current_scene
    return noted(picture.book.feeds, event.updates, event.cast, picture.graph, places, event.day, scene)
