"""What ends with an error is not an answer: nobody remembers it, and it replaces nothing. Whole answers are kept."""

import json
from typing import Any

import httpx
import pytest
from openai import APIError, InternalServerError

from earwitness_plugins.testing.model import ScriptedAnswer

from .conftest import TOKEN, FrontEnd, Serve

KEY = "sk-scripted-0123456789abcdef"
ERROR = {"code": 502, "message": f"Provider disconnected {KEY}"}
THOUGHT = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]
DONE = b"data: [DONE]\n\n"


def event(**fields: Any) -> bytes:
    return b"data: " + json.dumps(fields).encode() + b"\n\n"


def piece(text: Any, finish: str | None = None, **fields: Any) -> bytes:
    return event(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": finish}], **fields)


def streamed(*events: bytes) -> ScriptedAnswer:
    return ScriptedAnswer(raw=b"".join(events), kind="text/event-stream")


def whole(finish: str | None = None, **fields: Any) -> ScriptedAnswer:
    choices = [{"index": 0, "message": {"role": "assistant", "content": "Half of"}, "finish_reason": finish}]
    return ScriptedAnswer(raw=json.dumps({"choices": choices, **fields}).encode())


STREAMS = {
    "vllm": streamed(piece("Half of"), event(error=ERROR), DONE),
    "older-vllm": streamed(piece("Half of"), event(object="error", **ERROR), DONE),
    "openrouter": streamed(piece("Half of"), piece("", "error", error=ERROR), DONE),
    "llama.cpp": streamed(piece("Half of"), b"error: " + json.dumps(ERROR).encode() + b"\n\n", DONE),
    "after-the-end": streamed(piece("Half of", "stop"), event(error=ERROR), DONE),
    "without-a-word": streamed(piece("Half of"), piece("", "error"), DONE),
    "a-word-alone": streamed(piece("Half of"), event(error=f"died {KEY}"), DONE),
}
RESPONSES = {
    "error": ScriptedAnswer(raw=json.dumps({"error": ERROR}).encode()),
    "openrouter": whole("error", error=ERROR),
    "finish-reason": whole("error"),
}
CASES = [
    *(pytest.param(True, each, id=f"stream-{name}") for name, each in STREAMS.items()),
    *(pytest.param(False, each, id=f"whole-{name}") for name, each in RESPONSES.items()),
]


@pytest.mark.parametrize(("stream", "failed"), CASES)
async def test_an_answer_that_ends_with_an_error_is_told_and_stored_nowhere(
    served: Serve, stream: bool, failed: ScriptedAnswer
) -> None:
    async with served([failed, "Good.", failed, "Better."]) as front:
        for _ in range(2):
            with pytest.raises(APIError) as raised:
                await front.ask("Hello?", stream=stream)
            said = str(raised.value)
            assert any(each in said for each in ("Provider disconnected", "died", "127.0.0.1"))
            assert KEY not in said
            assert isinstance(raised.value, InternalServerError) != stream
            if len(front.model.requests) == 1:
                assert await front.told() == ["Kim: Hello?"]
                await front.ask("Hello?")
            assert await front.told() == ["Kim: Hello?", "Alice: Good."]
        await front.ask("Hello?", stream=stream)
        assert await front.told() == ["Kim: Hello?", "Alice: Better."]
        total = (await (await front.story()).backstage().costs()).total
        assert (total.calls, total.failed) == (4, 2)


async def test_an_error_retracts_nothing(served: Serve) -> None:
    async with served(["A.", "B.", STREAMS["vllm"], "C."]) as front:
        await front.ask("1")
        await front.ask("1", "A.", "2")
        with pytest.raises(APIError):
            await front.ask("1", "A.", "2!", stream=True)
        assert await front.told() == ["Kim: 1", "Alice: A.", "Kim: 2!", "Alice: B."]
        await front.ask("1", "A.", "2!", stream=True)
        assert await front.told() == ["Kim: 1", "Alice: A.", "Kim: 2!", "Alice: C."]


@pytest.mark.parametrize(
    "answer",
    [
        STREAMS["vllm"],
        streamed(piece("Fine.", "stop"), f": spent {KEY}\n\n".encode(), DONE),
        streamed(piece("Fine."), b"<html>" + KEY.encode() + b"\n"),
        streamed(piece("Fine.", "stop", note=KEY), DONE + KEY.encode()),
    ],
)
async def test_nothing_of_a_stream_shows_the_key(served: Serve, answer: ScriptedAnswer) -> None:
    async with served([answer]) as front:
        assert KEY not in await body_of(front, stream=True)


async def test_an_error_that_is_no_json_for_others_is_passed_on(served: Serve) -> None:
    async with served([ScriptedAnswer(raw=b'{"error": {"message": {"a": [1]}, "code": NaN, "more": 1e999}}')]) as front:
        error = json.loads(await body_of(front))["error"]
        assert (error["message"], error["code"]) == ("{'a': [1]}", "NaN")


async def body_of(front: FrontEnd, **more: Any) -> str:
    """What a front end is sent."""
    messages = [{"role": "user", "content": "Hi."}]
    body = {"model": "m#session=s1&character=Alice", "messages": messages, **more}
    async with httpx.AsyncClient() as client:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return (await client.post(f"{front.url}/chat/completions", json=body, headers=headers)).text


@pytest.mark.parametrize(
    "answer",
    [
        streamed(piece("Whole."), b"data: [DONE]"),
        streamed(piece("Whole."), piece("", "stop").rstrip()),
        streamed(piece("Who"), piece("le.", "stop").rstrip()),
        whole("stop", usage={"prompt_tokens": 7, "completion_tokens": 3}),
        whole(),
        streamed(
            piece(THOUGHT), piece([{"type": "text", "text": "Who"}]), piece([{"type": "text", "text": "le."}]), DONE
        ),
    ],
    ids=["done", "finish-reason", "text", "json", "json-without-reason", "parts"],
)
async def test_an_answer_is_whole_however_its_end_is_written(served: Serve, answer: ScriptedAnswer) -> None:
    async with served([answer]) as front:
        await body_of(front, stream=True)
        said = "Half of" if b"Half" in (answer.raw or b"") else "Whole."
        assert (await front.told())[1:] == [f"Alice: {said}"]
        assert (await (await front.story()).backstage().costs()).total.failed == 0


async def test_half_a_piece_at_the_end_is_no_end(served: Serve) -> None:
    async with served([streamed(piece("Who"), piece("le.", "stop")[:-20])]) as front:
        with pytest.raises(APIError, match="no end"):
            await front.ask("Hello?", stream=True)
        assert await front.told() == ["Kim: Hello?"]


async def test_plain_json_becomes_the_stream_that_was_asked_for_and_text_in_parts_is_said(served: Serve) -> None:
    parts = [*THOUGHT, {"type": "text", "text": "In"}, {"type": "text", "text": " parts."}]
    message = {"role": "assistant", "content": parts}
    async with served(
        [whole("stop"), ScriptedAnswer(raw=json.dumps({"choices": [{"message": message}]}).encode())]
    ) as front:
        assert await front.ask("Hello?", stream=True) == "Half of"
        assert json.loads(await body_of(front))["choices"][0]["message"] == message
        assert (await front.told())[-1] == "Alice: In parts."
