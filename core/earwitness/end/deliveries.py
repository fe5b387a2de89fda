"""END, step 4: from what is settled to deliveries, in the formats of DESIGN. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..containers import Container, character_container, world_container
from ..formats import character_memory, harmless, message_line, metadata_key, strip_block, update_line
from ..ids import memory_id
from ..protocols import Share
from ..records.character import Cast
from ..records.journal import Piece
from ..records.memory import MetaValue, Support
from ..records.message import Message, Participant, SettledMessage
from ..records.plan import Delivery
from ..records.update import Knowledge, Update

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


def of_share(world: Delivery, share: Share, text: str, settled: SettledMessage, cast: Cast, now: float) -> Delivery:
    """The copy of one who was told, in as far as the teller knew. `world` is the world's copy of the message."""
    message, name = settled.message, cast[settled.message.speaker].name
    due = now if share.due is None else max(now, share.due)
    via = _memory_id(world, character_container(world.session, share.shared_from)) if share.shared_from else None
    support = Support(how=share.how, shared_from=share.shared_from, via=via, rule=share.rule, learned_day=due)
    return _copy(world, share.character, character_memory(name, text, message.game_day, due), support, due)


def of_update(
    update: Update, index: int, source: str, revision: int, audience: Iterable[str], session: str,
    sequence: int, scene: str, now: float, timestamp: str,
) -> Delivery:  # fmt: skip
    """One world update, for the world container; those it may concern are told with their next message."""
    container, part = world_container(session), f"update-{index}"
    return Delivery(
        session=session, sequence=sequence, container=container.name, owner=container.owner, source=source,
        revision=revision, part=part, memory_id=memory_id(session, source, revision, container.name, part),
        body=update_line(strip_block(update.description), now),
        metadata=_update_metadata(update, audience, scene, now, timestamp),
        support=Support(learned_day=now), due=now,
    )  # fmt: skip


def of_piece(
    piece: Piece,
    source: str,
    revision: int,
    container: Container,
    session: str,
    sequence: int,
    now: float,
    timestamp: str,
) -> Delivery:
    """One piece of what was there before the story, for one container."""
    metadata: dict[str, MetaValue] = {"type": piece.type, "permanent": True, "gameDay": now, "timestamp": timestamp}
    if piece.lore_key:
        metadata["loreKey"] = piece.lore_key
    if piece.words:
        metadata["words"] = list(piece.words)
    metadata |= {"public": True} if piece.owners is None else {"audience": list(piece.owners)}
    words = f"[{', '.join(piece.words)}]\n" if piece.words else ""
    return Delivery(
        session=session, sequence=sequence, container=container.name, owner=container.owner, source=source,
        revision=revision, part=piece.type, memory_id=memory_id(session, source, revision, container.name, piece.type),
        body=harmless(words + strip_block(piece.text)), metadata=metadata, support=Support(learned_day=now), due=now,
    )  # fmt: skip


def message_metadata(message: Message, participants: Mapping[str, Participant]) -> dict[str, MetaValue]:
    """The metadata every copy of a message has."""
    return {
        "type": "message",
        "speaker": message.speaker,
        "participants": list(participants),
        "location": message.scene,
        "gameDay": message.game_day,
        "timestamp": message.timestamp,
        "contextType": message.context,
        "messageIds": [message.key],
    }


def _update_metadata(
    update: Update, audience: Iterable[str], scene: str, now: float, timestamp: str
) -> dict[str, MetaValue]:
    given = {metadata_key(key): value for key, value in update.metadata.items() if _storable(value)}
    metadata: dict[str, MetaValue] = {"location": scene, **given}  # type: ignore[dict-item]
    metadata |= {"type": update.type, "gameDay": now, "timestamp": timestamp, "audience": list(audience)}
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
