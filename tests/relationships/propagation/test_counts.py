"""What somebody was told on a day is counted from what stands: what was taken back costs no budget."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Session

Village = Callable[..., Awaitable[Session]]
ONE_A_DAY = """
village:
  members: [ann, ben, cid, dan]
  relationships:
    - {from: ann, to: ben, rules: {share_direct_interactions: true, delay: 2, budget: {listener_day: 1}}}
"""
QUICKER = """
village:
  members: [ann, ben, cid, dan]
  rules: {budget: {listener_day: 1}}
  relationships:
    - {from: ann, to: cid, rules: {share_direct_interactions: true, delay: 5, max_hops: 5}}
    - {from: ann, to: ben, rules: {share_direct_interactions: true, delay: 1, max_hops: 5}}
    - {from: ben, to: cid, rules: {gossip_about_others: true, delay: 1, max_hops: 5}}
    - {from: dan, to: cid, rules: {share_direct_interactions: true, delay: 5}}
"""

COURT = "court: {members: [ann, cid, dan, gus], rules: {propagate_all: true, budget: {%s: 1}}}"


async def keys(story: Any, who: str) -> list[str]:
    await story.delivered()
    memories = (await story.backstage().inspect(who)).memories
    return sorted(str(each.metadata["messageIds"][0]) for each in memories)


async def test_a_retracted_telling_costs_nothing(village: Village) -> None:
    story = await village(ONE_A_DAY, "ann", "ben")
    await story.say("ann", "It snows.", key="m1", audience=[])
    await story.retract("m1")
    await story.say("ann", "The mill has burnt down.", key="m2", audience=[])
    await story.change(game_day=9)
    assert await keys(story, "ben") == ["m2"]


async def test_an_edited_message_counts_once(village: Village) -> None:
    story = await village(ONE_A_DAY.replace("listener_day: 1", "listener_day: 2"), "ann", "ben")
    await story.say("ann", "It snows.", key="m1", audience=[])
    await story.edit("m1", "It snows in the hills.")
    await story.edit("m1", "It snows by the river.")
    await story.say("ann", "The mill has burnt down.", key="m2", audience=[])
    await story.say("ann", "The bridge fell down.", key="m3", audience=[])
    await story.change(game_day=9)
    assert await keys(story, "ben") == ["m1", "m2"]


async def test_a_quicker_telling_takes_the_place_of_the_slower_one(village: Village) -> None:
    """Cid would be told on day 6, and is told by Ben on day 3: on day 6 there is room for something else."""
    story = await village(QUICKER, "ann", "ben", "cid", "dan")
    await story.say("ann", "It snows.", key="m1", audience=[])
    for day in (2, 3):
        await story.change(game_day=day)
    await story.change(game_day=1)
    await story.say("dan", "The mill has burnt down.", key="m2", audience=[])
    await story.change(game_day=9)
    assert await keys(story, "cid") == ["m1", "m2"]


async def test_nothing_is_kept_of_a_message_that_was_retracted_before_it_arrived(village: Village) -> None:
    story: Any = await village(ONE_A_DAY, "ann", "ben")
    await story.say("ann", "It snows.", key="m1", audience=[])
    await story.retract("m1")
    for day in (4, 5):
        await story.say("ann", f"The mill has burnt down {day} times.", key=f"m{day}", audience=[])
        await story.change(game_day=day * 10)
    await story.delivered()
    assert not [name for each in story._live.stored.values() for name in each if "m1" in name]


@pytest.mark.parametrize(
    ("budget", "learned"),
    [
        ("message", {"cid": ["m1", "m2"], "dan": [], "gus": []}),
        ("listener_day", {"cid": ["m1"], "dan": ["m1"], "gus": ["m1"]}),
    ],
)
async def test_a_budget_is_kept_in_a_story_with_relations_of_its_own(
    village: Village, budget: str, learned: dict[str, list[str]]
) -> None:
    story: Any = await village(COURT % budget, "ann", "cid", "dan", "gus")
    await story.relationships.relate("ann", "gus", "FRIEND_OF")
    for key, words in (("m1", "The well is dry."), ("m2", "The mill has burnt down.")):
        await story.say("ann", words, key=key, audience=[])
    assert {each: await keys(story, each) for each in learned} == learned


SUMMARY_FIRST = """
village:
  members: [ann, ben, cid]
  rules: {budget: {listener_day: 1}}
  relationships:
    - {from: ann, to: cid, rules: [share_direct_interactions, {when: conversation, delay: 2}]}
    - {from: ben, to: cid, rules: [share_direct_interactions, {delay: 1}]}
"""


async def test_a_summary_told_on_a_day_counts_for_a_message_of_that_day(village: Village) -> None:
    story: Any = await village(SUMMARY_FIRST, "ann", "ben", "cid")
    await story.say("ann", "It snows.", key="m1", audience=[])
    told = await story.close_conversation()
    assert list(told.told) == ["cid"]
    await story.change(game_day=2)
    preview = await story.backstage().preview("ben", "The mill has burnt down.", audience=[])
    assert "cid has heard enough on day 3 (budget.listener_day 1)" in str(preview)
    await story.say("ben", "The mill has burnt down.", key="m2", audience=[])
    await story.change(game_day=9)
    assert await keys(story, "cid") == ["m1"]


async def test_a_summary_that_was_taken_back_counts_no_more(village: Village) -> None:
    story: Any = await village(SUMMARY_FIRST, "ann", "ben", "cid")
    await story.say("ann", "It snows.", key="m1", audience=[])
    await story.close_conversation()
    await story.retract("m1")
    await story.change(game_day=2)
    await story.say("ben", "The mill has burnt down.", key="m2", audience=[])
    await story.change(game_day=9)
    assert await keys(story, "cid") == ["m2"]


async def test_what_was_told_by_hand_counts(village: Village) -> None:
    story: Any = await village(COURT % "listener_day", "ann", "cid", "dan", "gus")
    await story.remember("ann", "The pigs are out.", key="note")
    await story.tell("ann", "cid", "note", day=1)
    await story.say("ann", "The mill has burnt down.", key="m1", audience=[])
    assert await keys(story, "dan") == ["m1"]
    await story.delivered()
    assert [each.body for each in await told_to(story, "cid")] == ["The pigs are out."]


async def told_to(story: Any, who: str) -> list[Any]:
    found = await story._engine.ledger.deliveries(story.id)
    return [each for each in found if each.owner == who and each.is_active and each.support.shared_from]
