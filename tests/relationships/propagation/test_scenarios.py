"""The three rule files of users, played: who remembers what, from whom, by which pantheon."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Memory, Session

Opener = Callable[..., Awaitable[Earwitness]]
HAZBIN = {
    "id": "hazbin-uuid",
    "name": "Hazbin Hotel",
    "slug": "hazbin_hotel",
    "type": "narrative_universe",
    "propagationRules": {"shareDirectInteractions": True, "as": "gossip", "excludePrivate": True},
    "memberships": [
        {"personalityId": "charlie", "role": "leader", "customRules": {"shareWith": ["vaggie"], "as": "intimate"}},
        {"personalityId": "vaggie", "role": "member", "customRules": {"shareWith": ["charlie"], "as": "intimate"}},
        {"personalityId": "angel_dust", "role": "member"},
    ],
}
DEITIES = {
    "slug": "abrahamic_pantheon",
    "type": "deity_pantheon",
    "propagationRules": {"propagateAll": True, "as": "witnessed", "omniscient": True},
    "memberships": [{"personalityId": id} for id in ("god", "jesus", "holy_ghost")],
}
EDGES = {
    "hazbin_hotel": {
        "relationships": [
            {
                "from": "charlie",
                "to": "vaggie",
                "type": "couple",
                "rules": ["share_all_direct_user_interactions", "gossip_about_others"],
            }
        ],
    },
}
CAST = [
    *(Character(id) for id in ("charlie", "vaggie", "angel_dust", "god", "jesus", "holy_ghost")),
    Character("sam", kind="persona", user_id="u1"),
]
TROUBLE = "I have had some troubles at work lately."


@pytest.fixture
def story_under(open_app: Opener, tmp_path: Path) -> Callable[..., Awaitable[Session]]:
    async def opened(rules: dict[str, Any], **state: Any) -> Session:
        (tmp_path / "rules.json").write_text(json.dumps(rules))
        graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
        ew = await open_app(relationships={"rules": str(tmp_path / "rules.json"), "graph": graph}, detector="everyone")
        return await ew.session("s1", cast=CAST, **state)

    return opened


async def known(story: Session, who: str) -> list[Memory]:
    await story.delivered()
    return list((await story.backstage().inspect(who)).memories)


async def test_charlie_shares_with_vaggie_what_a_user_told_her(story_under: Any) -> None:
    story = await story_under(HAZBIN)
    await story.say("sam", TROUBLE, audience=["charlie"])
    (told,) = await known(story, "vaggie")
    (own,) = await known(story, "charlie")
    assert own.metadata["interactionType"] == "direct"
    expected = {"interactionType": "shared", "sharedFrom": "charlie", "pantheonId": "hazbin_hotel", "hop": 1}
    assert expected.items() <= told.metadata.items()
    assert await known(story, "angel_dust") == []


async def test_nothing_is_passed_on_from_a_direct_message(story_under: Any) -> None:
    story = await story_under(HAZBIN)
    await story.say("sam", TROUBLE, audience=["charlie"], channel=Channel(context="dm"))
    assert len(await known(story, "charlie")) == 1
    assert await known(story, "vaggie") == []


async def test_angel_dust_shares_with_nobody_since_no_rule_names_anybody(story_under: Any) -> None:
    story = await story_under(HAZBIN)
    await story.say("sam", TROUBLE, audience=["angel_dust"])
    assert await known(story, "charlie") == await known(story, "vaggie") == []


async def test_every_other_deity_witnesses_what_is_said_to_one(story_under: Any) -> None:
    story = await story_under(DEITIES)
    await story.say("sam", TROUBLE, audience=["god"])
    for who in ("jesus", "holy_ghost"):
        (seen,) = await known(story, who)
        assert {"interactionType": "witnessed", "sharedFrom": "god"}.items() <= seen.metadata.items()
    assert await known(story, "charlie") == []


async def test_a_relationship_carries_what_users_say_and_nothing_that_nobody_but_characters_say(
    story_under: Any,
) -> None:
    story = await story_under(EDGES)
    await story.say("sam", TROUBLE, audience=["charlie"], key="m1")
    await story.say("angel_dust", "Nice weather in hell.", audience=["charlie"], key="m2")
    assert [each.message_keys for each in await known(story, "vaggie")] == [("m1",)]


async def test_gossip_about_somebody_who_is_away_is_told_on(story_under: Any) -> None:
    story = await story_under(EDGES)
    await story.say("angel_dust", "Jesus owes me money.", audience=["charlie"])
    (heard,) = await known(story, "vaggie")
    assert heard.metadata["sharedFrom"] == "charlie"


async def test_gossip_arrives_two_days_later_and_hops_on_from_there(story_under: Any) -> None:
    rules = {"share_with": ["vaggie"], "share_direct_interactions": True, "delay": 2, "max_hops": 2}
    chain = {
        "slug": "hotel",
        "rules": rules,
        "members": ["charlie", {"id": "vaggie", "rules": {"share_with": ["angel_dust"]}}, "angel_dust"],
    }
    story = await story_under(chain)
    await story.say("sam", TROUBLE, audience=["charlie"], key="m1")
    assert await known(story, "vaggie") == []
    await story.change(game_day=3)
    (told,) = await known(story, "vaggie")
    assert (told.learned_day, told.metadata["hop"]) == (3, 1)
    assert await known(story, "angel_dust") == []
    await story.change(game_day=9)
    (told,) = await known(story, "angel_dust")
    assert (told.learned_day, told.metadata["hop"], told.metadata["sharedFrom"]) == (5, 2, "vaggie")
    await story.retract("m1")
    assert await known(story, "angel_dust") == await known(story, "vaggie") == []


async def test_a_decision_says_on_which_rules_and_graph_it_rests(story_under: Any) -> None:
    story = await story_under(HAZBIN)
    outcome = await (await story.say("sam", TROUBLE, audience=["charlie"])).settled()
    plan = await story.backstage().preview("sam", TROUBLE, audience=["charlie"])
    versions = [each.version for each in plan.answers if each.by == "sharing_rule:relationships"]
    assert versions
    assert str(versions[0]).startswith("rules ")
    assert outcome is not None


async def test_a_prompt_says_who_told_and_what_was_witnessed(story_under: Any) -> None:
    story = await story_under(HAZBIN)
    await story.say("sam", TROUBLE, audience=["charlie"])
    turn = await story.turn("vaggie", query="troubles", in_prompt=[])
    assert f"Charlie told you (day 1): Sam, on day 1: {TROUBLE}" in turn.text()


async def test_a_deity_is_shown_what_it_witnessed(story_under: Any) -> None:
    story = await story_under(DEITIES)
    await story.say("sam", TROUBLE, audience=["god"])
    turn = await story.turn("jesus", query="troubles", in_prompt=[])
    assert f"You witnessed: Sam, on day 1: {TROUBLE}" in turn.text()


async def test_the_chain_is_explained_in_a_sentence_and_a_retraction_follows_it(story_under: Any) -> None:
    rules = {"share_direct_interactions": True, "max_hops": 2, "delay": 1, "reliability": 0.5}
    chain = {
        "slug": "hotel",
        "rules": {**rules, "share_with": ["vaggie"]},
        "members": ["charlie", {"id": "vaggie", "rules": {"share_with": ["angel_dust"]}}, "angel_dust"],
    }
    story = await story_under(chain)
    await story.say("sam", TROUBLE, audience=["charlie"], key="m1")
    await story.change(game_day=3)
    (memory,) = await known(story, "angel_dust")
    explained = await story.backstage().explain(memory.id)
    assert explained.chain == (
        "angel_dust was told by vaggie on day 3 (hotel:share_direct_interactions, trust 0.25), "
        "who was told by charlie on day 2 (hotel:share_direct_interactions, trust 0.5), who heard it from sam on day 1"
    )
    (vaggies,) = await known(story, "vaggie")
    await story.retract(vaggies.id)
    assert await known(story, "angel_dust") == []
    assert len(await known(story, "charlie")) == 1


async def test_told_one_thing_by_one_and_the_contrary_by_another_both_are_kept_with_whom_is_believed(
    story_under: Any,
) -> None:
    def telling(who: str, reliability: float) -> dict[str, Any]:
        return {"id": who, "rules": {"share_with": ["vaggie"], "reliability": reliability}}

    story = await story_under(
        {"slug": "hotel", "members": [telling("charlie", 0.9), telling("angel_dust", 0.2), "vaggie"]}
    )
    await story.say("sam", "The king died of fever.", audience=["charlie"])
    await story.say("sam", "The king did not die of fever.", audience=["angel_dust"])
    await story.delivered()
    vaggie = (await story.backstage().who_knows("Did the king die of fever?")).knowers["vaggie"]
    assert vaggie.contrary is not None
    assert (vaggie.trust, vaggie.contrary.trust, vaggie.believes_the_contrary) == (0.9, 0.2, False)
    assert str(vaggie) == (
        "vaggie: was told by charlie on day 1 (trust 0.9), and was told the contrary by angel_dust on day 1 "
        "(trust 0.2) and believes the first"
    )
