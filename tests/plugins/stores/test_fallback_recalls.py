"""What a recall finds of two stores, and whom it waits for, while the service is slow, away or behind."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from earwitness import Session
from earwitness.containers import pantheon_container
from earwitness.engine import Engine
from earwitness.records.memory import Hit, Memory

from .two_stores import CAST, Service, Shared, said

HUB = pantheon_container("olympus")


async def test_a_recall_answers_from_here_and_says_so(shared: Shared, service: Service) -> None:
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, *(f"m{number}" for number in range(3)))
        await story.delivered()
        assert (await story.turn("bob", query="sword", in_prompt=[])).failures == ()
        service.away = True
        turn = await story.turn("bob", query="the sword of m1", in_prompt=[])
        assert {each.memory.message_keys for each in turn.memories} == {("m0",), ("m1",), ("m2",)}
        (failure,) = turn.failures
        assert failure == (
            "store: the primary store is away (ConnectionError: no route to the service); the fallback answers"
        )
        service.away = False
        await asyncio.sleep(0.05)
        assert (await story.turn("bob", query="sword", in_prompt=[])).failures == ()


async def test_no_recall_waits_until_the_service_has_what_is_decided(shared: Shared, service: Service) -> None:
    async with shared.opened(service, patience=30, recall={"wait": 20.0}) as ew:
        story = await ew.session("s1", cast=CAST)
        await story.delivered()
        release, put = asyncio.Event(), service.put

        async def held_up(memories: Sequence[Memory]) -> None:
            await release.wait()
            await put(memories)

        service.put = held_up  # type: ignore[method-assign]
        for number in range(3):
            await story.say("alice", f"The sword of m{number} is in the cave.", key=f"m{number}")
            await story.change(game_day=2 + number)
            async with asyncio.timeout(15):
                turn = await story.turn("bob", query="sword", in_prompt=[])
            assert turn.pending == ()
            assert {each.memory.message_keys[0] for each in turn.memories} == {f"m{each}" for each in range(number + 1)}
        release.set()
        await story.delivered(timeout=20)


async def test_after_the_service_has_failed_a_recall_does_not_ask_it_again(shared: Shared, service: Service) -> None:
    async with shared.opened(service, recall={"permanent": "always"}) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, *(f"m{number}" for number in range(5)))
        await story.delivered()
        service.hangs = True
        asked, answer = list[str](), service.answer

        async def noted() -> None:
            asked.append("asked")
            await answer()

        service.answer = noted  # type: ignore[method-assign]
        turn = await story.turn("bob", query="sword")
        assert {each.memory.message_keys[0] for each in turn.memories} >= {"m0", "m1"}
        assert len(asked) == 2  # the search, and the first of two lists beside it
        service.hangs = False


async def test_a_change_of_the_day_does_not_read_all_that_waits_for_the_service(
    shared: Shared, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.away = True
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, "m0")
        await (await story.change(game_day=2)).decided()
        await said(story, *(f"m{number}" for number in range(1, 21)))
        read, ledger = list[int](), ew.engine.ledger
        deliveries = ledger.deliveries

        async def counted(*given: Any, **more: Any) -> Any:
            found = await deliveries(*given, **more)
            read.append(len(found) if more.get("status") == "pending" else 0)
            return found

        monkeypatch.setattr(type(ledger), "deliveries", lambda _, *given, **more: counted(*given, **more))
        await (await story.change(game_day=3)).decided()
        turn = await story.turn("bob", query="the sword of m7", in_prompt=[], memories=30)
        assert len(turn.memories) == 21
        assert not any(read)
        service.away = False


async def test_a_settled_message_is_found_while_it_is_delivered(shared: Shared, service: Service) -> None:
    async with shared.opened(service) as ew:
        story = await ew.session("s1", cast=CAST)
        await said(story, "m0")
        await story.delivered()
        search, put, asked = service.search, service.put, asyncio.Event()

        async def after_the_search(memories: Sequence[Memory]) -> None:
            await asked.wait()
            await put(memories)

        async def before_the_put(*given: Any, **more: Any) -> Sequence[Hit]:
            found = await search(*given, **more)
            asked.set()
            await story.delivered(timeout=20)
            return found

        service.put, service.search = after_the_search, before_the_put  # type: ignore[method-assign, assignment]
        await said(story, "m1")
        await story.settled(timeout=20)
        turn = await story.turn("bob", query="the sword of m1", in_prompt=[])
        assert {each.memory.message_keys[0] for each in turn.memories} == {"m0", "m1"}
        asked.set()
        await story.delivered(timeout=20)


@pytest.mark.parametrize("says_who_waits", [True, False])
async def test_another_story_finds_what_is_settled_and_nothing_that_was_retracted(
    shared: Shared, service: Service, monkeypatch: pytest.MonkeyPatch, says_who_waits: bool
) -> None:
    if not says_who_waits:
        monkeypatch.setattr(Engine, "waiting_ledger", None)
    async with shared.opened(service, read_providers=["memberships"]) as ew:
        await ew.register(HUB)
        await ew.admit(HUB, "bob")
        story, other = await ew.session("s1", cast=CAST), await ew.session("s2", cast=CAST)
        await (await story.remember(None, "The wine is in the attic.", container=HUB, key="wine")).settled()
        await story.delivered(timeout=20)
        assert await _of_hub(other) == ["The wine is in the attic."]

        async def refused(_: Any) -> None:
            raise ConnectionError("the service takes nothing")

        put, remove = service.put, service.remove
        service.put = service.remove = refused  # type: ignore[method-assign, assignment]
        await (await story.remember(None, "The nectar is in the cellar.", container=HUB, key="nectar")).settled()
        await (await story.backstage().retract("wine")).settled()
        assert await _of_hub(story) == await _of_hub(other) == ["The nectar is in the cellar."]
        service.put, service.remove = put, remove  # type: ignore[method-assign]
        await story.delivered(timeout=20)
        assert await _of_hub(other) == ["The nectar is in the cellar."]


async def _of_hub(story: Session) -> list[str]:
    return [each.text for each in (await story.turn("bob", query="wine or nectar", in_prompt=[])).memories]
