"""Relations and pantheons are made, changed and removed at run time, for all stories or in one story's journal."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session
from earwitness.errors import InputError, NotPermitted, UnknownName
from earwitness_relationships.errors import RulesError
from earwitness_relationships.graph import Relation
from earwitness_relationships.rules import Member, Rules

CAST = ["charlie", "vaggie", "angel_dust", "alastor"]
RULES = """\
hotel:
  name: The Hotel
  members: [charlie, {id: vaggie, role: observer}]
  relationships:
    - {from: charlie, to: vaggie, type: couple, rules: [share_direct_interactions]}
"""


@pytest.fixture
async def ew(tmp_path: Path) -> AsyncIterator[Earwitness]:
    (tmp_path / "rules.yaml").write_text(RULES, "utf-8")
    settings = {"path": str(tmp_path / "s.db"), "relationships": {"rules": str(tmp_path / "rules.yaml")}}
    async with Earwitness.open(settings=settings, strict=True) as opened:
        yield opened


@pytest.fixture
async def story(ew: Earwitness) -> Session:
    return await ew.session("s1", cast=CAST, state={"game_day": 5})


async def types(where: Any, node: str, day: float | None = None) -> list[str]:
    found = await where.relationships.relations(node, day=day, direction="out")
    return sorted(each.type for each in found if each.type != "PART_OF")


async def members(where: Any, slug: str = "hotel") -> list[tuple[str, str]]:
    pantheon = await where.relationships.pantheons.get(slug)
    return [(each.personality_id, each.role) for each in pantheon.members]


# ── relations ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_relation_holds_from_a_day_to_a_day_and_keeps_its_past(ew: Earwitness) -> None:
    await ew.relationships.relate("charlie", "alastor", "partner", weight=0.4, since=2)
    await ew.relationships.relate("charlie", "alastor", "partner", weight=0.9, since=6)
    await ew.relationships.end("charlie", "alastor", "partner", until=8)
    weights = {}
    for day in (1, 2, 6, 8, 9):
        found = await ew.relationships.relations("charlie", day=day, types=["partner"])
        weights[day] = [each.weight for each in found]
    assert weights == {1: [], 2: [0.4], 6: [0.9], 8: [0.9], 9: []}


async def test_all_stories_see_what_is_said_of_all_and_none_what_another_story_says(
    ew: Earwitness, story: Session
) -> None:
    other = await ew.session("s2", cast=CAST)
    await ew.relationships.relate("charlie", "alastor", "partner")
    await story.relationships.relate("charlie", "angel_dust", "friend")
    assert await types(story, "charlie", 5) == ["friend", "partner"]
    assert await types(other, "charlie", 5) == ["partner"]
    assert await types(ew, "charlie") == ["partner"]


async def test_in_a_story_a_relation_begins_and_ends_today(story: Session) -> None:
    await story.relationships.relate("charlie", "alastor", "partner", mutual=True)
    await story.change(game_day=7)
    await story.relationships.end("charlie", "alastor", "partner")
    assert [await types(story, "charlie", day) for day in (4, 5, 7, 8)] == [[], ["partner"], ["partner"], []]
    assert await types(story, "alastor", 8) == ["partner"]


async def test_a_retraction_takes_a_relation_back(story: Session) -> None:
    outcome = await story.relationships.relate("charlie", "alastor", "partner", key="deal")
    assert await types(story, "charlie", 5) == ["partner"]
    await (await story.retract(outcome.key)).settled()
    assert await types(story, "charlie", 5) == []


async def test_a_branch_has_what_was_said_before_it_and_goes_its_own_way(story: Session) -> None:
    await story.relationships.relate("charlie", "alastor", "partner", key="deal")
    branch = await story.fork("s1-b", at="deal")
    await branch.relationships.end("charlie", "alastor", "partner", until=5)
    assert await types(branch, "charlie", 6) == []
    assert await types(story, "charlie", 6) == ["partner"]


async def test_what_a_story_said_survives_closing_and_export(ew: Earwitness, story: Session) -> None:
    await story.relationships.relate("charlie", "alastor", "partner")
    await story.relationships.pantheons.add_member("hotel", "alastor")
    copy = await ew.import_session([line async for line in story.backstage().export()], id="copy")
    assert await types(copy, "charlie", 6) == ["partner"]
    assert ("alastor", "member") in await members(copy)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": "charlie", "target": "charlie", "type": "friend"}, "is related to itself"),
        ({"source": "charlie", "target": "x'}) DELETE", "type": "friend"}, "which no id may contain"),
        ({"source": "charlie", "target": "vaggie", "type": "a b"}, "'a b' is not a word"),
        ({"source": "charlie", "target": "vaggie", "type": "friend", "weight": -1}, "it must be at least 0"),
        ({"source": "charlie", "target": "vaggie", "type": "friend", "since": 3, "until": 2}, "is before since 3"),
        ({"source": "charlie", "target": "vaggie", "type": "friend", "rules": ["gosip"]}, "unknown rule 'gosip'"),
        (
            {"source": "charlie", "target": "angel_dust", "type": "friend", "rules": {}},
            "members of no pantheon together: say which the rules belong to, with pantheon=…. Known: hotel.",
        ),
        (
            {"source": "charlie", "target": "vaggie", "type": "friend", "rules": {}, "pantheon": "hotle"},
            "unknown pantheon 'hotle'. Known: hotel. Did you mean 'hotel'?",
        ),
    ],
)
async def test_what_cannot_be_said_is_refused_with_the_reason(ew: Earwitness, given: dict[str, Any], said: str) -> None:
    with pytest.raises(RulesError) as refused:
        await ew.relationships.relate(**given)
    assert said in str(refused.value)


async def test_a_relation_may_be_to_somebody_who_joins_later_and_weigh_as_much_as_a_count(story: Session) -> None:
    assert "husk" not in story.cast
    await story.relationships.relate("charlie", "husk", "patron", weight=12)
    await story.join("husk")
    (found,) = await story.relationships.relations("husk", min_weight=11)
    assert (found.source, found.target, found.weight) == ("charlie", "husk", 12)


async def test_an_end_of_nothing_is_refused(story: Session) -> None:
    with pytest.raises(InputError, match="'charlie' is not related to 'alastor' as 'rival' on day 5"):
        await story.relationships.end("charlie", "alastor", "rival")


async def test_rules_can_come_with_a_relation_and_a_relation_of_the_file_can_end(story: Session) -> None:
    await story.relationships.pantheons.add_member("hotel", "alastor")
    await story.relationships.relate("charlie", "alastor", "partner", rules=["gossipAboutOthers", {"delay": 2}])
    await story.relationships.end("charlie", "vaggie", "couple", until=6)
    (hotel,) = (await story.relationships.book()).pantheons
    found = {(each.target, each.type): each for each in hotel.relationships}
    assert found["alastor", "partner"].rules == Rules(gossip_about_others=True, delay=2)
    assert (found["vaggie", "couple"].until, found["vaggie", "couple"].rules) == (
        6,
        Rules(share_direct_interactions=True),
    )


async def test_the_table_is_needed(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "s.db") as bare:
        with pytest.raises(InputError, match=r"need the settings table \[relationships\]"):
            await bare.relationships.relate("a", "b", "friend")


# ── pantheons ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_pantheon_is_made_changed_and_removed_with_its_memberships(ew: Earwitness) -> None:
    pantheons = ew.relationships.pantheons
    await pantheons.create("poker", name="Poker", members=["alastor", {"id": "angel_dust", "role": "leader"}])
    await pantheons.change("poker", name="Poker Night", rules={"propagateAll": {"as": "witnessed"}})
    found = await pantheons.get("poker")
    assert (found.name, found.type, found.rules) == (
        "Poker Night",
        "friend_group",
        Rules(propagate_all=True, manner="witnessed"),
    )
    assert sorted(await members(ew, "poker")) == [("alastor", "member"), ("angel_dust", "leader")]
    assert found.created_at is not None
    assert found.changed_at is not None
    await pantheons.remove("poker")
    assert [each.slug for each in await pantheons.all()] == ["hotel"]
    await pantheons.create("poker")
    assert await members(ew, "poker") == []


async def test_a_pantheon_of_the_file_can_be_changed_and_removed_too(ew: Earwitness) -> None:
    pantheons = ew.relationships.pantheons
    await pantheons.change("hotel", name="Hotel")
    assert (await pantheons.get("hotel")).name == "Hotel"
    assert await members(ew) == [("charlie", "member"), ("vaggie", "observer")]
    await pantheons.remove("hotel")
    assert await pantheons.all() == ()
    await pantheons.create("hotel", members=["alastor"])
    assert await members(ew) == [("alastor", "member")]
    assert (await pantheons.get("hotel")).relationships == ()


async def test_members_join_change_leave_and_return(story: Session) -> None:
    pantheons = story.relationships.pantheons
    await pantheons.add_member("hotel", "alastor", role="observer", rules={"omniscient": True})
    await pantheons.change_member("hotel", "alastor", role="member")
    await pantheons.end_member("hotel", "alastor", until=6)
    await pantheons.add_member("hotel", "alastor", since=9)
    found = [each for each in (await pantheons.get("hotel")).members if each.personality_id == "alastor"]
    assert found == [
        Member(personality_id="alastor", since=5, until=6, rules=Rules(omniscient=True)),
        Member(personality_id="alastor", since=9),
    ]
    await pantheons.remove_member("hotel", "alastor")
    assert await members(story) == [("charlie", "member"), ("vaggie", "observer")]


async def test_a_member_of_the_file_changes_leaves_and_returns_too(ew: Earwitness) -> None:
    pantheons = ew.relationships.pantheons
    await pantheons.change_member("hotel", "vaggie", role="leader")
    await pantheons.remove_member("hotel", "charlie")
    assert await members(ew) == [("vaggie", "leader")]
    assert "PART_OF" not in {each.type for each in await ew.relationships.relations("charlie", day=1)}
    await pantheons.add_member("hotel", "charlie", since=3)
    assert sorted(await members(ew)) == [("charlie", "member"), ("vaggie", "leader")]


async def test_a_membership_is_unique(ew: Earwitness) -> None:
    with pytest.raises(RulesError, match=r"'charlie' is a member of 'hotel' already\. A membership is unique"):
        await ew.relationships.pantheons.add_member("hotel", "charlie")
    with pytest.raises(RulesError, match="'Hotel' already exists"):
        await ew.relationships.pantheons.create("Hotel")


async def test_each_membership_of_a_story_can_be_taken_back_by_itself(story: Session) -> None:
    pantheons = story.relationships.pantheons
    first = await pantheons.add_member("hotel", "alastor")
    await pantheons.add_member("hotel", "angel_dust")
    await (await story.retract(first.key)).settled()
    assert await members(story) == [("charlie", "member"), ("vaggie", "observer"), ("angel_dust", "member")]


async def test_rules_that_change_at_run_time_change_who_learns(story: Session) -> None:
    await (await story.enter("charlie", "alastor")).settled()
    before = await (await story.say("alastor", "The radio is mine.", present=["charlie"])).settled()
    await story.relationships.pantheons.add_member("hotel", "angel_dust")
    await story.relationships.relate("charlie", "angel_dust", "friend", rules="share_direct_interactions")
    await (await story.say("alastor", "The tower is mine too.", present=["charlie"])).settled()
    turn = await story.turn("angel_dust", query="What is Alastor's?")
    assert before.participants
    assert [hit.memory.content.count("tower") for hit in turn.memories] == [1]


# ── permissions ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_player_makes_a_group_of_friends_and_changes_only_that(ew: Earwitness) -> None:
    mine = ew.relationships.acting(role="player", user="u7")
    await mine.pantheons.create("my_friends", members=["charlie"])
    assert (await mine.pantheons.get("my_friends")).owner == "u7"
    await mine.pantheons.add_member("my_friends", "vaggie")
    await mine.relate("charlie", "vaggie", "friend", rules=["share_direct_interactions"], pantheon="my_friends")
    theirs = ew.relationships.acting(role="player", user="u8")
    for refused in (
        lambda: theirs.pantheons.add_member("my_friends", "alastor"),
        lambda: mine.pantheons.change("hotel", name="Mine"),
        lambda: mine.pantheons.create("gods", type="deity_pantheon"),
        lambda: mine.pantheons.change("my_friends", type="deity_pantheon"),
        lambda: mine.relate("charlie", "alastor", "enemy"),
        lambda: mine.end("charlie", "vaggie", "couple", until=3),
    ):
        with pytest.raises(NotPermitted, match="role 'player' may not"):
            await refused()
    with pytest.raises(NotPermitted, match="The role owner may, and user 'u7', who made it"):
        await ew.relationships.acting(role="designer").pantheons.remove("my_friends")
    await ew.relationships.acting(role="owner").pantheons.remove("my_friends")


async def test_many_relations_are_loaded_in_batches(ew: Earwitness) -> None:
    many = [Relation(source=f"p{n}", target=f"p{n + 1}", type="KNOWS") for n in range(25)]
    assert await ew.relationships.load(iter(many), batch=10) == 25
    assert await ew.relationships.load(many) == 25
    assert len([each for n in range(25) for each in await ew.relationships.relations(f"p{n}", direction="out")]) == 25
    with pytest.raises(NotPermitted, match="role 'player' may not"):
        await ew.relationships.acting(role="player", user="u7").load(many)


async def test_in_a_story_a_player_includes_its_characters_and_their_own_personas(ew: Earwitness) -> None:
    personas = [Character("ann", kind="persona", user_id="u7"), Character("bea", kind="persona", user_id="u8")]
    story = await ew.session("s2", cast=[*CAST, *personas])
    mine = story.relationships.acting(role="player", user="u7").pantheons
    await mine.create("my_friends", members=["charlie", "ann"])
    for who, why in (("bea", "a persona of another user"), ("lucifer", "who is not in this story")):
        with pytest.raises(NotPermitted, match=why):
            await mine.add_member("my_friends", who)
        with pytest.raises(NotPermitted, match=why):
            await mine.create("others", members=[who])
    with pytest.raises(NotPermitted, match="user 'u9' plays nobody in this story"):
        await story.relationships.acting(role="player", user="u9").pantheons.create("club", members=["charlie"])
    await story.relationships.acting(role="author").pantheons.create("all", members=["bea", "lucifer"])


async def test_a_players_group_tells_its_members_only(ew: Earwitness) -> None:
    """Otherwise a player's persona would learn what others' characters are told by somebody outside the group."""
    ann = Character("ann", kind="persona", user_id="u7", persona_id="p7")
    bea = Character("bea", kind="persona", user_id="u8", persona_id="p8")
    story = await ew.session("s2", cast=[*CAST, ann, bea])
    mine = story.relationships.acting(role="player", user="u7")
    await mine.pantheons.create("mine", members=["charlie"])
    for source, target, why in (
        ("vaggie", "ann", "'vaggie', who is not a member of 'mine'. Members: charlie"),
        ("charlie", "ann", "'ann', who is not a member of 'mine'"),
        ("bea", "ann", "'bea', a persona of another user"),
    ):
        with pytest.raises(NotPermitted, match=why):
            await mine.relate(source, target, "spy", rules=["share_direct_interactions"], pantheon="mine")
    stranger = {"share_direct_interactions": True, "share_with": ["bea"]}
    along = {"share_direct_interactions": True, "relation_types": ["couple"]}
    for rules, why in ((stranger, "may not share with 'bea'"), (along, "along relations of the graph")):
        for refused in (
            lambda rules=rules: mine.pantheons.create("other", members=[{"id": "charlie", "rules": rules}]),
            lambda rules=rules: mine.pantheons.change("mine", rules=rules),
            lambda rules=rules: mine.pantheons.add_member("mine", "ann", rules=rules),
            lambda rules=rules: mine.pantheons.change_member("mine", "charlie", rules=rules),
        ):
            with pytest.raises(NotPermitted, match=why):
                await refused()
    await mine.pantheons.add_member("mine", "ann", rules={"share_with": ["charlie"]})
    await mine.relate("charlie", "ann", "friend", rules=["share_direct_interactions"], pantheon="mine")
    await story.say("bea", "I have stolen the crown.", audience=["vaggie"])
    assert not (await story.turn("ann", query="crown", in_prompt=[])).memories


async def test_a_player_gives_the_rules_of_others_no_new_listeners(ew: Earwitness) -> None:
    """A pantheon named like somebody in `share_with`, or a relation along which others' rules tell, would."""
    story = await ew.session("s2", cast=[*CAST, Character("ann", kind="persona", user_id="u7", persona_id="p7")])
    await story.relationships.pantheons.create(
        "confidants", rules={"share_direct_interactions": True, "relation_types": ["couple"]}, members=["charlie"]
    )
    await story.relationships.pantheons.create("notes", rules={"share_with": ["diary"]}, members=["vaggie"])
    mine = story.relationships.acting(role="player", user="u7")
    for slug in ("charlie", "diary"):
        with pytest.raises(NotPermitted, match="that is somebody's name"):
            await mine.pantheons.create(slug, members=["ann"])
    await mine.pantheons.create("mine", members=["charlie", "ann"])
    with pytest.raises(NotPermitted, match="rules of 'confidants' tell along such relations"):
        await mine.relate("charlie", "ann", "couple", rules=["share_direct_interactions"], pantheon="mine")


async def test_who_plays_nobody_in_a_story_changes_no_pantheons_there(ew: Earwitness) -> None:
    story = await ew.session("s2", cast=[*CAST, Character("ann", kind="persona", user_id="u7")])
    await story.relationships.acting(role="author", user="u9").pantheons.create("club", members=["charlie", "vaggie"])
    guest = story.relationships.acting(role="player", user="u9")
    for refused in (
        lambda: guest.pantheons.create("empty"),
        lambda: guest.pantheons.change("club", name="Mine"),
        lambda: guest.relate("charlie", "vaggie", "friend", rules=["propagate_all"], pantheon="club"),
    ):
        with pytest.raises(NotPermitted, match="user 'u9' plays nobody in this story"):
            await refused()


async def test_a_role_must_be_known_and_a_player_have_a_user(ew: Earwitness) -> None:
    with pytest.raises(UnknownName, match="unknown role 'boss'"):
        ew.relationships.acting(role="boss")
    with pytest.raises(InputError, match="needs the user who acts"):
        ew.relationships.acting(role="player")


def test_without_await_everything_is_the_same(tmp_path: Path) -> None:
    from earwitness.sync import Earwitness as Plain

    with Plain.open(settings={"path": str(tmp_path / "s.db"), "relationships": {}}) as ew:
        ew.relationships.pantheons.create("poker", members=["alastor"])
        story = ew.session("s1", cast=CAST)
        story.relationships.relate("alastor", "charlie", "partner", rules=["propagate_all"], pantheon="poker")
        assert [each.slug for each in story.relationships.pantheons.all()] == ["poker"]
