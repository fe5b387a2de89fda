"""A story goes on where it was left, also when another process has changed it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Moment, Presence, Settings
from earwitness.errors import (
    UnknownName,
)
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .session_stories import Begin, Memories, OpenApp, changed, entries


async def test_the_same_session_is_one_object_in_one_instance(open_app: OpenApp) -> None:
    ew = await open_app()
    first, second = await asyncio.gather(ew.session("s1", cast=["alice"]), ew.session("s1", cast=["alice"]))
    assert first is second


async def test_a_story_goes_on_where_it_was_left(begin: Begin, memories: Memories) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    story = await begin(state={"current_scene": "tavern"}, **kept)
    await story.say("alice", "Hello.", key="m1", audience=["bob"])
    await changed(story, game_day=6)
    again = await begin(cast=[], state={"current_scene": "elsewhere", "game_day": 1}, **kept)
    assert again.cast == story.cast
    assert (again.state.current_scene, again.state.game_day) == ("tavern", 6)
    assert "Message: Alice: Hello. GameDay: 1" in (await again.turn("bob")).query
    assert not (await again.say("alice", "Hello.", key="m1")).created


async def test_new_members_of_the_cast_join_and_known_ones_change_nothing(begin: Begin) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    cast = [Character("alice", aliases=["Al"]), Character("bob")]
    story = await begin(cast=cast, **kept)
    same = await begin(cast=["alice", Character("bob")], **kept)
    assert await entries(same) == await entries(story) == 1
    more = await begin(cast=["alice", "bob", "dana"], **kept)
    assert more.cast.ids == ("alice", "bob", "dana")
    assert more.cast["alice"].aliases == ("Al",)


@pytest.mark.parametrize(
    "naming", ["turn", "say", "present", "perceivers", "move", "update", "audience", "lore", "forget"]
)
async def test_a_newcomer_another_process_brought_is_known_here(begin: Begin, naming: str) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    here = await begin(**kept)
    await here.say("alice", "Hello.", key="m1")
    there = await begin(**kept)
    await there.join(Character("dana", aliases=["Dee"]))
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "turn": lambda: here.turn("Dee"),
        "say": lambda: here.say("Dee", "Hello!"),
        "present": lambda: here.say("alice", "Hello, Dee!", present=iter(["bob", "Dee"])),
        "perceivers": lambda: here.say("alice", "Hello, Dee!", audience=iter(["bob", "Dee"])),
        "move": lambda: here.move("Dee", "cellar"),
        "update": lambda: here.update("Dee arrives", character="Dee"),
        "audience": lambda: here.change(game_day=2, audience=["Dee"]),
        "lore": lambda: here.prepare(lore=iter([{"text": "Dragons sleep badly.", "known_by": ["Dee"]}])),
        "forget": lambda: here.forget("Dee"),
    }
    await calls[naming]()
    await here.settled()
    assert ("dana" in here.cast) is (naming != "forget")


async def test_who_was_forgotten_by_another_process_cannot_speak_here(begin: Begin) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    here, there = await begin(**kept), await begin(**kept)
    await there.forget("bob")
    for call in (
        lambda: here.say("bob", "Am I still here?"),
        lambda: here.say("alice", "Bob?", audience=["bob"]),
        lambda: here.enter("bob"),
    ):
        with pytest.raises(UnknownName, match="'bob'"):
            await call()
    assert await entries(here) == await entries(there) == 2


@pytest.mark.parametrize("anew", [False, True])
async def test_a_handle_notices_that_another_process_forgot_its_story(
    open_app: OpenApp, memories: Memories, anew: bool
) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    ew, other = await open_app(**kept), await open_app(**kept)
    old = await ew.session("s1", cast=["alice"])
    await (await old.say("alice", "Hello.")).settled()
    await other.forget("s1")
    if anew:
        begun = await other.session("s1", cast=["alice"])
        await (await begun.say("alice", "Hello again.")).settled()
        await (await begun.say("alice", "And again.")).settled()
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: old.say("alice", "Am I here?"),
        lambda: old.turn("alice"),
        old.settled,
        lambda: old.change(game_day=9),
        lambda: old.backstage().inspect("alice"),
    ]
    for call in calls:
        with pytest.raises(UnknownName, match="'s1' was forgotten: this handle cannot be used any more"):
            await call()
    new = await ew.session("s1", cast=["alice"])
    assert new is not old
    assert len(await memories(new, "alice")) == (2 if anew else 0)


async def test_who_waits_for_an_outcome_is_told_that_another_process_forgot_the_story(open_app: OpenApp) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    asked, answers = asyncio.Event(), asyncio.Event()

    class Slow:
        async def detect(self, moment: Moment) -> Presence:
            asked.set()
            await answers.wait()
            return Presence(characters={})

    ew, other = await open_app(**kept, detector=Slow()), await open_app(**kept)
    outcome = await (await ew.session("s1", cast=["alice"])).say("alice", "Hello.")
    await asked.wait()
    await other.forget("s1")
    answers.set()
    with pytest.raises(UnknownName, match="'s1'"):
        await asyncio.wait_for(outcome.settled(), 5)


async def test_the_embedded_file_takes_a_story_up_again(tmp_path: Path) -> None:
    settings = Settings.of(plugins=(), detector="none", world_agent="none", strict=True)
    for expected in (1, 2):
        async with Earwitness.open(tmp_path / "story.db", settings=settings) as ew:
            story = await ew.session("s1", cast=["alice", "bob"])
            await story.say("alice", f"Word {expected}.", key=f"m{expected}", audience=["bob"])
            assert (await story.backstage().inspect("bob")).total == expected


async def test_what_was_acknowledged_is_settled_before_the_instance_closes() -> None:
    ledger = MemoryLedger()
    settings = Settings.of(plugins=(), embedder="none", detector="none", world_agent="none")
    async with Earwitness.open(settings=settings, store=MemoryStore(), ledger=ledger) as ew:
        await (await ew.session("s1", cast=["alice"])).say("alice", "Hello.")
    assert all(entry.applied for entry in await ledger.entries("s1"))


async def test_the_host_s_own_error_comes_through_as_it_is() -> None:
    settings = Settings.of(plugins=(), embedder="none", detector="none", world_agent="none")
    opened = Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger())

    async def host() -> None:
        async with opened as ew:
            await (await ew.session("s1", cast=["alice"])).say("alice", "Hello.")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await host()
