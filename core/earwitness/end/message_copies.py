"""END, step 4: the copies of a message: the world's raw one, and an enriched one for whoever perceives it or is told.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from operator import is_
from typing import Any, NamedTuple

from ..containers import Container, character_container, character_container_name, world_container
from ..formats import character_memory, message_line, metadata_key
from ..ids import MemoryIds
from ..records.character import Cast
from ..records.crowd import CrowdCopies
from ..records.many import Many
from ..records.memory import Support
from ..records.memory_types import MetaValue
from ..records.message import Message, Participant, SettledMessage
from ..records.plan import Delivery
from ..records.update import Knowledge
from ..shared_values import chosen, different, without
from ..slices import MANY, in_pieces
from .shares import DueShare

KnowledgeByCharacter = Mapping[str, Sequence[Knowledge]]

MOST_CROWDS = 8
"""Where more than so many groups heard a message each for their own reasons, no crowd is made of them."""
_BLANK = {name: field.default for name, field in Delivery.model_fields.items()}
"""Every field of a delivery, in the order in which it is written."""


class MessageCopies:
    """Makes the copies of a message; what thousands of them have in common is made once."""

    def __init__(
        self,
        settled: SettledMessage,
        news: KnowledgeByCharacter,
        cast: Cast,
        ids: MemoryIds,
        sequence: int,
        now: float,
    ) -> None:
        """`now` is the game day they are delivered on."""
        self.world = world = world_copy(settled, cast, ids, sequence)
        """The world's raw copy."""
        self._settled, self._news, self._session = settled, news, ids.session
        self._name, self._now = cast.name_of(settled.message.speaker), now
        self._ids, self._memory_id = ids, ids.copies(world.source, world.revision, world.part)
        to_listener, to_speaker = _copied_metadata(world)
        self._to_listener = {**world.__dict__, "due": now, "metadata": to_listener}
        self._to_speaker = {**world.__dict__, "due": now, "metadata": to_speaker}
        self._alike: dict[tuple[str, tuple[str, ...], bool], dict[str, Any]] = {}

    def of(self, participants: Iterable[tuple[str, Participant]]) -> Iterator[Delivery]:
        """The copies of these participants, who heard anything."""
        heard_by, whole, news = self._settled.heard, self._settled.message.content, self._news
        speaker, memory_id, alike = self._settled.message.speaker, self._memory_id, self._alike
        for id, part in participants:
            if not (heard := heard_by.get(id, whole)):
                continue
            key = (heard, part.evidence, id == speaker)
            container = character_container_name(self._session, id)
            yield Delivery.unchecked(
                {
                    **(alike.get(key) or self._like(key)),
                    "memory_id": memory_id(container),
                    "container": container,
                    "owner": id,
                    "knowledge": tuple(news[id]) if id in news else (),
                }
            )

    def _like(self, key: tuple[str, tuple[str, ...], bool]) -> dict[str, Any]:
        """What those have in common who heard the same, for the same reasons."""
        heard, evidence, is_speaker = key
        self._alike[key] = {
            **(self._to_speaker if is_speaker else self._to_listener),
            "body": character_memory(self._name, heard, self._settled.message.game_day, self._now),
            "support": Support(learned_day=self._now, rule="; ".join(evidence) or None),
        }
        return self._alike[key]

    async def all(self) -> Sequence[Delivery]:
        """The world's copy, then those of the participants; those of a crowd are made when somebody looks at them."""
        participants = self._settled.participants
        own = {self._settled.message.speaker, *self._settled.heard, *self._news}
        others = without(participants, own) if len(participants) > MANY else ()
        groups = list(_groups(others, list(map(participants.__getitem__, others))))
        if len(others) <= MANY or len(groups) > MOST_CROWDS:
            return (self.world, *await in_pieces([*participants.items()], self.of))
        alone = own.union(*(ids for _, ids in groups if len(ids) <= MANY))
        single = tuple(self.of((id, part) for id, part in participants.items() if id in alone))
        return Many([(self.world,), single, *(self._crowd(*each) for each in groups if len(each[1]) > MANY)])

    def _crowd(self, part: Participant, ids: Sequence[str]) -> CrowdCopies:
        (first,) = self.of([(ids[0], part)])
        return CrowdCopies(first, ids, self._ids)


def _groups(ids: Sequence[str], parts: Sequence[Participant]) -> Iterator[tuple[Participant, Sequence[str]]]:
    """Those who take part in the same way; at most one group more than there may be crowds."""
    for part in islice(different(parts), MOST_CROWDS + 1):
        yield part, chosen(ids, parts, partial(is_, part))


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
        "metadata": _message_metadata(message, settled.participants),
        "support": Support(learned_day=message.game_day),
        "disguises": {},
        "due": message.game_day,
    }
    return Delivery.unchecked({**_BLANK, **own})


def _message_metadata(message: Message, participants: Mapping[str, Participant]) -> dict[str, MetaValue]:
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


def _copied_metadata(world: Delivery) -> tuple[dict[str, MetaValue], dict[str, MetaValue]]:
    """The metadata of a listener's copy and of the speaker's."""
    return {**world.metadata, "isSpeaker": False}, {**world.metadata, "isSpeaker": True}


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
    copy = _copy(world, ids, _CopyOf(share.character, body, support, due), _copied_metadata(world)[is_speaker])
    if not share.metadata and share.memory is None:
        return copy
    more = {metadata_key(key): value for key, value in share.metadata.items()}
    supported = {} if share.memory is None else {"memory_id": share.memory, "of_other": True}
    return copy.model_copy(update={"metadata": {**more, **copy.metadata}, **supported})


class _CopyOf(NamedTuple):
    """What the copy of a character who was told has for itself."""

    character: str
    body: str
    support: Support
    due: float


def _copy(world: Delivery, ids: MemoryIds, own: _CopyOf, metadata: dict[str, MetaValue]) -> Delivery:
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
