"""What proxied calls cost: counted with and without streams, within budgets, in the costs of their story."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import APIError, InternalServerError, RateLimitError

from earwitness import Earwitness
from earwitness.records.usage import Spending
from earwitness_plugins.testing.model import ScriptedAnswer

from .conftest import TOKEN, Serve

PRICES = {"m": {"input": 1.0, "output": 10.0}}


@pytest.mark.parametrize("stream", [False, True])
async def test_calls_are_counted_and_priced_for_their_story(served: Serve, stream: bool) -> None:
    async with served([ScriptedAnswer(text="Hello.", usage=(90, 10))] * 2, model={"prices": PRICES}) as front:
        await front.ask("Hi.", stream=stream)
        await front.ask("Hi.", "Hello.", "Bye.", stream=stream)
        (part,) = (await (await front.story()).backstage().costs()).parts
        assert (part.by, part.model) == ("host:proxy", "m")
        seconds = part.spending.seconds
        assert part.spending == Spending(calls=2, tokens_in=180, tokens_out=20, seconds=seconds, cost=2 * 190 / 1e6)
        assert seconds > 0
        (call,) = (await (await front.story()).messages())[-1].message.metadata["calls"]
        assert (call["model"], call["tokens_in"], call["tokens_out"]) == ("m", 90, 10)


async def test_the_calls_behind_another_answer_and_a_continued_one_are_in_its_report(served: Serve) -> None:
    script = [
        ScriptedAnswer(text=text, usage=(10, number)) for number, text in enumerate(("One.", "Two.", "And more."), 1)
    ]
    async with served(script) as front:
        await front.ask("Hi.")
        await front.ask("Hi.")
        story = await front.story()
        assert [call["tokens_out"] for call in (await story.messages())[-1].message.metadata["calls"]] == [2]
        await front.ask("Hi.", "Two.", model="m#session=s1&character=Alice&user=Kim&action=continue")
        last = (await story.messages())[-1]
        assert last.content.endswith("And more.")
        assert [call["tokens_out"] for call in last.message.metadata["calls"]] == [2, 3]
        assert (await story.backstage().costs()).total.calls == 3


@pytest.mark.parametrize("asked", [False, True])
async def test_a_front_end_gets_the_tokens_of_a_stream_only_if_it_has_asked(served: Serve, asked: bool) -> None:
    options: dict[str, Any] = {"stream_options": {"include_usage": True}} if asked else {}
    messages = [{"role": "user", "content": "Hi."}]
    body = {"model": "m#session=s1&character=Alice", "messages": messages, "stream": True, **options}
    async with served([ScriptedAnswer(text="Hello.", usage=(90, 10))]) as front, httpx.AsyncClient() as client:
        found = await client.post(
            f"{front.url}/chat/completions", json=body, headers={"Authorization": f"Bearer {TOKEN}"}
        )
        events = [each.removeprefix("data: ") for each in found.text.split("\n\n") if each]
        assert events[-1] == "[DONE]"
        usages = [usage for each in events[:-1] if (usage := json.loads(each).get("usage"))]
        assert len(usages) == int(asked)
        assert front.model.requests[0].body["stream_options"] == {"include_usage": True}
        assert (await (await front.story()).backstage().costs()).total.tokens_in == 90


async def test_what_fails_counts_as_a_call_that_failed(served: Serve) -> None:
    script = [ScriptedAnswer(status=500), ScriptedAnswer(text="word " * 80, drop="midway")]
    async with served(script) as front:
        with pytest.raises(InternalServerError):
            await front.ask("Hi.")
        with pytest.raises(APIError):
            await front.ask("Hi.", stream=True)
        total = (await (await front.story()).backstage().costs()).total
        assert (total.calls, total.failed) == (2, 2)
        assert total.tokens_out > 0


@pytest.mark.parametrize("stream", [False, True])
async def test_a_budget_that_is_spent_is_a_clear_refusal_and_loses_nothing(served: Serve, stream: bool) -> None:
    async with served(["Hello."] * 3, model={"budget_per_session": {"calls": 1}}) as front:
        await front.ask("Hi.", stream=stream)
        patient = front.client.with_options(max_retries=2)
        with pytest.raises(RateLimitError, match="the session may spend 1 call on models") as refused:
            await patient.chat.completions.create(
                model="m#session=s1&character=Alice&user=Kim",
                messages=[
                    {"role": "user", "content": "Hi."},
                    {"role": "assistant", "content": "Hello."},
                    {"role": "user", "content": "Bye."},
                ],
                stream=stream,
            )
        assert refused.value.code == "insufficient_quota"
        assert len(front.model.requests) == 1
        assert await front.told() == ["Kim: Hi.", "Alice: Hello.", "Kim: Bye."]
        await front.ask("Hi.", stream=stream, model="m#session=s2&character=Alice")


async def test_a_budget_knows_what_was_spent_before_a_restart(served: Serve, tmp_path: Path) -> None:
    async with served(["Hello."], on_disk=True) as front:
        await front.ask("Hi.")
    async with served(["Again?"], on_disk=True, model={"budget_per_session": {"calls": 1}}) as front:
        with pytest.raises(RateLimitError):
            await front.ask("Hi.", "Hello.", "Bye.")
    async with Earwitness.open(tmp_path / "story.db") as ew:
        assert (await (await ew.open_session("s1")).backstage().costs()).total.calls == 1


async def test_a_server_that_knows_no_stream_options_is_asked_without(served: Serve) -> None:
    def strict(request: Any) -> Any:
        if "stream_options" in request.body:
            return ScriptedAnswer(status=400, error="unknown field: stream_options")
        return "Hello."

    async with served(strict) as front:
        assert await front.ask("Hi.", stream=True) == "Hello."
        assert await front.ask("Hi.", "Hello.", "Bye.", stream=True) == "Hello."
        assert ["stream_options" in each.body for each in front.model.requests] == [True, False, False]


async def test_a_refusal_that_quotes_the_key_is_passed_on_without_it(served: Serve) -> None:
    async with served(lambda _: ScriptedAnswer(status=401, error=f"wrong key: {front.model.key}")) as front:
        with pytest.raises(APIError) as refused:
            await front.ask("Hi.")
        assert front.model.key not in str(refused.value)
