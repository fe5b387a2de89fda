"""The sharing rule `relationships`: who else learns of a message, by the rule book and the graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from pydantic import JsonValue

from earwitness import Settings, Share, SharingAnswer, SharingEvent
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
from .models.spread import spread_by_models
from .personalities import Personalities
from .records import Seed, Telling
from .retell import Retellers, can_tell
from .seeds import seed_of, seed_of_arrived
from .walk import Walk


class RelationshipsSharing:
    """Passes on what members of pantheons live and learn.

    What takes days is told on when it arrives, by the rules, the graph and the flags of that day.
    """

    def __init__(self, *, settings: Settings, resources: Resources, strategies: Strategies, path: str) -> None:
        self._model = RelationshipsModel.shared(settings, resources, strategies, path)
        self._table = settings.table(RelationshipsSettings)
        self._strategies = strategies
        self._retellers = Retellers(strategies)
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
        people, memo = self._of(event), Memo(event.data)
        if event.ahead is not None:
            seed = seed_of(event, people)
            spread = foreseen(adjacency, seed, memo, people, event.ahead)
            known = {each.listener for each in spread.tellings}
            tellings = [*spread.tellings, *self._by_models(adjacency, seed, people, known)]
            spread = spread.model_copy(update={"tellings": tuple(tellings)})
            shares = await self._shares(tellings, people, can_tell(event))
            return SharingAnswer(shares=tuple(shares), stops=stops_of(spread, people), version=picture.version)
        told = memo.told(event.message.key) if event.arrived else {}
        seed = seed_of_arrived(event, people, told) if event.arrived else seed_of(event, people)
        tellings = [*_sooner(_walked(adjacency, seed, memo, people, len(told)), told)]
        if not event.arrived:
            tellings += self._by_models(adjacency, seed, people, {each.listener for each in tellings})
        first = {each.listener: each for each in reversed(tellings)}
        memo.keep(event.message.key, {**told, **first}, event.day)
        if adjacency.has_budgets:
            memo.count(first.values(), event.day)
        copied, shared = _apart(event, tellings)
        words = can_tell(event)
        shares = await self._shares(copied, people, words)
        known = {*seed.direct, *seed.heard, *(told.keys() - first.keys()), *(each.listener for each in copied)}
        hubs = in_hubs(event, shared, people, known, words)
        personal = told_of_personas(self._table, event, shares)
        facts = () if event.arrived else _fed(picture, event)
        return SharingAnswer(shares=tuple(shares), derived=(*hubs, *personal), facts=facts, version=picture.version)

    async def _shares(self, tellings: Iterable[Telling], people: Personalities, words: dict[str, str]) -> list[Share]:
        """A share for each telling, whose teller tells what they know: `words`, which grow by what listeners learn."""
        shares = []
        for each in tellings:
            heard = words.get(people.characters[each.teller], "")
            text = await self._retellers.text(heard, each)
            words.setdefault(people.characters[each.listener], heard if text is None else text)
            shares.append(_share(each, people, text))
        return shares

    def _by_models(
        self, adjacency: Adjacency, seed: Seed, people: Personalities, known: Collection[str]
    ) -> list[Telling]:
        """The tellings of named spreading models, all at once: they arrive on their days."""
        if not adjacency.models:
            return []
        models = {name: self._model_of(name) for name in adjacency.models}
        found = spread_by_models(adjacency, seed, models, people.characters)
        return [each for each in found if each.listener not in known]

    def _model_of(self, name: str) -> SpreadingModel:
        if name not in self._spreading:
            self._spreading[name] = self._strategies.make("spreading", name)
        return self._spreading[name]

    def _of(self, event: SharingEvent) -> Personalities:
        if self._people is None or self._people.cast is not event.cast:
            self._people = Personalities(event.cast)
        return self._people


def _apart(event: SharingEvent, tellings: list[Telling]) -> tuple[list[Telling], list[Telling]]:
    """What is copied, and what is read in hubs: nothing of a bubble, which hubs outlive."""
    return apart(tellings) if mark_of(event.state) is None else (tellings, [])


def _walked(adjacency: Adjacency, seed: Seed, memo: Memo, people: Personalities, told: int) -> list[Telling]:
    walk = Walk(adjacency, seed, until=seed.day, heard=memo.heard, told=told, among=people.characters)
    walk.run()
    return list(walk.tellings())


def _sooner(tellings: Iterable[Telling], told: Mapping[str, Telling]) -> Iterator[Telling]:
    """Those that arrive before what was on its way to the same listener already."""
    return (each for each in tellings if each.listener not in told or each.day < told[each.listener].day)


def _share(telling: Telling, people: Personalities, text: str | None) -> Share:
    return Share(
        character=people.characters[telling.listener],
        how=telling.how,
        shared_from=people.characters[telling.teller],
        rule=telling.rule,
        due=telling.day,
        content=text,
        metadata=dict(_metadata(telling)),
        trust=telling.trust,
    )


def _fed(picture: StoryPicture, event: SharingEvent) -> tuple[JsonValue, ...]:
    """What the message says of who has what and who is where, if the rule file wants to know."""
    if not picture.book.feeds:
        return ()
    places = places_of(event.state, event.movements)
    scene = event.state.current_scene
    return noted(picture.book.feeds, event.updates, event.cast, picture.graph, places, event.day, scene)


def _metadata(telling: Telling) -> Iterator[tuple[str, str | int | float]]:
    if telling.pantheon is not None:
        yield "pantheonId", telling.pantheon
    yield "hop", telling.hop
    yield "strength", round(telling.strength, 6)
