"""How many memories come to mind, and which: number, threshold, recency, diversity, budget."""

from __future__ import annotations

import pytest

from earwitness.errors import SettingsError

from .recall_stories import Begin, keys, swords, tell


async def test_at_most_as_many_as_were_asked_for_come_to_mind_the_best_ones(begin: Begin) -> None:
    assert keys(await swords(begin, memories=1)) == ["m3"]
    assert len((await swords(begin, memories=3)).memories) == 3


async def test_what_scores_below_the_threshold_stays_away(begin: Begin) -> None:
    assert keys(await swords(begin, threshold=0.6)) == ["m3"]
    assert keys(await swords(begin, threshold=0.5)) == ["m1", "m2", "m3"]


async def test_recency_prefers_what_is_new_and_says_so(begin: Begin) -> None:
    story = await begin()
    for day in (1, 2, 3):
        await story.change(game_day=day)
        await tell(story, f"m{day} a sword")
    recency = {"weight": 0.5, "half_life": 1.0}
    turn = await story.turn("alice", query="sword", in_prompt=[], recency=recency)
    assert {each.memory.message_keys: (each.score, each.parts["recency"]) for each in turn.memories} == {
        ("m1",): (0.625, 0.25),
        ("m2",): (0.75, 0.5),
        ("m3",): (1.0, 1.0),
    }
    assert keys(await story.turn("alice", query="sword", in_prompt=[], recency=recency, memories=1)) == ["m3"]


async def test_what_is_new_is_found_behind_many_that_are_old(begin: Begin) -> None:
    story = await begin()
    await tell(story, *(f"m{n:02} the sword is lost" for n in range(60)))
    await story.change(game_day=100)
    await tell(story, "new the sword is lost and found")
    fresh = {"weight": 1.0, "half_life": 1.0}
    turn = await story.turn("alice", query="sword lost", in_prompt=[], memories=3, recency=fresh)
    assert "new" in keys(turn)
    assert "new" not in keys(await story.turn("alice", query="sword lost", in_prompt=[], memories=3))


async def test_recency_leaves_what_was_there_before_the_story_as_it_is(begin: Begin) -> None:
    story = await begin()
    await story.prepare(lore=["a sword"])
    await story.change(game_day=50)
    (found,) = (await story.turn("alice", query="sword", recency={"weight": 1.0})).memories
    assert (found.score, found.why) == (1.0, "words 1.00")


async def test_diversity_prefers_what_is_unlike_the_rest(begin: Begin) -> None:
    story = await begin()
    await tell(
        story, "m1 the old sword is lost", "m2 the old sword is lost!", "m3 a sword for a king", "m4 x", "m5 y", "m6 z"
    )
    assert keys(await story.turn("alice", query="old sword", memories=2)) == ["m1", "m2"]
    assert "m3" in keys(await story.turn("alice", query="old sword", memories=2, diversity=0.7))


async def test_the_token_budget_holds_for_all_memories_together(begin: Begin) -> None:
    story = await begin()
    await story.prepare(lore=["sword " * 40, "old sword", "my sword"])
    turn = await story.turn("alice", query="old sword", token_budget=5)
    assert {each.text for each in turn.memories} == {"old sword", "my sword"}
    assert sum(-(-len(each.text) // 4) for each in turn.memories) == 5


async def test_diversity_chooses_among_what_the_budget_leaves(begin: Begin) -> None:
    story = await begin()
    long = [f"sword {'blade ' * 50}{n}" for n in range(4)]
    await story.prepare(lore=[*long, *(f"my sword {word}" for word in ("red", "blue", "green", "grey"))])
    for diversity in (0.0, 0.3, 0.9):
        turn = await story.turn("alice", query="my sword", memories=4, token_budget=20, diversity=diversity)
        assert [each.text[:8] for each in turn.memories] == ["my sword"] * 4


async def test_an_unknown_recall_setting_is_refused_with_those_there_are(begin: Begin) -> None:
    story = await begin()
    with pytest.raises(SettingsError, match=r"takes no 'memory', but .*threshold.*Did you mean 'memories'"):
        await story.turn("alice", memory=3)
    with pytest.raises(SettingsError, match="memories: 0"):
        await story.turn("alice", memories=0)
