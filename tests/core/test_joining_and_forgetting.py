"""Who joins a session is a newcomer; who is forgotten is gone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Character, Session
from earwitness.errors import (
    ContainerCollision,
    InputError,
    StorageError,
    UnknownName,
)
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .session_stories import Begin, Memories, OpenApp, entries, keys

# ── joining ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_newcomer_remembers_nothing_from_before_and_everything_since(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob", "charlie"])
    await story.join(Character("dana", aliases=["Di"]))
    await story.say("alice", "Hello, Dana.", key="m2", audience=["Di"])
    assert keys(await memories(story, "dana")) == ["m2"]


async def test_a_newcomer_may_speak_at_once(begin: Begin) -> None:
    story = await begin()
    await story.join("dana")
    assert list((await (await story.say("dana", "Here I am.")).settled()).participants) == ["dana"]


async def test_a_newcomer_has_what_everybody_knows_and_no_more(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.prepare(
        plot="A sword is lost.",
        cards={"alice": "Alice is brave."},
        lore=[{"text": "The moon is cursed."}, {"text": "Bob is the thief.", "known_by": ["bob"]}],
    )
    await story.join("dana")
    assert [memory.content for memory in await memories(story, "dana")] == ["A sword is lost.", "The moon is cursed."]


async def test_joining_again_takes_the_new_names_and_loses_no_memory(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("bob", "Hello.", key="m1")
    await story.join(Character("bob", name="Sir Bob", aliases=["Robert"]))
    await story.say("Robert", "Hello again.", key="m2")
    assert story.cast["bob"].name == "Sir Bob"
    assert keys(await memories(story, "bob")) == ["m1", "m2"]


async def test_a_newcomer_whose_container_is_somebody_else_s_is_refused(open_app: OpenApp) -> None:
    ew = await open_app()
    await ew.session("s1-x", cast=["alice"])
    story = await ew.session("s1", cast=["alice"])
    with pytest.raises(ContainerCollision, match="'s1-x-alice'"):
        await story.join("x-alice")
    assert "x-alice" not in story.cast


async def test_a_cast_with_the_same_id_twice_is_refused(open_app: OpenApp) -> None:
    with pytest.raises(InputError, match="'alice' appears twice"):
        await (await open_app()).session("s1", cast=["alice", Character("alice", aliases=["Al"])])


async def test_somebody_unknown_cannot_be_there_when_the_story_begins(open_app: OpenApp) -> None:
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await (await open_app()).session("s1", cast=["alice"], present=["zoe"])


# ── forgetting ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def with_bob_forgotten(begin: Begin, store: MemoryStore) -> Session:
    story = await begin(store=store)
    await story.say("bob", "I took the sword.", key="m1", audience=["alice", "charlie"])
    await story.say("alice", "You, Bob?", key="m2", audience=["bob", "charlie"])
    await story.forget("Bob")
    return story


async def test_a_forgotten_character_is_gone_and_what_others_remember_of_him_stays(
    begin: Begin, memories: Memories
) -> None:
    store = MemoryStore()
    story = await with_bob_forgotten(begin, store)
    assert "bob" not in story.cast
    assert await store.count("s1-bob") == 0
    assert keys(await memories(story, "alice")) == ["m1", "m2"]
    with pytest.raises(UnknownName):
        await story.say("bob", "Still here.")
    with pytest.raises(UnknownName):
        await story.backstage().inspect("bob")


async def test_a_turn_goes_on_after_somebody_was_forgotten(begin: Begin) -> None:
    story = await with_bob_forgotten(begin, MemoryStore())
    assert "You, Bob?" in (await story.turn("alice")).query


@pytest.mark.parametrize("key", ["m1", "m2"])
async def test_an_edit_brings_no_memory_to_who_was_forgotten(begin: Begin, memories: Memories, key: str) -> None:
    store = MemoryStore()
    story = await with_bob_forgotten(begin, store)
    settled = await (await story.edit(key, "Never mind.")).settled()
    assert await store.count("s1-bob") == 0
    assert "bob" not in {delivery.owner for delivery in settled.deliveries}
    assert "Never mind." in (await memories(story, "charlie"))[-1].content


async def test_who_was_forgotten_may_come_back_and_begins_anew(begin: Begin, memories: Memories) -> None:
    story = await with_bob_forgotten(begin, MemoryStore())
    await story.join("bob")
    await story.say("alice", "Who are you?", key="m3", audience=["bob"])
    assert keys(await memories(story, "bob")) == ["m3"]


async def test_a_forgotten_story_is_gone_and_its_id_is_free(open_app: OpenApp, memories: Memories) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["alice"])
    await story.say("alice", "Hello.")
    await ew.forget("s1")
    assert await ew.sessions() == ()
    with pytest.raises(UnknownName):
        await story.say("alice", "Am I still here?")
    assert await memories(await ew.session("s1", cast=["alice"]), "alice") == ()


async def test_a_handle_of_a_forgotten_story_never_acts_on_another_of_its_id(open_app: OpenApp) -> None:
    ew = await open_app()
    old = await ew.session("s1", cast=["alice"])
    turn, backstage = await old.turn("alice"), old.backstage()
    await old.say("alice", "Hello.", key="m1")
    await ew.forget("s1")
    new = await ew.session("s1", cast=["alice"])
    await new.say("alice", "Hello again.", key="m1")
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: old.say("alice", "Am I here?"),
        lambda: turn.say("Am I here?"),
        lambda: old.turn("alice"),
        lambda: old.edit("m1", "Am I here?"),
        lambda: old.reroll("Am I here?"),
        lambda: old.retract("m1"),
        lambda: old.change(game_day=9),
        lambda: old.join("bob"),
        lambda: old.forget("alice"),
        lambda: old.fork("s2"),
        lambda: old.prepare(plot="Dark."),
        old.settled,
        lambda: backstage.inspect("alice"),
        lambda: backstage.retract("m1"),
    ]
    for call in calls:
        with pytest.raises(UnknownName, match="'s1' was forgotten: this handle cannot be used any more"):
            await call()
    assert await entries(new) == 2
    assert new.cast.ids == ("alice",)
    assert new.state.game_day == 1


@pytest.mark.parametrize("drops", [0, 1])
@pytest.mark.parametrize("again", ["forget", "session", "open_session"])
async def test_forgetting_cut_short_is_finished_by_the_next_who_names_the_story(
    open_app: OpenApp, memories: Memories, drops: int, again: str
) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": (store := Failing())}
    ew = await open_app(**kept)
    story = await ew.session("s1", cast=["alice"])
    await (await story.say("alice", "Hello.")).settled()
    store.drops = drops
    with pytest.raises(StorageError):
        await ew.forget("s1")
    assert await ew.sessions() == ()
    store.drops = 10
    other = await open_app(**kept)
    if again == "session":
        assert await entries(await other.session("s1", cast=["alice"])) == 1
    elif again == "forget":
        await other.forget("s1")
    else:
        with pytest.raises(UnknownName, match="unknown session 's1'"):
            await other.open_session("s1")
    assert await store.count("s1-alice") == await store.count("s1-world") == 0
    assert await other.sessions() == (("s1",) if again == "session" else ())


class Failing(MemoryStore):
    """Drops so many containers, then fails."""

    drops = 10

    async def drop(self, container: str) -> None:
        self.drops -= 1
        if self.drops < 0:
            raise StorageError("away")
        await super().drop(container)


async def test_a_story_nobody_began_cannot_be_forgotten_or_taken_up(open_app: OpenApp) -> None:
    ew = await open_app()
    await ew.session("s1", cast=["alice"])
    for call in (ew.forget, ew.open_session):
        with pytest.raises(UnknownName, match=r"unknown session 's2'. Known: s1\."):
            await call("s2")


async def test_forgetting_somebody_again_under_the_same_key_changes_nothing(open_app: OpenApp) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["alice", "bob"])
    await story.forget("bob", key="gone")
    before = len(await story.backstage().journal())
    await story.forget("bob", key="gone")
    assert (story.cast.ids, len(await story.backstage().journal())) == (("alice",), before)
    await story.join("bob")
    await story.forget("bob", key="gone")
    assert "bob" in story.cast
