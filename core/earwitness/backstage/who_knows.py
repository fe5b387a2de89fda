"""Finds who knows something, since when, and how, by provenance.

First the world's memories about the question are found: those that cover most of it, with rare words counting more
than common ones (`rarity`). Then the ledger is asked for the characters' deliveries of these memories. So a character
does not count as knowing something only because another memory has similar words. Derived memories count as facts for
their owner. Who learned only the contrary does not know it (`negation`), nor who only asked or supposed it (`asking`).
Who is behind a mask is a question of its own (`identity`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

from ..containers import world_container
from ..end.deliveries import strength
from ..engine import Engine
from ..extras import TermIndex
from ..ids import WORLD
from ..live import Live
from ..loading.settings import Calendar
from ..long_texts import aside
from ..protocols import Store
from ..records.backends import TermHolders
from ..records.learned import Learned
from ..records.memory import Memory, without_words
from ..records.plan import Delivery, Snapshot
from ..words import plain
from .assertions import told_in
from .identity import AskedMask, Proof, admitted, asked_masks, restated
from .knowers import Contrary, Knower, WhoKnows
from .negation import Statement
from .rarity import NEAR_BEST, TermStatistics, WeightedQuery, asked_terms, word_set

Verdict = Literal["says", "denies", "asks"]
"""What a text about a question does: it says so, says the contrary, or only asks or supposes it."""
ONE_THING = 8
"""Words of a question that is about one thing. A longer one may be answered in part by what a question implies."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The world's memories that are about a question."""

    ids: Sequence[str]
    """Their ids."""
    asked: WeightedQuery
    """The question."""
    least: float
    """The weight that a text must cover to count as being about the same thing as the world's best memory."""

    def about(self, text: str) -> bool:
        """Whether another text is about the question too."""
        return self.asked.held(word_set(text)) >= self.least

    def copies_among(self, deliveries: Iterable[Delivery], revealing: Set[str]) -> list[Delivery]:
        """Those about the question (a partial copy may lack the fact), or from a source that is `revealing`."""
        return [each for each in deliveries if each.source in revealing or self.about(each.body)]

    def touches(self, text: str) -> bool:
        """Whether another text is about the question by itself, however much better the world's best memory is."""
        return self.asked.held(word_set(text)) > 0


async def who_knows(engine: Engine, live: Live, question: str) -> WhoKnows:
    """For every character: since when and how they know it, with proof, or nothing found. Raises `StorageError`."""
    session = live.snapshot.id
    known = await _facts(engine.store, world_container(session).name, question)
    masks = await aside(len(question), asked_masks, question, live.snapshot)
    revealing = {source for each in masks if each.is_identity for source in each.sources}
    proofs = [*await _proofs(engine, session, known, revealing), *await _derived(engine, session, known)]
    inquiry = Inquiry(restated(question, masks), engine.settings.calendar, known.touches)
    size = len(question) + _characters(delivery for delivery, _ in proofs)
    return await aside(size, _answered, question, inquiry, proofs, masks, live.snapshot)


def _answered(
    question: str, inquiry: Inquiry, proofs: Sequence[Proof], masks: Sequence[AskedMask], snapshot: Snapshot
) -> WhoKnows:
    of_each: dict[str, list[Proof]] = {}
    for delivery, told_along in _as_first_learned(proofs):
        if delivery.status == "applied" and delivery.owner != WORLD:
            of_each.setdefault(delivery.owner, []).append((delivery, told_along))
    knowers = {id: inquiry.knower(id, admitted(of_each.get(id, []), masks)) for id in snapshot.cast.ids}
    return WhoKnows(question=question, knowers=knowers)


def _characters(deliveries: Iterable[Delivery]) -> int:
    return sum(len(each.body) + sum(len(line.text) for line in each.knowledge) for each in deliveries)


async def _facts(store: Store, world: str, question: str) -> Facts:
    """The world's memories that are about the question.

    A store without an index of terms is read completely, in order to count how rare each word is.
    """
    if isinstance(store, TermIndex):
        holders = await store.holders(world, await aside(len(question), asked_terms, question))
        return await aside(len(question), facts_among, holders, question)
    memories = await store.list(world)
    return await aside(sum(len(each.content) for each in memories), facts_among_all, memories, question)


def facts_among(holders: TermHolders, question: str) -> Facts:
    """The facts, found by the memories that contain the question's terms. Pure."""
    asked = WeightedQuery(
        question, TermStatistics(holders.count, {term: len(ids) for term, ids in holders.ids.items()})
    )
    terms_of: dict[str, list[str]] = {}
    for term, ids in holders.ids.items():
        for id in ids:
            terms_of.setdefault(id, []).append(term)
    held = {id: asked.held_by(terms) for id, terms in terms_of.items()}
    least = NEAR_BEST * max(held.values(), default=0.0)
    facts = [id for id, weight in held.items() if weight and weight >= least]
    return Facts(facts, asked, least)


def facts_among_all(world: Sequence[Memory], question: str) -> Facts:
    """The facts, found by reading all of the world's memories. Pure."""
    ids: dict[str, list[str]] = {term: [] for term in asked_terms(question)}
    for memory in world:
        for term in word_set(memory.content) & ids.keys():
            ids[term].append(memory.id)
    holders = {term: tuple(found) for term, found in ids.items()}
    return facts_among(TermHolders(count=len(world), ids=holders), question)


async def _proofs(engine: Engine, session: str, known: Facts, revealing: Set[str]) -> list[Proof]:
    """Deliveries of the facts, each with whether it contains them only as world knowledge.

    What comes from the sources that are `revealing` is a proof in any words.
    """
    if not known.ids and not revealing:
        return []
    ledger, facts = engine.ledger, known.ids
    sources = {each.source for each in await ledger.deliveries(session, memory_ids=facts)}
    all_copies = await ledger.deliveries(session, sources=sorted(sources | revealing))
    copies = await aside(_characters(all_copies), known.copies_among, all_copies, revealing)
    citing = await ledger.citing(session, facts)
    tellings = await ledger.deliveries(session, memory_ids=citing) if citing else ()
    cited = set(facts)
    told = [each for each in tellings if each.cites & cited]
    return [*((each, False) for each in copies), *((each, True) for each in told)]


async def _derived(engine: Engine, session: str, known: Facts) -> list[Proof]:
    """Derived memories about the question. The world does not have to know of them."""
    found = await engine.ledger.deliveries(session, derived=True, status="applied")
    held = await aside(_characters(found), lambda: [(each, known.asked.held(word_set(each.body))) for each in found])
    least = max(known.least, NEAR_BEST * max((share for _, share in held), default=0.0))
    return [(each, False) for each, share in held if share and share >= least]


def _as_first_learned(proofs: Sequence[Proof]) -> list[Proof]:
    """The proofs; each that came to be known under other names, with the number of the entry that first brought it."""
    first = {_way(each): each.sequence for each, _ in proofs if not each.renewed}
    return [
        (_since(each, first.get(_way(each), each.sequence)) if each.renewed else each, told) for each, told in proofs
    ]


def _since(delivery: Delivery, sequence: int) -> Delivery:
    return delivery.model_copy(update={"sequence": sequence})


def _way(delivery: Delivery) -> tuple[object, ...]:
    support = delivery.support
    return delivery.memory_id, support.how, support.shared_from, support.via, support.rule


class Inquiry:
    """A question, and which texts say it, or the contrary."""

    def __init__(self, question: str, calendar: Calendar, about: Callable[[str], bool] = lambda _: True) -> None:
        """`about` says whether a text, of which what it only asks or supposes was left out, is about the question."""
        self._statement = Statement(question)
        self._calendar = calendar
        self._about = about
        self._verdicts: dict[str, Verdict] = {}  # by text: many characters heard the same

    def knower(self, id: str, proofs: Iterable[Proof]) -> Knower:
        """What one character knows, by the strongest proof, and the strongest proof of the contrary."""
        known = contrary = None
        for proof in sorted(proofs, key=lambda each: (each[1], *strength(each[0]))):
            verdict = self._verdict(text := _text(proof))
            if verdict == "denies":
                contrary = contrary or (proof, text)
            elif verdict == "says":
                known = known or (proof, text)
            if known and contrary:
                break
        against = None if contrary is None else Contrary(**_found(*contrary))
        found = {} if known is None else _found(*known)
        return Knower(character=id, contrary=against, calendar=self._calendar, **found)

    def _verdict(self, text: str) -> Verdict:
        said = plain(text)
        if said not in self._verdicts:
            self._verdicts[said] = self._judged(said)
        return self._verdicts[said]

    def _judged(self, said: str) -> Verdict:
        told = said if len(self._statement.words) > ONE_THING else told_in(said)
        if told is not said and not self._about(told):
            return "asks"
        return "denies" if self._statement.contradicted_by(told) else "says"


def _text(proof: Proof) -> str:
    delivery, told_along = proof
    if told_along:
        return "\n".join(line.text for line in delivery.knowledge)
    return without_words(delivery.body, delivery.metadata)


def _found(proof: Proof, text: str) -> dict[str, Any]:
    delivery, told_along = proof
    learned = Learned(way="news") if told_along else delivery.learned
    since, id = delivery.support.learned_day, delivery.memory_id
    strength = delivery.metadata.get("strength", 1.0)
    return {
        "learned": learned,
        "since": since,
        "memory_id": id,
        "text": text,
        "trust": delivery.support.trust,
        "strength": strength if isinstance(strength, int | float) else 1.0,
    }
