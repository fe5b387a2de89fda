"""The copies of a message: the world's raw one, and an enriched one for each participant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..containers import character_container_name
from ..formats import character_memory
from ..ids import MemoryIds
from ..records.character import Cast
from ..records.memory import Support
from ..records.message import Participant, SettledMessage
from ..records.plan import Delivery
from ..records.update import Knowledge
from ..slices import in_pieces
from .deliveries import copied_metadata, world_copy

KnowledgeByCharacter = Mapping[str, Sequence[Knowledge]]


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
        self._memory_id = ids.copies(world.source, world.revision, world.part)
        to_listener, to_speaker = copied_metadata(world)
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

    def all(self) -> Iterator[Delivery]:
        """The world's copy, then those of the participants."""
        yield self.world
        yield from self.of(self._settled.participants.items())

    async def all_in_slices(self) -> list[Delivery]:
        """As `all`; other tasks run in between."""
        return [self.world, *await in_pieces([*self._settled.participants.items()], self.of)]
