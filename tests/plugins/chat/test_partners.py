"""Who answers what a person says."""

import pytest

from earwitness import Character, Message, Participant, SettledMessage
from earwitness.records.character import as_cast
from earwitness_plugins.applications.chat.partners import partners

CAST = as_cast(
    (Character("alice"), Character("bob"), Character("kim", kind="persona"), Character("tale", kind="narrator"))
)


def said(*heard: str, to: tuple[str, ...] = ()) -> SettledMessage:
    message = Message(
        key="m", sequence=1, speaker="kim", content="Hello.", game_day=1, scene="inn", timestamp="2026-01-01T00:00:00Z"
    )
    listeners = {id: Participant(role="present", confidence=1) for id in ("kim", *heard)}
    return SettledMessage(message=message, participants=listeners, spoken_to=to)


@pytest.mark.parametrize(
    ("heard", "to", "last", "number", "expected"),
    [
        (("alice", "bob"), ("bob",), None, 1, ("bob",)),
        (("alice", "bob"), ("bob", "alice"), None, 1, ("bob",)),
        (("alice", "bob"), ("bob", "alice"), None, 2, ("bob", "alice")),
        (("alice", "bob"), (), "bob", 1, ("bob",)),
        (("bob", "alice"), (), None, 1, ("alice",)),
        (("alice",), (), "bob", 1, ("alice",)),
        (("tale",), (), "tale", 1, ()),
        ((), (), "bob", 1, ()),
    ],
)
def test_whoever_is_spoken_to_then_the_last_partner_then_the_first_who_heard_it(
    heard: tuple[str, ...], to: tuple[str, ...], last: str | None, number: int, expected: tuple[str, ...]
) -> None:
    assert partners(said(*heard, to=to), CAST, person="kim", last=last, number=number) == expected
