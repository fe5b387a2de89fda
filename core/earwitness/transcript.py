"""The transcript: the messages of a story as they now read, and the outcomes of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .containers import character_container
from .end.decider import Decider
from .engine import Engine
from .errors import InputError
from .filters import EVERYTHING, Filter, matches
from .journal import Journal
from .live import Live
from .memories import memories_of
from .names import NameResolver
from .outcome import Outcome
from .records.channel import Channel
from .records.disguise import Worn
from .records.journal import Said
from .records.message import Messages, SettledMessage
from .records.plan import Delivery
from .start.own import own_memories
from .start.reads import own_read
from .start.recalled import Recall
from .start.requests import Reader
from .validation.arguments import count, text
from .validation.messages import known_channel

PAGE = 256
"""The most messages read at a time."""
SPARE = 8
"""So many messages more are read at once than twice those that are wanted: some do not match."""


@dataclass(frozen=True, slots=True)
class MessageQuery:
    """Which messages a host asks for."""

    before: str | None = None
    """Key of the entry before which they were said."""
    after: str | None = None
    """Key of the entry after which they were said."""
    speaker: str | None = None
    """The speaker: id, name or alias."""
    heard_by: str | None = None
    """A character: only what this character perceived and was not made to forget."""
    channel_id: str | None = None
    """The host's id of the channel."""
    channel: Channel | None = None
    """Where the listener is about to speak: only what guards let be recalled there. `None` = guards are not asked."""
    limit: int | None = None
    """The most messages: the newest, or with `after` the first."""
    retracted: bool = False
    """Whether to include those that were retracted."""
    permitted: Filter = EVERYTHING
    """What guards let the listener recall."""
    failures: tuple[str, ...] = ()
    """The guards that failed: then `permitted` is nothing."""

    @property
    def characters(self) -> tuple[str | None, str | None]:
        """The speaker and the listener."""
        return self.speaker, self.heard_by

    def matches(self, settled: SettledMessage) -> bool:
        """Whether the message meets the conditions that can be read off it. Those of `heard_by` need the ledger."""
        return (
            (self.retracted or not settled.retracted)
            and self.speaker in {None, settled.message.speaker}
            and self.channel_id in {None, settled.message.channel.channel_id}
        )


class Transcript:
    """Reads one session's journal back."""

    def __init__(self, engine: Engine, live: Live, decider: Decider, journal: Journal, names: NameResolver) -> None:
        self._engine = engine
        self._ledger = engine.ledger
        self._live = live
        self._decider = decider
        self._journal = journal
        self._names = names

    async def has(self, key: str) -> bool:
        """Whether any call has this key. Raises `UnknownName` once the story is forgotten."""
        self._decider.check()
        await self._decider.staleness.check()
        return await self._ledger.entry(self._live.snapshot.id, key=text("key", key)) is not None

    async def outcome(self, key: str) -> Outcome:
        """The outcome of the call with this key. Raises `UnknownName`."""
        return self._journal.outcome(await self._journal.entry(key))

    async def messages(self, query: MessageQuery) -> Messages:
        """The messages, oldest first. See `Session.messages`."""
        await self._decider.caught_up()
        query = await self._checked(query)
        start = None if query.after is None else (await self._journal.entry(query.after)).sequence
        end = None if query.before is None else (await self._journal.entry(query.before)).sequence
        found = await (self._newest(query, end) if start is None else self._first(query, start, end))
        return Messages(found, query.failures)

    async def memories(self, character: str, channel: Channel | None) -> Recall:
        """See `Session.memories`."""
        await self._journal.waiting(self._engine.settings.recall.wait, lambda: self._names.wearer(character))
        own = self._names.wearer(character)
        return await own_memories(self._engine, self._live, own, known_channel(channel, None))

    async def _checked(self, query: MessageQuery) -> MessageQuery:
        """The same query with ids in place of names. Raises `UnknownName`, `InputError`."""
        speaker, heard_by = [None if each is None else await self._names.own_id(each) for each in query.characters]
        if query.limit is not None:
            count("limit", query.limit)
        found = replace(query, speaker=speaker, heard_by=heard_by)
        return found if query.channel is None else await self._guarded(found)

    async def _guarded(self, query: MessageQuery) -> MessageQuery:
        """The query with what guards let the listener recall in the channel; that is nothing if one of them fails.

        Raises `StrategyError` for a failing guard if `strict`.
        """
        where = known_channel(query.channel, None)
        if query.heard_by is None:
            raise InputError("channel= says where somebody asks: give heard_by= as well, or channel_id= alone.")
        reader = Reader(self._live.snapshot, query.heard_by, where)
        read, failures = await own_read(self._engine, reader, 1, dict(self._live.data()))
        return replace(query, permitted=read.permitted, failures=failures)

    async def _newest(self, query: MessageQuery, end: int | None) -> Sequence[SettledMessage]:
        """Pages from the newest message backwards, until there are enough."""
        found: list[SettledMessage] = []
        most = float("inf") if query.limit is None else query.limit
        size = PAGE if query.limit is None else min(PAGE, 2 * query.limit + SPARE)
        while len(found) < most:
            page = await self._ledger.messages(self._live.snapshot.id, before=end, limit=size)
            found = [*await self._matching(page, query), *found]
            if len(page) < size:
                break
            end = page[0].message.sequence
        return found if query.limit is None else found[max(0, len(found) - query.limit) :]

    async def _first(self, query: MessageQuery, start: int, end: int | None) -> Sequence[SettledMessage]:
        """Pages from an entry onwards, until there are enough."""
        found: list[SettledMessage] = []
        last = None if end is None else end - 1
        most = float("inf") if query.limit is None else query.limit
        while len(found) < most:
            entries = await self._ledger.entries(self._live.snapshot.id, after=start, up_to=last, limit=PAGE)
            if not entries:
                break
            keys = [each.key for each in entries if isinstance(each.body, Said)]
            page = await self._ledger.messages(self._live.snapshot.id, keys=keys) if keys else ()
            found += await self._matching(page, query)
            start = entries[-1].sequence
        return found[: query.limit]

    async def _matching(self, page: Sequence[SettledMessage], query: MessageQuery) -> Sequence[SettledMessage]:
        kept = [each for each in page if query.matches(each)]
        return kept if query.heard_by is None else await self._as_heard(kept, query.heard_by, query.permitted)

    async def _as_heard(
        self, page: Sequence[SettledMessage], character: str, permitted: Filter
    ) -> list[SettledMessage]:
        """What the character perceived of these messages, of which it still has a copy that may be recalled."""
        joined = self._live.snapshot.joined.get(character, 0)
        hers = [each for each in page if each.message.sequence > joined and character in each.participants]
        copies = await self._copies([each.message.key for each in hers], character) if hers else {}
        found = [(each, copies[each.message.key]) for each in hers if each.message.key in copies]
        heard = found if permitted == EVERYTHING else [each for each in found if _is_permitted(each[1], permitted)]
        return [_in_words_of(each, character, copy) for each, copy in heard]

    async def _copies(self, keys: Sequence[str], character: str) -> Mapping[str, Delivery]:
        session = self._live.snapshot.id
        container = character_container(session, character).name
        found = await self._ledger.deliveries(session, container=container, sources=keys)
        return {each.source: each for each in found if each.part == "message" and each.is_active}


def _is_permitted(copy: Delivery, permitted: Filter) -> bool:
    return all(matches(permitted, memory.metadata) for memory in memories_of([copy]))


def _in_words_of(settled: SettledMessage, character: str, copy: Delivery) -> SettledMessage:
    heard = settled.message.model_copy(update={"content": settled.heard_by(character)})
    found = settled.model_copy(update={"message": heard, "heard": {}, "tellable": {}})
    return _by_known_names(found, copy.disguises) if copy.disguises else found


def _by_known_names(settled: SettledMessage, hidden: Worn) -> SettledMessage:
    """The message with the names under which its listener knows those in disguise, in place of their ids."""
    message = settled.message
    named: dict[str, object] = {
        "speaker": hidden.get(message.speaker, message.speaker),
        "speak_as": None if message.speaker in hidden else message.speak_as,
        "present": None if message.present is None else tuple(hidden.get(id, id) for id in message.present),
        "audience": None if message.audience is None else tuple(hidden.get(id, id) for id in message.audience),
        "metadata": {},
    }
    participants = {hidden.get(id, id): part for id, part in settled.participants.items()}
    shown = {id: name for id, name in settled.disguises.items() if id not in hidden}
    spoken_to = None if settled.spoken_to is None else tuple(hidden.get(id, id) for id in settled.spoken_to)
    update = {
        "message": message.model_copy(update=named),
        "participants": participants,
        "spoken_to": spoken_to,
        "disguises": shown,
    }
    return settled.model_copy(update=update)
