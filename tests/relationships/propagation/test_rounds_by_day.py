"""A named model decides each round on its day: by the rules, the relations and the flags of that day."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Session
from earwitness_relationships.propagation.models.spread import DEFAULT_MODELS

Village = Callable[..., Awaitable[Session]]
CHAIN = """
village:
  rules:
    share_direct_interactions: true
    relation_types: [KNOWS]
    spreading: MODEL
    delay: 1
    chance: 1
    conditions: {flags: {curfew: false}}
  members: [ann, ben, cid, dan]
"""
EVERY = list(DEFAULT_MODELS)
PEOPLE = ("ann", "ben", "cid", "dan")
IN_A_LINE = [("ann", "ben"), ("ben", "cid"), ("cid", "dan")]


async def chained(village: Village, model: str) -> Any:
    story: Any = await village(CHAIN.replace("MODEL", model), *PEOPLE)
    for source, target in IN_A_LINE:
        await story.relationships.relate(source, target, "KNOWS", weight=1.0)
    await story.change(flags={"curfew": False})
    return story


async def days(story: Any) -> dict[str, object]:
    await story.delivered()
    found = {}
    for id in ("ben", "cid", "dan"):
        for each in (await story.backstage().inspect(id)).memories:
            found[id] = each.metadata["learnedDay"]
    return found


async def test_a_cascade_goes_on_hop_by_hop_and_day_by_day(village: Village) -> None:
    story = await chained(village, "independent_cascade")
    await story.say("ann", "It snows.", audience=[])
    for day in (2, 3, 4):
        await story.change(game_day=day)
    assert await days(story) == {"ben": 2, "cid": 3, "dan": 4}


@pytest.mark.parametrize("steps", [1, 30], ids=["in one jump", "day by day"])
@pytest.mark.parametrize("model", ["push", "pull", "push_pull"])
async def test_whoever_learned_it_on_an_earlier_day_still_tells_it(village: Village, model: str, steps: int) -> None:
    """Ben tells one of them, and the other on a day on which it has reached others than him."""
    story: Any = await village(CHAIN.replace("MODEL", model).replace("chance: 1", "chance: 0.5"), *PEOPLE)
    for source, target in (("ann", "ben"), ("ben", "cid"), ("ben", "dan")):
        await story.relationships.relate(source, target, "KNOWS", weight=1.0)
    await story.change(flags={"curfew": False})
    foreseen = await story.backstage().preview("ann", "It snows.", audience=[], days=60, key="snow")
    await story.say("ann", "It snows.", audience=[], key="snow")
    for step in range(1, steps + 1):
        await story.change(game_day=1 + 60 * step / steps)
    told = await days(story)
    assert set(told) == {"ben", "cid", "dan"}
    assert told == {each.owner: each.support.learned_day for each in foreseen.tellings}


async def test_a_jump_over_many_days_tells_the_same(village: Village) -> None:
    story = await chained(village, "independent_cascade")
    await story.say("ann", "It snows.", audience=[])
    await story.change(game_day=40)
    assert await days(story) == {"ben": 2, "cid": 3, "dan": 4}


@pytest.mark.parametrize("model", EVERY)
async def test_who_is_cut_off_before_their_day_is_told_nothing(village: Village, model: str) -> None:
    story = await chained(village, model)
    await story.say("ann", "It snows.", audience=[])
    await story.change(flags={"curfew": True})
    await story.change(game_day=60)
    assert set(await days(story)) <= {"ben"}


async def test_a_relation_that_begins_later_carries_it_from_its_day(village: Village) -> None:
    story = await chained(village, "independent_cascade")
    await story.say("ann", "It snows.", audience=[])
    await story.relationships.relate("ben", "dan", "KNOWS", weight=1.0)
    await story.change(game_day=3)
    assert await days(story) == {"ben": 2, "cid": 3, "dan": 3}


async def test_a_retraction_ends_it(village: Village) -> None:
    story = await chained(village, "push_pull")
    await story.say("ann", "It snows.", key="m1", audience=[])
    await story.change(game_day=2)
    await story.retract("m1")
    await story.change(game_day=9)
    assert await days(story) == {}


@pytest.mark.parametrize("model", EVERY)
async def test_a_preview_foresees_the_same(village: Village, model: str) -> None:
    story = await chained(village, model)
    foreseen = await story.backstage().preview("ann", "It snows.", audience=[], days=30)
    await story.say("ann", "It snows.", audience=[])
    await story.change(game_day=31)
    assert {each.owner for each in foreseen.tellings} == set(await days(story))
