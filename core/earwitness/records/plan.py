"""Plans: everything that follows from one journal entry, as a pure value, recorded before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from pydantic import JsonValue

from ..ids import derive
from .base import Record
from .character import Cast
from .derived import Derivation
from .memory import MetaValue, Support
from .message import SettledMessage
from .moment import Movement, Perceived
from .state import Day, State
from .update import Knowledge
from .usage import Usage

DERIVED = "derived"
"""The part of a derived memory."""
Status = Literal["pending", "applied", "struck", "withdrawn", "archived"]


class Delivery(Record):
    """One memory, or one more support of it, for one container."""

    session: str
    """Session id."""
    sequence: int
    """The journal entry whose plan this belongs to."""
    memory_id: str
    """The memory it brings about or supports."""
    container: str
    """Container name."""
    owner: str
    """Whose container: character id or `world`; the container's name where it is nobody's in the session."""
    beyond_session: bool = False
    """The container belongs to no session: what was brought there stays out of branches and exports."""
    source: str
    """Key of the journal entry the memory is about; retracting that takes it away."""
    revision: int = 0
    """Which revision of the source."""
    part: str = "message"
    """Which part of the source: `message`, `update-0`, `plot`, `derived`, …; the memory id derives from these."""
    body: str
    """The content without the knowledge section."""
    knowledge: tuple[Knowledge, ...] = ()
    """World knowledge told along with it; a line falls when what it cites falls."""
    rests_on: tuple[str, ...] = ()
    """Ids of memories that it was derived from: it falls with any of them."""
    metadata: dict[str, MetaValue] = {}
    """camelCase, without what the supports add."""
    support: Support
    """How it gets there."""
    due: Day
    """The game day it is due on."""
    status: Status = "pending"
    """`pending` until its day, then `applied`; `struck` by a guard, when it is planned or when its day arrives;
    `withdrawn` by a retraction or revision; `archived`: out of recall, and restorable."""
    reason: str | None = None
    """Why it was struck, withdrawn or archived."""

    @property
    def id(self) -> str:
        """Derived from the memory and the way it got there: the same way twice is one delivery."""
        support = self.support
        return derive("delivery", self.memory_id, support.how, support.shared_from, support.via, support.rule)

    @property
    def is_derived(self) -> bool:
        """It is about no message, update or piece, but a memory of its own kind: a fact, a summary, a note."""
        return self.part == DERIVED

    @property
    def cites(self) -> frozenset[str]:
        """Ids of the world memories that its knowledge rests on."""
        return frozenset(id for line in self.knowledge for id in line.cites)

    @property
    def is_active(self) -> bool:
        """It holds its memory up, or will once it is due: neither struck nor withdrawn."""
        return self.status in {"pending", "applied"}

    @property
    def is_kept(self) -> bool:
        """Nothing has taken it back: it is active, or archived and may be restored."""
        return self.is_active or self.status == "archived"


def grouped(deliveries: Iterable[Delivery], by: Callable[[Delivery], str]) -> list[list[Delivery]]:
    """Deliveries that have something in common, such as their memory, in the order in which each first comes."""
    groups: dict[str, list[Delivery]] = {}
    for each in deliveries:
        groups.setdefault(by(each), []).append(each)
    return list(groups.values())


class Withdrawal(Record):
    """What a retraction or revision takes away, or a guard from what was on its way when its day arrives."""

    source: str | None = None
    """The source key it names: every delivery of that, in every container."""
    memory_id: str | None = None
    """The one memory it names: every delivery of that, and what was told on from it."""
    removes: dict[str, str] = {}
    """Delivery id → memory id of all that falls by it, found when it was decided: these fall, and no others."""
    status: Literal["withdrawn", "struck", "archived"] = "withdrawn"
    """What they become."""
    reason: str
    """`retracted by author`, `edited`, `rerolled`, `archived`, `guard:privacy: …`, …."""


class Restoration(Record):
    """Archived deliveries that come back into recall."""

    memory_id: str
    """The memory they hold up."""
    restores: dict[str, str] = {}
    """Delivery id → memory id of all that comes back, found when it was decided. They are pending, so the plan that
    restores them applies those that are due."""


class PluginWrite(Record):
    """A change to a plugin's durable data, recorded with the plan."""

    plugin: str
    """Plugin name."""
    key: str
    """The plugin's own key."""
    value: JsonValue
    """`None` removes it."""


class Answer(Record):
    """One answer the plan rests on, or one failure."""

    by: str
    """Plugin or strategy name, with its kind: `detector:rules`, `plugin:keepsake`."""
    settings: dict[str, Any] = {}
    """The settings it was made from, without secrets."""
    version: str | None = None
    """Version of what the answer rests on: rules, a graph, a prompt."""
    usage: Usage | None = None
    """The model that was asked, its tokens and their cost."""
    seconds: float = 0
    """How long it took."""
    failure: str | None = None
    """What went wrong, if it did."""


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
    """What is to be remembered, by whom; struck ones too, with the reason."""
    derived: tuple[Derivation, ...] = ()
    """Memories that are no message, as proposed; each is appended to the journal as an entry of its own."""
    withdrawals: tuple[Withdrawal, ...] = ()
    """What is to be taken away."""
    restorations: tuple[Restoration, ...] = ()
    """What was archived and comes back."""
    due_day: Day | None = None
    """Pending deliveries due by this day are applied along with this plan."""
    state: dict[str, Any] = {}
    """State keys that changed, with their new values; `None` removes one."""
    cast: Cast | None = None
    """The new cast, if it changed."""
    forgotten: tuple[str, ...] = ()
    """Ids of characters whose containers are dropped for good."""
    news_seen: dict[str, int] = {}
    """Character id → sequence up to which the world's news has been told."""
    plugin_data: tuple[PluginWrite, ...] = ()
    """What plugins want to keep."""
    answers: tuple[Answer, ...] = ()
    """Who was asked, and what failed."""
    degraded: bool = False
    """Decided fail-closed."""

    @property
    def failures(self) -> tuple[Answer, ...]:
        """The answers that failed."""
        return tuple(answer for answer in self.answers if answer.failure)


class Snapshot(Record):
    """A session as it stands after the last entry whose plan is recorded."""

    id: str
    """Session id."""
    cast: Cast = Cast()
    """Everybody in it."""
    state: State = State()
    """What is the case."""
    news_seen: dict[str, int] = {}
    """Character id → sequence up to which the world's news has been told."""
    joined: dict[str, int] = {}
    """Character id → sequence of the entry they joined with: what an id stood for before was somebody else's."""
    decided: int = 0
    """Sequence number of the last entry whose plan is recorded."""
    parent: str | None = None
    """The session it was forked from."""
    forked_at: int | None = None
    """Up to which sequence number it shares the parent's past."""
    unfinished: bool = False
    """A branch or an import that is being written: not to be opened before its whole past is there."""
    strategies: dict[str, Any] = {}
    """Names and settings of the strategies it runs with, for repeating a run."""

    def after(self, plan: Plan) -> Snapshot:
        """The session once this plan is applied. A pure fold: `reduce(Snapshot.after, plans, first)`."""
        return self.model_copy(
            update={
                "cast": self.cast if plan.cast is None else plan.cast,
                "state": self.state.updated(plan.state) if plan.state else self.state,
                "news_seen": self._news_seen_after(plan),
                "joined": self._joined_after(plan),
                "decided": plan.sequence,
            }
        )

    def _news_seen_after(self, plan: Plan) -> dict[str, int]:
        seen = {**self.news_seen, **plan.news_seen}
        return {id: number for id, number in seen.items() if id not in plan.forgotten} if plan.forgotten else seen

    def _joined_after(self, plan: Plan) -> dict[str, int]:
        if plan.cast is None:
            return self.joined
        return {id: self.joined.get(id, 0) if id in self.cast else plan.sequence for id in plan.cast.ids}
