"""Records that backstage returns. They cannot be filled into a prompt: `fill` accepts only recalled memories."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import Field

from ..formats import message_text_of
from ..ids import WORLD, own_key
from ..loading.settings import Calendar
from ..records.base import Record
from ..records.character import Cast
from ..records.journal import Original, Piece
from ..records.learned import Learned
from ..records.memory import Memory
from ..records.memory_types import MESSAGE, OUR_TYPES, PIECE_TYPES, MetaValue
from ..records.message import Participant
from ..records.prose import counted, gist, numbered
from ..records.state import State


class BackstageRecord(Record):
    """Base class of records that no character may see."""


class DatedRecord(BackstageRecord):
    """Base class of records that show game days as text."""

    calendar: Calendar = Field(default=Calendar(), exclude=True, repr=False)
    """The calendar for showing game days. It is not part of the answer."""


class Preparation(BackstageRecord):
    """The contents of one call of `prepare`, without what was replaced or retracted since."""

    key: str
    """The entry's key, for `retract`."""
    pieces: tuple[Piece, ...]
    """Plot, cards, example dialogue and lore, as given."""
    originals: tuple[Original, ...]
    """The files they came from, unchanged."""

    def __str__(self) -> str:
        return "\n  ".join([f"prepared with key {self.key!r}:", *map(str, (*self.pieces, *self.originals))])


class Before(BackstageRecord):
    """The knowledge from before the story, without what was replaced or retracted since."""

    preparations: tuple[Preparation, ...]
    """The preparations, in order."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.preparations)) or "nothing was there before the story"

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces."""
        return tuple(each for one in self.preparations for each in one.pieces)

    @property
    def by_hand(self) -> tuple[Piece, ...]:
        """The pieces that did not come from a file."""
        return tuple(each for one in self.preparations if not one.originals for each in one.pieces)

    @property
    def originals(self) -> tuple[Original, ...]:
        """All files."""
        return tuple(each for one in self.preparations for each in one.originals)


def doubt_text(trust: float) -> str:
    """` (trust 0.5)`; empty for what is believed. Pure."""
    return "" if trust == 1 else f" (trust {trust:.2g})"


class Hop(DatedRecord):
    """One support of a memory."""

    how: str
    """`direct`, `witnessed` or `shared`."""
    learned: Learned | None
    """`said it`, `heard it from alice`, `was told by bob`, …; `None` for the world, which receives everything."""
    status: str
    """`applied`, `pending`, `struck`, `withdrawn` or `archived`."""
    learned_day: float
    """The game day on which it was learned."""
    shared_from: str | None = None
    """Id of the character who told it."""
    rule: str | None = None
    """The evidence or the rule behind it."""
    reason: str | None = None
    """Reason why it was struck, withdrawn or archived."""
    trust: float = 1.0
    """How far the owner believes it, from 0 to 1."""
    via: Explanation | None = None
    """How the teller came to know it."""

    def __str__(self) -> str:
        return f"{self.dated}{self.why}{self.doubt}{self.gone}"

    @property
    def dated(self) -> str:
        """`was told by bob on day 3`."""
        return self.dated_words()

    def dated_words(self, name: Callable[[str], str] = str) -> str:
        """The same. `name` turns a character id into a display name."""
        before = self.learned is not None and self.learned.way == "before"
        return self.words(name) + ("" if before else f" on {self.calendar.show(self.learned_day)}")

    @property
    def doubt(self) -> str:
        """` (trust 0.5)`; empty if it is believed."""
        return doubt_text(self.trust)

    @property
    def rests(self) -> str:
        """` (tavern:propagate_all, trust 0.5)`: the rule behind a telling, and how far it is believed."""
        trust = "" if self.trust == 1 else f"trust {self.trust:.2g}"
        told = ", ".join(filter(None, [self.why.removeprefix(": "), trust]))
        return f" ({told})" if told else ""

    def words(self, name: Callable[[str], str] = str) -> str:
        """How it got there, as text. `name` turns a character id into a display name."""
        return self.learned.words(name) if self.learned else "went into the world's memory"

    @property
    def why(self) -> str:
        """`: the host said so`: the evidence or rule, if it adds something to `words`."""
        return f": {self.rule}" if self.rule and self.rule != str(self.learned) else ""

    @property
    def gone(self) -> str:
        """` [withdrawn: edited]`, ` [pending]`; empty if it is applied."""
        reason = None if self.reason == self.status else self.reason
        marks = ": ".join(filter(None, [self.status, reason]))
        return "" if marks == "applied" else f" [{marks}]"


class NotArrived(DatedRecord):
    """A telling that is on its way to somebody, or was struck before it reached them."""

    character: str
    """Character id of the listener, or the name of the container that they read."""
    memory_id: str
    """Id of the memory that it makes. It can be explained, too."""
    teller: str | None
    """Character id; `None` if nobody told it on."""
    day: float
    """The game day on which it arrives, or would have arrived."""
    rule: str | None
    """The evidence or the rule behind it."""
    reason: str | None
    """Why it was struck; `None` = it is on its way."""
    waits: str | None = None
    """Why it waits, although it is due; `None` = it does not."""

    def __str__(self) -> str:
        return f"{self.words()}{self.why}"

    def words(self, name: Callable[[str], str] = str) -> str:
        """`will reach ben through ann on day 3`. `name` turns a character id into a display name."""
        through = "" if self.teller is None else f" through {name(self.teller)}"
        will = "will" if self.reason is None else "was to"
        return f"{will} reach {name(self.character)}{through} on {self.calendar.show(self.day)}"

    @property
    def why(self) -> str:
        """The rule that tells it, and what it waits for; or what struck it."""
        if self.reason is not None:
            return f", but was struck: {self.reason}"
        return f" ({self.rule})" + ("" if self.waits is None else f", but {self.waits}")


class Cited(BackstageRecord):
    """A line of world knowledge and the memories it rests on."""

    text: str
    """The line."""
    rests_on: tuple[str, ...]
    """Contents of the world's memories that it cites."""


class Origin(BackstageRecord):
    """The other session that wrote a shared memory. Only that session knows more than the memory's metadata keeps."""

    session: str | None
    """Id of the session; `None` if the metadata does not name it."""
    forgotten: bool
    """Whether the session was forgotten, and its journal with it."""
    by_hand: str | None = None
    """Where a person wrote or changed it, such as a file; `None` = nobody did."""

    def __str__(self) -> str:
        if self.by_hand is not None:
            return f"written or changed by hand in {self.by_hand}"
        if self.session is None:
            return "its metadata does not say which session wrote it; no more is known"
        if self.forgotten:
            return f"session {self.session!r} wrote it and was forgotten; no more is known"
        return f"session {self.session!r} wrote it, and its backstage explains it further"


class Explanation(DatedRecord):
    """How a memory got into its container, hop by hop."""

    memory_id: str
    """Id of the memory."""
    owner: str
    """Owner of its container."""
    source: str | None = None
    """Key of the message, change or piece it is about; `None` if another session wrote it."""
    sequence: int | None = None
    """Sequence number of the entry in the journal; `None` if another session wrote it."""
    origin: Origin | None = None
    """The other session, or the person, that wrote it; `None` if this session did."""
    metadata: dict[str, MetaValue] = {}
    """The stored metadata, without what the supports add."""
    alive: bool
    """Whether at least one support is still valid."""
    content: str
    """The content, also after it was withdrawn."""
    supports: tuple[Hop, ...]
    """All supports: the ways in which it got there."""
    knowledge: tuple[Cited, ...] = ()
    """World knowledge that came with it."""
    rests_on: tuple[Explanation, ...] = ()
    """Explanations of the memories that it was derived from."""
    not_arrived: tuple[NotArrived, ...] = ()
    """What its owner has told on that is on its way, or was struck; of a memory of the world, what anybody has. At most
    100 of each, by day."""

    def __str__(self) -> str:
        return "\n".join([*self.lines(), *([f"  In short: {self.chain}."] if self.chain else [])])

    @property
    def chain(self) -> str:
        """`dora was told by bob on day 3 (tavern:propagate_all, trust 0.5), who heard it from alice on day 1`; empty if
        nobody told it on."""
        return self.sentence()

    def sentence(self, name: Callable[[str], str] = str) -> str:
        """The chain of tellers. `name` turns a character id into a display name."""
        alive = [hop for hop in self.supports if hop.status in {"applied", "pending"}]
        first = next(iter(alive or self.supports), None)
        if first is None or first.via is None:
            noted = self.metadata.get("chain")
            return ", who ".join(noted) if isinstance(noted, list) else ""
        return f"{name(self.owner)} {self._chain(first, name)}"

    def _chain(self, hop: Hop, name: Callable[[str], str]) -> str:
        """How it got there, back to the one who perceived it."""
        teller = hop.shared_from
        through = f" through {name(teller)}" if teller and hop.learned and hop.learned.teller != teller else ""
        before = next(iter(hop.via.supports), None) if hop.via else None
        passed_on = f"{hop.dated_words(name)}{through}{hop.rests if teller else ''}"
        return passed_on if before is None else f"{passed_on}, who {self._chain(before, name)}"

    def lines(self, depth: int = 0) -> list[str]:
        """The explanation as lines. Each hop is indented two steps further."""
        indent = "  " * depth
        lines = [f"{indent}{self.owner} remembers {self.about}{self.state}"]
        for hop in self.supports:
            lines.append(f"{indent}  {hop}")
            lines += [f"{indent}    in these words: {gist(self.said)!r}"] if hop.via and self._retold(hop.via) else []
            lines += hop.via.lines(depth + 2) if hop.via else []
        for line in self.knowledge:
            lines.append(f"{indent}  learned at the same time: {line.text}")
            lines += [f"{indent}    because the world remembers: {ground}" for ground in line.rests_on]
        for ground in self.rests_on:
            first, *more = ground.lines(depth + 1)
            lines += [f"{indent}  because {first.lstrip()}", *more]
        lines += [f"{indent}  {each}" for each in self.not_arrived]
        return [*lines, f"{indent}  {self.origin}"] if self.origin else lines

    @property
    def said(self) -> str:
        """What was said, as it is remembered; the whole content of what is not a message."""
        return message_text_of(self.content) or self.content

    def _retold(self, before: Explanation) -> bool:
        """Whether whoever told it on reworded what they remember."""
        return bool(self.said) and self.said != before.said

    @property
    def state(self) -> str:
        """` no more` or ` (archived)`; empty if it is alive."""
        if self.alive:
            return ""
        return " (archived)" if any(hop.status == "archived" for hop in self.supports) else " no more"

    @property
    def about(self) -> str:
        """`what alice said on day 1 (message 2, key 'm1')`; `the summary 'The mill burns.'`; `the lore 'sword'`."""
        if (type := str(self.metadata.get("type", MESSAGE))) not in OUR_TYPES:
            return f"the {type} {gist(self.content)!r}"
        if type in PIECE_TYPES:
            key = self.metadata.get("loreKey")
            return f"the {type.replace('_', ' ')}" + ("" if key is None else f" {key!r}")
        speaker, day = self.metadata.get("speaker"), self.metadata.get("gameDay")
        if speaker is None or not isinstance(day, int | float):
            return repr(gist(self.content)) if self.content else f"entry {self.source!r}"
        return f"what {speaker} said on {self.calendar.show(day)} ({self.number})"

    @property
    def number(self) -> str:
        """`message 2, key 'm1'`; the key only if it differs from the number."""
        if self.sequence is None:
            return "in another session"
        return f"message {self.sequence}" + ("" if self.source == own_key(self.sequence) else f", key {self.source!r}")


class Replanned(BackstageRecord):
    """What would be decided now about a settled message. Nothing was changed."""

    key: str
    """The message's key."""
    recorded: dict[str, Participant]
    """The characters who perceived it, as recorded."""
    now: dict[str, Participant]
    """The characters who would perceive it now."""

    def __str__(self) -> str:
        more = [f"  would perceive it too: {id}: {self.now[id]}" for id in self.added]
        fewer = [f"  would not perceive it: {id}: {self.recorded[id]}" for id in self.removed]
        changed = "who perceives it would change" if more or fewer else "the same characters would perceive it"
        return "\n".join([f"message {self.key!r}: {changed}", *more, *fewer])

    @property
    def added(self) -> tuple[str, ...]:
        """Ids of those who would perceive it in addition."""
        return tuple(id for id in self.now if id not in self.recorded)

    @property
    def removed(self) -> tuple[str, ...]:
        """Ids of those who would no longer perceive it."""
        return tuple(id for id in self.recorded if id not in self.now)


class ContainerPage(BackstageRecord):
    """The contents of one container, or a page of them."""

    owner: str
    """Character id or `world`."""
    container: str
    """Container name."""
    total: int
    """Number of memories in the container."""
    matching: int
    """Number of memories that match the filter."""
    memories: tuple[Memory, ...] = ()
    """The requested memories, in the order in which they were written."""
    warnings: tuple[str, ...] = ()
    """If nothing matches: the fields and texts of the filter that no memory here has, with what may be meant."""

    def __str__(self) -> str:
        total = counted(self.total, "memory", "memories")
        some = total if self.matching == self.total else f"{self.matching:,} of {total}"
        return "\n".join([f"{self.owner}: {some}", *numbered(self.memories)])


class Overview(DatedRecord):
    """An overview of a session."""

    session: str
    """Session id."""
    cast: Cast
    """All characters."""
    state: State
    """The current state."""
    decided: int
    """Number of entries that are decided."""
    containers: tuple[ContainerPage, ...]
    """All containers, without their memories."""
    parent: str | None = None
    """The session it was forked from."""
    guises: dict[str, str] = {}
    """Character id → the name under which they are in disguise."""

    def __str__(self) -> str:
        branch = f", a branch of {self.parent}" if self.parent else ""
        day = self.calendar.show(self.state.game_day)
        head = f"{self.session}: {day}, {self.state.current_scene}, {counted(self.decided, 'entry', 'entries')}{branch}"
        return "\n".join([head, *map(self._line, self.containers)])

    def _line(self, page: ContainerPage) -> str:
        memories = counted(page.total, "memory", "memories")
        if page.owner == WORLD:
            return f"the world: {memories}"
        member, where = self.cast[page.owner], self.state.whereabouts.get(page.owner)
        named = member.id if member.id.casefold() == member.name.casefold() else f"{member.id} ({member.name})"
        kind = "" if member.kind == "character" else f"{member.kind}, "
        kind += f"in disguise as {self.guises[member.id]}, " if member.id in self.guises else ""
        return f"{named}: {kind}{where or 'away'}, {memories}"


Hop.model_rebuild()
