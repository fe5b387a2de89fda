"""The first recalls after a restart, while very much waits for a service that is away."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from earwitness import Earwitness, Session
from earwitness.end.kept_mark import EVERY
from earwitness.engine import SPOOL
from earwitness.records.memory import Memory

from .two_stores import CAST, Service, Shared, local

LINES = 80
ALL = {f"m{number}" for number in range(LINES)}


async def _told(shared: Shared, service: Service) -> None:
    """A story whose service has been away all the time."""
    service.away = True
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        for number in range(LINES):
            await story.say("alice", f"The sword of m{number} is in the cave.", key=f"m{number}")
        await story.settled()


async def _recalled(story: Session) -> set[str]:
    turn = await story.turn("bob", query="sword", in_prompt=[], memories=2 * LINES)
    assert turn.pending == ()
    return {each.memory.message_keys[0] for each in turn.memories}


def _puts(ew: Earwitness) -> list[str]:
    """Keys of the messages that are brought to the store here from now on."""
    found, put = list[str](), local(ew).put

    async def noted(memories: Sequence[Memory]) -> None:
        found.extend(each.message_keys[0] for each in memories)
        await put(memories)

    local(ew).put = noted
    return found


async def test_what_the_store_here_has_is_not_brought_to_it_again(shared: Shared, service: Service) -> None:
    await _told(shared, service)
    async with shared.opened(service) as ew:
        again = _puts(ew)
        assert await _recalled(await ew.session("s1", cast=CAST)) == ALL
        assert len(set(again)) <= (EVERY if shared.one_file else LINES)


async def test_a_recall_does_not_wait_until_all_is_brought_to_the_store_here_again(
    shared: Shared, service: Service
) -> None:
    await _told(shared, service)
    async with shared.opened(service, recall={"wait": 60.0}) as ew:
        await ew.engine.ledger.write_data("s1", SPOOL, {"kept": None})
        release, put = asyncio.Event(), local(ew).put

        async def held_up(memories: Sequence[Memory]) -> None:
            await release.wait()
            await put(memories)

        local(ew).put = held_up
        story = await ew.session("s1", cast=CAST)
        async with asyncio.timeout(30):
            assert await _recalled(story) == ALL
            await (await story.say("alice", "The sword is gone.", key="last")).decided()
            assert await _recalled(story) == {*ALL, "last"}
        release.set()


async def test_a_note_about_another_story_is_not_believed(shared: Shared, service: Service) -> None:
    await _told(shared, service)
    async with shared.opened(service) as ew:
        ledger = ew.engine.ledger
        note: Any = (await ledger.data("s1", SPOOL)).get("kept")
        assert (note is not None) == shared.one_file
        for wrong in ({"session": "s0"}, {"timestamp": "2020-01-01T00:00:00+00:00"}, {"sequence": 10_000}):
            await ledger.write_data("s1", SPOOL, {"kept": {**(note or {}), **wrong}})
            async with shared.opened(service) as other:
                again = _puts(other)
                await (await other.session("s1", cast=CAST)).settled()
                assert set(again) == ALL


async def test_a_message_taken_back_before_the_restart_is_not_recalled_after_it(
    shared: Shared, service: Service
) -> None:
    await _told(shared, service)
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        await (await story.backstage().retract("m3")).decided()
        await story.edit("m4", "The crown of m4 is in the cave.")
        await story.settled()
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        turn = await story.turn("bob", query="crown in the cave", in_prompt=[], memories=2 * LINES)
        texts = {each.memory.message_keys[0]: each.text for each in turn.memories}
        assert texts.keys() == ALL - {"m3"}
        assert "crown" in texts["m4"]
