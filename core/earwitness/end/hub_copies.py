"""What a character reads in a pantheon's hub, as the copy of the message that they would have without the hub.

Who tells it by hand, or is told it, needs a memory of their own: the chain of tellers goes through it, and it goes when
the hub loses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..carried_hubs import is_hub_memory, message_key_of, told_with
from ..containers import world_container
from ..engine import Engine
from ..events import Share
from ..live import Live
from ..memories import memory_of
from ..records.channel import learned_channel
from ..records.message import SettledMessage
from ..records.plan import Delivery, grouped
from ..records.snapshot import Snapshot
from ..start.reads import guarded_read
from ..start.requests import Reader, requested
from .message_copies import of_telling, world_copy
from .shares import DueShare

TOLD = ("pantheonId", "hop", "strength")
"""Metadata of a telling by rules."""


async def copies_from_hubs(engine: Engine, live: Live, character: str, memory: str, sequence: int) -> list[Delivery]:
    """The deliveries of a message that a character reads in a hub, now or once they are due: one for each teller.

    `memory` is the id of what they read, or the key of the message; `sequence` the entry that they are made with.
    Raises `StorageError`, and `StrategyError` if `strict`.
    """
    if not engine.read_providers:
        return []
    hubs = [each for each in await _in_hubs(engine, live.snapshot.id, memory) if each.is_active]
    read = [group for group in grouped(hubs, _memory_id) if await _reads(engine, live, character, group)]
    if not read:
        return []
    first = min(read, key=lambda group: min(each.due for each in group))
    found = await engine.ledger.messages(live.snapshot.id, keys=[message_key_of(first[0])])
    return [_copy(each, character, found[0], live.snapshot, sequence) for each in first] if found else []


async def _in_hubs(engine: Engine, session: str, memory: str) -> list[Delivery]:
    found = await engine.ledger.deliveries(session, memory_ids=[memory])
    if not found:
        world = world_container(session).name
        of_world = await engine.ledger.deliveries(session, sources=[memory], container=world)
        ids = list(dict.fromkeys(each.memory_id for each in of_world))
        found = await engine.ledger.deliveries(session, rests_on=ids) if ids else ()
    return [each for each in found if is_hub_memory(each)]


def _memory_id(delivery: Delivery) -> str:
    return delivery.memory_id


async def _reads(engine: Engine, live: Live, character: str, in_hub: Sequence[Delivery]) -> bool:
    """Whether providers, memberships and guards let a character read it, where it was learned and once it is due."""
    memory, due = memory_of(in_hub, ()), min(each.due for each in in_hub)
    state = live.snapshot.state
    then = live.snapshot.model_copy(update={"state": state.updated({"game_day": max(due, state.game_day)})})
    reader = replace(Reader.of(live, character, learned_channel(memory.metadata)), snapshot=then)
    granted, _, _ = await requested(engine, reader, memory.content, live.data())
    here = [each for each in granted if each[0].container == memory.container]
    reads = [await guarded_read(engine, reader, *each, live.data()) for each in here]
    return any(read.allows(memory) for read, _ in reads)


def _copy(in_hub: Delivery, character: str, about: SettledMessage, story: Snapshot, sequence: int) -> Delivery:
    """The same telling, to one character. Pure."""
    support, data = in_hub.support, in_hub.metadata
    share = Share(
        character=character,
        how=support.how,
        shared_from=support.shared_from,
        rule=support.rule or "",
        metadata={name: data[name] for name in TOLD if name in data},
        trust=support.trust,
    )
    name = story.cast.name_of(about.message.speaker)
    world = world_copy(about, story.cast, story.ids, sequence)
    telling = DueShare(share, _said(in_hub.body, name), in_hub.due, support.via)
    copy = of_telling(world, telling, about, name, story.ids)
    return copy.model_copy(update={"told_with": told_with(in_hub)})


def _said(body: str, speaker: str) -> str:
    """What was said, without the speaker's name, which may have changed since."""
    before = f"{speaker}: "
    return body.removeprefix(before) if body.startswith(before) else body.partition(": ")[2]
