"""A telling that takes days arrives only if the rule that carried it still tells the listener on that day."""

from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import StorageError
from earwitness_relationships.model import RelationshipsModel

SECRET = "The bridge is closed."
COUPLE = """
town:
  members: [ann, ben, cid]
  relationships:
    - {from: ann, to: ben, type: couple, rules: [share_direct_interactions, {delay: 2}]}
    - {from: ben, to: cid, type: friend, rules: [gossip_about_others, {delay: 1}]}
"""
MEMBERS = "town: {rules: {propagate_all: true, delay: 2}, members: [ann, ben, cid]}"
RELATED = """
town:
  rules: {share_direct_interactions: true, relation_types: [couple], delay: 2}
  members: [ann, ben, cid]
"""
CURFEW = """
town:
  rules: {share_direct_interactions: true, share_with: [ben], delay: 2, conditions: {flags: {curfew: false}}}
  members: [ann, ben, cid]
"""


async def known(story: Any) -> dict[str, object]:
    """Who was told → the day."""
    await story.delivered()
    found = {}
    for who in ("ben", "cid"):
        for each in (await story.backstage().inspect(who)).memories:
            found[who] = each.learned_day
    return found


async def struck(story: Any) -> list[str]:
    """Why something on its way did not arrive."""
    journal = await story.backstage().journal()
    plans = [(await (await story.outcome(each.key)).decided()).plan for each in journal]
    return [each.reason for plan in plans for each in plan.withdrawals if each.status == "struck"]


async def explained(story: Any, memory: Any) -> str:
    return str(await story.backstage().explain(memory.id))


async def test_a_couple_that_separates_tells_nothing_more(village: Any) -> None:
    story = await village(COUPLE, "ann", "ben", "cid")
    said = await story.say("ann", SECRET, audience=[])
    told = next(each for each in (await said.settled()).deliveries if each.owner == "ben")
    await story.change(game_day=2)
    await story.relationships.end("ann", "ben", "couple", until=2)
    await story.change(game_day=3)
    assert await known(story) == {}
    (why,) = await struck(story)
    assert why.endswith("by town:share_direct_interactions, ann no longer tells ben on day 3")
    assert "ann no longer tells ben on day 3" in str(await story.backstage().explain(told.memory_id))
    await story.change(game_day=9)
    assert await known(story) == {}


@pytest.mark.parametrize("whose", ["ann", "world"])
async def test_what_was_told_says_what_is_on_its_way_and_why_it_was_struck(village: Any, whose: str) -> None:
    story = await village(COUPLE, "ann", "ben", "cid")
    await story.say("ann", SECRET, audience=[])
    (memory,) = (await story.backstage().inspect(whose)).memories
    assert "will reach ben through ann on day 3 (town:share_direct_interactions)" in await explained(story, memory)
    await story.relationships.end("ann", "ben", "couple", until=1)
    await story.change(game_day=3)
    found = await explained(story, memory)
    assert "will reach" not in found
    assert "was to reach ben through ann on day 3, but was struck: " in found
    assert "ann no longer tells ben on day 3" in found


async def test_what_a_host_tells_by_hand_arrives_whatever_they_call_the_rule(village: Any) -> None:
    story = await village(COUPLE, "ann", "ben", "cid")
    await story.say("ann", SECRET, key="m1", audience=[])
    for rule in ("letters:share_direct_interactions", "town:share_direct_interactions"):
        await story.tell("ann", "cid", "m1", day=3, rule=rule)
    await story.change(game_day=3)
    assert await known(story) == {"ben": 3, "cid": 3}


async def test_what_has_arrived_is_no_longer_on_its_way(village: Any) -> None:
    story = await village(COUPLE, "ann", "ben", "cid")
    await story.say("ann", SECRET, audience=[])
    await story.change(game_day=3)
    (anns,) = (await story.backstage().inspect("ann")).memories
    (bens,) = (await story.backstage().inspect("ben")).memories
    assert "reach" not in await explained(story, anns)
    assert "will reach cid through ben on day 4 (town:gossip_about_others)" in await explained(story, bens)


async def test_a_couple_that_stays_together_tells_it_and_it_goes_on(village: Any) -> None:
    story = await village(COUPLE, "ann", "ben", "cid")
    await story.say("ann", SECRET, audience=[])
    await story.change(game_day=3)
    await story.change(game_day=4)
    assert await known(story) == {"ben": 3, "cid": 4}


async def test_a_separation_after_it_has_arrived_takes_nothing_back(village: Any) -> None:
    story = await village(COUPLE, "ann", "ben", "cid")
    await story.say("ann", SECRET, audience=[])
    await story.change(game_day=3)
    await story.relationships.end("ann", "ben", "couple", until=2)
    await story.change(game_day=4)
    assert await known(story) == {"ben": 3, "cid": 4}


@pytest.mark.parametrize("gone", ["ann", "ben"], ids=["teller", "listener"])
async def test_a_membership_that_ends_keeps_from_telling_and_from_hearing(village: Any, gone: str) -> None:
    story = await village(MEMBERS, "ann", "ben", "cid")
    await story.say("ann", SECRET, audience=[])
    await story.relationships.pantheons.remove_member("town", gone)
    await story.change(game_day=3)
    assert await known(story) == ({} if gone == "ann" else {"cid": 3})


async def test_a_relation_of_all_stories_that_ends_counts(village: Any) -> None:
    story = await village(RELATED, "ann", "ben", "cid")
    await story.relationships.relate("ann", "ben", "couple")
    await story.say("ann", SECRET, audience=[])
    await story.relationships.end("ann", "ben", "couple", until=1)
    await story.change(game_day=3)
    assert await known(story) == {}


async def test_a_relation_made_in_between_tells_nothing_of_what_was_said_before(village: Any) -> None:
    story = await village(RELATED, "ann", "ben", "cid")
    await story.relationships.relate("ann", "ben", "couple")
    await story.say("ann", SECRET, audience=[])
    await story.relationships.relate("ann", "cid", "couple")
    await story.change(game_day=3)
    assert await known(story) == {"ben": 3}


async def test_who_comes_together_again_in_time_hears_of_it(village: Any) -> None:
    story = await village(RELATED, "ann", "ben", "cid")
    await story.relationships.relate("ann", "ben", "couple")
    await story.say("ann", SECRET, audience=[])
    await story.relationships.end("ann", "ben", "couple", until=1)
    await story.relationships.relate("ann", "ben", "couple", since=3)
    await story.change(game_day=3)
    assert await known(story) == {"ben": 3}


async def test_conditions_are_asked_again_on_the_day_of_arrival(village: Any) -> None:
    story = await village(CURFEW, "ann", "ben", "cid")
    await story.change(flags={"curfew": False})
    await story.say("ann", SECRET, audience=[])
    await story.change(flags={"curfew": True}, game_day=3)
    assert await known(story) == {}
    assert "its conditions are not met" in (await struck(story))[0]


async def test_a_preview_says_what_will_no_longer_hold_on_the_day_of_arrival(village: Any) -> None:
    rules = COUPLE.replace("type: couple,", "type: couple, until: 2,")
    story = await village(rules, "ann", "ben", "cid")
    seen = await story.backstage().preview("ann", SECRET, audience=[], days=5)
    stop = next(each for each in seen.stops if each.character == "ben")
    assert stop.reason == "by town:share_direct_interactions, ann no longer tells ben on day 3"
    await story.say("ann", SECRET, audience=[])
    await story.change(game_day=3)
    assert await known(story) == {}


async def away(*given: Any) -> Any:
    raise StorageError("no route to host")


async def test_what_was_on_its_way_waits_while_the_graph_is_away(village: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    story = await village(COUPLE, "ann", "ben", "cid", strict=False)
    said = await story.say("ann", SECRET, key="m1", audience=[])
    told = next(each for each in (await said.settled()).deliveries if each.owner == "ben")
    with monkeypatch.context() as patch:
        patch.setattr(RelationshipsModel, "picture", away)
        changed = await (await story.change(game_day=3)).settled()
        assert "no route to host" in str(changed.failures)
        assert await known(story) == {}
        turn = await story.turn("ben", query="bridge", in_prompt=[])
        assert turn.pending == ("m1",)
        assert "what is due waits until guard:pantheons can be asked" in turn.failures
        assert (await story.turn("cid", query="bridge", in_prompt=[])).pending == ()
        (memory,) = (await story.backstage().inspect("ann")).memories
        assert "on day 3 (town:share_direct_interactions), but waits until guard:" in await explained(story, memory)
        assert "waits until guard:pantheons can be asked" in str(await story.backstage().explain(told.memory_id))
    await story.change(flags={"thaw": True})
    assert await known(story) == {"ben": 3}
    turn = await story.turn("ben", query="bridge", in_prompt=[])
    assert (turn.pending, turn.failures) == ((), ())
    await story.change(game_day=4)
    assert await known(story) == {"ben": 3, "cid": 4}


async def test_what_waited_is_struck_if_its_rule_no_longer_tells_it(
    village: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = await village(COUPLE, "ann", "ben", "cid", strict=False)
    await story.say("ann", SECRET, audience=[])
    await story.relationships.end("ann", "ben", "couple", until=2)
    await story.delivered()
    with monkeypatch.context() as patch:
        patch.setattr(RelationshipsModel, "picture", away)
        await (await story.change(game_day=3)).settled()
    await story.change(flags={"thaw": True})
    assert await known(story) == {}
    (why,) = await struck(story)
    assert "ann no longer tells ben on day 3" in why


async def test_a_retraction_takes_away_what_waits(village: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    story = await village(COUPLE, "ann", "ben", "cid", strict=False)
    await story.say("ann", SECRET, key="m1", audience=[])
    await story.delivered()
    with monkeypatch.context() as patch:
        patch.setattr(RelationshipsModel, "picture", away)
        await (await story.change(game_day=3)).settled()
    await story.retract("m1")
    await story.change(game_day=5)
    assert await known(story) == {}
    assert (await story.turn("ben", query="bridge", in_prompt=[])).pending == ()


async def test_an_edit_while_it_waits_tells_the_new_words(village: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    story = await village(COUPLE, "ann", "ben", "cid", strict=False)
    await story.say("ann", SECRET, key="m1", audience=[])
    await story.delivered()
    with monkeypatch.context() as patch:
        patch.setattr(RelationshipsModel, "picture", away)
        await (await story.change(game_day=3)).settled()
    await story.edit("m1", "The bridge is open.")
    await story.delivered()
    (memory,) = (await story.backstage().inspect("ben")).memories
    assert "The bridge is open." in memory.content


async def test_a_branch_and_an_import_have_what_waits(
    village: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    story = await village(COUPLE, "ann", "ben", "cid", strict=False)
    await story.say("ann", SECRET, audience=[])
    await story.delivered()
    with monkeypatch.context() as patch:
        patch.setattr(RelationshipsModel, "picture", away)
        await (await story.change(game_day=3)).settled()
        branch = await story.fork("branch")
        assert await known(branch) == {}
    await branch.change(flags={"thaw": True})
    assert await known(branch) == {"ben": 3}
    assert await known(story) == {}
    await story.change(flags={"thaw": True})
    assert await known(story) == {"ben": 3}


async def test_what_rests_on_a_telling_that_waits_does_too(village: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    story = await village(COUPLE, "ann", "ben", "cid", strict=False)
    said = await story.say("ann", SECRET, audience=[])
    told = next(each for each in (await said.settled()).deliveries if each.owner == "ben")
    await story.tell("ben", "cid", told.memory_id, day=3)
    await story.delivered()
    with monkeypatch.context() as patch:
        patch.setattr(RelationshipsModel, "picture", away)
        await (await story.change(game_day=3)).settled()
        assert await known(story) == {}
    await story.change(flags={"thaw": True})
    assert await known(story) == {"ben": 3, "cid": 3}


async def test_what_waits_for_readers_of_a_hub_is_named_in_their_turns(
    village: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = MEMBERS.replace("delay: 2", "delay: 2, hub_from: 1")
    story = await village(rules, "ann", "ben", "cid", strict=False)
    await story.say("ann", SECRET, key="m1", audience=[])
    await story.delivered()
    with monkeypatch.context() as patch:
        patch.setattr(RelationshipsModel, "picture", away)
        await (await story.change(game_day=3)).settled()
    turn = await story.turn("ben", query="bridge", in_prompt=[])
    assert (turn.pending, turn.memories) == (("m1",), ())
    await story.change(flags={"thaw": True})
    await story.delivered()
    turn = await story.turn("ben", query="bridge", in_prompt=[])
    assert (turn.pending, [each.text for each in turn.memories]) == ((), [f"Ann: {SECRET}"])


async def test_what_somebody_said_who_is_forgotten_by_now_holds_up_nothing_that_is_due(village: Any) -> None:
    story = await village(MEMBERS, "ann", "ben", "cid", "dan")
    await story.say("ann", "The moon fell.", audience=[])
    await story.say("ben", "The sun rose.", audience=[])
    await story.delivered()
    await story.forget("ann")
    changed = await (await story.change(game_day=3)).settled()
    assert [each.failure for each in changed.plan.answers if each.failure] == []
    await story.delivered()
    heard = [each.content for each in (await story.backstage().inspect("cid")).memories]
    assert [any(words in each for each in heard) for words in ("The moon fell.", "The sun rose.")] == [True, True]
