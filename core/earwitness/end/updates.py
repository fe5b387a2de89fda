"""World updates: as deliveries for the world container, and who may know of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..containers import world_container
from ..formats import as_said, metadata_key, update_line
from ..ids import MemoryIds
from ..live import Live
from ..records.channel import Channel
from ..records.journal import Changed, Entry
from ..records.memory import Support
from ..records.memory_types import MetaValue
from ..records.message import Message, Participant, SettledMessage
from ..records.plan import Delivery
from ..records.state import State
from ..records.update import Update


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


def with_text(updates: Iterable[Update]) -> list[Update]:
    """The updates that say something: a plugin's blank description would be told as `. GameDay: 1`."""
    return [update for update in updates if as_said(update.description).strip(" \t\r\n.")]


def updates_of(updates: Sequence[Update], settled: SettledMessage, live: Live, sequence: int) -> list[Delivery]:
    """Deliveries of the world updates that a message brought about."""
    origin = UpdateOrigin.of_message(settled.message, live.snapshot.ids, sequence)
    return [
        of_update(origin, update, index, audience(update, settled.participants, live))
        for index, update in enumerate(updates)
    ]


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
        body=update_line(as_said(update.description), origin.day),
        metadata=_update_metadata(update, audience, origin),
        support=Support(learned_day=origin.day),
        due=origin.day,
    )


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


def audience(update: Update, present: Sequence[str] | dict[str, Participant], live: Live) -> list[str]:
    """Ids of cast members who may know of an update. The characters it is about are included with those present."""
    named = [id for id in _addressed(update, present, live) if id in live.snapshot.cast]
    return [id for id in named if id not in update.hidden_from] if update.hidden_from else named


def _addressed(update: Update, present: Iterable[str], live: Live) -> Iterable[str]:
    match update.audience:
        case "public":
            return live.snapshot.cast.ids
        case "present":
            return dict.fromkeys([*present, *([update.character] if update.character else [])])
        case ids:
            return ids
