"""Two processes on one story: each exchange is asked about once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from earwitness.loading.resources import Resources
from earwitness_plugins.ledgers.postgres import PostgresLedger
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.models.records import ModelReply, ModelRequest
from earwitness_plugins.stores.sqlite import SqliteStore

from .conftest import FactModel
from .fact_stories import BAKER, BREAD, CAST, NURSE, facts


async def test_what_one_process_has_asked_about_the_other_does_not_ask_again(
    begin: Any, model: FactModel, tmp_path: Path
) -> None:
    model.says(BAKER, NURSE)
    path = str(tmp_path / "s.db")

    async def program() -> Any:
        parts: Any = {
            "ledger": SqliteLedger(path=path, resources=Resources()),
            "store": SqliteStore(path=path, embedder=None, resources=Resources()),
        }
        return await begin({}, **parts)

    stories = [await (await program()).session("s1", cast=CAST, present=["kim", "alice"]) for _ in range(2)]
    for number, text in enumerate((BREAD, "Good morning.", "I am a nurse these days.", "Good night.")):
        story = stories[number % 2]
        await story.say("kim", text, audience=["alice"])
        assert await story.jobs.done(limit=20)
    assert [len(each["messages"]) for each in model.shown] == [1, 1, 1, 1]
    assert await facts(stories[1], "alice") == ["Kim is a baker.", "Kim is now a nurse."]


async def test_where_the_ledger_has_claims_one_asks_while_the_other_waits(
    begin: Any, model: FactModel, postgres_dsn: str, tmp_path: Path
) -> None:
    model.says(BAKER, NURSE)
    now, most = 0, 0
    complete = model.complete

    async def slowly(request: ModelRequest) -> ModelReply:
        nonlocal now, most
        now, most = now + 1, max(most, now + 1)
        await asyncio.sleep(0.1)
        now -= 1
        return await complete(request)

    model.complete = slowly  # type: ignore[method-assign]

    async def program() -> Any:
        resources, path = Resources(), str(tmp_path / "m.db")
        ledger = PostgresLedger(dsn=SecretStr(postgres_dsn), resources=resources)
        return await begin({}, ledger=ledger, store=SqliteStore(path=path, embedder=None, resources=resources))

    stories = [await (await program()).session("s1", cast=CAST, present=["kim", "alice"]) for _ in range(2)]
    for number, text in enumerate((BREAD, "Good morning.", "I am a nurse these days.", "Good night.")):
        await stories[number % 2].say("kim", text, audience=["alice"])
    for story in stories:
        assert await story.jobs.done(limit=20)
    assert most == 1
    told = [each["text"] for shown in model.shown for each in shown["messages"]]
    assert sorted(told) == sorted({*told})
    assert len(told) == 4
    assert await facts(stories[0], "alice") == ["Kim is a baker.", "Kim is now a nurse."]
