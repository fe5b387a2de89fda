"""The engine tells whom the rules mean, and nobody else: compared with the reference over random cases.

`EARWITNESS_LEAK_CASES` says how many; `.ci/run` tries 10,000 of them, `make bench` 100,000.
"""

import asyncio
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from earwitness import Channel, Character, Message, SettledMessage
from earwitness.events import NothingStands
from earwitness.filters import And, Compare, matches
from earwitness.records.channel import shared_channel
from earwitness.records.character import as_cast
from earwitness.records.memory import Hit, Memory, Support
from earwitness.records.plan import Delivery
from earwitness.testing.reference import MemoryStore
from earwitness_relationships.graph import Fact, Relation
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.privacy.place import Place, readable
from earwitness_relationships.privacy.table import PrivacyTable, privacy_table
from earwitness_relationships.propagation import Adjacency, Seed, Spread, spread
from earwitness_relationships.propagation.hub_walk import HubWalk
from earwitness_relationships.propagation.models.spread import begun, spread_by_models
from earwitness_relationships.propagation.passing_on import PassingOn
from earwitness_relationships.propagation.records import Telling
from earwitness_relationships.propagation.retell import Retellers, RetellingAnswer
from earwitness_relationships.propagation.same_fact import read_alike
from earwitness_relationships.propagation.triage import Passing, Passings, TriageAnswer, TriageAnswers, Triages
from earwitness_relationships.propagation.walk import HeardOn, Walk
from earwitness_relationships.rules import RuleBook
from earwitness_relationships.settings import PrivacySettings
from earwitness_relationships.testing.cases import PEOPLE, PERSONA, RETELLERS, TRIAGES, HeardMessage, LeakCase
from earwitness_relationships.testing.leaks import FurtherParts, LeakSuite
from earwitness_relationships.testing.reference_texts import is_worth_it

from ..every_model import MODELS

CASES = int(os.environ.get("EARWITNESS_LEAK_CASES", "1600"))
PARTS = 16


COMPILED: dict[tuple[int, int], tuple[RuleBook, Sequence[Relation], Adjacency]] = {}
"""The rules and the graph that were compiled last, as they stay compiled from message to message."""


def adjacency(book: RuleBook, relations: Sequence[Relation]) -> Adjacency:
    same = id(book), id(relations)
    if same not in COMPILED:
        COMPILED.clear()
        view = GraphView.of(Fact(relation=each) for each in relations)
        COMPILED[same] = (book, relations, Adjacency(book, view))
    return COMPILED[same][2]


def told(book: RuleBook, relations: Sequence[Relation], seed: Seed, heard: HeardOn) -> Spread:
    """Who is told of a message, also by spreading models."""
    compiled = adjacency(book, relations)
    found = spread(compiled, seed, heard=heard)
    if not compiled.models:
        return found
    known = {**dict.fromkeys(seed.direct), **{each.listener: each for each in reversed(found.tellings)}}
    begins = begun(compiled, seed, PEOPLE)
    by_models = spread_by_models(compiled, seed, MODELS, known, begins, PEOPLE, inf)
    return Spread(tellings=(*found.tellings, *by_models.tellings))


def closed(book: RuleBook, relations: Sequence[Relation], seed: Seed, heard: HeardOn) -> Spread:
    """Who is told once the conversation is over."""
    walk = Walk(adjacency(book, relations), seed, when="conversation", heard=heard)
    walk.run()
    return Spread(tellings=tuple(walk.tellings()))


def in_hubs(book: RuleBook, relations: Sequence[Relation], seed: Seed, heard: HeardOn) -> Spread:
    """Who is told, or reads it in a hub."""
    nothing_before: dict[str, Any] = {"heard": heard, "tellings_before": 0, "hubs": ()}
    walk = HubWalk(adjacency(book, relations), seed, until=inf, among=set(PEOPLE), **nothing_before)
    walk.run()
    own = [*walk.tellings()]
    return Spread(tellings=(*own, *(each for hub in walk.hub_tellings() for each in walk.read(hub))))


class OurParts:
    """The reteller and the triages that the rules of the suite name, and a story in which nothing else was told."""

    def names(self, kind: str) -> Sequence[str]:
        return RETELLERS if kind == "reteller" else TRIAGES

    def make(self, kind: str, name: str) -> Any:
        return SimpleNamespace(retell=lambda text, telling: text.upper()) if kind == "reteller" else Choosing(name)

    async def heard_on(self, day: float) -> list[Any]:
        return []

    def said_before(self, digest: str) -> list[str]:
        return []


class Choosing:
    def __init__(self, name: str) -> None:
        self.name = name

    def triage(self, passing: Passing) -> TriageAnswer:
        return TriageAnswer(decision="keep" if is_worth_it(self.name, passing.tellings[0]) else "drop")


class PartsAskedOnce(OurParts):
    """The same strategies, which are asked once for several listeners."""

    def make(self, kind: str, name: str) -> Any:
        if kind == "triage":
            return ChoosingTogether(name)
        upper: Any = SimpleNamespace(retell=lambda text, telling: text.upper())
        upper.reword = lambda asked: RetellingAnswer(text=asked.text.upper())
        return upper


class ChoosingTogether(Choosing):
    def triage_all(self, asked: Passings) -> TriageAnswers:
        return TriageAnswers(answers=tuple(map(self.triage, asked.passings)))


def texts(seed: Seed, tellings: Sequence[Telling], heard: Mapping[str, str]) -> dict[str, list[str]]:
    """What listeners are told."""
    passing, words = passed_on(OurParts(), tellings, heard)
    with pytest.raises(StopIteration) as ended:  # nothing in it waits for anything
        passing.send(None)
    return said_in(ended.value.value, words)


def texts_asked_once(seed: Seed, tellings: Sequence[Telling], heard: Mapping[str, str]) -> dict[str, list[str]]:
    """The same, by strategies that are asked once for several listeners."""
    passing, words = passed_on(PartsAskedOnce(), tellings, heard)
    return said_in(asyncio.run(passing), words)


def passed_on(ours: Any, tellings: Sequence[Telling], heard: Mapping[str, str]) -> tuple[Any, dict[str, str]]:
    """Passing on tellings, to be awaited, and what everybody can tell."""
    event: Any = SimpleNamespace(ahead=0.0, session="s1", message=SETTLED, standing=NothingStands())
    people: Any = SimpleNamespace(characters=dict(zip(PEOPLE, PEOPLE, strict=True)))
    words = {**heard}
    return PassingOn(event, people, ours, Retellers(ours, {}), Triages(ours, {})).passed_on(tellings, words), words


def said_in(passed: Any, words: Mapping[str, str]) -> dict[str, list[str]]:
    """Listener → what each teller says."""
    said: dict[str, list[str]] = {}
    for share in passed.shares:
        said.setdefault(share.character, []).append(
            words[share.shared_from] if share.content is None else share.content
        )
    return said


SAID = Message(key="m", sequence=1, speaker="ada", content="", game_day=1, scene="x", timestamp="")
SETTLED = SettledMessage(message=SAID, participants={})


def stored(heard: HeardMessage) -> dict[str, Any]:
    """The metadata of a message, as far as it says where it was heard."""
    return {**heard.channel.metadata, "participants": sorted(heard.seed.direct)}


def derived(policy: str, grounds: Sequence[HeardMessage], asked: Channel) -> bool:
    """Whether what rests on these messages may be read."""
    return matches(readable(table(policy), place_of(asked)), shared_channel(map(stored, grounds)))


def recalled(given: LeakCase, told: Sequence[tuple[HeardMessage, Spread]]) -> set[str]:
    """What a reader finds in a store where everybody has what they perceived or were told."""
    store = MemoryStore()
    found = search_in(store, given, [each for heard, spread in told for each in copies(heard, spread)])
    with pytest.raises(StopIteration) as ended:  # a store in memory waits for nothing
        found.send(None)
    return {hit.memory.id for hit in ended.value.value}


def copies(heard: HeardMessage, spread: Spread) -> Iterator[Memory]:
    days = {each.listener: each.day for each in reversed(spread.tellings)}
    for who, day in {**days, **dict.fromkeys(heard.seed.direct, heard.seed.day)}.items():
        metadata = {**stored(heard), "type": "message", "gameDay": heard.seed.day, "learnedDay": day}
        yield Memory(id=heard.seed.key, container=f"s1-{who}", content=f"{heard.seed.key} is open.", metadata=metadata)


async def search_in(store: MemoryStore, given: LeakCase, memories: Sequence[Memory]) -> Sequence[Hit]:
    await store.put(memories)
    known = And((Compare("learnedDay", "<=", given.day), readable(table("graded"), place_of(given.asked))))
    return await store.search(f"s1-{given.reader}", "open", filter=known)


def merged(first: HeardMessage, second: HeardMessage) -> bool:
    """Whether two messages in the same words are one memory of a listener."""
    said = {"speaker": first.seed.speaker, "gameDay": first.seed.day, "location": first.seed.place}
    support = Support(how="shared", shared_from="x", learned_day=1)
    parts: dict[str, Any] = {"part": "message", "support": support, "disguises": {}}
    known = Delivery.unchecked({**parts, "metadata": {**said, **stored(first)}})
    seed = second.seed
    message = SimpleNamespace(speaker=seed.speaker, game_day=seed.day, scene=seed.place, channel=second.channel)
    settled = SimpleNamespace(message=message, disguises={}, participants=seed.direct)
    event: Any = SimpleNamespace(message=settled, cast=CAST)
    return read_alike(known, TELLING, event)


CAST = as_cast([*filter(lambda each: each != PERSONA, PEOPLE), Character(PERSONA, kind="persona", user_id="u1")])
TELLING = Telling(listener="y", teller="x", hop=1, day=1, rule="r")


@cache
def table(policy: str) -> PrivacyTable:
    return privacy_table(PrivacySettings.model_validate({"policy": policy}))


def place_of(asked: Channel) -> Place:
    characters = () if asked.persona_id is None else (asked.persona_id,)
    return Place("s1", asked.context, asked.channel_id, asked.guild_id, asked.persona_id, characters)


class OurEngine(LeakSuite):
    cases = CASES // PARTS
    parts = FurtherParts(closed=closed, in_hubs=in_hubs, derived=derived, merged=merged, texts=texts, recalled=recalled)

    def spread(self, book: RuleBook, relations: Sequence[Relation], seed: Seed, heard: HeardOn) -> Spread:
        return told(book, relations, seed, heard)

    def readable(self, policy: str, learned: Channel, asked: Channel, there: Collection[str]) -> bool:
        return matches(readable(table(policy), place_of(asked)), {**learned.metadata, "participants": sorted(there)})


@pytest.mark.parametrize("part", range(PARTS))
def test_nobody_recalls_what_no_chain_of_rules_allows(part: int) -> None:
    ours = OurEngine()
    ours.first = part * ours.cases
    ours.test_nobody_recalls_what_no_chain_of_rules_allows()


def test_strategies_that_are_asked_once_for_several_tell_nobody_else() -> None:
    ours = OurEngine()
    ours.cases, ours.parts = 600, FurtherParts(texts=texts_asked_once)
    ours.test_nobody_recalls_what_no_chain_of_rules_allows()
