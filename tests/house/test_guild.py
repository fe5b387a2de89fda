"""A thieves' guild, installed as a distribution of its own, in a story whose store is closed and opened again.

It adds a kind of container with memberships, a read provider, a guard that marks, a sharing rule with a delayed second
hop, a derived memory and a settings table. `test_third_party.py` checks that it imports public names only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from earwitness import Container, Earwitness, Membership, Recalled, Session, Settings
from earwitness.errors import PluginError, SettingsError

SETTINGS = """
path = "guild.db"
strict = true

[guild]
secret = "vault"
runners = ["bob", "charlie", "dora"]
delay = 2
"""
THIEVES = Container(name="guild-thieves", kind="guild", owner="thieves")
QUERY = "When does the vault open?"
NOTE = 'Alice was heard saying: "The vault opens at midnight."'


@pytest.fixture(scope="module", autouse=True)
def installed(install: Callable[[str], Path]) -> Iterator[None]:
    """The distribution `guild`, importable and with its entry points."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(install("guild"))
        yield


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """The host's settings file; its store lies beside it."""
    file = tmp_path / "earwitness.toml"
    file.write_text(SETTINGS, "utf-8")
    return file


@pytest.fixture
async def told(settings: Path) -> Path:
    """The settings of a closed store: on day 1, in a direct message, Alice has told Bob the secret."""
    async with Earwitness.open(settings=settings) as ew:
        await ew.register(THIEVES)
        await ew.admit(THIEVES, "bob", since=2, until=5)
        await ew.admit(THIEVES, "eve")
        story = await ew.session("s1", cast=["alice", "bob", "charlie", "dora", "eve"])
        await story.say("alice", "The vault opens at midnight.", key="tip", audience=["bob"], context="dm")
        await story.say("bob", "What a fine day to open a bakery.", key="chat", audience=["alice"])
        await story.delivered()
    return settings


async def guild_knowledge(story: Session, character: str) -> list[str]:
    """What a character recalls in the section of the guild."""
    turn = await story.turn(character, query=QUERY, in_prompt=[])
    assert turn.failures == ()
    return [each.text for each in turn.sections().get("guild", ())]


async def test_a_guild_is_a_container_of_a_kind_of_its_own_with_members(told: Path) -> None:
    from earwitness_guild import guild_container

    async with Earwitness.open(settings=told) as ew:
        assert await ew.containers(kind="guild") == (THIEVES,) == (guild_container("thieves"),)
        assert await ew.memberships(container=THIEVES) == (
            Membership(container="guild-thieves", member="bob", since=2, until=5),
            Membership(container="guild-thieves", member="eve"),
        )


async def test_members_read_what_the_guild_knows_while_they_are_members(told: Path) -> None:
    readers = {}
    for day in (1, 2, 5, 6):
        async with Earwitness.open(settings=told) as ew:
            story = await ew.open_session("s1")
            await story.change(game_day=day)
            found = {id: await guild_knowledge(story, id) for id in ("alice", "bob", "eve")}
            readers[day] = [id for id, texts in found.items() if texts == [NOTE]]
    assert readers == {1: ["eve"], 2: ["bob", "eve"], 5: ["bob", "eve"], 6: ["eve"]}


async def test_what_the_guild_knows_stands_under_its_own_heading(told: Path) -> None:
    async with Earwitness.open(settings=told) as ew:
        story = await ew.open_session("s1")
        await story.change(game_day=2)
        turn = await story.turn("bob", query=QUERY, in_prompt=[])
        assert list(turn.sections()) == ["memories", "guild"]
        assert "### What the guild knows\n1. Fact: Alice was heard saying" in turn.text()
        assert "The vault opens at midnight" in turn.text("memories")


async def test_what_was_said_in_a_direct_message_is_known_but_not_sayable_in_public(told: Path) -> None:
    async with Earwitness.open(settings=told) as ew:
        story = await ew.open_session("s1")
        await story.change(game_day=2)
        private = await story.turn("bob", query=QUERY, in_prompt=[], context="dm")
        public = await story.turn("bob", query=QUERY, in_prompt=[], context="public_channel")
    assert reasons(private.memories) == {"vault": None, NOTE: None, "bakery": None}
    assert reasons(public.memories) == {"vault": "said in private", NOTE: "said in private", "bakery": None}


def reasons(memories: Iterable[Recalled]) -> dict[str, str | None]:
    """The guild's note, or the word by which we know a message → why it must not be said."""
    words = ("bakery", "vault")
    return {
        next((word for word in words if each.section == "memories" and word in each.text), each.text): each.unsayable
        for each in memories
    }


async def test_the_secret_hops_from_runner_to_runner_each_on_its_day(told: Path) -> None:
    learned = {}
    for day in (2, 3, 4, 5):
        async with Earwitness.open(settings=told) as ew:
            story = await ew.open_session("s1")
            await story.change(game_day=day)
            known = str(await story.backstage().who_knows("Does the vault open at midnight?")).splitlines()
            learned[day] = [line for line in known if "was told" in line]
    first, second = "charlie: was told by bob on day 3", "dora: was told by charlie on day 5"
    assert learned == {2: [], 3: [first], 4: [first], 5: [first, second]}


async def test_the_guilds_note_falls_with_the_message_it_rests_on(told: Path) -> None:
    async with Earwitness.open(settings=told) as ew:
        story = await ew.open_session("s1")
        assert await guild_knowledge(story, "eve") == [NOTE]
        await story.retract("tip")
        await story.delivered()
    async with Earwitness.open(settings=told) as ew:
        assert await guild_knowledge(await ew.open_session("s1"), "eve") == []


async def test_the_guild_remembers_in_another_story_after_the_first_is_forgotten(told: Path) -> None:
    async with Earwitness.open(settings=told) as ew:
        await ew.forget("s1")
    async with Earwitness.open(settings=told) as ew:
        story = await ew.session("s2", cast=["eve", "bob"])
        assert await guild_knowledge(story, "eve") == [NOTE]
        assert await guild_knowledge(story, "bob") == []


async def test_the_guild_listens_for_what_its_settings_name(settings: Path) -> None:
    crown = Settings.load(settings).changed(guild={"secret": "crown"})
    async with Earwitness.open(settings=crown) as ew:
        await ew.register(THIEVES)
        await ew.admit(THIEVES, "eve")
        story = await ew.session("s1", cast=["alice", "eve"], present=["alice"])
        await story.say("alice", "The vault opens at midnight.")
        await story.say("alice", "The Crown is in it.")
        await story.delivered()
        assert await guild_knowledge(story, "eve") == ['Alice was heard saying: "The Crown is in it."']


def test_a_mistake_in_the_guilds_table_is_named_with_its_line(settings: Path) -> None:
    settings.write_text(SETTINGS.replace("delay = 2", "delay = 0"), "utf-8")
    with pytest.raises(SettingsError, match=r"earwitness\.toml:\d+:\d+: .*guild"):
        Earwitness.open(settings=settings)


async def test_the_guilds_strategies_are_in_use_only_where_its_table_stands(tmp_path: Path) -> None:
    bare = Earwitness.open(tmp_path / "bare.db")
    assert "guild" not in {each.name for each in bare.engine.askable} | set(bare.engine.plugins.names)
    named = Settings.of(path=str(tmp_path / "named.db"), guards=["guild"], guild={"secret": "vault"})
    assert [each.name for each in Earwitness.open(settings=named).engine.guards] == ["guild"]


async def test_a_store_and_a_story_have_what_the_package_adds(told: Path) -> None:
    async with Earwitness.open(settings=told) as ew:
        assert "guild" in dir(ew)
        await ew.guild.enroll("dora")
        assert ew.guild is ew.guild
        story = await ew.open_session("s1")
        await story.guild.hire("eve", key="hired")
        await story.settled()
        await story.change(game_day=7)
        await story.delivered()
        known = str(await story.backstage().who_knows("Does the vault open at midnight?"))
        assert "eve: reads it in the guild 'thieves' since day 1" in known
        (told_on,) = (await story.backstage().inspect("eve")).memories
        assert str(told_on.learned) == "was told by dora"
        assert told_on.learned_day == 7
        assert await guild_knowledge(story, "dora") == [NOTE]
        await story.retract("hired")
        await story.settled()
        assert story.guild.hired == ()


def test_the_synchronous_face_has_it_too(settings: Path) -> None:
    from earwitness.sync import Earwitness as SyncEarwitness

    with SyncEarwitness.open(settings=settings) as ew:
        assert ew.guild.enroll("eve") == Membership(container="guild-thieves", member="eve")
        story = ew.session("s1", cast=["eve"])
        story.guild.hire("eve").decided()
        assert story.guild.hired == ("eve",)
        with pytest.raises(AttributeError, match="Did you mean 'guild'"):
            story.gild  # noqa: B018


async def test_an_extension_that_cannot_be_loaded_is_named(settings: Path) -> None:
    ew = Earwitness.open(settings=settings)
    with pytest.raises(
        PluginError, match=r"the extension 'broken' \(earwitness_guild.nowhere:Nothing\) cannot be used"
    ):
        ew.broken  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing_at_all'"):
        ew.nothing_at_all  # noqa: B018
