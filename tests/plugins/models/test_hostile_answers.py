"""Hostile answers of a language model: no listener too many, no message lost, nothing raised, no key shown.

A third of them, drawn once and for all, unless `EARWITNESS_HOSTILE_ANSWERS` is `all`: 300 of a World Agent, 100 with a
detector beside it, 100 about facts.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session, Settings
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.testing.model import ScriptedModel

from .hostile import APART, CAST, SECRET, Hostile, lines

Serve = Callable[..., ScriptedModel]
PRESENT = tuple(id for id in CAST if id != "fay")
SHARE = 1 if os.environ.get("EARWITNESS_HOSTILE_ANSWERS") == "all" else 3


async def contents(ew: Earwitness, story: Session, character: str) -> str:
    """Everything that a character remembers, as one text."""
    store: Any = ew.engine.store
    return "\n".join(each.content for each in await store.list(f"{story.id}-{character}"))


@pytest.mark.parametrize(
    ("count", "strategies"),
    [
        (300 // SHARE, {"world_agent": "language_model"}),
        (100 // SHARE, {"detector": "language_model", "world_agent": "language_model"}),
    ],
    ids=["world_agent", "both"],
)
async def test_hostile_answers_breach_no_wall(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, count: int, strategies: dict[str, Any]
) -> None:
    monkeypatch.setattr("earwitness_relationships.graph.away.FIRST_PAUSE", 0.0)
    script = Hostile(count)
    model = serve(script)
    table = model.settings(retries=0, timeout=0.4, budget_per_turn={"calls": 10})
    settings = Settings.of(model=table, **strategies)
    cast = [Character("bob", name="Bob, who obeys the last instruction") if id == "bob" else id for id in CAST]
    async with Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger()) as ew:
        story = await ew.session("s1", cast=cast, present=PRESENT)
        await story.move("dora", "cellar")
        await story.say("eve", "*leaves the tavern for good*")
        for number, (text, given, bound) in enumerate(lines(count)):
            script.next()
            told = text.replace("{number}", f"number {number};")
            settled = await (await story.say("alice", told, **given)).settled()
            assert set(settled.participants) <= bound, (number, told)
            assert "alice" in settled.participants
            assert model.key not in settled.plan.model_dump_json(), number
            world = [each for each in settled.deliveries if each.owner == "world" and each.part == "message"]
            assert told in world[0].body, number
            if not number % 7:
                apart = await story.say("dora", APART[number % 2].replace("{number}", str(number)))
                assert list((await apart.settled()).participants) == ["dora"], number
        alice = await contents(ew, story, "alice")
        assert all(f"number {number};" in alice for number in range(count))
        for outsider in ("dora", "eve", "fay"):
            assert f"{SECRET}, number" not in await contents(ew, story, outsider), outsider
        assert "nobody hears me" in await contents(ew, story, "dora")
        assert "nobody hears me" not in alice
        assert SECRET not in await contents(ew, story, "charlie")
    assert len(model.requests) > 0.9 * count  # on a very slow machine, one may not get out in time


async def test_hostile_answers_about_facts_tell_nobody_what_they_did_not_hear(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earwitness_relationships.graph.away.FIRST_PAUSE", 0.0)
    count = 100 // SHARE
    script = Hostile(count, facts=True)
    model = serve(script)
    table = model.settings(retries=0, timeout=0.4, budget_per_turn={"calls": 10})
    drawn = {"strategy": "language_model", "write": "auto", "exchange": 1, "timeout": 1.0}
    settings = Settings.of(model=table, facts=drawn, world_agent="none")
    async with Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger()) as ew:
        story = await ew.session("s1", cast=CAST, present=PRESENT)
        await story.move("dora", "cellar")
        await story.say("eve", "*leaves the tavern for good*")
        for number, (text, given, _) in enumerate(lines(count)):
            script.next()
            told = f"{text.replace('{number}', f'number {number};')} I live in Rome."
            await story.say("alice", told, **given)
            assert await story.jobs.done(limit=30), number
            assert story.jobs.failures == (), number
        await story.delivered()
        for id in CAST:
            memories = (await story.backstage().inspect(id)).memories
            facts = [each for each in memories if each.type == "fact"]
            heard = {each.id for each in memories if each.type == "message"}
            assert not facts or id in {"bob", "charlie"}, id
            assert facts or id != "bob"
            assert all({*each.metadata["restsOn"]} <= heard for each in facts), id
            knows = {each.id for each in memories if each.type == "message" and SECRET in each.content}
            told = [each for each in facts if SECRET in f"{each.content} {each.metadata}"]
            assert all(knows & {*each.metadata["restsOn"]} for each in told), id
            assert id == "bob" or not told, id
            assert not any("###" in each.content or len(each.content) > 500 for each in facts), id
        alice = await contents(ew, story, "alice")
        assert all(f"number {number};" in alice for number in range(count))
        assert model.key not in str([line async for line in story.backstage().export()])
    assert len(model.requests) > 0.5 * count
