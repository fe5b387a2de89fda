"""What a player's own group of friends tells: nothing that concerns a persona of another user."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Session
from earwitness.containers import pantheon_container
from earwitness.errors import NotPermitted
from earwitness.testing.reference import MemoryLedger, MemoryStore

Opener = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
MEI = Character("mei", kind="persona", user_id="u2", persona_id="p2")
CAST = ["charlie", "vaggie", KENJI, MEI]
GROUP: dict[str, Any] = {"members": ["charlie", "vaggie", "kenji"], "rules": {"propagate_all": True, "max_hops": 3}}


async def known(story: Session, who: str, word: str) -> bool:
    await story.delivered()
    turn = await story.turn(who, query=word, in_prompt=[], memories=20)
    return any(word in each.text for each in turn.memories)


@pytest.fixture(params=["copies", "hub"])
def group(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {**GROUP, "rules": {**GROUP["rules"], "hub_from": 2 if request.param == "hub" else 99}}


@pytest.mark.parametrize(
    ("speaker", "text", "audience", "is_told"),
    [
        ("charlie", "The lamp is out.", [], True),
        ("kenji", "The lamp is mine.", ["charlie"], True),
        ("mei", "The lamp is a secret.", ["charlie"], False),
        ("charlie", "The lamp is for you.", ["mei"], False),
        ("charlie", "The lamp is what Mei broke.", [], False),
        ("charlie", "*_Mei_ broke the lamp.*", [], False),
        ("charlie", "The lamp from Meis Schwester.", [], False),
        ("mei", "The lamp is for all.", ["kenji", "charlie"], False),
    ],
)
async def test_it_tells_what_no_other_users_persona_lived(
    open_app: Opener, group: dict[str, Any], speaker: str, text: str, audience: list[str], is_told: bool
) -> None:
    ew = await open_app(relationships={})
    story = await ew.session("s", cast=CAST)
    await story.relationships.acting(role="player", user="u1").pantheons.create("mine", **group)
    await story.say(speaker, text, audience=audience)
    assert await known(story, "vaggie", "lamp") == is_told
    assert await known(story, "kenji", "lamp") == (is_told or "kenji" in audience)


@pytest.mark.parametrize(("persona", "is_told"), [("p1", True), ("p2", False), ("p9", False)])
async def test_it_tells_nothing_of_the_channel_of_another_users_persona(
    open_app: Opener, persona: str, is_told: bool
) -> None:
    ew = await open_app(relationships={})
    story = await ew.session("s", cast=CAST)
    await story.relationships.acting(role="player", user="u1").pantheons.create("mine", **GROUP)
    channel = Channel(context="public_channel", channel_id="c", persona_id=persona)
    await story.say("charlie", "The lamp is out.", audience=[], channel=channel)
    assert await known(story, "vaggie", "lamp") == is_told


async def test_a_player_cannot_widen_it_by_other_rules(open_app: Opener, tmp_path: Path) -> None:
    ew = await open_app(relationships={"graph": {"name": "networkx", "path": str(tmp_path / "g.db")}})
    story = await ew.session("s", cast=CAST)
    mine = story.relationships.acting(role="player", user="u1")
    await mine.pantheons.create("mine", **GROUP)
    await mine.pantheons.change("mine", rules={"propagate_all": True, "omniscient": True}, description="Friends")
    await mine.pantheons.change_member("mine", "charlie", rules={"share_with": ["kenji"], "gossip_about_others": True})
    await mine.relate("charlie", "kenji", "pal", rules=["propagate_all", "share_direct_interactions"], pantheon="mine")
    await story.say("mei", "The lamp is a secret.", audience=["charlie"])
    assert not await known(story, "kenji", "lamp")


async def test_the_group_of_an_author_tells_what_its_rules_say(open_app: Opener) -> None:
    ew = await open_app(relationships={})
    story = await ew.session("s", cast=CAST)
    await story.relationships.acting(role="author", user="u1").pantheons.create("mine", **GROUP)
    await story.say("mei", "The lamp is a secret.", audience=["charlie"])
    assert await known(story, "kenji", "lamp")


async def test_a_preview_says_why_it_is_not_told(open_app: Opener) -> None:
    ew = await open_app(relationships={})
    story = await ew.session("s", cast=CAST)
    await story.relationships.acting(role="player", user="u1").pantheons.create("mine", **GROUP)
    preview = await story.backstage().preview("mei", "The lamp is a secret.", audience=["charlie"], days=3)
    assert "it concerns the persona of another user than u1" in str(preview)


async def test_a_player_takes_no_name_of_a_pantheon_that_is_gone(open_app: Opener, tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("nile: {members: [charlie, vaggie], rules: {propagate_all: true, hub_from: 2}}")
    ew = await open_app(relationships={"rules": str(tmp_path / "r.yaml")})
    story = await ew.session("s", cast=CAST)
    await story.say("charlie", "The lamp is out.", audience=[])
    await story.delivered()
    await story.relationships.pantheons.remove("nile")
    with pytest.raises(NotPermitted, match="may not name a pantheon 'nile': one that is gone had that name"):
        await story.relationships.acting(role="player", user="u1").pantheons.create("nile", members=["kenji"])


@pytest.mark.parametrize("rules", [{"share_with": ["vaggie", "angel"]}, {"propagate_all": True}], ids=["named", "all"])
async def test_it_tells_nobody_who_is_no_member_any_more(open_app: Opener, rules: dict[str, Any]) -> None:
    ew = await open_app(relationships={})
    story = await ew.session("s", cast=[*CAST, "angel"])
    mine = story.relationships.acting(role="player", user="u1")
    await mine.pantheons.create("mine", members=["charlie", "vaggie", "angel"], rules=rules)
    await mine.relate("charlie", "angel", "pal", rules=["share_direct_interactions"])
    await mine.pantheons.remove_member("mine", "angel")
    await story.say("charlie", "The lamp is out.", audience=[])
    assert [await known(story, who, "lamp") for who in ("vaggie", "angel")] == [True, False]
    await mine.pantheons.remove_member("mine", "charlie")
    await story.say("charlie", "The door is shut.", audience=[])
    assert [await known(story, who, "door") for who in ("vaggie", "angel")] == [False, False]


async def test_a_player_ends_a_relation_of_their_own_group_alone(open_app: Opener) -> None:
    ew = await open_app(relationships={})
    story = await ew.session("s", cast=CAST)
    mine, others = (story.relationships.acting(role="player", user=user) for user in ("u1", "u2"))
    await mine.pantheons.create("mine", **GROUP)
    await mine.relate("charlie", "vaggie", "pal", rules=["share_direct_interactions"])
    await story.relationships.relate("charlie", "vaggie", "rival")
    for who, type in ((others, "pal"), (mine, "rival"), (others, "rival")):
        with pytest.raises(NotPermitted):
            await who.end("charlie", "vaggie", type)
    await mine.end("charlie", "vaggie", "pal")
    await story.change(game_day=2)
    assert [each.type for each in await mine.relations("charlie", types=["pal", "rival"])] == ["rival"]


async def test_nor_of_one_that_only_an_earlier_rule_file_had(open_app: Opener, tmp_path: Path) -> None:
    kept = {"ledger": MemoryLedger(), "store": MemoryStore()}
    file = tmp_path / "r.yaml"
    file.write_text("nile: {members: [charlie, vaggie], rules: {propagate_all: true, hub_from: 2}}")
    first = await open_app(relationships={"rules": str(file)}, **kept)
    story = await first.session("s", cast=CAST)
    await story.say("charlie", "Hello.", audience=[])
    await story.delivered()
    await story.remember(None, "Where the lamp is kept.", container=pantheon_container("nile"))
    await story.delivered()
    file.write_text("rhine: {members: [charlie]}")
    again = await (await open_app(relationships={"rules": str(file)}, **kept)).session("s")
    with pytest.raises(NotPermitted, match="one that is gone had that name"):
        await again.relationships.acting(role="player", user="u1").pantheons.create("nile", members=["kenji"])
    assert not await known(again, "kenji", "lamp")


@pytest.mark.parametrize("level", ["pantheon", "member"])
@pytest.mark.parametrize("off", [False, True])
async def test_share_with_alone_tells_what_its_level_lived(
    open_app: Opener, tmp_path: Path, level: str, off: bool
) -> None:
    rules = "{share_with: [vaggie, inn]" + (", share_direct_interactions: false}" if off else "}")
    members = f"[{{id: charlie, rules: {rules}}}]" if level == "member" else f"[charlie], rules: {rules}"
    (tmp_path / "r.yaml").write_text(f"town: {{members: {members}}}\ninn: {{members: [angel]}}\n")
    ew = await open_app(relationships={"rules": str(tmp_path / "r.yaml")})
    story = await ew.session("s", cast=[*CAST, "angel"])
    await story.say("charlie", "The lamp is out.", audience=[])
    assert [await known(story, who, "lamp") for who in ("vaggie", "angel", "mei")] == [not off, not off, False]
