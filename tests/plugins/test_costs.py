"""What a story has asked of models: by who asked and by model, backstage and in `earwitness inspect`."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Settings
from earwitness.engine import HOST_CALLS
from earwitness.errors import InputError, NotPermitted
from earwitness.records.usage import ModelCall, Spending, Usage, calls_of
from earwitness.story_export import StoryExport
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.unused_calls import UnusedCalls
from earwitness_plugins.models.client import ModelClient
from earwitness_plugins.models.errors import BudgetSpent
from earwitness_plugins.models.host_account import host_account
from earwitness_plugins.testing.model import ScriptedModel, ScriptedRequest

PATIENT = {"plugin_timeout": 120.0, "detector_timeout": 120.0}
PRICES = {"scripted": {"input": 1.0, "output": 10.0}}


def nobody(_: ScriptedRequest) -> dict[str, Any]:
    return {"participants": [], "actualParticipants": []}


async def test_the_calls_of_a_story_are_summed_by_who_asked() -> None:
    with ScriptedModel(nobody) as model:
        asked = model.settings(retries=0, prices=PRICES)
        settings = Settings.of(model=asked, detector="language_model", world_agent="language_model", end=PATIENT)
        async with Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger()) as ew:
            story = await ew.session("s1", cast=["alice", "bob"])
            said = [await (await story.say("alice", text)).settled() for text in ("Hello.", "Is nobody there?")]
            costs = await story.backstage().costs()
    assert [(each.by, each.model, each.spending.calls) for each in costs.parts] == [
        ("detector:language_model", "scripted", 2),
        ("world_agent:language_model", "scripted", 2),
    ]
    usages = [answer.usage for each in said for answer in each.plan.answers if answer.usage]
    assert costs.total.calls == len(model.requests) == 4
    assert costs.total.tokens_in == sum(each.tokens_in for each in usages) > 0
    assert costs.total.cost == pytest.approx(sum(each.cost for each in usages))
    assert str(costs).splitlines()[-1] == f"together: {costs.total}"


async def test_a_story_without_models_costs_nothing() -> None:
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await story.say("alice", "Hello.")
        costs = await story.backstage().costs()
        assert (str(costs), costs.total) == ("no model was asked", Spending())
        with pytest.raises(NotPermitted, match="see what models cost"):
            await story.backstage(role="player", persona="alice").costs()


async def test_two_programs_that_count_in_one_story_undo_nothing_and_share_a_budget(tmp_path: Path) -> None:
    usage = Usage(model="scripted", tokens_in=1, calls=(ModelCall(model="scripted", tokens_in=1),))
    with ScriptedModel(lambda _: "Hello.") as model:
        settings = Settings.of(model=model.settings(budget_per_session={"calls": 4}), ledger="sqlite", embedder="none")
        first, second = (Earwitness.open(tmp_path / "story.db", settings=settings) for _ in range(2))
        async with first, second:
            stories = [await first.session("s1", cast=["alice"]), await second.session("s1", cast=["alice"])]
            clients = [ModelClient.shared(each.settings, each.resources, each.strategies) for each in (first, second)]
            for number in (0, 1, 0):
                account = await host_account(clients[number], stories[number], "host:chat")
                account.reserve(1, 0)
                account.settle(ModelCall(model="scripted", tokens_in=1), (1, 0))
                await stories[number].backstage().note_usage("host:chat", usage)
            assert (await stories[1].backstage().noted_usage("host:chat")).calls == 3
            assert (await stories[1].backstage().noted_usage("host:nobody")).calls == 0
            assert [each.spending.calls for each in (await stories[0].backstage().costs()).parts] == [3]
            for client, story in zip(clients, stories, strict=True):
                account = await host_account(client, story, "host:chat")
                account.reserve(1, 0)
                assert client.spent("s1").calls == 4
                with pytest.raises(BudgetSpent, match="may spend 4 calls"):
                    account.reserve(1, 0)


async def test_two_programs_that_take_turns_ask_once_about_a_message(tmp_path: Path) -> None:
    with ScriptedModel(nobody) as model:
        asked = model.settings(retries=0, budget_per_session={"calls": 4})
        settings = Settings.of(model=asked, world_agent="language_model", embedder="none", end=PATIENT)
        first, second = (Earwitness.open(tmp_path / "story.db", settings=settings) for _ in range(2))
        async with first, second:
            stories = [await each.session("s1", cast=["alice", "bob"]) for each in (first, second)]
            for number in range(6):
                await (await stories[number % 2].say("alice", f"Hello {number}.")).settled()
            assert len(model.requests) == (await stories[0].backstage().costs()).total.calls == 4


async def test_two_programs_that_decide_at_once_count_both_calls(tmp_path: Path) -> None:
    with ScriptedModel(nobody) as model:
        settings = Settings.of(
            model=model.settings(retries=0), world_agent="language_model", embedder="none", end=PATIENT
        )
        first, second = (Earwitness.open(tmp_path / "story.db", settings=settings) for _ in range(2))
        async with first, second:
            stories = [await each.session("s1", cast=["alice", "bob"]) for each in (first, second)]
            said = [await asyncio.gather(*(each.say("alice", f"{n}.") for each in stories)) for n in range(3)]
            await asyncio.gather(*(each.settled() for pair in said for each in pair))
            assert (await stories[0].backstage().costs()).total.calls == len(model.requests)


async def test_calls_that_were_not_used_count_in_budgets_of_other_programs_and_after_a_restart(tmp_path: Path) -> None:
    with ScriptedModel(nobody) as model:
        asked = model.settings(retries=0, budget_per_session={"calls": 40})
        settings = Settings.of(model=asked, world_agent="language_model", embedder="none", end=PATIENT)

        def spent(ew: Earwitness) -> int:
            client = ModelClient.shared(ew.settings, ew.resources, ew.strategies)
            client.account("s1", "world_agent:language_model")
            return client.spent("s1").calls

        async with AsyncExitStack() as running:
            both = [Earwitness.open(tmp_path / "story.db", settings=settings) for _ in range(2)]
            stories = [await (await running.enter_async_context(each)).session("s1", cast=["alice"]) for each in both]
            for n in range(3):
                said = await asyncio.gather(*(each.say("alice", f"{n}.") for each in stories))
                await asyncio.gather(*(each.settled() for each in said))
            for story in stories:  # each decides once more, and reads what the other has noted
                await (await story.say("alice", "Hello.")).settled()
            assert len(model.requests) > 8  # six messages, of which some were decided twice, and two more
            assert spent(both[1]) == len(model.requests)
        async with Earwitness.open(tmp_path / "story.db", settings=settings) as again:
            await (await (await again.open_session("s1")).say("alice", "Good night.")).settled()
            assert spent(again) == len(model.requests) == (await again_costs(again))


async def test_what_an_import_has_of_calls_may_be_no_sums(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "story.db") as ew:
        story = await ew.session("s1", cast=["alice"])
        noted: dict[str, Any] = {"x": 1, "\nunused": {"calls": []}, "a\nm\nb\nunused": {"calls": 2}}
        await ew.engine.ledger.write_data("s1", HOST_CALLS, noted)
        lines = [line async for line in story.backstage().export()]
        copy = await ew.import_session(StoryExport.read(lines), id="s2")
        await (await copy.say("alice", "Hello.")).settled()
        assert UnusedCalls.shared(ew.resources).elsewhere("s2").calls == 2


async def again_costs(ew: Earwitness) -> int:
    """Calls in the ledger."""
    return (await (await ew.open_session("s1")).backstage().costs()).total.calls


async def test_what_a_host_notes_is_among_the_costs(tmp_path: Path) -> None:
    call = ModelCall(model="m", tokens_in=3, tokens_out=4, seconds=0.5, cost=0.25)
    usage = Usage(model="m", tokens_in=3, tokens_out=4, cost=0.25, calls=(call,))
    async with Earwitness.open(tmp_path / "story.db") as ew:
        back = (await ew.session("s1", cast=["alice"])).backstage()
        await back.note_usage("host:chat", usage)
        await back.note_usage("host:chat", usage)
        await back.note_usage("host:picture", Usage(model="n", tokens_in=1))
        with pytest.raises(InputError, match="must be a Usage"):
            await back.note_usage("host:chat", call)  # type: ignore[arg-type]
    async with Earwitness.open(tmp_path / "story.db") as ew:
        costs = await (await ew.open_session("s1")).backstage().costs()
    assert [(each.by, each.model, each.spending.calls) for each in costs.parts] == [
        ("host:chat", "m", 2),
        ("host:picture", "n", 1),
    ]
    assert costs.total == Spending(calls=3, tokens_in=7, tokens_out=8, seconds=1.0, cost=0.5)


def test_what_lists_no_calls_counts_as_one_and_failures_are_counted() -> None:
    (whole,) = calls_of(Usage(model="m", tokens_in=3, tokens_out=4, cost=0.5), 1.5)
    failed = ModelCall(model="m", tokens_in=2, failure="away", cached=True)
    assert Spending.of(whole) + Spending.of(failed) == Spending(
        calls=2, cached=1, failed=1, tokens_in=5, tokens_out=4, seconds=1.5, cost=0.5
    )
