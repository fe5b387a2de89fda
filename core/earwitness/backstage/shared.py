"""What the cast may read in containers that are shared with them: a pantheon's hub, a canon, facts about a user.

The same providers, memberships and guards decide as in a recall. Guards are asked as if the reader were where the
memory was learned, so that nobody is said to know less because of the channel in which somebody asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..containers import EVERYBODY, Container, Membership
from ..engine import Engine
from ..events import ReadRequest
from ..live import Live
from ..records.channel import Channel, learned_channel
from ..records.memory import Memory
from ..records.snapshot import Snapshot
from ..start.reads import guarded_read
from ..start.requests import Reader, requested

_T = TypeVar("_T")
AT_ONCE = 64
"""Reads for which providers and guards are asked at the same time."""
Finder = Callable[[str], Awaitable[Sequence[Memory]]]
"""Container name → its memories about the question."""


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """A memory in a shared container, as one character may read it."""

    memory: Memory
    """The memory."""
    container: Container
    """Its container."""
    since: float | None
    """The game day since which the character could read it; `None` = since before the story."""
    until: float | None
    """The last game day of the membership; `None` = no end."""


@dataclass(frozen=True, slots=True)
class _GrantedRead:
    """A read of a shared container that is granted to a character today."""

    character: str
    request: ReadRequest
    container: Container


async def shared_memories(
    engine: Engine, live: Live, question: str, find: Finder
) -> tuple[dict[str, list[SharedMemory]], tuple[str, ...]]:
    """Character id → the memories about the question that they may read in shared containers today; and failures.

    A refused request is not a failure: nobody reads what is refused.

    Raises `StorageError`, and `StrategyError` if `strict`.
    """
    if not engine.read_providers:
        return {}, ()
    asked = await _gathered(_granted(engine, live, id, question) for id in live.snapshot.cast.ids)
    granted = [each for found, _ in asked for each in found]
    names = list(dict.fromkeys(each.container.name for each in granted))
    about = {name: memories for name in names if (memories := await find(name))}
    granted = [each for each in granted if each.container.name in about]
    held = await engine.ledger.memberships(containers=list(about)) if about else ()
    read = await _gathered(_readable(engine, live, each, about[each.container.name], held) for each in granted)
    of_each: dict[str, list[SharedMemory]] = {}
    for each, (readable, _) in zip(granted, read, strict=True):
        of_each.setdefault(each.character, []).extend(readable)
    failures = [failure for _, failed in (*asked, *read) for failure in failed]
    return of_each, tuple(dict.fromkeys(failures))


async def _gathered(calls: Iterable[Awaitable[_T]]) -> list[_T]:
    """The results of all calls, of which only some run at the same time."""
    waiting, found = list(calls), list[_T]()
    for start in range(0, len(waiting), AT_ONCE):
        found += await asyncio.gather(*waiting[start : start + AT_ONCE])
    return found


async def _granted(engine: Engine, live: Live, id: str, question: str) -> tuple[list[_GrantedRead], list[str]]:
    reader = Reader.of(live, id, Channel())
    granted, failures, _ = await requested(engine, reader, question, live.data())
    return [_GrantedRead(id, request, each) for request, each in granted if each != reader.own], failures


async def _readable(
    engine: Engine, live: Live, granted: _GrantedRead, memories: Sequence[Memory], held: Sequence[Membership]
) -> tuple[list[SharedMemory], list[str]]:
    """Those of these memories that the guards let the character read, each where it was learned; and failures."""
    snapshot, container, failures = live.snapshot, granted.container, list[str]()
    membership = _membership(snapshot, granted, held)
    found = []
    for channel, learned_there in _by_channel(memories).items():
        reader = Reader(snapshot, granted.character, channel)
        read, failed = await guarded_read(engine, reader, granted.request, container, live.data())
        failures += failed
        found += [
            SharedMemory(each, container, _since(snapshot, each, membership), membership.until if membership else None)
            for each in learned_there
            if read.allows(each)
        ]
    return found, failures


def _by_channel(memories: Iterable[Memory]) -> Mapping[Channel, list[Memory]]:
    found: dict[Channel, list[Memory]] = {}
    for each in memories:
        found.setdefault(learned_channel(each.metadata), []).append(each)
    return found


def _membership(snapshot: Snapshot, granted: _GrantedRead, held: Iterable[Membership]) -> Membership | None:
    """The membership by which they may read it today: their own, or that of everybody."""
    personality, day = snapshot.cast[granted.character].personality_id, snapshot.state.game_day
    here = [each for each in held if each.container == granted.container.name and each.holds_on(day)]
    own = [each for each in here if each.member == personality]
    return next(iter(own or [each for each in here if each.member == EVERYBODY]), None)


def _since(snapshot: Snapshot, memory: Memory, membership: Membership | None) -> float | None:
    """The later of the day it was learned in this story and the first day of the membership."""
    is_here = memory.metadata.get("sessionId") == snapshot.id and not memory.permanent
    days = [memory.learned_day if is_here else None, membership.since if membership else None]
    return max((each for each in days if each is not None), default=None)
