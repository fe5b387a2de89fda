"""A relation keeps its rules: nobody takes it away from a pantheon, a player no other's relation at all."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session
from earwitness.errors import InputError, NotPermitted
from earwitness_relationships.graph.records import Relation

Opener = Callable[..., Awaitable[Earwitness]]
CAST = [
    "greta",
    "charlie",
    Character("kenji", kind="persona", user_id="u1", persona_id="p1"),
    Character("mei", kind="persona", user_id="u2", persona_id="p2"),
]
COUPLE = ("greta", "charlie", "couple")
SHARED = ["share_direct_interactions"]


async def counts(story: Session) -> dict[str, int]:
    """Pantheon → how many relationships have rules in it."""
    return {each.slug: len(each.relationships) for each in (await story.relationships.book()).pantheons}


async def guest(story: Session) -> Any:
    """The relations of a player with a group of their own."""
    mine = story.relationships.acting(role="player", user="u2")
    await mine.pantheons.create("mine", members=["greta", "charlie", "mei"])
    return mine


@pytest.mark.parametrize("day", [1, 2], ids=["the same day", "a later day"])
@pytest.mark.parametrize("who", [{"role": "author", "user": "u9"}, {"role": "owner"}, {"role": "player", "user": "u1"}])
async def test_a_player_does_not_change_the_rules_of_another(open_app: Opener, who: dict[str, str], day: int) -> None:
    story = await (await open_app(relationships={})).session("s", cast=CAST)
    theirs = story.relationships.acting(**who)
    await theirs.pantheons.create("town", members=["greta", "charlie"])
    await theirs.relate(*COUPLE, rules=SHARED, pantheon="town")
    await story.change(game_day=day)
    mine = await guest(story)
    with pytest.raises(NotPermitted, match="'couple' of 'greta' to 'charlie', which has rules in 'town' already"):
        await mine.relate(*COUPLE, rules=["gossip_about_others"], pantheon="mine")
    assert await counts(story) == {"town": 1, "mine": 0}
    await mine.relate("greta", "charlie", "pal", rules=["gossip_about_others"], pantheon="mine")
    await mine.relate("greta", "charlie", "pal", rules=SHARED, pantheon="mine")
    assert await counts(story) == {"town": 1, "mine": 1}


async def test_a_player_does_not_change_the_rules_of_the_file(open_app: Opener, tmp_path: Path) -> None:
    related = [{"from": "greta", "to": "charlie", "type": "couple", "rules": SHARED}]
    rules = {"town": {"members": ["greta", "charlie"], "relationships": related}}
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    story = await (await open_app(relationships={"rules": str(tmp_path / "rules.json")})).session("s", cast=CAST)
    mine = await guest(story)
    with pytest.raises(NotPermitted, match="which has rules in 'town' already"):
        await mine.relate(*COUPLE, rules=SHARED, pantheon="mine")


async def test_a_player_does_not_change_a_relation_without_rules(open_app: Opener) -> None:
    story = await (await open_app(relationships={})).session("s", cast=CAST)
    await story.relationships.relate(*COUPLE, weight=0.9, until=4, attributes={"note": "married"})
    mine = await guest(story)
    with pytest.raises(NotPermitted, match="which was said without rules already"):
        await mine.relate(*COUPLE, weight=0, rules=SHARED, pantheon="mine")
    (kept,) = await story.relationships.relations("greta", types=["couple"])
    assert (kept.weight, kept.attributes) == (0.9, {"note": "married"})
    await story.change(game_day=5)
    await mine.relate(*COUPLE, rules=SHARED, pantheon="mine")
    assert await counts(story) == {"mine": 1}


async def test_no_relation_moves_from_one_pantheon_to_another(open_app: Opener) -> None:
    story = await (await open_app(relationships={})).session("s", cast=CAST)
    owner = story.relationships
    for slug in ("town", "guild"):
        await owner.pantheons.create(slug, members=["greta", "charlie"])
    await owner.relate(*COUPLE, weight=0.5, attributes={"note": "married"})
    await owner.relate(*COUPLE, rules=SHARED, pantheon="town")
    with pytest.raises(InputError, match="since day 1, has rules in 'town': in 'guild' it would lose them"):
        await owner.relate(*COUPLE, rules=SHARED, pantheon="guild")
    with pytest.raises(InputError, match="said without rules it would lose them"):
        await owner.relate(*COUPLE, weight=0.5)
    with pytest.raises(InputError, match="said without rules it would lose them"):
        await owner.load([Relation(source="greta", target="charlie", type="couple", since=1)])
    (kept,) = await owner.relations("greta", types=["couple"])
    assert kept.attributes["note"] == "married"
    await owner.relate(*COUPLE, rules=SHARED, pantheon="guild", since=2)
    assert await counts(story) == {"town": 1, "guild": 1}


async def test_an_author_does_not_touch_the_relations_of_another_users_pantheon(open_app: Opener) -> None:
    story = await (await open_app(relationships={})).session("s", cast=CAST)
    author, other = (story.relationships.acting(role="author", user=user) for user in ("u8", "u9"))
    await author.pantheons.create("town", members=["greta", "charlie"])
    await author.relate(*COUPLE, rules=SHARED, pantheon="town")
    for attempt in (
        lambda: other.end(*COUPLE),
        lambda: other.relate(*COUPLE),
        lambda: other.relate("charlie", "greta", "couple", attributes={"pantheon": "town", "rules": {}}),
    ):
        with pytest.raises(NotPermitted, match="may not change 'town'"):
            await attempt()
    await author.end(*COUPLE)


@pytest.mark.parametrize("who", [{"role": "author", "user": "u9"}, {"role": "owner"}])
async def test_no_relation_makes_a_member_or_ends_a_membership(open_app: Opener, who: dict[str, str]) -> None:
    """Only `pantheons` does: it checks who may, and that a membership is unique."""
    ew = await open_app(relationships={})
    story = await ew.session("s", cast=CAST)
    mine = await guest(story)
    for other in (story.relationships.acting(**who), ew.relationships.acting(**who)):
        for attempt in (
            lambda r: r.relate("kenji", "pantheon-mine", "PART_OF"),
            lambda r: r.relate("greta", "pantheon-mine", "TELLS_IN"),
            lambda r: r.load([Relation(source="kenji", target="pantheon-mine", type="PART_OF")]),
        ):
            with pytest.raises(InputError, match=r"is how a pantheon keeps its members\. Use"):
                await attempt(other)
    with pytest.raises(InputError, match="is how a pantheon keeps its members"):
        await story.relationships.acting(**who).end("greta", "pantheon-mine", "PART_OF")
    found = await mine.pantheons.get("mine")
    assert [each.personality_id for each in found.members] == ["charlie", "greta", "mei"]


async def test_no_update_makes_a_member(open_app: Opener, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("town: {members: [greta]}\nfeeds: {joined: PART_OF}\n")
    story = await (await open_app(relationships={"rules": str(tmp_path / "rules.yaml")})).session("s", cast=CAST)
    for target in ("pantheon-town", "guards"):
        await story.update("Charlie joins", character="charlie", type="joined", target=target)
    found = await story.relationships.pantheons.get("town")
    assert [each.personality_id for each in found.members] == ["greta"]
    assert [each.target for each in await story.relationships.relations("charlie")] == ["guards"]
