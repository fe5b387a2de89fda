"""What plugins and strategies receive, and what they answer: one frozen record each way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from pydantic import ConfigDict, Field, JsonValue, SkipValidation

from .containers import Container
from .filters import EVERYTHING, NOTHING, Filter
from .plugin_data import PluginData
from .records.base import Record
from .records.channel import Channel
from .records.character import Cast
from .records.derived import Derivation
from .records.memory import Hit, Interaction
from .records.memory_types import MetaValue
from .records.message import Message, Participant, SettledMessage
from .records.moment import Moment, Movement, Presence
from .records.plan import Answer, Delivery, Plan
from .records.state import Day, State
from .records.stop import Stopped
from .records.update import Knowledge, Update
from .records.usage import Reply


class Event(Record):
    """What every event holds: the state of the story, and the receiver's own data."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    session: str
    """Session id."""
    cast: Cast
    """Everybody in the session."""
    state: State
    """The state before what the event is about."""
    day: Day
    """The game day the event belongs to."""
    channel: Channel = Channel()
    """Where the host heard the message, or where the answer will be heard."""
    data: SkipValidation[PluginData] = Field(default_factory=lambda: PluginData({}))
    """The receiver's own durable data for this session."""
    as_of: int | None = None
    """Number of the entry after which the story was so, where other words are judged as on that day; `None` = now."""


class RecallEvent(Event):
    """A character is about to speak, and the search has found memories for her."""

    character: str
    """Whose turn it is."""
    query: str
    """The recall query."""
    memories: tuple[Hit, ...]
    """What was found, best first. Every guard has filtered it already."""


class RecallAnswer(Reply):
    """What a plugin changes about a recall."""

    notes: tuple[str, ...] = ()
    """Lines to show before the memories; they are not remembered."""
    weights: dict[str, float] = {}
    """Memory id → factor on its score, from 0 to 10: 1 changes nothing, 0 puts it last."""
    add: tuple[str, ...] = ()
    """Ids of memories to add. Those that this recall may not read are ignored."""
    drop: tuple[str, ...] = ()
    """Ids of memories to leave out. Dropping wins over adding."""


class MessageEvent(Event):
    """A message is being settled."""

    moment: Moment
    """The message, the few before it, the cast, the state, everyone's whereabouts. Never the future."""
    presence: Presence
    """What the detector believes."""
    unsure: tuple[str, ...] = ()
    """Ids of the characters it is unsure about, if `end.unsure` is `ask`. Only those whom a plugin adds perceive it."""


class MessageAnswer(Reply):
    """What a plugin proposes for a message. Withholding wins over adding; the host's word wins over both."""

    add: dict[str, str] = {}
    """Character id → why this character perceives it too."""
    withhold: dict[str, str] = {}
    """Character id → why this character must not perceive it."""
    knowledge: dict[str, tuple[Knowledge, ...]] = {}
    """Character id → lines of world knowledge, each citing world memories that this character may know."""
    updates: tuple[Update, ...] = ()
    """What this message changed in the world."""
    derived: tuple[Derivation, ...] = ()
    """Facts, summaries and other memories that are not messages. Each becomes a journal entry of its own."""


class StateChangeEvent(Event):
    """The host has changed the state."""

    before: State
    """The state before."""
    after: State
    """The state after."""
    changed: frozenset[str]
    """The keys that differ (snake_case)."""
    updates: tuple[Update, ...] = ()
    """World updates that the host reports with the change."""
    movements: tuple[Movement, ...] = ()
    """Who came or went with it, by the host's word."""
    described: bool = False
    """The host has described the change in its own words, so no plugin needs to."""


class StateChangeAnswer(Reply):
    """What a plugin tells the world about a change."""

    updates: tuple[Update, ...] = ()
    """Updates for the world container."""
    derived: tuple[Derivation, ...] = ()
    """Facts, summaries and other memories that are not messages. Each becomes a journal entry of its own."""
    facts: tuple[JsonValue, ...] = ()
    """What its package notes: `event.state.facts_of(name)` has it, under the plugin's name, until that is retracted."""
    covers: frozenset[str] | None = None
    """The changed keys that the updates describe; `None` = all of them, if there is any update. A key that nobody
    covers gets a default sentence. A key that is covered without an update is not mentioned at all."""

    def worded(self, changed: frozenset[str]) -> frozenset[str]:
        """The changed keys that need no default sentence."""
        if self.covers is not None:
            return self.covers
        return changed if self.updates else frozenset()


@runtime_checkable
class WorldView(Protocol):
    """What a World Agent may read: the world container, and what each character has been told of it."""

    async def news(self, character: str) -> Sequence[Delivery]:
        """World updates that this character may know and has not been told yet, oldest first."""
        ...

    async def with_news(self, characters: Iterable[str]) -> Sequence[str]:
        """Those of the characters for whom there is news."""
        ...

    async def updates(self, character: str) -> Sequence[Delivery]:
        """World updates of the last 1,000 entries that this character may know, told or not, oldest first."""
        ...

    async def messages(self, character: str, among: Sequence[Message]) -> Sequence[Delivery]:
        """The world's copies of these messages, oldest first: only of those that this character perceived whole and has
        not been told about since."""
        ...

    async def search(self, query: str, *, filter: Filter = EVERYTHING, limit: int = 10) -> Sequence[Hit]:
        """Search the world container. A line that cites what its character may not know is struck later."""
        ...


class WorldAgentEvent(Event):
    """A message is being settled, and the World Agent is asked what the world adds to it."""

    moment: Moment
    """The message, the few before it, the cast, the state, everyone's whereabouts. Never the future."""
    presence: Presence
    """What the detector believes."""
    world: SkipValidation[WorldView]
    """The world container, read-only."""


class WorldAnswer(Reply):
    """What a World Agent proposes."""

    participants: dict[str, Participant] | None = None
    """Who took part; `None` leaves that to the detector. The agent may leave out anybody the detector admits. It may
    name others only if they could have perceived the message: nobody in a direct message, nobody whom the detector
    shuts out from a whisper, nobody in another place than the speaker, and nobody at all if the detector failed. Those
    on a call, or whose place the story has not told (unless `state.present_told`), perceive only the current scene."""
    knowledge: dict[str, tuple[Knowledge, ...]] = {}
    """Character id → lines of world knowledge, each citing the world memories it rests on."""
    updates: tuple[Update, ...] = ()
    """What this message changed in the world."""
    derived: tuple[Derivation, ...] = ()
    """Facts, summaries and other memories that are not messages. Each becomes a journal entry of its own."""


@runtime_checkable
class StandingView(Protocol):
    """What a sharing rule may ask about earlier messages: what was retracted, edited away or struck is not there."""

    async def deliveries(self, keys: Sequence[str]) -> Sequence[Delivery]:
        """The active deliveries of messages with these keys, applied or still to come, by due day.

        What was perceived at first hand, thoughts included, is there without its text; what was told has it."""
        ...

    async def told_after(self, sequence: int) -> Sequence[Delivery]:
        """The active deliveries by which entries after this number let characters tell each other something, by due
        day: also those of `story.tell`, with the key of what was told as their source."""
        ...


class NothingStands:
    """The view of a rule that is asked outside of a story."""

    async def deliveries(self, keys: Sequence[str]) -> Sequence[Delivery]:
        """None."""
        return ()

    async def told_after(self, sequence: int) -> Sequence[Delivery]:
        """None."""
        return ()


class SharingEvent(Event):
    """A message was settled, or a delayed delivery of it has arrived."""

    message: SettledMessage
    """The message, with everything that was decided about it. Its text, and what each participant perceived, is what
    may be passed on: without thoughts, and without what is muttered to oneself or said out of character. It is empty
    where no detector has read the message, unless the host's `audience` names others than the speaker."""
    moment: Moment | None = None
    """The moment it was said in; `None` when a delayed delivery arrives, or the message is told late because the rule
    failed before. The messages before it, too, are without what may not be passed on."""
    knowers: tuple[str, ...]
    """Ids of those who could pass it on: its participants, or those whom the arrived deliveries have reached."""
    arrived: tuple[Delivery, ...] = ()
    """The deliveries that have just arrived; empty when the message was just said."""
    told_at: int = 0
    """Number of the journal entry with which it is told: of the message, or of what made deliveries arrive."""
    joined: SkipValidation[Mapping[str, int]] = {}
    """Id of a character → number of the entry with which they joined the cast, as `ReadEvent.joined`; who is not there
    was in it from the beginning. Empty when the message was just said: everybody had joined by then."""
    ahead: float | None = None
    """In a preview, how many game days are asked about: who would learn of it in turn by then, with the day in
    `Share.due`, and who would not and why, in `SharingAnswer.stops`. `None` = the message is said in earnest."""
    may_answer_later: bool = False
    """Whether the rule may answer `SharingAnswer(later=…)`."""
    updates: tuple[Update, ...] = ()
    """What the message changed in the world; empty when a delayed delivery arrives."""
    movements: tuple[Movement, ...] = ()
    """Who moved with the message."""
    standing: SkipValidation[StandingView] = Field(default_factory=NothingStands)
    """Active deliveries of earlier messages: who was told what, and when."""


class Share(Record):
    """One more character learns of a message."""

    character: str
    """Id of the character who learns of it."""
    how: Interaction = "shared"
    """How they learn of it."""
    shared_from: str | None = None
    """Id of the character who tells them; `None` = nobody in particular."""
    rule: str = ""
    """Name of the rule, shown by `explain`."""
    due: Day | None = None
    """The game day it arrives. `None`, a past day, or a day before the teller knows of it = as soon as possible."""
    content: str | None = None
    """What they are told, in other words; `None` = what the teller perceived. A mere thought is told to nobody."""
    metadata: dict[str, MetaValue] = {}
    """Further metadata of this copy, such as `pantheonId`, in camelCase or snake_case."""
    trust: float = Field(default=1.0, ge=0, le=1)
    """How far the listener believes it, from 0 to 1. It is recorded with the support."""
    memory: str | None = None
    """Id of a memory of the listener that says the same, if they have it: this is one more support of it."""


class SharingAnswer(Reply):
    """Shares, for a rule that also proposes memories, notes facts, or reports a version or usage."""

    shares: tuple[Share, ...] = ()
    """Who else learns of the message."""
    derived: tuple[Derivation, ...] = ()
    """Memories for containers that shares cannot name, such as a hub. Each becomes a journal entry of its own."""
    facts: tuple[JsonValue, ...] = ()
    """What its package notes of a message just said: `event.state.facts_of(name)` has it until that is retracted."""
    stops: tuple[Stopped, ...] = ()
    """Who does not learn of it, and why; asked for by `SharingEvent.ahead`, and shown by a preview alone."""
    consulted: tuple[Answer, ...] = ()
    """Strategies that the rule itself asked, and what failed. The plan records them."""
    later: SkipValidation[Any] = Field(default=None, exclude=True, repr=False)
    """To await, such as a task that asks a language model: the rule cannot answer yet. Those who perceived the message
    do not wait. Once this is done, the rule is asked again, and with every entry before that."""
    may_tell: tuple[str, ...] | None = None
    """With `later`: ids of those whom it may tell, for `turn.pending`; `None` = anybody."""


class ReadEvent(Event):
    """Somebody is about to read one container."""

    character: str
    """Id of the character who reads."""
    personality: str
    """The reader's personality id: who that is across sessions."""
    container: str
    """Name of the one container that is read."""
    kind: str = "character"
    """The container's kind."""
    joined: int = 0
    """Number of the journal entry with which the reader joined the cast; 0 = there from the beginning."""
    users: tuple[str, ...] = ()
    """Ids of the users who take part."""
    masks: dict[str, str] = {}
    """Character id → the mask, of those whom the reader knows only in disguise. Notes for the prompt name the mask."""


class ReadAnswer(Reply):
    """What a guard allows of a read, and what the reader knows but must not say here."""

    filter: Filter = EVERYTHING
    """What this reader may see. The filters of all guards are joined by AND."""
    unsayable: Filter = NOTHING
    """What may be seen, but must not be said here."""
    reason: str = ""
    """Why it must not be said, for `Recalled.unsayable`; `{interactionType}` and other metadata are filled in."""
    note: str = ""
    """A line for the prompt, shown above the memories if one of them is marked by this answer."""
    fields: tuple[str, ...] = ()
    """Metadata fields of your own in these filters that are spelled almost like one of Earwitness's. Without this they
    count as misspelled, and the guard as failed."""


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
    """The heading above the section in a prompt, by default its name; the first request of a section decides."""
    filter: Filter = EVERYTHING
    """Narrows what is found."""
    always: bool = False
    """Whether its newest memories are always included, whatever is asked; by default they are searched."""
    unless_own: bool = False
    """Whether to leave out what is about messages that the reader perceived. If several such reads, or the reader's own
    container, hold the same messages or the same `factId`, it is read once: the strongest, then the earliest."""
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
    memories: int = 8
    """How many memories of their own the reader asks for."""
    forked_from: tuple[str, ...] = ()
    """If it is a branch: ids of the sessions whose past it has in its own containers, but nothing later of them."""
    forgotten_as: tuple[str, ...] = ()
    """The `sessionId` of what this story, or one of those, left beyond sessions when it was forgotten earlier."""
    containers: SkipValidation[ContainersView]
    """The register of containers, to ask what may be read."""


class PlanEvent(Event):
    """Deliveries are being planned, or delayed ones have arrived."""

    plan: Plan
    """What was decided so far, and every delivery."""


class Strike(Record):
    """A delivery that a guard does not let through."""

    delivery_id: str
    """The delivery's id."""
    reason: str
    """Why; the plan and `preview` show it."""


class StrikeAnswer(Reply):
    """Strikes, for a guard that also reports a version or usage."""

    strikes: tuple[Strike, ...] = ()
    """Deliveries that must not happen."""
