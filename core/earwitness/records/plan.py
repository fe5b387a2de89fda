"""Plans: everything that follows from one journal entry, as a pure value, recorded before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Self

from pydantic import Field, JsonValue, field_validator

from ..ids import WORLD, delivery_id
from .base import Record
from .character import Cast
from .derived import Derivation
from .disguise import Unmasking
from .journal import Revised, Transferred
from .learned import Learned, learned
from .memory import Support
from .memory_types import MetaValue, without_null
from .message import SettledMessage
from .moment import Movement, Perceived
from .prose import counted, gist, joined, number
from .state import Day, FactsOf, State, Whereabouts
from .stop import Stopped
from .update import Knowledge
from .usage import Usage

DERIVED = "derived"
"""The part of a derived memory."""
WAITS = "waits until "
"""Begins the reason of what is archived until a guard can be asked."""
ACTIVE = frozenset(("pending", "applied"))
Status = Literal["pending", "applied", "struck", "withdrawn", "archived"]


class Delivery(Record):
    """One memory for one container, or one more support of it."""

    session: str
    """Session id."""
    sequence: int
    """Number of the journal entry whose plan it belongs to."""
    memory_id: str
    """Id of the memory that it creates or supports."""
    container: str
    """Container name."""
    owner: str
    """Owner of the container: a character id or `world`; for a container outside the session, the container's name."""
    beyond_session: bool = False
    """Whether the container belongs to no session. Branches and exports leave such deliveries out."""
    source: str
    """Key of the entry that the memory is about. Retracting that entry removes the memory."""
    revision: int = 0
    """The revision of the source."""
    part: str = "message"
    """The part of the source: `message`, `update-0`, `plot`, `derived`, …. The memory id derives from these three."""
    body: str
    """The content without the knowledge section."""
    knowledge: tuple[Knowledge, ...] = ()
    """World knowledge told along with it. A line goes when a memory that it cites goes."""
    rests_on: tuple[str, ...] = ()
    """Ids of the memories that it was derived from. It goes when any of them goes."""
    metadata: dict[str, MetaValue] = {}
    """Metadata in camelCase, without what the supports add."""
    support: Support
    """How it gets there."""
    disguises: dict[str, str] = {}
    """Character id → the name under which its owner knows that character, for those in disguise whom the owner has not
    seen through. Its body and metadata have these names."""
    renewed: int = 0
    """Number of the entry that renewed it under other names; 0 = none did."""
    told_with: int | None = None
    """Number of the earlier entry with which it was told, for a copy of what its owner read in a pantheon's hub."""
    of_other: bool = False
    """Whether the memory that it supports is that of another message or entry, which says the same."""
    due: Day
    """The game day on which it is due."""
    status: Status = "pending"
    """`pending` until its day, then `applied`. `struck` by a guard, when it was planned or on its day. `withdrawn` by a
    retraction or revision. `archived` = out of recall until it is restored."""
    reason: str | None = None
    """Why it was struck, withdrawn or archived."""

    _readable = field_validator("metadata", mode="before")(without_null)

    def __str__(self) -> str:
        known = "" if self.owner == WORLD else f" {self.learned} on day {number(self.support.learned_day)}"
        return f"{self.owner}{known}: {gist(self.body)}{self.gone}"

    @property
    def learned(self) -> Learned:
        """How its owner learns of it."""
        return learned(self.metadata, self.support.how, self.shared_from)

    @property
    def gone(self) -> str:
        """` [withdrawn: edited]`; empty if it is active: a delivery of an outcome is as it was decided."""
        reason = None if self.reason == self.status else self.reason
        told = ": ".join(filter(None, [self.status, reason]))
        return "" if self.is_active else f" [{told}]"

    @property
    def id(self) -> str:
        """Derives from the memory and the way it got there, so that the same way twice is one delivery."""
        return delivery_id(self.memory_id, *self.way)

    @property
    def way(self) -> tuple[object, ...]:
        """The way it got there, as its id has it."""
        support = self.support
        more = (*((self.renewed,) if self.renewed else ()), *((self.source,) if self.of_other else ()))
        return (support.how, support.shared_from, support.via, support.rule, *more)

    @property
    def shared_from(self) -> str | None:
        """The character who shared it: the id, or the name under which its owner knows them."""
        teller = self.support.shared_from
        return teller if teller is None else self.disguises.get(teller, teller)

    @property
    def is_derived(self) -> bool:
        """Whether it is a derived memory (a fact, a summary, a note) rather than a message, update or piece."""
        return self.part == DERIVED

    @property
    def cites(self) -> frozenset[str]:
        """Ids of the world memories that its knowledge cites."""
        return frozenset(id for line in self.knowledge for id in line.cites)

    @property
    def is_active(self) -> bool:
        """Whether it supports its memory, now or once it is due."""
        return self.status in ACTIVE

    @property
    def is_kept(self) -> bool:
        """Whether it is active, or archived and may be restored."""
        return self.is_active or self.status == "archived"


def grouped(deliveries: Iterable[Delivery], by: Callable[[Delivery], str]) -> list[list[Delivery]]:
    """Deliveries in groups that have the same `by`, such as their memory, in the order of each group's first one."""
    groups: dict[str, list[Delivery]] = {}
    for each in deliveries:
        groups.setdefault(by(each), []).append(each)
    return list(groups.values())


class Withdrawal(Record):
    """What a retraction, a revision or an archiving removes, or a guard strikes from what arrives on its day."""

    source: str | None = None
    """The source that it names, if any: all its deliveries in all containers are removed."""
    memory_id: str | None = None
    """The memory that it names, if any: all its deliveries are removed."""
    removes: dict[str, str] = {}
    """Delivery id → memory id of everything it removes, worked out when it was decided; nothing else is removed."""
    status: Literal["withdrawn", "struck", "archived"] = "withdrawn"
    """The new status of these deliveries."""
    reason: str
    """`retracted by author`, `edited`, `rerolled`, `archived`, `guard:privacy: …`, …."""

    def __str__(self) -> str:
        memories = counted(len(set(self.removes.values())), "memory", "memories")
        return f"{self.reason}: {memories}" + (f" of {self.source!r}" if self.source else "")


class Restoration(Record):
    """Archived deliveries that return to recall."""

    memory_id: str
    """Id of the memory that they support."""
    restores: dict[str, str] = {}
    """Delivery id → memory id of everything that returns, worked out when it was decided. They become pending, so the
    plan that restores them applies those that are due."""


class PluginWrite(Record):
    """A change to a plugin's durable data, recorded with the plan."""

    plugin: str
    """Plugin name."""
    key: str
    """The plugin's own key."""
    value: JsonValue
    """`None` removes it."""


class Answer(Record):
    """One answer that the plan rests on, or one failure."""

    by: str
    """Kind and name of the plugin or strategy: `detector:rules`, `plugin:keepsake`."""
    settings: dict[str, Any] = {}
    """Its settings, without secrets."""
    version: str | None = None
    """Version of the rules, graph or prompt that the answer rests on."""
    usage: Usage | None = None
    """The model it asked, with tokens and cost."""
    seconds: float = 0
    """How long it took, in seconds."""
    failure: str | None = None
    """What went wrong, if anything."""
    notes: tuple[str, ...] = ()
    """How the answer came about, as whoever gave it says."""

    def __str__(self) -> str:
        went = f"failed: {self.failure}" if self.failure else f"{self.seconds:.3f} s"
        return "; ".join([f"{self.by}: {went}", *self.notes])


class Plan(Record):
    """All deliveries and state updates of one journal entry."""

    session: str
    """Session id."""
    sequence: int
    """The entry's sequence number."""
    key: str
    """The entry's key."""
    message: SettledMessage | None = None
    """The message as settled (said, revised, or retracted), if the entry is about one."""
    presence: dict[str, Perceived] = {}
    """What the detector believed, before anything was settled."""
    movements: tuple[Movement, ...] = ()
    """Who moved."""
    deliveries: tuple[Delivery, ...] = ()
    """What is to be remembered, and by whom. It includes struck deliveries, with the reason."""
    supported: tuple[str, ...] = ()
    """Ids of memories of earlier entries that have one more support by these deliveries."""
    derived: tuple[Derivation, ...] = ()
    """Proposed memories that are not messages. Each is appended to the journal as an entry of its own."""
    revisions: tuple[Revised, ...] = ()
    """Messages in which a name is another now. Each is appended to the journal as an entry of its own."""
    retold: dict[int, Transferred] = {}
    """Number of the entry by which something was told by hand → the same telling in new words, an entry of its own."""
    withdrawals: tuple[Withdrawal, ...] = ()
    """What is to be removed."""
    restorations: tuple[Restoration, ...] = ()
    """What is to return from the archive."""
    due_day: Day | None = None
    """Pending deliveries that are due by this day are applied with this plan."""
    state: dict[str, Any] = {}
    """State keys that changed, with their new values. `None` removes a key."""
    whereabouts: dict[str, Whereabouts | None] = {}
    """Character id → the whereabouts that changed; `None` = the story no longer says where they are."""
    facts: dict[str, FactsOf | None] = {}
    """Entry key → the facts that packages note with it; `None` = they are gone."""
    cast: Cast | None = None
    """The new cast, if it changed."""
    forgotten: tuple[str, ...] = ()
    """Ids of the characters whose containers are dropped for good."""
    unmaskings: tuple[Unmasking, ...] | None = None
    """All unmaskings that hold from now on, if they changed."""
    news_seen: dict[str, int] = {}
    """Character id → number of the last entry whose news this character has been told. What is left for one channel
    alone is counted by the id, a line break, and the channel."""
    plugin_data: tuple[PluginWrite, ...] = ()
    """Changes to the plugins' durable data."""
    answers: tuple[Answer, ...] = ()
    """Who was asked, and what failed."""
    stops: tuple[Stopped, ...] = Field(default=(), exclude=True)
    """In a preview, who would not be told, and why. It is stored nowhere."""
    degraded: bool = False
    """Whether it was decided fail-closed."""

    @property
    def whole(self) -> Self:
        """The plan with every movement and delivery made, as far as those of thousands are not made yet (`many`)."""
        if type(self.movements) is tuple and type(self.deliveries) is tuple:
            return self
        return self.model_copy(update={"movements": tuple(self.movements), "deliveries": tuple(self.deliveries)})

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """As pydantic's."""
        return super(Plan, self.whole).model_dump(**options)

    def model_dump_json(self, **options: Any) -> str:
        """As pydantic's."""
        return super(Plan, self.whole).model_dump_json(**options)

    def state_after(self, before: State) -> State:
        """The state after this plan."""
        return (before.updated(self.state) if self.state else before).moved(self.whereabouts).noting(self.facts)

    def __str__(self) -> str:
        return plan_text(self)

    @property
    def failures(self) -> tuple[Answer, ...]:
        """The answers that failed."""
        return tuple(answer for answer in self.answers if answer.failure)


def plan_text(plan: Plan) -> str:
    """Who perceives it and why, what else is learned or told, and what changes, one a line."""
    settled = plan.message
    head = str(settled.message) if settled else f"entry {plan.sequence}, key {plan.key!r}"
    perceivers = settled.participants if settled else {}
    told = [each for each in plan.deliveries if each.owner != WORLD and each.owner not in perceivers]
    lines = [f"{id}: {part}" for id, part in perceivers.items()]
    lines += [str(each) for each in told if each.is_kept]
    lines += [f"told to {each.owner}: {line.text}" for each in plan.deliveries for line in each.knowledge]
    lines += map(str, plan.movements)
    happened = [each for each in plan.deliveries if each.owner == WORLD and each.part != "message"]
    lines += [f"happened: {gist(each.body)}" for each in happened]
    lines += [f"struck for {each.owner}: {each.reason}" for each in plan.deliveries if each.status == "struck"]
    key = settled.key if settled else plan.key
    reached = {each.owner for each in plan.deliveries if each.source == key and each.is_kept}
    lines += [each.text(key, reached) for each in plan.derived]
    lines += [f"named anew: {each.target}" for each in plan.revisions]
    lines += [f"told anew: {each}" for each in plan.retold.values()]
    lines += map(str, plan.withdrawals)
    lines += [f"restored: {counted(len(each.restores), 'support')} of {each.memory_id}" for each in plan.restorations]
    lines += [f"forgotten: {joined(plan.forgotten)}"] if plan.forgotten else []
    lines += [*map(str, plan.failures), *(["decided fail-closed"] if plan.degraded else [])]
    return "\n  ".join([head, *lines])
