"""One memory for one fact that several tell in several messages: the tellers add up, the memory does not."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Session
from earwitness_relationships.propagation.same_fact import digest_of

Village = Callable[..., Awaitable[Session]]
RULES = """
village:
  rules: {share_direct_interactions: true, share_with: [dan]}
  members: [ann, ben, dan, eve]
  relationships:
    - {from: dan, to: eve, rules: {gossip_about_others: true}}
"""
FACT = "The mill has burnt down."


async def memories(story: Any, who: str) -> Any:
    await story.delivered()
    return (await story.backstage().inspect(who)).memories


async def told(story: Any, one: str, other: str, days: tuple[float, float] = (1, 1), **given: Any) -> None:
    await story.say("ann", one, key="m1", audience=[])
    await story.change(game_day=days[1])
    await story.say("ben", other, key="m2", audience=[], **given)


async def test_two_who_say_the_same_support_one_memory_each_with_its_chain(village: Village) -> None:
    story: Any = await village(RULES, "ann", "ben", "dan", "eve")
    await told(story, FACT, "the mill has burnt down!", days=(1, 3))
    (memory,) = await memories(story, "dan")
    explained = await story.backstage().explain(memory.id)
    assert sorted(each.shared_from for each in explained.supports) == ["ann", "ben"]
    (further,) = await memories(story, "eve")
    hops = (await story.backstage().explain(further.id)).supports
    assert [each.shared_from for each in hops] == ["dan", "dan"]


async def test_it_stands_as_long_as_one_of_the_messages_does(village: Village) -> None:
    story: Any = await village(RULES, "ann", "ben", "dan", "eve")
    await told(story, FACT, FACT)
    await story.retract("m1")
    assert [each.metadata["sharedFrom"] for each in await memories(story, "dan")] == ["ben"]
    assert len(await memories(story, "eve")) == 1
    await story.retract("m2")
    assert await memories(story, "dan") == ()
    assert await memories(story, "eve") == ()


async def test_the_memory_of_the_teller_takes_along_what_was_told_on_from_it(village: Village) -> None:
    story: Any = await village(RULES, "ann", "ben", "dan", "eve")
    await told(story, FACT, FACT)
    (memory,) = await memories(story, "dan")
    await story.retract(memory.id)
    assert await memories(story, "eve") == ()


@pytest.mark.parametrize(
    ("one", "other", "given"),
    [
        ("I have lost my ring.", "I have lost my ring.", {}),
        ("The mill is burning.", "The mill is burning.", {"days": (1, 5)}),
        ("The mill has burnt down.", "The bridge has burnt down.", {}),
        ("La forge a brûlé hier.", "La forge a brûlé hier.", {}),
        (FACT, FACT, {"channel": Channel(context="dm", channel_id="private")}),
        ("Good night.", "Good night.", {}),
        ("Has the mill burnt down?", "Has the mill burnt down?", {}),
    ],
)
async def test_what_may_mean_something_else_is_a_memory_of_its_own(
    village: Village, one: str, other: str, given: Any
) -> None:
    story: Any = await village(RULES, "ann", "ben", "dan", "eve")
    await told(story, one, other, **given)
    assert len(await memories(story, "dan")) == 2


async def test_who_says_it_twice_on_one_day_is_one_memory_in_any_language(village: Village) -> None:
    story: Any = await village(RULES, "ann", "ben", "dan", "eve")
    for key in ("m1", "m2"):
        await story.say("ann", "La forge a brûlé hier.", key=key, audience=[])
    assert len(await memories(story, "dan")) == 1


async def test_an_edited_message_is_a_memory_of_its_own(village: Village) -> None:
    story: Any = await village(RULES, "ann", "ben", "dan", "eve")
    await told(story, FACT, "The bridge has fallen.")
    await story.edit("m2", FACT)
    assert len(await memories(story, "dan")) == 2
    await story.edit("m1", "The mill has survived.")
    assert sorted(FACT in each.content for each in await memories(story, "dan")) == [False, True]


def test_signs_and_case_change_no_fact() -> None:
    assert digest_of("The mill has burnt down.") == digest_of("“the MILL has burnt down!”")
    assert digest_of("The key is 3.5 cm long.") != digest_of("The key is 35 cm long.")
