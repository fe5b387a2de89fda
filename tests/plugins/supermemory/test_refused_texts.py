"""A story over a service that refuses a text of it: through the real client, alone and with a fallback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Session
from earwitness_plugins.testing.supermemory import Emulator

from .conftest import KEY

BAD = "xyzzy"
Spec = dict[str, Any]


def service_of(service: Emulator, folder: Path) -> Spec:
    given = {"api_key": KEY, "base_url": service.url, "search_timeout": 20, "timeout": 20}
    return {"name": "supermemory", "path": str(folder / "buffer.db"), **given}


@pytest.fixture(params=["alone", "with a fallback"])
def store(request: pytest.FixtureRequest, service: Emulator, tmp_path: Path) -> Spec:
    alone = service_of(service, tmp_path)
    if request.param == "alone":
        return alone
    return {"name": "fallback", "primary": alone, "fallback": "sqlite", "timeout": 20}


async def told(ew: Earwitness, service: Emulator) -> Session:
    service.refuses = {BAD: 422}
    story = await ew.session("s1", cast=["alice", "bob"])
    for number, text in enumerate(["One.", f"The word is {BAD}.", "Two.", "Three.", "Four.", "Five."]):
        await (await story.say("alice", text, key=f"m{number}", audience=["bob"])).settled()
    await story.delivered(20)
    return story


def texts(service: Emulator, container: str = "s1-bob") -> list[str]:
    documents = service.content(KEY)[container].values()
    return [each.content.split("Alice: ")[-1].split(" GameDay")[0] for each in documents]


async def test_the_session_goes_on_and_remembers_it(service: Emulator, store: Spec, tmp_path: Path) -> None:
    async with Earwitness.open(str(tmp_path / "story.db"), store=store) as ew:
        story = await told(ew, service)
        assert texts(service) == ["One.", "Two.", "Three.", "Four.", "Five."]
        turn = await story.turn("bob", query=f"What is the word {BAD}?")
        assert any(BAD in each.memory.content for each in turn.memories)
        assert "422" in turn.failures[0]
        assert (await story.turn("bob")).failures == ()
        assert str(await story.backstage().who_knows(BAD)).startswith("alice: said it")
    async with Earwitness.open(str(tmp_path / "story.db"), store=store) as ew:
        waiting = await ew.spool.waiting()
        assert sum(len(each.refused) for each in waiting) == 3
        service.refuses = {}
        assert await ew.spool.replay() == ()
    assert sorted(texts(service)) == ["Five.", "Four.", "One.", "The word is xyzzy.", "Three.", "Two."]


async def test_many_refused_texts_are_named_in_several_puts(service: Emulator, tmp_path: Path) -> None:
    service.refuses = {BAD: 422}
    async with Earwitness.open(str(tmp_path / "story.db"), store=service_of(service, tmp_path)) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        texts = [f"Number {number}{' ' + BAD if number % 4 else ''}." for number in range(40)]
        for outcome in await story.say_all([{"speaker": "alice", "content": t, "audience": ["bob"]} for t in texts]):
            await outcome.decided()
        await story.delivered(20)
        assert len(service.content(KEY)["s1-bob"]) == 10
        assert sum(len(each.refused) for each in await ew.spool.waiting()) == 3 * 30
        service.refuses = {}
        assert await ew.spool.replay(timeout=20) == ()
        assert len(service.content(KEY)["s1-bob"]) == 40
