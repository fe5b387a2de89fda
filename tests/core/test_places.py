"""Places as paths: what holds what, how far apart they are, and what a part of a path means."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from earwitness import Session
from earwitness.errors import InputError
from earwitness.places import distance, holders, normal, parts, resolved
from earwitness.records.moment import Moment, Presence

Begin = Callable[..., Awaitable[Session]]


class Slow:
    """A detector that takes its time."""

    async def detect(self, moment: Moment) -> Presence:
        await asyncio.sleep(0.3)
        return Presence.only(moment.message.speaker)


KNOWN = ("castle", "castle/kitchen", "castle/kitchen/pantry", "inn", "inn/kitchen", "Dragon_Lair")


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("castle/kitchen", "castle/kitchen"),
        (" castle / kitchen/ ", "castle/kitchen"),
        ("//castle", "castle"),
        ("the cellar ", "the cellar"),
        (" / ", ""),
    ],
)
def test_a_path_is_kept_without_blanks_and_empty_parts(written: str, path: str) -> None:
    assert normal(written) == path
    assert "/".join(parts(written)) == path


def test_a_place_is_held_by_every_place_above_it() -> None:
    assert holders("castle/kitchen/pantry") == ("castle/kitchen", "castle")
    assert holders("castle") == ()


@pytest.mark.parametrize(
    ("one", "other", "levels"),
    [
        ("castle", "castle", 0),
        ("castle", "castle/kitchen", 1),
        ("castle/kitchen/pantry", "castle", 2),
        ("castle/hall", "castle/kitchen", None),
        ("castle", "castles/kitchen", None),
        ("castle", "inn", None),
    ],
)
def test_two_places_are_as_far_apart_as_there_are_levels_between_them(one: str, other: str, levels: int | None) -> None:
    assert distance(one, other) == distance(other, one) == levels


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("castle/kitchen", "castle/kitchen"),
        ("pantry", "castle/kitchen/pantry"),
        ("Kitchen/Pantry", "castle/kitchen/pantry"),
        ("inn", "inn"),
        ("dragon lair", "Dragon_Lair"),
        ("attic", "attic"),
        ("castle/attic/", "castle/attic"),
    ],
)
def test_the_last_part_of_a_path_will_do(written: str, meant: str) -> None:
    assert resolved(written, KNOWN) == meant


def test_a_last_part_that_several_places_have_is_refused_with_a_list_of_them() -> None:
    with pytest.raises(
        InputError, match=r"place 'kitchen' could mean 'castle/kitchen' or 'inn/kitchen'\. Give the whole"
    ):
        resolved("kitchen", KNOWN)
    assert resolved("kitchen", [*KNOWN, "kitchen"]) == "kitchen"


async def test_a_character_moves_to_the_place_whose_last_part_the_host_names(begin: Begin) -> None:
    story = await begin(state={"current_scene": "castle/kitchen"}, present=["alice"])
    await story.move("bob", "castle/kitchen/pantry")
    await story.settled()
    await story.move("charlie", "pantry")
    await story.settled()
    assert story.state.whereabouts["charlie"].place == "castle/kitchen/pantry"
    await (await story.move("bob", "Kitchen")).settled()
    assert story.state.here == ("alice", "bob")
    await (await story.leave("bob", to="castle")).settled()
    assert story.state.whereabouts["bob"].place == "castle"


async def test_a_place_that_a_move_still_under_way_has_told_of_is_known(begin: Begin) -> None:
    story = await begin(state={"current_scene": "castle/kitchen"}, present=["alice"])
    await story.move("bob", "castle/kitchen/pantry")
    await (await story.move("charlie", "pantry")).settled()
    assert story.state.whereabouts["charlie"].place == "castle/kitchen/pantry"


async def test_a_last_part_that_a_move_still_under_way_makes_ambiguous_is_refused(begin: Begin) -> None:
    story = await begin(state={"current_scene": "castle/kitchen"}, present=["alice"], detector=Slow())
    await story.say("alice", "Good evening.")
    await story.move("bob", "inn/kitchen")
    with pytest.raises(InputError, match="'castle/kitchen' or 'inn/kitchen'"):
        await story.move("charlie", "kitchen")
    await (await story.move("charlie", "inn/kitchen")).settled()
    assert story.state.whereabouts["charlie"].place == "inn/kitchen"


async def test_a_move_to_one_of_several_places_is_refused_and_one_told_before_is_not(begin: Begin) -> None:
    story = await begin(state={"current_scene": "castle/kitchen"}, present=["alice"])
    first = await story.move("bob", "kitchen", key="m1")
    await (await story.move("charlie", "inn/kitchen")).settled()
    with pytest.raises(InputError, match="'castle/kitchen' or 'inn/kitchen'"):
        await story.move("bob", "kitchen")
    again = await story.move("bob", "kitchen", key="m1")
    assert (again.created, again.sequence) == (False, first.sequence)


async def test_a_scene_is_kept_as_a_path_and_needs_a_name(begin: Begin) -> None:
    story = await begin(state={"current_scene": "castle / kitchen/"}, present=["alice"])
    await story.move("bob", "castle/hall")
    await (await story.change(current_scene="castle/hall/")).settled()
    assert (story.state.current_scene, story.state.here) == ("castle/hall", ("alice", "bob"))
    for refused in (story.change(current_scene=" / "), story.move("bob", "/"), story.leave("bob", to="/")):
        with pytest.raises(InputError, match="a place needs a name"):
            await refused


async def test_who_was_put_elsewhere_by_the_host_stays_there_though_the_line_before_reads_like_a_heading(
    begin: Begin,
) -> None:
    story = await begin(state={"current_scene": "castle/kitchen"}, present=["alice"], detector="rules")
    await story.move("bob", "castle")
    await story.move("charlie", "castle/kitchen/pantry")
    await story.say("charlie", "So many jars.")
    await story.say("bob", "Hello hall.")
    outcome = await story.say("charlie", "And no plums.")
    assert list((await outcome.settled()).participants) == ["charlie"]
    assert story.state.whereabouts["charlie"].place == "castle/kitchen/pantry"
