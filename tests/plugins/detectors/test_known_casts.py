"""What is made of a cast is made once, also where several stories are told in turn."""

from __future__ import annotations

from earwitness.records.character import Character
from earwitness_plugins.detectors.text.known_casts import LATEST, KnownCasts


def test_casts_of_several_stories_told_in_turn_are_each_looked_at_once() -> None:
    casts = [(Character("alice"), Character(f"bob_{number}")) for number in range(LATEST)]
    made: list[tuple[Character, ...]] = []

    def names(members: tuple[Character, ...]) -> list[str]:
        made.append(members)
        return [each.name for each in members]

    known = KnownCasts(names)
    for _ in range(3):
        assert [known.of(cast) for cast in casts] == [["Alice", each[1].name] for each in casts]
    assert made == casts


def test_a_cast_that_changed_is_looked_at_anew() -> None:
    known = KnownCasts(len)
    alice, bob = Character("alice"), Character("bob")
    assert [known.of((alice,)), known.of((alice, bob)), known.of((bob,))] == [1, 2, 1]
