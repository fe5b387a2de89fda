"""A message that thousands hear has one list of participants in memory, whoever holds it."""

from earwitness.end.deliveries import memories_of, of_message
from earwitness.ids import MemoryIds
from earwitness.records.character import as_cast
from earwitness.records.message import Message, Participant, SettledMessage

CROWD = [f"listener-{number:03}" for number in range(40)]


def test_all_copies_of_a_message_share_one_list_of_participants() -> None:
    message = Message(
        key="m1", sequence=1, speaker=CROWD[0], content="Hello.", game_day=1, scene="square", timestamp="2026-11-22"
    )
    here = {id: Participant(role="present", confidence=1) for id in CROWD}
    settled = SettledMessage(message=message, participants=here)
    deliveries = list(of_message(settled, {}, as_cast(CROWD), MemoryIds("s1", "s1"), 1, 1))
    memories = memories_of(deliveries)
    assert len(deliveries) == len(memories) == len(CROWD) + 1
    lists = [each.metadata["participants"] for each in (*deliveries, *memories)]
    assert lists[0] == CROWD
    assert all(each is lists[0] for each in lists)
