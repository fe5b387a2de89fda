"""A message that thousands hear has one list of participants in memory, whoever holds it."""

import asyncio

from earwitness.end.message_copies import MessageCopies
from earwitness.end.store_work import Work
from earwitness.ids import MemoryIds
from earwitness.memories import memories_of
from earwitness.records.character import as_cast
from earwitness.records.message import Message, Participant, SettledMessage
from earwitness.records.plan import Delivery

CROWD = [f"listener-{number:03}" for number in range(40)]


def test_all_copies_of_a_message_share_one_list_of_participants() -> None:
    deliveries = _deliveries()
    memories = memories_of(deliveries)
    assert len(deliveries) == len(memories) == len(CROWD) + 1
    lists = [each.metadata["participants"] for each in (*deliveries, *memories)]
    assert lists[0] == CROWD
    assert all(each is lists[0] for each in lists)


def test_the_memories_of_a_batch_share_their_metadata_where_all_of_it_is_the_same() -> None:
    deliveries = _deliveries()
    work = Work([(each,) for each in deliveries])
    (memories, _), *_ = work.batches()
    assert len({id(each.metadata) for each in memories}) == 3  # the world's, the speaker's, and everybody else's
    assert memories == memories_of(deliveries)


def test_the_copies_of_a_message_are_as_validation_would_make_them() -> None:
    for each in _deliveries():
        made = Delivery.model_validate(each.model_dump())
        assert made == each
        assert made.model_dump_json() == each.model_dump_json()
        assert list(made.__dict__) == list(each.__dict__)


def _deliveries() -> list[Delivery]:
    message = Message(
        key="m1", sequence=1, speaker=CROWD[0], content="Hello.", game_day=1, scene="square", timestamp="2026-11-22"
    )
    here = {id: Participant(role="present", confidence=1) for id in CROWD}
    settled = SettledMessage(message=message, participants=here)
    return list(asyncio.run(MessageCopies(settled, {}, as_cast(CROWD), MemoryIds("s1", "s1"), 1, 1).all()))
