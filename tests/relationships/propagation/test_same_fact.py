"""One memory for one fact that several tell in several messages: the tellers add up, the memory does not."""

import re
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from earwitness import Channel, Character, Session
from earwitness_relationships.propagation.same_fact import says_the_same
from earwitness_relationships.said_alike import digest_of

Village = Callable[..., Awaitable[Session]]
RULES = """
village:
  rules: {share_direct_interactions: true, share_with: [dan]}
  members: [ann, ben, dan, eve]
  relationships:
    - {from: dan, to: eve, rules: {gossip_about_others: true}}
"""
FACT = "The mill has burnt down."
CAST = ("kim", "ann", "ben", "dan", "eve")
KINGS = "The king has gone to the harbour."
SQUARE = Channel(context="public_channel", channel_id="square", guild_id="town")


async def memories(story: Any, who: str) -> Any:
    await story.delivered()
    return (await story.backstage().inspect(who)).memories


async def told(story: Any, one: str, other: str, days: tuple[float, float] = (1, 1), **given: Any) -> None:
    """Kim tells Ann one thing, and Ben the other. Both tell Dan."""
    await story.say("kim", one, key="m1", audience=["ann"])
    await story.change(game_day=days[1])
    await story.say(**{"speaker": "kim", "content": other, "key": "m2", "audience": ["ben"], **given})


async def test_two_who_tell_the_same_support_one_memory_each_with_its_chain(village: Village) -> None:
    story: Any = await village(RULES, *CAST)
    await told(story, FACT, "The mill has burnt down!")
    (memory,) = await memories(story, "dan")
    explained = await story.backstage().explain(memory.id)
    assert sorted(each.shared_from for each in explained.supports) == ["ann", "ben"]
    (further,) = await memories(story, "eve")
    hops = (await story.backstage().explain(further.id)).supports
    assert [each.shared_from for each in hops] == ["dan", "dan"]


async def test_it_stands_as_long_as_one_of_the_messages_does(village: Village) -> None:
    story: Any = await village(RULES, *CAST)
    await told(story, FACT, FACT)
    await story.retract("m1")
    assert [each.metadata["sharedFrom"] for each in await memories(story, "dan")] == ["ben"]
    assert len(await memories(story, "eve")) == 1
    await story.retract("m2")
    assert await memories(story, "dan") == ()
    assert await memories(story, "eve") == ()


async def test_the_memory_of_the_teller_takes_along_what_was_told_on_from_it(village: Village) -> None:
    story: Any = await village(RULES, *CAST)
    await told(story, FACT, FACT)
    (memory,) = await memories(story, "dan")
    await story.retract(memory.id)
    assert await memories(story, "eve") == ()


@pytest.mark.parametrize(
    ("one", "other", "given"),
    [
        ("The mill is burning.", "The mill is burning.", {"days": (1, 5)}),
        ("The bakery was robbed, and the baker was beaten.",) * 2 + ({"days": (1, 8)},),
        ("The mill has burnt down.", "The bridge has burnt down.", {}),
        ("Will saw a white stag.", "will saw a white stag.", {}),
        ("The reward had risen to 5 crowns.", "The reward had risen to .5 crowns.", {}),
        (FACT, FACT, {"channel": Channel(context="dm", channel_id="private")}),
        (FACT, FACT, {"place": "harbour"}),
        (FACT, FACT, {"speak_as": "Hooded Stranger"}),
        (FACT, FACT, {"speaker": "ben", "audience": []}),
        ("Mother has died, and the funeral was held at dawn.",) * 2 + ({"speaker": "ben", "audience": []},),
        ("Good night.", "Good night.", {}),
        ("Has the mill burnt down?", "Has the mill burnt down?", {}),
    ],
)
async def test_what_may_mean_or_show_something_else_is_a_memory_of_its_own(
    village: Village, one: str, other: str, given: Any
) -> None:
    story: Any = await village(RULES, *CAST)
    await told(story, one, other, **given)
    assert len(await memories(story, "dan")) == 2


@pytest.mark.parametrize("masked", ["m1", "m2"])
async def test_what_was_said_in_disguise_is_a_memory_of_its_own_in_either_order(village: Village, masked: str) -> None:
    story: Any = await village(RULES, *CAST)
    for key, hears in (("m1", "ann"), ("m2", "ben")):
        await story.say(
            "kim", FACT, key=key, audience=[hears], **({"speak_as": "Hooded Stranger"} if key == masked else {})
        )
    shown = [(*each.message_keys, each.metadata["speaker"], speaker_of(each)) for each in await memories(story, "dan")]
    plain = "m2" if masked == "m1" else "m1"
    assert sorted(shown) == sorted([(masked, "Hooded Stranger", "Hooded Stranger"), (plain, "kim", "Kim")])


async def test_each_persona_that_was_there_finds_it_again(village: Village) -> None:
    personas = [Character(id, kind="persona", user_id=f"u-{id}", persona_id=f"p-{id}") for id in ("kay", "lee")]
    story: Any = await village(RULES, *CAST)
    await story.join(*personas)
    for key, there in (("m1", "kay"), ("m2", "lee")):
        await story.say("ann", FACT, key=key, audience=[there], channel=SQUARE)
    await story.delivered()
    for persona in ("p-kay", "p-lee"):
        private = Channel(context="dm", channel_id=f"dm-{persona}", persona_id=persona)
        turn = await story.turn("dan", query="mill burnt", in_prompt=[], channel=private)
        assert FACT in turn.text()


async def test_who_says_it_twice_on_one_day_is_one_memory_in_any_language(village: Village) -> None:
    story: Any = await village(RULES, *CAST)
    for key in ("m1", "m2"):
        await story.say("ann", "La forge a brûlé hier.", key=key, audience=[])
    (memory,) = await memories(story, "dan")
    assert (memory.metadata["speaker"], memory.message_keys, memory.learned_day) == ("ann", ("m1",), 1)
    assert memory.metadata["participants"] == ["ann"]


async def test_an_edited_message_is_a_memory_of_its_own(village: Village) -> None:
    story: Any = await village(RULES, *CAST)
    await told(story, FACT, "The bridge has fallen.")
    await story.edit("m2", FACT)
    assert len(await memories(story, "dan")) == 2
    await story.edit("m1", "The mill has survived.")
    assert sorted(FACT in each.content for each in await memories(story, "dan")) == [False, True]


def speaker_of(memory: Any) -> str:
    """The name that the text gives."""
    (name,) = re.findall(r"(?m)^Message: (.+?): ", memory.content)
    return str(name)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("triage", ["", ", triage: novelty"])
async def test_no_memory_puts_words_into_the_mouth_of_who_did_not_say_them(
    village: Village, triage: str, seed: int
) -> None:
    random, said, day = Random(seed), dict[str, tuple[str, str, int]](), 1
    story: Any = await village(RULES.replace("share_with: [dan]", f"share_with: [dan], delay: 2{triage}"), *CAST)
    texts = [FACT, "Alas, the mill has burnt down.", "The mill has not burnt down.", KINGS, f"{KINGS[:-1]}, alas!"]
    for number in range(14):
        key, speaker = f"m{number}", random.choice(["kim", "ann", "ben"])
        mask = random.choice([None, None, "Hooded Stranger"])
        said[key] = (mask or speaker.title(), random.choice(texts), day)
        hears = random.sample(["ann", "ben"], random.randrange(3))
        await story.say(
            speaker, said[key][1], key=key, audience=[each for each in hears if each != speaker], speak_as=mask
        )
        if random.random() < 0.4:
            day += 1
            await story.change(game_day=day)
        if random.random() < 0.2:
            await story.retract(random.choice([each for each in said if each != key] or [key]))
    await story.change(game_day=day + 9)
    seen = [*await memories(story, "dan"), *await memories(story, "eve")]
    assert seen
    for each in seen:
        (key,) = each.message_keys
        name, text, said_on = said[key]
        assert (speaker_of(each), each.game_day) == (name, said_on)
        assert each.content.endswith(f"Message: {name}: {text} GameDay: {said_on}")
        assert each.metadata["speaker"] in {name, name.casefold()}


def test_only_signs_at_the_end_change_no_fact() -> None:
    assert digest_of("The mill has burnt down.") == digest_of("The mill  has burnt down!")
    assert digest_of("The mill has burnt down.") != digest_of("The mill has “burnt” down.")
    assert digest_of("The key is 3.5 cm long.") != digest_of("The key is 35 cm long.")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The mill has burnt down.", "The mill has burnt down, alas!", True),
        ("Alas, Tom has died.", "Tom, sadly, has died.", True),
        ("The sword is in the cave.", "The sword is not in the cave.", False),
        ("Old Tom owes Ben 30 gold for the white mare.", "Old Ben owes Tom 30 gold for the white mare.", False),
        ("Old Tom owes Ben 30 gold for the white mare.", "Old Tom owes Ben 40 gold for the white mare.", False),
        ("Tom says Ben is a thief.", "Tom, says Ben, is a thief.", False),
        ("The king is dead.", "The king's brother is dead.", False),
    ],
)
def test_texts_say_the_same_only_if_nothing_but_an_exclamation_was_added(one: str, other: str, same: bool) -> None:
    assert says_the_same(one, other) is says_the_same(other, one) is same
