"""What plugins and strategies are told, and what they answer: one frozen record each way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pydantic import ConfigDict, Field, SkipValidation

from .containers import Container
from .filters import EVERYTHING, NOTHING, Filter
from .plugin_data import PluginData
from .records.base import Record
from .records.channel import Channel
from .records.character import Cast
from .records.derived import Derivation
from .records.memory import Hit, Interaction, MetaValue
from .records.message import Message, Participant, SettledMessage
from .records.moment import Moment, Presence
from .records.plan import Delivery, Plan
from .records.state import Day, State
from .records.update import Knowledge, Update
from .records.usage import Reply


class Event(Record):
    """What everybody who is asked is told: where the story is, and their own data."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    session: str
    """Session id."""
    cast: Cast
    """Everybody in it."""
    state: State
    """What is the case, before what the event is about."""
    day: Day
    """The game day the event belongs to."""
    channel: Channel = Channel()
    """Where the host heard it, or where it will be read."""
    data: SkipValidation[PluginData] = Field(default_factory=lambda: PluginData({}))
    """Durable data of the plugin or strategy that is asked, for this session."""


class RecallEvent(Event):
    """A character is about to speak, and this is what the search found for her."""

    character: str
    """Whose turn it is."""
    query: str
    """The recall query."""
    memories: tuple[Hit, ...]
    """What was found, best first, already filtered by every guard."""


class RecallAnswer(Reply):
    """What a plugin makes of a recall. Core re-reads and re-guards what is added."""

    notes: tuple[str, ...] = ()
    """Lines to show before the memories; they are not remembered."""
    weights: dict[str, float] = {}
    """Memory id → factor on its score (1 leaves it, 0 puts it last); 0 to 10."""
    add: tuple[str, ...] = ()
    """Memory ids to add; those outside the listed reads are ignored."""
    drop: tuple[str, ...] = ()
    """Memory ids to leave out; dropping beats adding."""


class MessageEvent(Event):
    """A message is being settled."""

    moment: Moment
    """The message, the few before it, the cast, the state, everyone's whereabouts. Never the future."""
    presence: Presence
    """What the detector believes."""
    unsure: tuple[str, ...] = ()
    """Ids of those of whom it is not sure, where `end.unsure` says `ask`: whom nobody adds does not perceive it."""


class MessageAnswer(Reply):
    """What a plugin proposes for a message. Withholding beats adding; the host's word beats both."""

    add: dict[str, str] = {}
    """Character id → why they perceive it too."""
    withhold: dict[str, str] = {}
    """Character id → why they must not."""
    knowledge: dict[str, tuple[Knowledge, ...]] = {}
    """Character id → world knowledge, each line citing world memories this character may know."""
    updates: tuple[Update, ...] = ()
    """What changed in the world by this message."""
    derived: tuple[Derivation, ...] = ()
    """Facts, summaries and other memories that are no message; each becomes a journal entry of its own."""


class StateChangeEvent(Event):
    """The host has changed the state."""

    before: State
    """The state before."""
    after: State
    """The state after."""
    changed: frozenset[str]
    """The keys that differ (snake_case)."""
    described: bool = False
    """The host has worded the change itself: do not word it again."""


class StateChangeAnswer(Reply):
    """What a plugin tells the world of a change."""

    updates: tuple[Update, ...] = ()
    """Updates for the world container."""
    derived: tuple[Derivation, ...] = ()
    """Facts, summaries and other memories that are no message; each becomes a journal entry of its own."""
    covers: frozenset[str] | None = None
    """The changed keys that the updates put into words; `None` = all of them, where there is any update. A key that
    nobody covers is told in a default sentence: cover it without an update, and it is not told at all."""

    def worded(self, changed: frozenset[str]) -> frozenset[str]:
        """Those of the changed keys that need no default sentence."""
        if self.covers is not None:
            return self.covers
        return changed if self.updates else frozenset()


@runtime_checkable
class WorldView(Protocol):
    """What a World Agent may look at: the world container, and how far each character has been told."""

    async def news(self, character: str) -> Sequence[Delivery]:
        """World updates since this character was last told which this character may know, oldest first."""
        ...

    async def updates(self, character: str) -> Sequence[Delivery]:
        """World updates of the last 1,000 entries which this character may know, told or not, oldest first."""
        ...

    async def messages(self, character: str, among: Sequence[Message]) -> Sequence[Delivery]:
        """The world's copies of those of these messages which this character perceived whole, and has not been told of
        since, oldest first."""
        ...

    async def search(self, query: str, *, filter: Filter = EVERYTHING, limit: int = 10) -> Sequence[Hit]:
        """Search the world container. Citing what a character may not know gets the line struck."""
        ...


class WorldAgentEvent(Event):
    """A message is being settled, and the World Agent is asked what the world has to say to it."""

    moment: Moment
    """The message, the few before it, the cast, the state, everyone's whereabouts. Never the future."""
    presence: Presence
    """What the detector believes."""
    world: SkipValidation[WorldView]
    """The world container, to read."""


class WorldAnswer(Reply):
    """What a World Agent proposes."""

    participants: dict[str, Participant] | None = None
    """Who took part; `None` leaves it to the detector's presence. It may leave out whom the detector admits, and name
    others only among those who could have perceived the message."""
    knowledge: dict[str, tuple[Knowledge, ...]] = {}
    """Character id → lines of world knowledge, each citing the world memories it rests on."""
    updates: tuple[Update, ...] = ()
    """What changed in the world by this message."""
    derived: tuple[Derivation, ...] = ()
    """Facts, summaries and other memories that are no message; each becomes a journal entry of its own."""


class SharingEvent(Event):
    """Somebody has just learned of a message: those who perceived it, or those whom a delayed delivery has reached."""

    message: SettledMessage
    """The message with everything decided about it."""
    moment: Moment | None = None
    """The moment it was said in; `None` when a delayed delivery arrives."""
    knowers: tuple[str, ...]
    """Ids of those who know of it as of now and could tell: its participants, or those it has just reached."""
    arrived: tuple[Delivery, ...] = ()
    """The deliveries that have just arrived; empty when the message was said just now."""


class Share(Record):
    """One more character learns of a message."""

    character: str
    """Who learns it."""
    how: Interaction = "shared"
    """As what."""
    shared_from: str | None = None
    """Who tells it."""
    rule: str = ""
    """The rule's name, for `explain`."""
    due: Day | None = None
    """The game day it arrives; `None`, a day that is past, or one before the teller knows it = as soon as can be."""
    text: str | None = None
    """What is told, in words of its own; `None` = what the teller perceived of it."""
    metadata: dict[str, MetaValue] = {}
    """More metadata for this copy, such as `pantheonId`; camelCase or snake_case."""
    trust: float = Field(default=1.0, ge=0, le=1)
    """How far the listener believes it; recorded with the support."""


class SharingAnswer(Reply):
    """What a sharing rule answers when it has more to say than its shares."""

    shares: tuple[Share, ...] = ()
    """Who else learns of it."""


class ReadEvent(Event):
    """Somebody is about to read one container."""

    character: str
    """Who reads (character id)."""
    personality: str
    """Who that is across sessions."""
    container: str
    """The one container this read names."""
    kind: str = "character"
    """The container's kind."""
    users: tuple[str, ...] = ()
    """Users taking part."""


class ReadAnswer(Reply):
    """What a guard makes of a read: what is withheld, and what is known but not sayable here."""

    filter: Filter = EVERYTHING
    """What this reader may see, ANDed with everybody else's."""
    unsayable: Filter = NOTHING
    """Of what may be seen, what is known but must not be said here."""
    reason: str = ""
    """Why it must not be said, for `Recalled.unsayable`."""


class ReadRequest(Record):
    """A read provider asks that a recall should read one container."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    container: str
    """Name of a registered container that the reader is a member of today, or of the reader's own."""
    section: str = Field(default="shared", min_length=1)
    """Which part of the recall what is found belongs to; several containers of a section are merged by rank."""
    number: int = Field(default=4, ge=1)
    """How many memories the section holds at most; the first request of a section decides."""
    heading: str | None = None
    """What stands above the section in a prompt, by default its name; the first request of a section decides."""
    filter: Filter = EVERYTHING
    """Narrows what is found."""
    any_day: bool = False
    """Whether to find also what another session learned on a later day than it is here: for containers whose sessions
    count their days each for themselves."""


@runtime_checkable
class ContainersView(Protocol):
    """What a read provider may ask the register of containers."""

    async def readable(self, *, kind: str | None = None, names: Sequence[str] | None = None) -> Sequence[Container]:
        """The containers, besides her own, that the reader may read today: all, of a kind, or those of these names."""
        ...


class ReadProviderEvent(Event):
    """Somebody is about to recall, and read providers say what else should be read than her own container."""

    character: str
    """Who recalls (character id)."""
    personality: str
    """Who that is across sessions: what memberships name."""
    query: str
    """The recall query."""
    containers: SkipValidation[ContainersView]
    """The register of containers, to ask what may be read."""


class PlanEvent(Event):
    """Deliveries are planned, or delayed ones have arrived."""

    plan: Plan
    """The plan as it stands: what was decided, and every delivery."""


class Strike(Record):
    """A delivery a guard does not let through."""

    delivery_id: str
    """`Delivery.id`."""
    reason: str
    """For the plan and `preview`."""


class StrikeAnswer(Reply):
    """What a guard answers when it has more to say than its strikes."""

    strikes: tuple[Strike, ...] = ()
    """Deliveries that must not happen."""
