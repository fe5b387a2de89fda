"""END, steps 4 and 5: turns settled messages into deliveries, in the formats of `formats.py`, and those into memories.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..containers import Container, character_container, world_container
from ..formats import character_memory, harmless, message_line, metadata_key, strip_block, update_line
from ..ids import WORLD, MemoryIds
from ..memories import Alike, memory_of
from ..records.channel import Channel
from ..records.character import Cast
from ..records.journal import Changed, Entry, Piece
from ..records.memory import Memory, Support
from ..records.memory_types import MetaValue
from ..records.message import Message, Participant, SettledMessage
from ..records.plan import ACTIVE, Delivery, Plan, grouped
from ..records.state import State
from ..records.update import Update
from .shares import DueShare

BATCH = 64
"""Memories of one plan in one put. Other calls of the host to the store wait for no more than one batch."""
BUSY = 4
"""A batch is so many times smaller while one turn of the host follows the other."""
BACKLOG_BATCH = 512
"""Memories of several plans in one put, since a backlog is written faster this way."""


_BLANK = {name: field.default for name, field in Delivery.model_fields.items()}
"""Every field of a delivery, in the order in which it is written."""


def of_telling(world: Delivery, telling: DueShare, settled: SettledMessage, name: str, ids: MemoryIds) -> Delivery:
    """The copy for a character who was told.

    `world` is the world's copy of the message; `name` is its speaker's name.
    """
    share, due = telling.share, telling.due
    via = telling.via
    if via is None and share.shared_from:
        via = _memory_id(world, ids, character_container(world.session, share.shared_from))
    support = Support(
        how=share.how, shared_from=share.shared_from, via=via, rule=share.rule, learned_day=due, trust=share.trust
    )
    body = character_memory(name, telling.text, settled.message.game_day, due)
    is_speaker = share.character == world.metadata["speaker"]
    copy = _copy(world, ids, CopyOf(share.character, body, support, due), copied_metadata(world)[is_speaker])
    if not share.metadata and share.memory is None:
        return copy
    more = {metadata_key(key): value for key, value in share.metadata.items()}
    supported = {} if share.memory is None else {"memory_id": share.memory, "of_other": True}
    return copy.model_copy(update={"metadata": {**more, **copy.metadata}, **supported})


@dataclass(frozen=True, slots=True)
class UpdateOrigin:
    """Where and when the event of a world update happened."""

    ids: MemoryIds
    sequence: int
    source: str
    revision: int
    scene: str
    day: float
    timestamp: str
    channel: Channel | None = None

    @classmethod
    def of_message(cls, message: Message, ids: MemoryIds, sequence: int) -> UpdateOrigin:
        """The origin of an update that a message brought about."""
        fields = (message.key, message.revision, message.scene, message.game_day, message.timestamp)
        return cls(ids, sequence, *fields, message.channel)

    @classmethod
    def of_entry(cls, entry: Entry, state: State, ids: MemoryIds) -> UpdateOrigin:
        """The origin of an update that a change brought about; `state` is the state after the change."""
        fields = (entry.key, 0, state.current_scene, state.game_day, entry.timestamp)
        return cls(ids, entry.sequence, *fields, entry.body.channel if isinstance(entry.body, Changed) else None)


def of_update(origin: UpdateOrigin, update: Update, index: int, audience: Iterable[str]) -> Delivery:
    """One world update, for the world container. Characters in its audience are told with their next message."""
    container, part = world_container(origin.ids.session), f"update-{index}"
    return Delivery(
        session=origin.ids.session,
        sequence=origin.sequence,
        container=container.name,
        owner=container.owner,
        source=origin.source,
        revision=origin.revision,
        part=part,
        memory_id=origin.ids.of(origin.source, origin.revision, container.name, part),
        body=update_line(strip_block(update.description), origin.day),
        metadata=_update_metadata(update, audience, origin),
        support=Support(learned_day=origin.day),
        due=origin.day,
    )


@dataclass(frozen=True, slots=True)
class PieceOrigin:
    """The version of a piece, and the entry that brought it."""

    source: str
    revision: int
    entry: Entry
    day: float
    ids: MemoryIds


def of_piece(piece: Piece, origin: PieceOrigin, container: Container) -> Delivery:
    """One prepared piece, for one container."""
    entry, session = origin.entry, origin.entry.session
    return Delivery(
        session=session,
        sequence=entry.sequence,
        container=container.name,
        owner=container.owner,
        source=origin.source,
        revision=origin.revision,
        part=piece.type,
        memory_id=origin.ids.of(origin.source, origin.revision, container.name, piece.type),
        body=piece_text(piece),
        metadata=_piece_metadata(piece, origin),
        support=Support(learned_day=origin.day),
        due=origin.day,
    )


def piece_text(piece: Piece) -> str:
    """A prepared piece as a memory holds it: the words that find it, and its text."""
    words = f"[{', '.join(piece.words)}]\n" if piece.words else ""
    return harmless(words + strip_block(piece.text))


def _piece_metadata(piece: Piece, origin: PieceOrigin) -> dict[str, MetaValue]:
    metadata: dict[str, MetaValue] = {
        "type": piece.type,
        "permanent": True,
        "gameDay": origin.day,
        "timestamp": origin.entry.timestamp,
    }
    if piece.lore_key:
        metadata["loreKey"] = piece.lore_key
    if piece.words:
        metadata["words"] = list(piece.words)
    return metadata | ({"public": True} if piece.owners is None else {"audience": list(piece.owners)})


def message_metadata(message: Message, participants: Mapping[str, Participant]) -> dict[str, MetaValue]:
    """The metadata that every copy of a message has."""
    return {
        "type": "message",
        "speaker": message.speaker,
        "participants": list(participants),
        "location": message.scene,
        "gameDay": message.game_day,
        "timestamp": message.timestamp,
        **message.channel.metadata,
        "messageIds": [message.key],
    }


def _update_metadata(update: Update, audience: Iterable[str], origin: UpdateOrigin) -> dict[str, MetaValue]:
    given = {metadata_key(key): value for key, value in update.metadata.items() if _storable(value)}
    metadata: dict[str, MetaValue] = {"location": origin.scene, **given}  # type: ignore[dict-item]
    own = {"type": update.type, "gameDay": origin.day, "timestamp": origin.timestamp, "audience": list(audience)}
    metadata |= own
    metadata.pop("public", None)
    if update.audience == "public":
        metadata["public"] = True
    if update.update_type:
        metadata["updateType"] = update.update_type
    if update.character:
        metadata["characterId"] = update.character
    if origin.channel is not None:
        metadata |= origin.channel.metadata
    return metadata


def _storable(value: object) -> bool:
    return isinstance(value, str | int | float | bool) or (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    )


def world_copy(settled: SettledMessage, cast: Cast, ids: MemoryIds, sequence: int) -> Delivery:
    """The world's raw copy of a message. It is not validated again: all of it comes from the validated message."""
    message, container = settled.message, world_container(ids.session)
    name = cast.name_of(message.speaker)
    own = {
        "session": ids.session,
        "sequence": sequence,
        "memory_id": ids.of(message.key, message.revision, container.name, "message"),
        "container": container.name,
        "owner": container.owner,
        "source": message.key,
        "revision": message.revision,
        "body": message_line(name, message.content, message.game_day),
        "metadata": message_metadata(message, settled.participants),
        "support": Support(learned_day=message.game_day),
        "disguises": {},
        "due": message.game_day,
    }
    return Delivery.unchecked({**_BLANK, **own})


class CopyOf(NamedTuple):
    """What the copy of a character who was told has for itself."""

    character: str
    body: str
    support: Support
    due: float


def copied_metadata(world: Delivery) -> tuple[dict[str, MetaValue], dict[str, MetaValue]]:
    """The metadata of a listener's copy and of the speaker's."""
    return {**world.metadata, "isSpeaker": False}, {**world.metadata, "isSpeaker": True}


def _copy(world: Delivery, ids: MemoryIds, own: CopyOf, metadata: dict[str, MetaValue]) -> Delivery:
    """The same message for a character. It is not validated again, and all copies share one list of participants."""
    container = character_container(world.session, own.character)
    return Delivery.unchecked(
        {
            **world.__dict__,
            "memory_id": _memory_id(world, ids, container),
            "container": container.name,
            "owner": container.owner,
            "body": own.body,
            "knowledge": (),
            "metadata": metadata,
            "support": own.support,
            "due": own.due,
        }
    )


def _memory_id(world: Delivery, ids: MemoryIds, container: Container) -> str:
    return ids.of(world.source, world.revision, container.name, "message")


# ── from deliveries to memories ─────────────────────────────────────────────────────────────────────────────────────


Batch = tuple[Sequence[Memory], Sequence[str]]
"""Memories to put together, and the ids of the deliveries that this applies."""


@dataclass(frozen=True, slots=True)
class Work:
    """Memories to put, in order, and memories to remove. Each memory is made only when it is put."""

    put: Sequence[Sequence[Delivery]] = ()
    """The memories to put, each as its active deliveries."""
    remove: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Container name → memory ids to remove."""
    removed: Collection[str] = ()
    """Ids of world memories that were retracted. Lines of knowledge that cite one are left out."""
    perceived: int = 0
    """How many of the memories to put are participants' memories of the message; these come first."""
    batch: int = BATCH
    """The most memories in one put."""

    def batches(self) -> Iterator[Batch]:
        """The memories to put, in batches."""
        put = list(self.put)
        return (self.made(put[begin : begin + self.batch]) for begin in range(0, len(put), self.batch))

    def made(self, groups: Sequence[Sequence[Delivery]]) -> Batch:
        """These memories, each given as its active deliveries, as a batch."""
        applied = [each.id for group in groups for each in group if each.status == "pending"]
        alike: Alike = {}
        return [memory_of(group, self.removed, alike) for group in groups], applied


def arrival_day(plan: Plan) -> float:
    """The game day a plan is applied on. A message is heard on its own day, even if the story has gone back since."""
    said = plan.message.message.game_day if plan.message else None
    return max((day for day in (plan.due_day, said) if day is not None), default=float("inf"))


def is_plain(plan: Plan) -> bool:
    """Whether a plan only adds memories that nothing else has touched, so that it holds everything known of them."""
    revised = plan.message is not None and plan.message.message.revision
    return not (
        plan.withdrawals or plan.supported or plan.forgotten or plan.due_day is not None or revised or not plan.message
    )


def shares_transaction(plan: Plan) -> bool:
    """Whether a plan may be recorded and applied in one transaction: it only adds memories, and fits a batch."""
    return is_plain(plan) and not plan.derived and len(plan.deliveries) <= BATCH


def work_of_plain(plans: Sequence[Plan]) -> Work:
    """The store work of plain plans. Pure."""
    dated = [(plan, arrival_day(plan)) for plan in plans]
    arrived = [each for plan, day in dated for each in plan.deliveries if each.status in ACTIVE and each.due <= day]
    if len({each.memory_id for each in arrived}) == len(arrived):
        return work_from(plans, [(each,) for each in arrived], (), {})
    return work_from(plans, grouped(arrived, lambda each: each.memory_id), (), {})


def work_from(
    plans: Sequence[Plan],
    groups: Sequence[Sequence[Delivery]],
    removed: Collection[str],
    gone: Mapping[str, Sequence[str]],
) -> Work:
    """The work that makes the store hold these memories, each given by its active deliveries, and drop those `gone`.

    Participants come first, so that they remember before anyone else, and the world's copies last.
    """
    perceivers = {id for plan in plans if plan.message for id in plan.message.participants}
    first, others, last = (list[Sequence[Delivery]]() for _ in range(3))
    for group in groups:
        owner = group[0].owner
        (first if owner in perceivers else last if owner == WORLD else others).append(group)
    order = [*first, *others, *last]
    return Work(order, gone, removed, len(first) or len(order), BATCH if len(plans) == 1 else BACKLOG_BATCH)
