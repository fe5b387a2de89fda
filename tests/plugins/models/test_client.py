"""The client for language models, through the real library and a real socket: budgets, retries, time, prices, keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from earwitness import Settings
from earwitness.errors import SettingsError
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness.plugin_data import PluginData
from earwitness_plugins.models.client import ModelClient
from earwitness_plugins.models.errors import BudgetSpent, ModelAway, ModelError, UnusableAnswer
from earwitness_plugins.models.records import ChatMessage
from earwitness_plugins.testing.model import ScriptedAnswer, ScriptedModel

from .conftest import LIMIT, PROMPT, Weather, weather

Serve = Callable[..., ScriptedModel]
SUNNY = Weather(sky="sunny", degrees=20)
HELLO = (ChatMessage(role="user", content="Hello?"),)


async def test_an_answer_in_a_form_is_asked_for_with_its_schema(serve: Serve, client: Any) -> None:
    model = serve([SUNNY])
    assert await weather(await client(model)) == SUNNY
    (request,) = model.requests
    assert request.body["response_format"]["json_schema"]["schema"]["properties"].keys() == Weather.model_fields.keys()
    assert [each["role"] for each in request.messages] == ["system", "user"]


async def test_every_call_is_reported_with_prompt_tokens_time_and_cost(serve: Serve, client: Any) -> None:
    asking = await client(
        serve([ScriptedAnswer('{"sky": "grey"}', usage=(1000, 100))]),
        prices={"scripted": {"input": 2, "output": 10}},
    )
    account = asking.account("s1", "test")
    await weather(asking, account)
    usage = account.usage
    assert (usage.model, usage.tokens_in, usage.tokens_out, usage.cost) == ("scripted", 1000, 100, 0.003)
    (call,) = usage.calls
    assert (call.prompt, call.cached, call.failure) == ("test 3 (abcd)", False, None)
    assert call.seconds > 0
    assert (asking.spent("s1").calls, asking.spent("s1").tokens) == (1, 1100)
    assert asking.spent("s2").calls == 0


async def test_tokens_are_estimated_where_the_server_does_not_count_them(serve: Serve, client: Any) -> None:
    asking = await client(serve([ScriptedAnswer('{"sky": "grey"}', usage=(0, 0))]))
    account = asking.account("s1", "test")
    await weather(asking, account)
    assert account.usage.tokens_in > 10
    assert account.usage.tokens_out == 4


# ── what models answer ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "said",
    [
        'Sure! Here you are:\n```json\n{"sky": "sunny", "degrees": 20}\n```\nAnything else?',
        '<think>The user wants {"sky": "grey"}.</think>{"sky": "sunny", "degrees": 20}',
        '{"sky": "sunny", "degrees": 20',
        "{'sky': 'sunny', 'degrees': 20,}",
        '{"sky": "sunny", "degrees": "20", "winds": ["strong", {}]}',
        '{"sky": "sunny", "degrees": 20, "winds": "strong", "mood": [[[]]]}',
    ],
)
async def test_what_models_do_to_json_is_read_all_the_same(serve: Serve, client: Any, said: str) -> None:
    assert await weather(await client(serve([said]))) == SUNNY


async def test_what_is_left_out_of_an_answer_is_noted(serve: Serve, client: Any) -> None:
    asking = await client(serve(['{"sky": "sunny", "degrees": 20, "winds": [1, "strong", 2]}']))
    account = asking.account("s1", "test")
    assert (await weather(asking, account)).winds == [1, 2]
    (note,) = account.notes
    assert note.startswith("left out of the answer: winds.1:")
    assert "'strong'" in note


@pytest.mark.parametrize(
    "said",
    [
        "I'd rather not.",
        "",
        ScriptedAnswer(refusal="That is not allowed."),
        ScriptedAnswer(tool_calls=("delete_everything",), finish="tool_calls"),
        '{"degrees": 20}',
        "[" * 50_000,
        "x" * 2_000_000,
    ],
)
async def test_an_unusable_answer_is_asked_for_once_more(serve: Serve, client: Any, said: Any) -> None:
    model = serve([said, SUNNY])
    asking = await client(model)
    account = asking.account("s1", "test")
    assert await weather(asking, account) == SUNNY
    first, again = model.requests
    assert list(again.messages[:2]) == list(first.messages)
    assert "could not be read" in again.messages[-1]["content"]
    assert len(again.text) < 5_000
    assert [call.prompt.split()[0] for call in account.usage.calls] == ["test", "repair"]
    assert "asked once more" in account.notes[0]


async def test_after_two_unusable_answers_there_is_one_clear_error(serve: Serve, client: Any) -> None:
    model = serve(lambda _: "no")
    with pytest.raises(UnusableAnswer, match="answered twice what cannot be read: it holds no JSON object"):
        await weather(await client(model))
    assert len(model.requests) == 2


async def test_a_server_that_takes_no_schema_is_told_it_in_the_prompt_from_then_on(serve: Serve, client: Any) -> None:
    model = serve(lambda _: SUNNY, takes_schemas=False)
    asking = await client(model)
    assert await weather(asking) == await weather(asking) == SUNNY
    assert ["response_format" in each.body for each in model.requests] == [True, False, False]
    assert '"degrees"' in model.requests[1].text


@pytest.mark.parametrize("raw", [b"", b"[]", b"<html>busy</html>", b'{"choices": [{"message": null}]}', b"\xff\xfe"])
async def test_a_response_that_is_no_completion_is_an_error_that_says_so(serve: Serve, client: Any, raw: bytes) -> None:
    model = serve(lambda _: ScriptedAnswer(raw=raw))
    with pytest.raises(ModelAway, match=r"the server answered|broke off"):
        await weather(await client(model, retries=0))


async def test_a_web_page_in_place_of_an_answer_names_the_setting(serve: Serve, client: Any) -> None:
    asking = await client(serve(lambda _: ScriptedAnswer(raw=b"<!DOCTYPE html><html>busy</html>")), retries=0)
    with pytest.raises(ModelAway, match="Check base_url"):
        await weather(asking)
    with pytest.raises(ModelAway, match="Check base_url"):
        _ = [each async for each in asking.stream(asking.account("s1", "test"), HELLO, limit=LIMIT)]


async def test_an_answer_that_its_server_ended_with_an_error_is_asked_for_again(serve: Serve, client: Any) -> None:
    half = ScriptedAnswer('{"sky": "sunny", "degrees": 2', finish="error")
    assert await weather(await client(serve([half, '{"sky": "sunny", "degrees": 20}']))) == SUNNY


# ── refusals, retries and time ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "trouble",
    [
        ScriptedAnswer(status=429, retry_after=0),
        ScriptedAnswer(status=500),
        ScriptedAnswer(drop="at once"),
        ScriptedAnswer("x" * 5_000, drop="midway"),
    ],
)
async def test_what_may_pass_is_tried_again(serve: Serve, client: Any, trouble: ScriptedAnswer) -> None:
    asking = await client(serve([trouble, SUNNY]))
    account = asking.account("s1", "test")
    assert await weather(asking, account) == SUNNY
    failed, answered = account.usage.calls
    assert failed.failure
    assert answered.failure is None


async def test_what_does_not_pass_is_not_tried_again(serve: Serve, client: Any) -> None:
    model = serve([ScriptedAnswer(status=403, error="not yours"), SUNNY])
    with pytest.raises(ModelAway, match=r"refused \(403\).*not yours"):
        await weather(await client(model))
    assert len(model.requests) == 1


async def test_a_password_in_the_url_is_not_shown(serve: Serve, client: Any) -> None:
    model = serve([ScriptedAnswer(status=403, error="not yours")])
    asking = await client(model, base_url=model.url.replace("://", "://user:very-secret@"))
    with pytest.raises(ModelAway, match=r"127\.0\.0\.1.*refused") as raised:
        await weather(asking)
    assert "very-secret" not in str(raised.value)


async def test_a_slow_answer_is_given_up_in_time(serve: Serve, client: Any) -> None:
    asking = await client(serve(lambda _: ScriptedAnswer("x" * 2_000, drip=3)), retries=5)
    with pytest.raises(ModelAway, match="did not answer within"):
        await weather(asking, limit=0.5)


async def test_nobody_waits_longer_than_there_is_time_for_a_server_that_wants_a_pause(
    serve: Serve, client: Any
) -> None:
    model = serve(lambda _: ScriptedAnswer(status=429, retry_after=3600))
    with pytest.raises(ModelAway, match=r"refused \(429\)"):
        await weather(await client(model))
    assert len(model.requests) == 1


async def test_a_server_that_is_away_is_not_asked_again_at_once(serve: Serve, client: Any) -> None:
    model = serve(lambda _: ScriptedAnswer(status=503))
    asking = await client(model, retries=0)
    for _ in range(3):
        with pytest.raises(ModelAway):
            await weather(asking)
    assert len(model.requests) < 3


# ── budgets ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_turn_may_not_make_more_calls_than_its_budget(serve: Serve, client: Any) -> None:
    model = serve(lambda _: ScriptedAnswer(status=500))
    asking = await client(model, budget_per_turn={"calls": 2}, retries=5)
    with pytest.raises(BudgetSpent, match="the turn may spend 2 calls on models"):
        await weather(asking)
    assert len(model.requests) == 2


async def test_all_who_ask_about_a_message_share_its_budget_and_a_reroll_has_its_own(serve: Serve, client: Any) -> None:
    asking = await client(serve(lambda _: SUNNY), budget_per_turn={"calls": 2})
    for by in ("detector", "agent"):
        await weather(asking, asking.account("s1", by, turn="m1"))
    with pytest.raises(BudgetSpent):
        await weather(asking, asking.account("s1", "facts", turn="m1"))
    assert await weather(asking, asking.account("s1", "detector", turn="m1")) == SUNNY
    assert await weather(asking, asking.account("s1", "facts", turn="m2")) == SUNNY


async def test_what_an_asker_spends_in_another_process_counts_once_its_data_say_so(serve: Serve, client: Any) -> None:
    model, limits = serve(lambda _: SUNNY), {"budget_per_session": {"calls": 4}}
    here, there, data = await client(model, **limits), await client(model, **limits), PluginData({})
    for asking in (here, there, there):  # one after the other: what they keep is in the ledger
        await weather(asking, asking.account("s1", "test", data=data))
    assert (here.spent("s1").calls, there.spent("s1").calls) == (1, 3)
    await weather(here, here.account("s1", "test", data=data))
    assert here.spent("s1").calls == 4
    for asking in (here, there):
        with pytest.raises(BudgetSpent):
            await weather(asking, asking.account("s1", "test", data=data))


async def test_a_session_may_not_spend_more_than_its_budget_also_after_a_restart(serve: Serve, client: Any) -> None:
    model = serve(lambda _: ScriptedAnswer('{"sky": "grey"}', usage=(600_000, 0)))
    priced = {"prices": {"scripted": {"input": 1, "output": 1}}, "budget_per_session": {"cost": 1.0}}
    data = PluginData({})
    asking = await client(model, **priced)
    await weather(asking, asking.account("s1", "test", turn="m1", data=data))
    await weather(asking, asking.account("s1", "test", turn="m2", data=data))
    restarted = await client(model, **priced)
    with pytest.raises(BudgetSpent, match="the session may spend a cost of 1 on models"):
        await weather(restarted, restarted.account("s1", "test", turn="m3", data=data))
    assert await weather(restarted, restarted.account("s2", "test", turn="m3", data=PluginData({})))


async def test_many_at_once_stay_within_the_budget(serve: Serve, client: Any) -> None:
    model = serve(lambda _: SUNNY)
    asking = await client(model, budget_per_session={"calls": 5})
    asked = [weather(asking, asking.account("s1", f"test {number}")) for number in range(20)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(each, BudgetSpent) for each in answers) == 15
    assert len(model.requests) == 5


def test_a_limit_in_money_needs_a_price() -> None:
    settings = Settings.of(model={"model": "huge", "base_url": "http://127.0.0.1:1/v1", "budget_per_turn": {"cost": 1}})
    with pytest.raises(SettingsError, match="the price of 'huge' is not known"):
        ModelClient.shared(settings, Resources(), Strategies())


# ── keys and settings ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_no_error_and_no_answer_shows_the_key(serve: Serve, client: Any) -> None:
    model = serve([])
    quoting = [
        ScriptedAnswer(status=401, error=f"Incorrect API key provided: {model.key}"),
        ScriptedAnswer(raw=f"<html>{model.key}</html>".encode()),
        f"I was given {model.key}.",
        ScriptedAnswer(f"Your key is {model.key}."),
    ]
    asking = await client(serve(quoting, key=model.key), retries=0)
    account = asking.account("s1", "test")
    for _ in range(2):
        with pytest.raises(ModelError) as failed:
            await weather(asking, account)
        assert model.key not in f"{failed.value!r} {failed.value.__cause__!r}"
    await asyncio.sleep(0.6)  # for the pause after the failure
    with pytest.raises(ModelError):
        await weather(asking, account)
    assert model.key not in f"{account.usage} {account.notes}"


def test_without_the_table_the_error_says_what_to_write() -> None:
    with pytest.raises(SettingsError, match=r"Say which in the settings: \[model\] with model ="):
        ModelClient.shared(Settings.of(), Resources(), Strategies())


async def test_a_key_is_never_shown_by_settings(serve: Serve) -> None:
    model = serve([])
    settings = Settings.of(model=model.settings())
    assert model.key not in f"{settings!r} {settings} {settings.model_dump_json()}"


def test_a_model_of_ones_own_takes_the_place_of_openai() -> None:
    settings = Settings.of(model={"model": "tiny", "name": "tests.nothing.Here"})
    with pytest.raises(SettingsError, match=r"model 'tests\.nothing\.Here' cannot be imported"):
        ModelClient.shared(settings, Resources(), Strategies())


async def test_prompts_fill_each_place_once() -> None:
    filled = PROMPT.messages(question="{question} {other}")
    assert filled[1].content == "{question} {other}"
    with pytest.raises(SettingsError, match=r"the prompt 'test' holds \{question\}. Its places: \{answer\}"):
        PROMPT.messages(answer="")
