"""The world as a World Agent sees it, and the check of which lines a character may be told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat

from ..containers import character_container, world_container
from ..engine import Engine
from ..filters import EVERYTHING, Filter, matches
from ..live import Live
from ..memories import memories_of
from ..protocols import Ledger
from ..records.channel import Channel, apart_in, confined_to, of_guild
from ..records.memory import Hit
from ..records.memory_types import UPDATE_TYPES
from ..records.message import Message
from ..records.plan import Delivery
from ..records.read_only import sealed
from ..records.snapshot import Snapshot
from ..records.update import Knowledge
from ..slices import Pace
from ..start.reads import own_read
from ..start.requests import Reader
from .applier import Applier

LOOK_BACK = 1_000
"""Number of past entries in which an update can still say who has a thing."""


@dataclass(slots=True)
class World:
    """The world container of one session, as it is before one message is settled. A `WorldView`.

    `news_seen` says up to which entry each character has been told the news; `joined` says with which entry they
    joined. There are no updates after the entry `latest`. Nobody is told what happened after `day`: the story may have
    gone back. What happened in a direct message or in a private channel is told there alone, and what was public in its
    guild: the memory of a message is read where that message was said. So news that was told in a direct message or a
    named private channel, which privacy may hide elsewhere, is told once more outside it. What guards do not let a
    character recall here waits until they are where it may be recalled.
    """

    session: str
    ledger: Ledger
    news_seen: Mapping[str, int]
    joined: Mapping[str, int]
    latest: int
    day: float
    applier: Applier
    here: tuple[str, ...]
    """What of all that is confined to a channel or guild is told here (see `confined_to`)."""
    apart: str | None
    """The direct message or named private channel that this is (see `apart_in`)."""
    guards: Callable[[str], Awaitable[Filter]] | None = None
    """What guards let a character recall here; `None` = there are no guards."""
    has_marks: bool = True
    """Whether anybody was told news in one channel alone."""
    _permitted: dict[str, Filter] = field(default_factory=dict)
    _unheard: dict[str, Sequence[Delivery]] = field(default_factory=dict)
    _lost: dict[str, set[str]] = field(default_factory=dict)
    """Character → ids of updates of messages of which their own copy was retracted."""
    _since: dict[int, Sequence[Delivery]] = field(default_factory=dict)
    _messages: dict[tuple[str, ...], Sequence[Delivery]] = field(default_factory=dict)

    @classmethod
    def of(cls, engine: Engine, live: Live, before: Snapshot, applier: Applier, channel: Channel) -> World:
        """The world as it is for a message in a channel, given the session before that message."""
        seen, latest, day = before.news_seen, live.latest_update, before.state.game_day
        places = channel.news, apart_in(channel.metadata)
        marked = "\n" in "".join(seen)
        ledger, joined = engine.ledger, before.joined
        guards = _guards(engine, live, before, channel) if engine.guards else None
        return cls(before.id, ledger, seen, joined, latest, day, applier, *places, guards, marked)

    async def news(self, character: str) -> Sequence[Delivery]:
        """World updates that this character may know and has not been told yet, oldest first."""
        return await self._readable(character, [each for each in await self._untold(character) if each.due <= self.day])

    async def with_news(self, characters: Iterable[str]) -> Sequence[str]:
        """Those of the characters for whom there is news."""
        found, pace = [], Pace()
        for id in await self._behind(characters):
            if await self.news(id):
                found.append(id)
            await pace.kept()
        return found

    async def _behind(self, characters: Iterable[str]) -> list[str]:
        """Those of the characters since whose last news there has been any, for whomever. Most often that is nobody."""
        ids = list(characters)
        seen = map(self._seen_up_to, ids) if self.has_marks else map(self.news_seen.get, ids, repeat(0))
        entries = list(seen) if self.latest else []
        since = {entry for entry in set(entries) if entry < self.latest and await self._updates_after(entry)}
        return list(compress(ids, map(since.__contains__, entries))) if since else []

    async def search(self, query: str, *, filter: Filter = EVERYTHING, limit: int = 10) -> Sequence[Hit]:
        """Search the world container, once it holds everything decided before this message.

        Raises `StorageError`; it raises at once if the store has failed and is being retried.
        """
        store = await self.applier.readable_store()
        found = await store.search(world_container(self.session).name, query, filter=filter, limit=limit)
        return [sealed(hit) for hit in found]

    async def updates(self, character: str) -> Sequence[Delivery]:
        """World updates of the last `LOOK_BACK` entries that this character may know, told or not, oldest first."""
        found = await self._updates_after(max(0, self.latest - LOOK_BACK))
        return await self._readable(character, [update for update in found if self._may_know(character, update)])

    async def messages(self, character: str, among: Sequence[Message]) -> Sequence[Delivery]:
        """The world's copies of these messages, oldest first.

        Only those count that this character perceived whole, still remembers, and has not been told of since.
        """
        after = self._seen_up_to(character)
        new = [each.key for each in among if each.sequence > after]
        found = [each for each in await self._copies(new) if self._may_know(character, each)] if new else []
        copies = await self._readable(character, found)
        if not copies:
            return ()
        hers = await self._received_since(character, after)
        own = {each.source for each in hers if each.part == "message"}
        beyond = await self._partly_heard(character, copies) | cited(hers)
        return tuple(each for each in copies if each.source in own and each.memory_id not in beyond)

    async def _untold(self, character: str) -> Sequence[Delivery]:
        """World updates that this character has not been told yet, also those of a later day, oldest first."""
        if character not in self._unheard:
            self._unheard[character] = await self._not_cited(character)
        return self._unheard[character]

    async def _not_cited(self, character: str) -> Sequence[Delivery]:
        after = self._seen_up_to(character)
        known = [each for each in await self._known_after(character, after) if self._belongs_here(each)]
        if not known:
            return ()
        hers = await self._deliveries_since(character, after)
        heard = cited(each for each in hers if each.is_active and apart_in(each.metadata) in {None, self.apart})
        taken = _taken_back(hers)
        self._lost[character] = {update.memory_id for update in known if update.source in taken}
        return tuple(update for update in known if update.memory_id not in heard | self._lost[character])

    def _seen_up_to(self, character: str) -> int:
        """The entry up to which this character was told everything that may be told here."""
        if self.apart is not None and (own := self.news_seen.get(mark(character, self.apart))) is not None:
            return own
        seen = self.news_seen.get(character, 0)
        return min([seen, *(self.news_seen.get(mark(character, each), seen) for each in self.here)])

    async def _known_after(self, character: str, sequence: int) -> Sequence[Delivery]:
        """Updates after an entry that this character may know, told or not, here or elsewhere."""
        if sequence >= self.latest:
            return ()
        joined = self.joined.get(character, 0)
        return [each for each in await self._updates_after(sequence) if may_know(character, each, joined)]

    async def _updates_after(self, sequence: int) -> Sequence[Delivery]:
        """Active updates after an entry, read once for all characters who were told up to that entry."""
        if sequence not in self._since:
            found = await self.ledger.deliveries(self.session, container=self._name, types=UPDATE_TYPES, after=sequence)
            self._since[sequence] = [sealed(update) for update in found if update.is_active]
        return self._since[sequence]

    async def _copies(self, keys: Sequence[str]) -> Sequence[Delivery]:
        """The world's copies of messages, read once for all who ask for the same."""
        asked = tuple(sorted(keys))
        if asked not in self._messages:
            found = await self.ledger.deliveries(self.session, sources=asked, container=self._name)
            self._messages[asked] = [sealed(each) for each in found if each.is_active and each.part == "message"]
        return self._messages[asked]

    async def _received_since(self, character: str, sequence: int) -> Sequence[Delivery]:
        """The active deliveries that this character has received since an entry."""
        return [each for each in await self._deliveries_since(character, sequence) if each.is_active]

    async def _deliveries_since(self, character: str, sequence: int) -> Sequence[Delivery]:
        """The deliveries that this character has received since an entry, with those taken back."""
        return await self.ledger.deliveries(self.session, container=self._container_of(character), after=sequence)

    def _container_of(self, character: str) -> str:
        return character_container(self.session, character).name

    @property
    def _name(self) -> str:
        return world_container(self.session).name

    def _may_know(self, character: str, item: Delivery) -> bool:
        happened = item.due <= self.day or item.metadata.get("permanent") is True
        return happened and self._belongs_here(item) and may_know(character, item, self.joined.get(character, 0))

    def _belongs_here(self, item: Delivery) -> bool:
        return (place := confined_to(item.metadata)) is None or place in self.here

    async def _readable(self, character: str, items: list[Delivery]) -> list[Delivery]:
        """Those that guards let this character recall here. What happened in no channel is told in all of them."""
        if self.guards is None or not any("contextType" in each.metadata for each in items):
            return items
        if character not in self._permitted:
            self._permitted[character] = await self.guards(character)
        allowed = self._permitted[character]
        return [each for each in items if "contextType" not in each.metadata or _is_permitted(each, allowed)]

    async def permitted(self, character: str, lines: Iterable[Knowledge]) -> tuple[list[Knowledge], list[Knowledge]]:
        """The lines this character may be told, and the others.

        Every citation must be active and this character's to know.
        """
        if not (lines := list(lines)):
            return [], []
        asked = sorted({id for line in lines for id in line.cites})
        found = await self.ledger.deliveries(self.session, memory_ids=asked, container=self._name) if asked else ()
        beyond = await self._partly_heard(character, found) | await self._not_remembered(character, found)
        if any(each.part != "message" for each in found):
            await self._untold(character)
            beyond |= self._lost.get(character, set())
        known = [each for each in found if each.is_active and self._may_know(character, each)]
        hers = {each.memory_id for each in await self._readable(character, known)} - beyond
        allowed = [line for line in lines if line.cites and set(line.cites) <= hers]
        return allowed, [line for line in lines if line not in allowed]

    async def _partly_heard(self, character: str, found: Iterable[Delivery]) -> set[str]:
        """Ids of the raw messages among these of which this character missed a part."""
        raw = {each.source: each.memory_id for each in found if each.part == "message"}
        messages = await self.ledger.messages(self.session, keys=sorted(raw)) if raw else ()
        return {raw[each.message.key] for each in messages if character in each.heard}

    async def _not_remembered(self, character: str, found: Iterable[Delivery]) -> set[str]:
        """Ids of the raw messages among these of which this character's own copy was retracted."""
        raw = {each.source: each.memory_id for each in found if each.part == "message"}
        if not raw:
            return set()
        container = self._container_of(character)
        own = await self.ledger.deliveries(self.session, container=container, sources=sorted(raw))
        kept = {each.source for each in own if each.is_active and each.part == "message"}
        return {id for source, id in raw.items() if source not in kept}

    async def news_seen_after(
        self, characters: Sequence[str], knowledge: Mapping[str, Sequence[Knowledge]], sequence: int
    ) -> dict[str, int]:
        """The entry up to which the news counts as seen, once `knowledge` is told, by character.

        Of what is told in another channel alone, by character and channel.
        """
        behind, seen, pace = set(await self._behind(characters)), dict[str, int](), Pace()
        if not (behind or self.has_marks):
            return dict.fromkeys(characters, sequence - 1)
        for id in characters:
            if self.apart is not None and (id in behind or mark(id, self.apart) in self.news_seen):
                seen[mark(id, self.apart)] = await self._seen_apart(id, knowledge.get(id, ()), sequence)
                await pace.kept()
            elif id in behind or any(mark(id, place) in self.news_seen for place in self.here):
                seen |= await self._seen_here(id, knowledge.get(id, ()), sequence)
                await pace.kept()
            else:
                seen[id] = sequence - 1
        return seen

    async def _seen_apart(self, character: str, lines: Iterable[Knowledge], sequence: int) -> int:
        """The mark of this direct message or private channel alone: elsewhere, what was told here is told again."""
        heard = {id for line in lines for id in line.cites}
        left = [update for update in await self._untold(character) if update.memory_id not in heard]
        return _before_first(left, sequence)

    async def _seen_here(self, character: str, lines: Iterable[Knowledge], sequence: int) -> dict[str, int]:
        """The marks of one character.

        It lies before the first item left for later or for a later day, and before this message, whose own updates are
        news with the next one.
        """
        heard = {id for line in lines for id in line.cites}
        left = [update for update in await self._untold(character) if update.memory_id not in heard]
        counted = {each: mark(character, each) for each in self.here}
        apart = {each: name for each, name in counted.items() if name in self.news_seen}
        common = [each for each in left if confined_to(each.metadata) not in apart]
        marks = {character: _before_first(common, sequence)}
        for place, name in apart.items():
            marks[name] = _before_first([each for each in left if confined_to(each.metadata) == place], sequence)
        return marks | await self._left_elsewhere(character, marks[character])

    async def _left_elsewhere(self, character: str, up_to: int) -> dict[str, int]:
        """Of each other channel with news up to this entry that is told there alone: the entry before the first."""
        marks: dict[str, int] = {}
        for each in await self._known_after(character, self._seen_up_to(character)):
            if each.sequence <= up_to and not self._belongs_here(each):
                name, first = mark(character, str(confined_to(each.metadata))), each.sequence - 1
                if apart_in(each.metadata) is None:
                    marks.setdefault(name, min(first, self.news_seen.get(name, first)))
                elif name not in self.news_seen:
                    guild = mark(character, of_guild(each.metadata.get("guildId")))
                    marks.setdefault(name, min(first, {**self.news_seen, **marks}.get(guild, first)))
        return marks


def _is_permitted(item: Delivery, allowed: Filter) -> bool:
    return all(matches(allowed, memory.metadata) for memory in memories_of([item]))


def _guards(engine: Engine, live: Live, before: Snapshot, channel: Channel) -> Callable[[str], Awaitable[Filter]]:
    """What guards let a character recall in a channel. One that fails lets nothing be recalled."""

    async def permitted(character: str) -> Filter:
        read, _ = await own_read(engine, Reader(before, character, channel), 1, dict(live.data()))
        return read.permitted

    return permitted


def mark(character: str, channel: str) -> str:
    """The key, among the marks of who was told the news, of what is told to a character in this channel alone."""
    return f"{character}\n{channel}"


def _before_first(left: Sequence[Delivery], sequence: int) -> int:
    return (left[0].sequence if left else sequence) - 1


def _taken_back(hers: Iterable[Delivery]) -> set[str]:
    """Keys of the messages of which a character's own copy was retracted, among these deliveries of hers."""
    own = [each for each in hers if each.part == "message"]
    gone = {
        each.source for each in own if each.status == "withdrawn" and (each.reason or "").startswith("retracted by")
    }
    return gone - {each.source for each in own if each.is_active}


def cited(deliveries: Iterable[Delivery]) -> set[str]:
    """Ids of the world memories that these deliveries cite."""
    return {id for each in deliveries for id in each.cites}


def may_know(character: str, item: Delivery, joined: int) -> bool:
    """Whether this character may know a world memory.

    It is public, or since they `joined` it names them in its audience, or, without an audience, among its participants.
    Older memories with this id mean someone who was forgotten.
    """
    audience, participants = item.metadata.get("audience"), item.metadata.get("participants")
    named = isinstance(audience, list) and character in audience
    there = audience is None and isinstance(participants, list) and character in participants
    return item.metadata.get("public") is True or (item.sequence > joined and (named or there))
