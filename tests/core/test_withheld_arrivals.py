"""What is due while a guard fails waits, and arrives once the guard answers again, wherever the story goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, PlanEvent, ReadEvent, Session, Share, SharingEvent, Strike
from earwitness.filters import EVERYTHING, Filter

CAST = ["alice", "bob", "charlie", "dana"]


class Gossip:
    """Bob tells Charlie two days later; who has been told tells Dana on the same day."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.knowers:
            yield Share(character="charlie", shared_from="bob", rule="gossip", due=event.day + 2)
        if "charlie" in event.knowers:
            yield Share(character="dana", shared_from="charlie", rule="gossip")


class Faltering:
    """A guard that may fail when it is asked what arrives, or strike it."""

    fails = False
    strikes = False

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        if event.plan.due_day is not None and self.fails:
            raise OSError("no route to host")
        late = event.plan.deliveries if self.strikes and event.plan.due_day is not None else ()
        return [Strike(delivery_id=each.id, reason="old news") for each in late if each.support.how == "shared"]


async def know(story: Session) -> dict[str, object]:
    """Who was told → the day."""
    await story.delivered()
    found = {id: (await story.backstage().inspect(id)).memories for id in ("charlie", "dana")}
    return {id: each.learned_day for id, memories in found.items() for each in memories}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[Callable[[Faltering], Awaitable[Earwitness]]]:
    """Opens a file with a guard."""
    async with AsyncExitStack() as opened:

        async def app(guard: Faltering) -> Earwitness:
            kept: dict[str, Any] = {"sharing_rules": [Gossip()], "guards": [guard], "embedder": "none"}
            ew = Earwitness.open(tmp_path / "story.db", detector="none", world_agent="none", **kept)
            return await opened.enter_async_context(ew)

        yield app


async def waiting(ew: Earwitness, guard: Faltering, id: str = "s1") -> Session:
    """A story in which Charlie was to be told of `m1` on day 3, when the guard failed."""
    story = await ew.session(id, cast=CAST)
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    guard.fails = True
    changed = await (await story.change(game_day=3)).settled()
    assert "no route to host" in str(changed.failures)
    assert await know(story) == {}
    return story


async def test_it_arrives_on_its_day_and_is_told_on_once_the_guard_answers(app: Any) -> None:
    story = await waiting(await app(guard := Faltering()), guard)
    await story.change(flags={"war": True})
    assert await know(story) == {}
    guard.fails = False
    await story.say("alice", "Good morning.", audience=[])
    assert await know(story) == {"charlie": 3, "dana": 3}


async def test_turns_of_its_listener_say_that_it_waits(app: Any) -> None:
    story = await waiting(await app(guard := Faltering()), guard)
    turn = await story.turn("charlie", query="sword", in_prompt=[])
    assert turn.pending == ("m1",)
    assert turn.failures == ("what is due waits until guard:faltering can be asked",)
    assert (await story.turn("dana", query="sword", in_prompt=[])).pending == ()


async def test_what_the_guard_strikes_then_never_arrives(app: Any) -> None:
    story = await waiting(await app(guard := Faltering()), guard)
    guard.fails, guard.strikes = False, True
    await (await story.change(flags={"war": True})).settled()
    guard.strikes = False
    await story.change(game_day=9)
    assert await know(story) == {}
    assert (await story.turn("charlie", query="sword", in_prompt=[])).pending == ()


async def test_it_waits_through_a_restart(app: Any) -> None:
    guard = Faltering()
    first = await app(guard)
    await waiting(first, guard)
    await first.close()
    guard.fails = False
    story = await (await app(guard)).open_session("s1")
    assert (await story.turn("charlie", query="sword", in_prompt=[])).pending == ("m1",)
    await story.change(flags={"war": True})
    assert await know(story) == {"charlie": 3, "dana": 3}


@pytest.mark.parametrize("way", ["fork", "fork at an earlier entry", "import"])
async def test_a_copy_of_the_story_lets_it_arrive_by_itself(app: Any, way: str) -> None:
    story = await waiting(ew := await app(guard := Faltering()), guard)
    if way == "import":
        copy = await ew.import_session([each async for each in story.backstage().export()], id="copy")
    elif way == "fork":
        copy = await story.fork("copy")
    else:
        last = (await story.backstage().journal())[-1]
        guard.fails = False
        await (await story.change(flags={"war": True})).settled()
        guard.fails = True
        copy = await story.fork("copy", at=last.sequence)
    assert await know(copy) == {}
    guard.fails = False
    await copy.change(flags={"war": True})
    assert await know(copy) == {"charlie": 3, "dana": 3}
    assert await know(story) == ({} if "earlier" not in way else {"charlie": 3, "dana": 3})


async def test_what_is_archived_while_it_waits_never_arrives(app: Any) -> None:
    story = await waiting(await app(guard := Faltering()), guard)
    await story.archive("m1")
    await story.restore("m1")
    guard.fails = False
    await story.change(game_day=9)
    assert await know(story) == {}
