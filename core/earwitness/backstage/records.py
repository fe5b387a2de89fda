"""What backstage answers. None of these can be filled into a prompt: `fill` takes only what a turn recalled."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import Field

from ..ids import WORLD, own_key
from ..loading.settings import Calendar
from ..records.base import Record
from ..records.character import Cast
from ..records.journal import Original, Piece
from ..records.learned import Learned
from ..records.memory import Memory
from ..records.memory_types import MESSAGE, OUR_TYPES, MetaValue
from ..records.message import Message, Participant
from ..records.plan import Answer, Delivery
from ..records.state import State


class BackstageRecord(Record):
    """Holds what no character may see."""


class DatedRecord(BackstageRecord):
    """Says in words on which game day something was."""

    calendar: Calendar = Field(default=Calendar(), exclude=True, repr=False)
    """How its days are called; no part of the answer."""


class Preparation(BackstageRecord):
    """What one call of `prepare` brought, as far as it stands."""

    key: str
    """The entry's key: `retract` takes it back."""
    pieces: tuple[Piece, ...]
    """Plot, cards, example dialogue and lore, as they were given."""
    originals: tuple[Original, ...]
    """The files they came from, untouched."""


class Before(BackstageRecord):
    """What was there before the story, without what was replaced or retracted since."""

    preparations: tuple[Preparation, ...]
    """Each with what of it stands, in order."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Every piece."""
        return tuple(each for one in self.preparations for each in one.pieces)

    @property
    def by_hand(self) -> tuple[Piece, ...]:
        """Those that came from no file."""
        return tuple(each for one in self.preparations if not one.originals for each in one.pieces)

    @property
    def originals(self) -> tuple[Original, ...]:
        """Every file."""
        return tuple(each for one in self.preparations for each in one.originals)


class Knower(DatedRecord):
    """Whether one character knows something, and how."""

    character: str
    """Character id."""
    learned: Learned | None = None
    """How: `said it`, `heard it from alice`, `was told by bob`, …; `None` = nothing found."""
    since: float | None = None
    """The game day it was learned."""
    memory_id: str | None = None
    """The memory that proves it."""
    text: str | None = None
    """What stands there."""

    @property
    def knows(self) -> bool:
        """Something was found."""
        return self.learned is not None

    def __str__(self) -> str:
        if self.learned is None or self.since is None:
            return f"{self.character}: nothing found"
        return f"{self.character}: {self.learned} on {self.calendar.show(self.since)}"


class WhoKnows(BackstageRecord):
    """Who knows something: every character of the cast."""

    question: str
    """What was asked."""
    knowers: dict[str, Knower]
    """Character id → what was found."""

    def __str__(self) -> str:
        return "\n".join(str(knower) for knower in self.knowers.values())


class Hop(DatedRecord):
    """One support of a memory."""

    how: str
    """`direct`, `witnessed` or `shared`."""
    learned: Learned | None
    """`said it`, `heard it from alice`, `was told by bob`, …; `None` for the world, which keeps everything."""
    status: str
    """`applied`, `pending`, `struck`, `withdrawn` or `archived`."""
    learned_day: float
    """The game day it was learned."""
    shared_from: str | None = None
    """Who told it."""
    rule: str | None = None
    """The evidence or the rule behind it."""
    reason: str | None = None
    """Why it was struck, withdrawn or archived."""
    via: Explanation | None = None
    """How the teller came to know it."""

    def __str__(self) -> str:
        return f"{self.words()} on {self.calendar.show(self.learned_day)}{self.why}{self.gone}"

    def words(self, name: Callable[[str], str] = str) -> str:
        """How it got there, in words. `name` turns a character id into what the reader calls them."""
        return self.learned.words(name) if self.learned else "went into the world's memory"

    @property
    def why(self) -> str:
        """`: the host said so`: the evidence or rule, where it says more than the words."""
        return f": {self.rule}" if self.rule and self.rule != str(self.learned) else ""

    @property
    def gone(self) -> str:
        """` [withdrawn: edited]`, ` [pending]`; nothing for what is applied."""
        reason = None if self.reason == self.status else self.reason
        told = ": ".join(filter(None, [self.status, reason]))
        return "" if told == "applied" else f" [{told}]"


class Cited(BackstageRecord):
    """A line of world knowledge and what it rests on."""

    text: str
    """The line."""
    rests_on: tuple[str, ...]
    """Contents of the world memories it cites."""


class Explanation(DatedRecord):
    """How a memory got where it is, hop by hop."""

    memory_id: str
    """The memory."""
    owner: str
    """Whose container it is in."""
    source: str
    """Key of the message, change or piece it is about."""
    sequence: int
    """Its place in the journal."""
    metadata: dict[str, MetaValue] = {}
    """As stored, without what the supports add."""
    alive: bool
    """Some support stands."""
    content: str
    """What stands there, or stood."""
    supports: tuple[Hop, ...]
    """Every way it got there."""
    knowledge: tuple[Cited, ...] = ()
    """What was told along with it."""
    rests_on: tuple[Explanation, ...] = ()
    """How the memories got there that it was derived from."""

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, depth: int = 0) -> list[str]:
        """The explanation line by line, each hop two steps further in."""
        indent = "  " * depth
        lines = [f"{indent}{self.owner} remembers {self.about}{self.state}"]
        for hop in self.supports:
            lines.append(f"{indent}  {hop}")
            lines += hop.via.lines(depth + 2) if hop.via else []
        for line in self.knowledge:
            lines.append(f"{indent}  was told along: {line.text}")
            lines += [f"{indent}    because the world remembers: {ground}" for ground in line.rests_on]
        for ground in self.rests_on:
            first, *more = ground.lines(depth + 1)
            lines += [f"{indent}  because {first.lstrip()}", *more]
        return lines

    @property
    def state(self) -> str:
        """` no more` or ` (archived)`; nothing for what is alive."""
        if self.alive:
            return ""
        return " (archived)" if any(hop.status == "archived" for hop in self.supports) else " no more"

    @property
    def about(self) -> str:
        """`what alice said on day 1 (message 2, key 'm1')`; `the summary 'sum'`; `'lore:sword'` for a piece."""
        if (type := str(self.metadata.get("type", MESSAGE))) not in OUR_TYPES:
            return f"the {type} {self.source!r}"
        speaker, day = self.metadata.get("speaker"), self.metadata.get("gameDay")
        if speaker is None or not isinstance(day, int | float):
            return repr(self.source)
        return f"what {speaker} said on {self.calendar.show(day)} ({self.number})"

    @property
    def number(self) -> str:
        """`message 2, key 'm1'`; the key only where it says more than the number."""
        return f"message {self.sequence}" + ("" if self.source == own_key(self.sequence) else f", key {self.source!r}")


class Preview(BackstageRecord):
    """Who would learn this if it were said now. Nothing was written."""

    message: Message
    """The message as it would be."""
    participants: dict[str, Participant]
    """Who would perceive it."""
    deliveries: tuple[Delivery, ...]
    """What would be remembered; struck ones too, with the reason."""
    answers: tuple[Answer, ...] = ()
    """Who was asked, and what failed."""

    @property
    def learners(self) -> tuple[str, ...]:
        """Owners of the containers it would reach."""
        return tuple(dict.fromkeys(each.owner for each in self.deliveries if each.is_active))

    def seen_by(self, persona: str) -> Preview:
        """What the player of the speaker may see: who would hear it, and no more of the others or the world."""
        heard = [each for each in self.deliveries if each.part == "message" and each.owner != WORLD and each.is_active]
        shown = [each if each.owner == persona else each.model_copy(update={"knowledge": ()}) for each in heard]
        return self.model_copy(update={"deliveries": tuple(shown), "answers": ()})


class Replanned(BackstageRecord):
    """What would be decided now about a message that is settled. Nothing was changed."""

    key: str
    """Its key."""
    recorded: dict[str, Participant]
    """Who perceived it, as recorded."""
    now: dict[str, Participant]
    """Who would perceive it."""

    @property
    def added(self) -> tuple[str, ...]:
        """Who would perceive it too."""
        return tuple(id for id in self.now if id not in self.recorded)

    @property
    def removed(self) -> tuple[str, ...]:
        """Who would perceive it no more."""
        return tuple(id for id in self.recorded if id not in self.now)


class ContainerPage(BackstageRecord):
    """What one container holds."""

    owner: str
    """Character id or `world`."""
    container: str
    """Container name."""
    total: int
    """How many memories it holds."""
    matching: int
    """For how many of them the filter holds."""
    memories: tuple[Memory, ...] = ()
    """Those asked for, in the order they were written."""


class Overview(BackstageRecord):
    """A session at a glance."""

    session: str
    """Session id."""
    cast: Cast
    """Everybody."""
    state: State
    """What is the case."""
    decided: int
    """Entries decided."""
    containers: tuple[ContainerPage, ...]
    """Every container, without its memories."""
    parent: str | None = None
    """The session it was forked from."""


Hop.model_rebuild()
