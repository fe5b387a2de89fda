"""Plain text from language models, whole and as streams: what is cut, asked for again, and what shows no key."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from earwitness_plugins.models.errors import AnswerCut, BudgetSpent, ModelAway, ModelError
from earwitness_plugins.models.records import ChatMessage
from earwitness_plugins.testing.model import ScriptedAnswer, ScriptedModel

from .conftest import LIMIT

Serve = Callable[..., ScriptedModel]
HELLO = (ChatMessage(role="user", content="Hello?"),)


async def test_plain_text_comes_whole_or_in_pieces(serve: Serve, client: Any) -> None:
    model = serve(lambda _: ScriptedAnswer("Once upon a time.", usage=(9, 4)))
    asking = await client(model)
    account = asking.account("s1", "test")
    assert (await asking.chat(account, HELLO, limit=LIMIT)).text == "Once upon a time."
    pieces = [piece async for piece in asking.stream(account, HELLO, limit=LIMIT)]
    assert len(pieces) == 4
    assert "".join(pieces) == "Once upon a time."
    assert [(each.tokens_in, each.tokens_out) for each in account.usage.calls] == [(9, 4), (9, 4)]
    assert [each.stream for each in model.requests] == [False, True]


async def test_a_stream_that_breaks_off_is_an_error_after_the_pieces_that_came(serve: Serve, client: Any) -> None:
    asking = await client(serve([ScriptedAnswer("word " * 50, drop="midway")]))
    account, pieces = asking.account("s1", "test"), []
    stream = asking.stream(account, HELLO, limit=LIMIT)
    with pytest.raises(ModelAway, match=r"broke off after [\d]+ characters"):  # noqa: PT012 - after some pieces
        while True:
            pieces.append(await anext(stream))
    assert pieces
    assert account.usage.calls[0].failure


async def test_a_stream_is_asked_for_again_until_its_first_piece_has_come(serve: Serve, client: Any) -> None:
    refused, gone = ScriptedAnswer(status=429, retry_after=0), ScriptedAnswer(drop="at once")
    model = serve([refused, gone, ScriptedAnswer("Here I am.")])
    asking = await client(model, retries=2)
    account = asking.account("s1", "test")
    assert "".join([piece async for piece in asking.stream(account, HELLO, limit=LIMIT)]) == "Here I am."
    assert [bool(call.failure) for call in account.usage.calls] == [True, True, False]
    assert [call.tokens_in > 0 for call in account.usage.calls] == [False, True, True]  # what is refused costs nothing


@pytest.mark.parametrize(
    ("answers", "more", "error"),
    [
        ([ScriptedAnswer(status=401)], {}, ModelAway),
        ([ScriptedAnswer(status=429, retry_after=3600)], {}, ModelAway),
        ([ScriptedAnswer("word " * 50, drop="midway")], {}, AnswerCut),
        ([ScriptedAnswer(status=503, retry_after=0)], {"budget_per_turn": {"calls": 1}}, BudgetSpent),
    ],
    ids=["what does not pass", "no time left", "after a piece", "no budget left"],
)
async def test_a_stream_is_not_asked_for_again(
    serve: Serve, client: Any, answers: list[ScriptedAnswer], more: dict[str, Any], error: type[ModelError]
) -> None:
    model = serve(answers)
    asking = await client(model, retries=5, **more)
    with pytest.raises(error):
        [piece async for piece in asking.stream(asking.account("s1", "test", turn="m1"), HELLO, limit=LIMIT)]
    assert len(model.requests) == 1


async def test_a_stream_that_ends_without_an_end_is_cut(serve: Serve, client: Any) -> None:
    delta = {"index": 0, "delta": {"content": "I have seen"}, "finish_reason": None}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [delta]}
    asking = await client(serve([ScriptedAnswer(raw=f"data: {json.dumps(chunk)}\n\n".encode())]))
    with pytest.raises(AnswerCut, match=r"after 11 characters: .* ended before the answer did"):
        [piece async for piece in asking.stream(asking.account("s1", "test"), HELLO, limit=LIMIT)]


async def test_a_stream_that_the_server_stopped_is_cut_and_asked_again_only_where_that_may_help(
    serve: Serve, client: Any
) -> None:
    failed, filtered = ScriptedAnswer(finish="error"), ScriptedAnswer(finish="content_filter")
    asking = await client(serve([failed, "Here I am.", filtered, ScriptedAnswer("I have", finish="error")]))
    account = asking.account("s1", "test")
    assert "".join([piece async for piece in asking.stream(account, HELLO, limit=LIMIT)]) == "Here I am."
    with pytest.raises(ModelAway, match="stopped its answer by a content filter"):
        [piece async for piece in asking.stream(account, HELLO, limit=LIMIT)]
    with pytest.raises(AnswerCut, match=r"after 6 characters: .* ended its answer with an error"):
        [piece async for piece in asking.stream(account, HELLO, limit=LIMIT)]
    assert [bool(call.failure) for call in account.usage.calls] == [True, False, True, True]


async def test_a_key_in_pieces_of_a_stream_is_not_shown(serve: Serve, client: Any) -> None:
    key = "sk scripted key of the tests"
    asking = await client(serve([ScriptedAnswer(f"It is {key} and sk is not a key, sk")], key=key))
    pieces = [piece async for piece in asking.stream(asking.account("s1", "test"), HELLO, limit=LIMIT)]
    assert "".join(pieces) == "It is ********** and sk is not a key, sk"


async def test_a_reader_who_stops_listening_ends_the_stream(serve: Serve, client: Any) -> None:
    asking = await client(serve([ScriptedAnswer("word " * 50)]))
    account = asking.account("s1", "test")
    stream = asking.stream(account, HELLO, limit=LIMIT)
    assert await anext(stream) == "word "
    await stream.aclose()
    assert account.usage.calls[0].failure == "it was not read to its end"
