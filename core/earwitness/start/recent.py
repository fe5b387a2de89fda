"""START: the messages of the standard recall query: the recent ones that the character could recall today.

A message is left out if it was said on a later day than now (the story may have gone back), if a guard withholds the
character's copy of it, or if that copy was retracted or archived. One that a summary replaces has just been said all
the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..end.replacements import is_replaced
from ..engine import Engine
from ..filters import Filter, matches
from ..formats import message_line, recall_query
from ..live import Live
from ..memories import memories_of
from ..records.channel import apart_in
from ..records.disguise import Worn
from ..records.memory_types import Metadata
from ..records.message import SettledMessage
from ..records.snapshot import Snapshot
from .recalled import PerceivedMessage
from .requests import Reader


async def heard(engine: Engine, live: Live, reader: Reader, permitted: Filter) -> Sequence[SettledMessage]:
    """The recent messages that this character perceived, and that the filter of their own read permits, oldest first.

    Raises `StorageError`.
    """
    messages = _perceived(live, reader)
    if not messages:
        return messages
    if engine.guards:
        copies = await _own_copies(engine, reader, messages)
        kept = {key for key, metadata in copies.items() if matches(permitted, metadata)}
        return [each for each in messages if each.message.key in kept]
    gone = await _taken_back(engine, live, reader, messages)
    return [each for each in messages if each.message.key not in gone] if gone else messages


def as_heard(live: Live, character: str, latest: Iterable[SettledMessage]) -> tuple[PerceivedMessage, ...]:
    """Messages as this character perceived them, for the prompt."""
    snapshot = live.snapshot
    return tuple(_as_heard(snapshot, character, each) for each in latest if each.speaker in snapshot.cast)


def _as_heard(snapshot: Snapshot, character: str, settled: SettledMessage) -> PerceivedMessage:
    return PerceivedMessage(
        key=settled.key,
        speaker=_hidden(snapshot, settled, character).get(settled.speaker, settled.speaker),
        name=_name(snapshot, settled, character),
        text=settled.heard_by(character),
        own=settled.speaker == character,
    )


async def sayable(
    engine: Engine, reader: Reader, messages: Sequence[SettledMessage], unsayable: Sequence[Filter]
) -> Sequence[SettledMessage]:
    """The messages without those that a guard says must not be said here: they are recalled, with the reason."""
    if not unsayable or not messages:
        return messages
    copies = await _own_copies(engine, reader, messages)
    kept = {key for key, metadata in copies.items() if not any(matches(each, metadata) for each in unsayable)}
    return [each for each in messages if each.key in kept]


def query_of(live: Live, character: str, latest: Iterable[SettledMessage]) -> str:
    """The standard recall query: the time, and the last messages as this character perceived them."""
    snapshot = live.snapshot
    lines = (
        message_line(_name(snapshot, each, character), each.heard_by(character), each.message.game_day)
        for each in latest
        if each.message.speaker in snapshot.cast
    )
    return recall_query(snapshot.state.game_day, lines, snapshot.cast[character].name)


def _name(snapshot: Snapshot, settled: SettledMessage, reader: str) -> str:
    """The name under which the reader knows the speaker."""
    message = settled.message
    return snapshot.name_of(message.speaker, message.speak_as, _hidden(snapshot, settled, reader))


def _hidden(snapshot: Snapshot, settled: SettledMessage, reader: str) -> Worn:
    """Those in disguise whom the reader has not seen through, and the names that they are known by."""
    worn = settled.disguises
    return snapshot.hidden_from(reader, worn, apart_in(settled.message.channel.metadata)) if worn else {}


def _perceived(live: Live, reader: Reader) -> list[SettledMessage]:
    """The recent messages up to today that the character perceived at least in part since joining, oldest first."""
    character, snapshot = reader.character, live.snapshot
    joined, day = snapshot.joined.get(character, 0), snapshot.state.game_day
    hers = (each for each in live.recent if character in each.participants and each.message.sequence > joined)
    return [each for each in hers if not each.retracted and each.message.game_day <= day and each.heard_by(character)]


async def _own_copies(engine: Engine, reader: Reader, messages: Sequence[SettledMessage]) -> Mapping[str, Metadata]:
    """Message key → metadata of the character's own copy, as the ledger has it: the store may be behind."""
    day = reader.snapshot.state.game_day
    found = await engine.ledger.deliveries(
        reader.snapshot.id, container=reader.own.name, sources=[each.message.key for each in messages]
    )
    there = (each for each in found if each.is_active or is_replaced(each))
    active = [each for each in there if each.part == "message" and each.due <= day]
    return {key: each.metadata for each in memories_of(active) for key in each.message_keys}


async def _taken_back(engine: Engine, live: Live, reader: Reader, messages: Sequence[SettledMessage]) -> frozenset[str]:
    """Keys of those whose own copy was retracted. The ledger is asked once, and again after a withdrawal."""
    known = live.taken_back
    if known is None:
        return frozenset()
    if reader.character not in known:
        copies = await _own_copies(engine, reader, messages)
        known[reader.character] = frozenset(each.message.key for each in messages).difference(copies)
    return known[reader.character]
