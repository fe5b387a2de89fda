"""Finds who knows something, since when, and how, by provenance.

First the world's memories about the question are found: those that cover most of it, with rare words counting more
than common ones (`rarity`). Then the ledger is asked for the characters' deliveries of these memories. So a character
does not count as knowing something only because another memory has similar words. Derived memories count as facts for
their owner, and memories in shared containers for those who may read them (`shared`). Who learned only the contrary
does not know it (`negation`), nor does anybody who only asked or supposed it (`assertions`). Who is behind a mask is a
question of its own (`identity`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, partial
from heapq import nlargest
from itertools import islice

from ..by_hand import hand_written
from ..containers import world_container
from ..end.withheld import is_withheld
from ..engine import Engine
from ..extras import TermIndex
from ..ids import WORLD
from ..live import Live
from ..loading.settings import Calendar
from ..long_texts import LONG, aside
from ..protocols import Store
from ..records.backends import TermHolders
from ..records.learned import Learned
from ..records.memory import Memory
from ..records.plan import Delivery
from ..records.snapshot import Snapshot
from ..refusals import address
from .evidence import Evidence, delivered, read_elsewhere, written_by_hand
from .identity import AskedMask, Proof, admitted, restated
from .inquiry import Inquiry
from .knowers import Knower, WhoKnows
from .likelihood import KNOWS, MOST, AskedFact, ToldFact, told_by
from .rarity import (
    EMPTY,
    LEAST,
    NEAR_BEST,
    TermStatistics,
    WeightedQuery,
    looked_up,
    one_word,
    word_set,
)
from .searched_question import SearchedQuestion, searched
from .shared import shared_memories

MOST_PIECES = 32
"""Memories that cover some of a question, and are read besides those that cover most of it: those that cover more."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The world's memories that are about a question."""

    ids: Sequence[str]
    """Their ids."""
    asked: WeightedQuery
    """The question."""
    least: float
    """The weight that a text must cover to count as being about the same thing as the world's best memory."""

    told: Mapping[str, ToldFact] = field(default_factory=dict)
    """For a question with its answer: memory id → what it tells of it."""
    pieces: Sequence[str] = ()
    """The ids of others that cover some of the question, which may tell it together or in other words."""

    def about(self, text: str) -> bool:
        """Whether another text is about the question too."""
        held = self.asked.held(word_set(text))
        return held > 0 and held >= self.least

    def copies_among(
        self, deliveries: Iterable[Delivery], of_facts: Iterable[Delivery], revealing: Set[str]
    ) -> list[Delivery]:
        """Those about the question (a partial copy may lack the fact), or from a source that is `revealing`.

        `of_facts` are the deliveries of the facts: a copy that ends with such a text needs no reading of its own.
        """
        is_about = cache(self.touches if self.told else self.about)  # several may tell it together
        texts = {} if self.told else {each.source: each.body for each in of_facts if is_about(each.body)}
        return [
            each
            for each in deliveries
            if each.source in revealing
            or ((text := texts.get(each.source)) and each.body.endswith(text))
            or is_about(each.body)
        ]

    def touches(self, text: str) -> bool:
        """Whether another text is about the question by itself, however much better the world's best memory is."""
        return self.asked.held(word_set(text)) > 0

    def weigh(self, sources: Mapping[str, str], evidence: Evidence) -> ToldFact | None:
        """What evidence tells: as the world's memory it comes from, unless too little of that was heard.

        `sources`: source → id of the world's memory. What is not in the world counts if it tells as much as the best.
        """
        ids = [*([sources[evidence.source]] if evidence.source in sources else ()), *sorted(evidence.cites)]
        told = [self.told[id] for id in ids if id in self.told]
        if not told:
            return ToldFact(KNOWS, again=True, held=0.0) if self.about(evidence.text) and not ids else None
        best = max(told)
        return best if self.asked.held(word_set(evidence.text)) >= MOST * best.held else None


async def who_knows(engine: Engine, live: Live, question: str) -> WhoKnows:
    """For every character: since when and how they know it, with proof, or nothing found.

    Raises `StorageError`, and `StrategyError` if `strict`.
    """
    session, store = live.snapshot.id, engine.reading_in_time
    asked = await searched(question, live.snapshot)
    known = await _facts(store, world_container(session).name, asked)
    revealing = {source for each in asked.masks if each.is_identity for source in each.sources}
    found, subjects, sources = await _proofs(engine, session, known, revealing)
    written = await hand_written(engine.store, session, live.snapshot.cast)
    found = [(_with_refused(engine, live, each), as_news) for each, as_news in found]
    derived, others = await _derived(engine, live, known)
    proofs = _as_it_is(written, [*found, *derived])
    shared, failures = await shared_memories(engine, live, asked.text, partial(_shared, store, known, asked.terms))
    elsewhere = {id: [*map(read_elsewhere, memories)] for id, memories in shared.items()}
    for owner, evidence in _about(known, written).items():
        elsewhere.setdefault(owner, []).extend(evidence)
    inquiry = _inquiry(asked, known, sources, engine.settings.calendar)
    infers = not asked.masks and await aside(len(asked.text), lambda: inquiry.infers)
    pieces = [*await _pieces(engine, session, known.pieces), *others] if infers else ()
    size = len(asked.text) + _characters(delivery for delivery, _ in (*proofs, *pieces))
    knowers = await aside(size, _knowers, inquiry, proofs, pieces, subjects, elsewhere, asked.masks, live.snapshot)
    return WhoKnows(question=question, knowers=knowers, failures=failures)


def _inquiry(asked: SearchedQuestion, known: Facts, sources: Mapping[str, str], calendar: Calendar) -> Inquiry:
    weigh = partial(known.weigh, sources) if known.told else None
    whole = restated(asked.text, asked.masks)
    return Inquiry(whole, calendar, known.touches, asked.names, weigh, needs_words=not asked.is_identity)


def _knowers(
    inquiry: Inquiry,
    proofs: Sequence[Proof],
    pieces: Sequence[Proof],
    subjects: Mapping[str, str],
    elsewhere: Mapping[str, Sequence[Evidence]],
    masks: Sequence[AskedMask],
    snapshot: Snapshot,
) -> dict[str, Knower]:
    of_each: dict[str, list[Proof]] = {}
    archived: dict[str, list[Proof]] = {}
    for delivery, as_news in _as_first_learned(proofs):
        if delivery.status == "applied" and delivery.owner != WORLD:
            of_each.setdefault(delivery.owner, []).append((delivery, as_news))
        elif delivery.status == "archived" and not is_withheld(delivery):
            archived.setdefault(delivery.owner, []).append((delivery, as_news))
    found, heard = {}, dict[str, list[Evidence]]()
    for each, _ in pieces:
        heard.setdefault(each.owner, []).append(delivered((each, False), subjects))
    for id in snapshot.cast.ids:
        own = inquiry.decisive(admitted(of_each.get(id, []), masks), masks)
        certain = [any(mask.is_shown_by(each) for mask in masks) for each, _ in own]
        evidence = [delivered(each, subjects, is_certain=sure) for each, sure in zip(own, certain, strict=True)]
        evidence += elsewhere.get(id, ())
        heard[id] = [*evidence[:MOST_PIECES], *heard.get(id, ())]
        found[id] = inquiry.knower(id, evidence)
        once = [delivered(each, subjects) for each in admitted(archived.get(id, []), masks)]
        found[id] = inquiry.with_forgotten(found[id], once) if once else found[id]
    found = found if masks else inquiry.inferred(found, heard)
    for id in {each.wearer for each in masks if each.is_identity}:  # who they are needs no memory
        if not found[id].knows:
            found[id] = found[id].model_copy(update={"learned": Learned(way="before"), "contrary": None})
    return found


def _as_it_is(written: Mapping[str, Sequence[Memory]], proofs: Sequence[Proof]) -> list[Proof]:
    """The proofs without those whose text a person changed: what it says now counts."""
    changed = {(owner, each.id) for owner, memories in written.items() for each in memories}
    if not changed:
        return [*proofs]
    return [each for each in proofs if (each[0].owner, each[0].memory_id) not in changed]


def _about(known: Facts, written: Mapping[str, Sequence[Memory]]) -> Mapping[str, Sequence[Evidence]]:
    """Owner → what people wrote about the question: as much of it as the world's best memory, or the best of theirs."""
    share = {each.content: known.asked.held(word_set(each.content)) for found in written.values() for each in found}
    least = max(known.least, NEAR_BEST * max(share.values(), default=0.0))
    return {
        owner: [written_by_hand(each) for each in found if share[each.content] and share[each.content] >= least]
        for owner, found in written.items()
    }


async def _shared(store: Store, known: Facts, terms: Sequence[str], container: str) -> Sequence[Memory]:
    """The memories of a shared container that are about the question."""
    if isinstance(store, TermIndex):
        holders = await store.holders(container, terms)
        ids = list(dict.fromkeys(id for held in holders.ids.values() for id in held))
        memories = await store.get(container, ids) if ids else ()
    else:
        memories = await store.list(container)
    size = sum(len(each.content) for each in memories)
    held = await aside(size, lambda: [(each, known.asked.held(word_set(each.content))) for each in memories])
    least = max(known.least, NEAR_BEST * max((share for _, share in held), default=0.0))
    return [each for each, share in held if share and share >= least]


def _characters(deliveries: Iterable[Delivery]) -> int:
    """The number of characters that they tell; counted only until that is much."""
    found = 0
    for each in deliveries:
        found += len(each.body) + sum([len(line.text) for line in each.knowledge])
        if found > LONG:
            break
    return found


async def _facts(store: Store, world: str, asked: SearchedQuestion) -> Facts:
    """The world's memories that are about the question.

    A store without an index of terms is read completely, in order to count how rare each word is.
    """
    question, fact = asked.text, asked.fact
    if isinstance(store, TermIndex):
        holders, size = await store.holders(world, asked.terms), len(question)
    else:
        memories = await store.list(world)
        size = sum(len(each.content) for each in memories)
        holders = await aside(size, holders_among, memories, question, asked.same)
    if fact.question and fact.answer:
        return await aside(size, facts_told, holders, fact)
    return await aside(size, facts_among, holders, question, asked.near, asked.same)


def facts_told(holders: TermHolders, fact: AskedFact) -> Facts:
    """What tells a question's answer, found by the memories that contain the terms of both. Pure."""
    holding: dict[str, set[str]] = {}
    for term, ids in holders.ids.items():
        for id in ids:
            holding.setdefault(id, set()).add(one_word(term))
    counts = Counter(term for held in holding.values() for term in held)
    statistics = TermStatistics(holders.count, counts)
    told = told_by(fact, holding, statistics)
    best = max((each.held for each in told.values()), default=0.0)
    asked = WeightedQuery(fact.whole, statistics, 0.0 if told else LEAST)
    return Facts(list(told), asked, NEAR_BEST * best, told)


def facts_among(holders: TermHolders, question: str, near: float = NEAR_BEST, same: Mapping[str, str] = EMPTY) -> Facts:
    """The facts, found by the memories that contain the question's terms. Pure.

    `near` is the share of what the best memory covers that others must cover; 0 = they need cover little at all.
    `same` maps terms that mean the same to one of them.
    """
    forms: dict[str, list[Sequence[str]]] = {}
    for term, ids in holders.ids.items():
        if ids:
            forms.setdefault(same.get(one_word(term), one_word(term)), []).append(ids)
    holding = {term: several[0] if len(several) == 1 else set().union(*several) for term, several in forms.items()}
    statistics = TermStatistics(holders.count, {term: len(ids) for term, ids in holding.items()})
    asked = WeightedQuery(question, statistics, LEAST if near else LEAST / 2, same)
    covered = asked.covered_in(holding)
    least = near * max(covered.values(), default=0.0)
    enough = max(least, asked.enough)
    found = [id for id, weight in covered.items() if weight >= enough]
    others = [id for id, weight in covered.items() if weight < enough] if near else ()
    pieces = nlargest(MOST_PIECES, others, key=covered.__getitem__)
    return Facts(found, asked, least if found else 0.0, pieces=pieces)


def holders_among(world: Sequence[Memory], question: str, same: Mapping[str, str] = EMPTY) -> TermHolders:
    """The memories that contain the question's terms, found by reading all of the world's. Pure."""
    ids: dict[str, list[str]] = {one_word(term): [] for term in (*looked_up(question), *same)}
    for memory in world:
        for term in word_set(memory.content) & ids.keys():
            ids[term].append(memory.id)
    return TermHolders(count=len(world), ids={term: tuple(found) for term, found in ids.items()})


async def _proofs(
    engine: Engine, session: str, known: Facts, revealing: Set[str]
) -> tuple[list[Proof], dict[str, str], dict[str, str]]:
    """Deliveries of the facts, each with whether it contains them only as world knowledge; and whom facts are about.

    The second: id of a fact → id of the character that the update is about. The third: source → id of its fact. What
    comes from the sources that are `revealing` is a proof in any words.
    """
    if not known.ids and not revealing:
        return [], {}, {}
    ledger, facts = engine.ledger, known.ids
    of_facts = await ledger.deliveries(session, memory_ids=facts)
    by_source = {each.source: each.memory_id for each in of_facts}
    sources = by_source.keys()
    about = ((each.memory_id, each.metadata.get("characterId")) for each in of_facts)
    subjects = {id: character for id, character in about if isinstance(character, str)}
    all_copies = await ledger.deliveries(session, sources=sorted(sources | revealing))
    copies = await aside(_characters(all_copies), known.copies_among, all_copies, of_facts, revealing)
    citing = await ledger.citing(session, facts)
    tellings = await ledger.deliveries(session, memory_ids=citing) if citing else ()
    cited = set(facts)
    news = [each for each in tellings if each.cites & cited]
    return [*((each, False) for each in copies), *((each, True) for each in news)], subjects, by_source


async def _pieces(engine: Engine, session: str, ids: Sequence[str]) -> list[Proof]:
    """The deliveries to characters of memories that cover some of a question."""
    of_world = await engine.ledger.deliveries(session, memory_ids=ids) if ids else ()
    sources = sorted({each.source for each in of_world})
    copies = await engine.ledger.deliveries(session, sources=sources) if sources else ()
    return [(each, False) for each in copies if each.owner != WORLD and each.status == "applied"]


def _with_refused(engine: Engine, live: Live, delivery: Delivery) -> Delivery:
    """The delivery; as applied if the store alone does not take it, since it is remembered all the same."""
    is_due = delivery.status == "pending" and delivery.due <= live.snapshot.state.game_day
    is_refused = is_due and engine.refusals.why(address(delivery))
    return delivery.model_copy(update={"status": "applied"}) if is_refused else delivery


async def _derived(engine: Engine, live: Live, known: Facts) -> tuple[list[Proof], list[Proof]]:
    """Derived memories about the question, and others that have a word of it. The world need not know of them."""
    every = [_with_refused(engine, live, e) for e in await engine.ledger.deliveries(live.snapshot.id, derived=True)]
    found = [each for each in every if each.status == "applied"]
    words = await aside(_characters(found), lambda: [(each, word_set(each.body)) for each in found])
    held = [(each, known.asked.held(there), there) for each, there in words]
    least = max(known.least, NEAR_BEST * max((share for _, share, _ in held), default=0.0))
    about = [(each, False) for each, share, _ in held if share and share >= least]
    others = ((each, False) for each, share, there in held if share < least and known.asked.shares(there))
    return about, list(islice(others, MOST_PIECES))


def _as_first_learned(proofs: Sequence[Proof]) -> Sequence[Proof]:
    """The proofs; each that came to be known under other names, with the number of the entry that first brought it."""
    if not any(each.renewed for each, _ in proofs):
        return proofs
    first = {_way(each): each.sequence for each, _ in proofs if not each.renewed}
    return [
        (_since(each, first.get(_way(each), each.sequence)) if each.renewed else each, as_news)
        for each, as_news in proofs
    ]


def _since(delivery: Delivery, sequence: int) -> Delivery:
    return delivery.model_copy(update={"sequence": sequence})


def _way(delivery: Delivery) -> tuple[object, ...]:
    support = delivery.support
    return delivery.memory_id, support.how, support.shared_from, support.via, support.rule
