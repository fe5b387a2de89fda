"""The read provider `memberships`: what a character is a member of, and what concerns those she is with."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from earwitness import Character, Container, Earwitness
from earwitness.containers import global_canon_container, pantheon_container, persona_container, user_container
from earwitness.errors import SettingsError
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.samples import memory
from earwitness_plugins.read_providers.memberships import Memberships

HERS = (
    global_canon_container("alice"),
    pantheon_container("olympus"),
    pantheon_container("asgard"),
    persona_container("p1", "alice"),
    user_container("u1"),
)
OTHERS = (
    global_canon_container("bob"),
    persona_container("p2", "alice"),
    persona_container("p1", "bob"),
    user_container("u2"),
    Container(name="guild-thieves", kind="guild", owner="thieves"),
)


@pytest.fixture
async def ew() -> AsyncIterator[Earwitness]:
    """A store in which Alice is a member of everything, and everything speaks of a sword."""
    opened = Earwitness.open(
        store=MemoryStore(),
        ledger=MemoryLedger(),
        embedder="none",
        detector="none",
        world_agent="none",
        plugins=(),
        read_providers=[{"name": "memberships", "number": 3}],
        strict=True,
    )
    async with opened as ew:
        await ew.register(*HERS, *OTHERS)
        for each in (*HERS, *OTHERS):
            await ew.admit(each, "alice", until=5)
            about = {"learnedDay": 9 if each.kind in {"persona", "user"} else 1, "sessionId": "s9"}
            await ew.engine.store.put([memory(each.name, f"m-{each.name}", f"A sword, says {each.name}.", **about)])
        yield ew


async def read(ew: Earwitness, *cast: Any, day: float = 1) -> list[str]:
    """The containers that Alice's recall found something in."""
    story = await ew.session(f"s{day}", cast=[Character("al", personality_id="alice"), *cast], state={"game_day": day})
    turn = await story.turn("al", query="sword")
    assert turn.failures == ()
    return [each.memory.container for each in turn.memories]


async def test_her_canon_her_pantheons_and_what_concerns_the_users_there(ew: Earwitness) -> None:
    user = Character("kim", kind="persona", user_id="u1", persona_id="p1")
    assert sorted(await read(ew, user)) == sorted(each.name for each in HERS)


async def test_without_users_nothing_of_theirs(ew: Earwitness) -> None:
    assert sorted(await read(ew, "bob")) == sorted(each.name for each in HERS[:3])


async def test_after_the_last_day_of_a_membership_nothing(ew: Earwitness) -> None:
    assert await read(ew, day=6) == []


async def test_an_id_that_no_container_can_have_is_nobodys(ew: Earwitness) -> None:
    odd = Character("kim", kind="persona", user_id="u\n1", persona_id=" p1")
    assert len(await read(ew, odd)) == 3


async def test_sections_have_headings_and_their_number(ew: Earwitness) -> None:
    await ew.engine.store.put([memory("pantheon-olympus", f"m{at}", "A sword.", learnedDay=1) for at in range(9)])
    turn = await (await ew.session("s1", cast=["alice"])).turn("alice", query="sword")
    assert [len(each) for each in turn.sections().values()] == [0, 1, 3]
    assert "### Who you are\n1." in turn.text()
    assert "### What your circle knows\n1." in turn.text()


async def test_any_kind_may_be_read(ew: Earwitness) -> None:
    guilds = Earwitness.open(
        store=ew.engine.store,
        ledger=ew.engine.ledger,
        embedder="none",
        plugins=(),
        read_providers=[Memberships(kinds=["guild"])],
    )
    async with guilds as other:
        turn = await (await other.session("s2", cast=["alice"])).turn("alice", query="sword")
        assert [each.section for each in turn.memories] == ["guild"]
        assert "### Guild\n" in turn.text()


def test_its_settings_are_checked() -> None:
    with pytest.raises(SettingsError, match="has no setting 'most'"):
        Earwitness.open(read_providers=[{"name": "memberships", "most": 3}])
