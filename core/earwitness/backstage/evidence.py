"""What speaks for somebody knowing something: a delivery to them, or a memory that they may read elsewhere. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..containers import Container
from ..records.learned import Learned
from ..records.memory import Memory, without_words
from ..records.memory_types import Metadata
from ..records.plan import Delivery
from ..strongest import strength
from .identity import Proof
from .shared import SharedMemory

Rank = tuple[float, float, bool, tuple[int, float, int, float, str, str, str]]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One way in which somebody learned something."""

    learned: Learned
    """How they learned it."""
    since: float | None
    """The game day on which they learned it; `None` = before the story."""
    memory_id: str
    """Id of the memory."""
    text: str
    """Its text."""
    trust: float
    """How far they trust in it, from 0 to 1."""
    strength: float
    """What was left of it when they were told, from 0 to 1."""
    rank: Rank
    """Sort key: the earliest first; of one moment the strongest; what they read elsewhere at the end of its day."""
    is_certain: bool = False
    """Whether it is what was asked, in whatever words."""
    container: Container | None = None
    """The shared container in which they read it; `None` = their own."""
    until: float | None = None
    """The last game day on which they may read it there; `None` = no end."""
    source: str = ""
    """What it comes from, such as the key of a message."""
    cites: frozenset[str] = frozenset()
    """The world's memories that news rest on."""

    @property
    def belief(self) -> float:
        """How much there is to believe in it, from 0 to 1."""
        return self.trust * self.strength


def moment(proof: Proof) -> tuple[float, int]:
    """When somebody learned it, as the evidence of a delivery is ranked first: the day, and the number of its entry."""
    delivery, as_news = proof
    is_before = not as_news and bool(delivery.metadata.get("permanent"))
    return (float("-inf") if is_before else delivery.support.learned_day), delivery.sequence


def belief(proof: Proof) -> float:
    """As `Evidence.belief` of a delivery."""
    delivery, _ = proof
    return delivery.support.trust * _strength(delivery.metadata)


def delivered(proof: Proof, subjects: Mapping[str, str] | None = None, *, is_certain: bool = False) -> Evidence:
    """The evidence of a delivery. `subjects` says of which character an update of the world tells, by its memory id."""
    delivery, as_news = proof
    learned = _news(delivery, subjects or {}) if as_news else delivery.learned
    day = delivery.support.learned_day
    return Evidence(
        learned=learned,
        since=day,
        memory_id=delivery.memory_id,
        text=text_of(proof),
        trust=delivery.support.trust,
        strength=_strength(delivery.metadata),
        rank=(_first(learned, day), delivery.sequence, as_news, strength(delivery)),
        is_certain=is_certain,
        source=delivery.source,
        cites=frozenset(delivery.cites) if as_news else frozenset(),
    )


def read_elsewhere(shared: SharedMemory) -> Evidence:
    """The evidence of a memory in a shared container."""
    memory, trust = shared.memory, shared.memory.metadata.get("trust")
    learned = memory.learned
    return Evidence(
        learned=learned,
        since=shared.since,
        memory_id=memory.id,
        text=without_words(memory.content, memory.metadata),
        trust=trust if isinstance(trust, int | float) else 1.0,
        strength=_strength(memory.metadata),
        rank=(_first(learned, shared.since), float("inf"), False, (0, 0.0, 0, 0.0, "", "", memory.id)),
        container=shared.container,
        until=shared.until,
        source=next(iter(memory.message_keys), ""),
    )


def written_by_hand(memory: Memory) -> Evidence:
    """The evidence of what a person wrote or changed in somebody's container."""
    container = Container(name=memory.container, kind="character", owner="")
    since = None if memory.permanent else memory.learned_day
    return replace(read_elsewhere(SharedMemory(memory, container, since, None)), container=None, source="")


def _news(delivery: Delivery, subjects: Mapping[str, str]) -> Learned:
    """News, with the character that they are about, as their owner knows them; one's own deeds are not news."""
    about = next((subjects[id] for id in sorted(delivery.cites) if id in subjects), None)
    if about == delivery.owner:
        return Learned(way="did")
    return Learned(way="news", teller=None if about is None else delivery.disguises.get(about, about))


def text_of(proof: Proof) -> str:
    """What a delivery tells."""
    delivery, as_news = proof
    if as_news:
        return "\n".join(line.text for line in delivery.knowledge)
    return without_words(delivery.body, delivery.metadata)


def _strength(metadata: Metadata) -> float:
    strength = metadata.get("strength", 1.0)
    return strength if isinstance(strength, int | float) else 1.0


def _first(learned: Learned, day: float | None) -> float:
    return float("-inf") if day is None or learned.way == "before" else day
