"""END, step 4: from what is settled to deliveries, in the formats of DESIGN. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..containers import Container, character_container, world_container
from ..formats import character_memory, harmless, message_line, metadata_key, strip_block, update_line
from ..ids import memory_id
from ..records.channel import Channel
from ..records.character import Cast
from ..records.journal import Entry, Piece
from ..records.memory import MetaValue, Support
from ..records.message import Message, Participant, SettledMessage
from ..records.plan import Delivery
from ..records.state import State
from ..records.update import Knowledge, Update
from .shares import Telling

KnowledgeByCharacter = Mapping[str, Sequence[Knowledge]]


def of_message(
    settled: SettledMessage, told: KnowledgeByCharacter, cast: Cast, session: str, sequence: int, now: float
) -> list[Delivery]:
    """The world's raw copy, and one enriched copy for each participant. `now` is the game day it is delivered on."""
    message, name = settled.message, cast[settled.message.speaker].name
    world = _world_copy(settled, name, session, sequence)
    deliveries = [world]
    for id, part in settled.participants.items():
        if heard := settled.heard_by(id):
            support = Support(learned_day=now, rule="; ".join(part.evidence) or None)
            body = character_memory(name, heard, message.game_day, now)
            deliveries.append(_copy(world, id, body, support, now, tuple(told.get(id, ()))))
    return deliveries


def of_telling(world: Delivery, telling: Telling, settled: SettledMessage, name: str) -> Delivery:
    """The copy of one who was told. `world` is the world's copy of the message, `name` its speaker's."""
    share, due = telling.share, telling.due
    via = _memory_id(world, character_container(world.session, share.shared_from)) if share.shared_from else None
    support = Support(
        how=share.how, shared_from=share.shared_from, via=via, rule=share.rule, learned_day=due, trust=share.trust
    )
    body = character_memory(name, telling.text, settled.message.game_day, due)
    copy = _copy(world, share.character, body, support, due)
    if not share.metadata:
        return copy
    more = {metadata_key(key): value for key, value in share.metadata.items()}
    return copy.model_copy(update={"metadata": {**more, **copy.metadata}})


@dataclass(frozen=True, slots=True)
class UpdateOrigin:
    """Where and when something happened that the world is told of."""

    session: str
    sequence: int
    source: str
    revision: int
    scene: str
    day: float
    timestamp: str

    @classmethod
    def of_message(cls, message: Message, session: str, sequence: int) -> UpdateOrigin:
        """An update that a message brought about."""
        return cls(session, sequence, message.key, message.revision, message.scene, message.game_day, message.timestamp)

    @classmethod
    def of_entry(cls, entry: Entry, state: State) -> UpdateOrigin:
        """An update that a change brought about; `state` is the one after it."""
        return cls(entry.session, entry.sequence, entry.key, 0, state.current_scene, state.game_day, entry.timestamp)


def of_update(origin: UpdateOrigin, update: Update, index: int, audience: Iterable[str]) -> Delivery:
    """One world update, for the world container; those it may concern are told with their next message."""
    container, part = world_container(origin.session), f"update-{index}"
    return Delivery(
        session=origin.session,
        sequence=origin.sequence,
        container=container.name,
        owner=container.owner,
        source=origin.source,
        revision=origin.revision,
        part=part,
        memory_id=memory_id(origin.session, origin.source, origin.revision, container.name, part),
        body=update_line(strip_block(update.description), origin.day),
        metadata=_update_metadata(update, audience, origin),
        support=Support(learned_day=origin.day),
        due=origin.day,
    )


@dataclass(frozen=True, slots=True)
class PieceOrigin:
    """Which version of a piece it is, and the entry that brought it."""

    source: str
    revision: int
    entry: Entry
    day: float


def of_piece(piece: Piece, origin: PieceOrigin, container: Container) -> Delivery:
    """One piece of what was there before the story, for one container."""
    entry, session = origin.entry, origin.entry.session
    words = f"[{', '.join(piece.words)}]\n" if piece.words else ""
    return Delivery(
        session=session,
        sequence=entry.sequence,
        container=container.name,
        owner=container.owner,
        source=origin.source,
        revision=origin.revision,
        part=piece.type,
        memory_id=memory_id(session, origin.source, origin.revision, container.name, piece.type),
        body=harmless(words + strip_block(piece.text)),
        metadata=_piece_metadata(piece, origin),
        support=Support(learned_day=origin.day),
        due=origin.day,
    )


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
    """The metadata every copy of a message has."""
    return {
        "type": "message",
        "speaker": message.speaker,
        "participants": list(participants),
        "location": message.scene,
        "gameDay": message.game_day,
        "timestamp": message.timestamp,
        **channel_metadata(message.channel),
        "messageIds": [message.key],
    }


def channel_metadata(channel: Channel) -> dict[str, MetaValue]:
    """Metadata that says where something was heard: `contextType`, and the ids there are."""
    ids = {"channelId": channel.channel_id, "guildId": channel.guild_id, "personaId": channel.persona_id}
    return {"contextType": channel.context, **{key: id for key, id in ids.items() if id is not None}}


def _update_metadata(update: Update, audience: Iterable[str], origin: UpdateOrigin) -> dict[str, MetaValue]:
    given = {metadata_key(key): value for key, value in update.metadata.items() if _storable(value)}
    metadata: dict[str, MetaValue] = {"location": origin.scene, **given}  # type: ignore[dict-item]
    told = {"type": update.type, "gameDay": origin.day, "timestamp": origin.timestamp, "audience": list(audience)}
    metadata |= told
    metadata.pop("public", None)
    if update.audience == "public":
        metadata["public"] = True
    if update.update_type:
        metadata["updateType"] = update.update_type
    if update.character:
        metadata["characterId"] = update.character
    return metadata


def _storable(value: object) -> bool:
    return isinstance(value, str | int | float | bool) or (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    )


def _world_copy(settled: SettledMessage, name: str, session: str, sequence: int) -> Delivery:
    message, container = settled.message, world_container(session)
    return Delivery(
        session=session,
        sequence=sequence,
        memory_id=memory_id(session, message.key, message.revision, container.name, "message"),
        container=container.name,
        owner=container.owner,
        source=message.key,
        revision=message.revision,
        body=message_line(name, message.content, message.game_day),
        metadata=message_metadata(message, settled.participants),
        support=Support(learned_day=message.game_day),
        due=message.game_day,
    )


def _copy(
    world: Delivery, character: str, body: str, support: Support, due: float, knowledge: tuple[Knowledge, ...] = ()
) -> Delivery:
    """The same message for a character. Nothing is validated again, and all copies share one list of participants."""
    container = character_container(world.session, character)
    return world.model_copy(
        update={
            "memory_id": _memory_id(world, container),
            "container": container.name,
            "owner": container.owner,
            "body": body,
            "knowledge": knowledge,
            "metadata": {**world.metadata, "isSpeaker": character == world.metadata["speaker"]},
            "support": support,
            "due": due,
        }
    )


def _memory_id(world: Delivery, container: Container) -> str:
    return memory_id(world.session, world.source, world.revision, container.name, "message")
