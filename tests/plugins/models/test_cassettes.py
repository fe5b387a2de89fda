"""Cassettes: a run with a model is recorded, and repeated without one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import SettingsError
from earwitness_plugins.models.errors import NotOnCassette
from earwitness_plugins.models.records import ChatMessage
from earwitness_plugins.testing.model import ScriptedAnswer, ScriptedModel

from .conftest import LIMIT, Weather, weather

Serve = Callable[..., ScriptedModel]
GREY, SUNNY = Weather(sky="grey"), Weather(sky="sunny")
HELLO = (ChatMessage(role="user", content="Hello?"),)


def tape_in(folder: Path) -> Path:
    return next(folder.rglob("tape.jsonl"))


async def test_a_recorded_run_needs_no_model(serve: Serve, client: Any, tmp_path: Path) -> None:
    model = serve([GREY, SUNNY])
    recording = await client(model, cassette="tape.jsonl", cassette_mode="record")
    asked = [await weather(recording, question=each) for each in ("Today?", "Tomorrow?")]
    model.__exit__(None, None, None)
    replaying = await client(serve([]), cassette="tape.jsonl", cassette_mode="replay")
    assert [await weather(replaying, question=each) for each in ("Today?", "Tomorrow?")] == asked == [GREY, SUNNY]


async def test_a_replayed_call_is_reported_with_what_it_cost_then(serve: Serve, client: Any) -> None:
    answer = ScriptedAnswer('{"sky": "grey"}', usage=(10, 5))
    priced = {"cassette": "tape.jsonl", "prices": {"scripted": {"input": 1, "output": 2}}}
    for cached in (False, True):
        asking = await client(serve([] if cached else [answer]), **priced)
        account = asking.account("s1", "test")
        await weather(asking, account)
        (call,) = account.usage.calls
        assert (call.cached, call.tokens_in, call.tokens_out, call.cost) == (cached, 10, 5, 20 / 1_000_000)
        assert (asking.spent("s1").calls, asking.spent("s1").tokens) == (1, 15)


async def test_what_is_not_recorded_is_said(serve: Serve, client: Any) -> None:
    await weather(await client(serve([GREY]), cassette="tape.jsonl"))
    model = serve([SUNNY])
    replaying = await client(model, cassette="tape.jsonl", cassette_mode="replay")
    with pytest.raises(NotOnCassette, match=r"tape\.jsonl' has no answer to this request \(test 3 \(abcd\), model"):
        await weather(replaying, question="And the day after?")
    assert model.requests == []


async def test_what_is_missing_is_asked_and_recorded(serve: Serve, client: Any) -> None:
    await weather(await client(serve([GREY]), cassette="tape.jsonl"))
    model = serve([SUNNY])
    asking = await client(model, cassette="tape.jsonl")
    assert await weather(asking) == GREY
    assert await weather(asking, question="Tomorrow?") == SUNNY
    assert len(model.requests) == 1


async def test_the_same_question_gets_its_answers_in_order(serve: Serve, client: Any) -> None:
    recording = await client(serve([GREY, SUNNY]), cassette="tape.jsonl", cassette_mode="record")
    assert [await weather(recording) for _ in range(2)] == [GREY, SUNNY]
    replaying = await client(serve([]), cassette="tape.jsonl", cassette_mode="replay")
    assert [await weather(replaying) for _ in range(3)] == [GREY, SUNNY, SUNNY]


async def test_streams_and_repairs_and_schemas_in_prompts_are_replayed_too(serve: Serve, client: Any) -> None:
    script = [GREY, "no", SUNNY, ScriptedAnswer("Good day to you.")]
    recording = await client(serve(script, takes_schemas=False), cassette="tape.jsonl", cassette_mode="record")
    for mode in ("record", "replay"):
        replaying = await client(serve([]), cassette="tape.jsonl", cassette_mode=mode)
        asking = recording if mode == "record" else replaying
        assert await weather(asking) == GREY
        assert await weather(asking, question="Tomorrow?") == SUNNY
        stream = asking.stream(asking.account("s1", "test"), HELLO, limit=LIMIT)
        assert "".join([piece async for piece in stream]) == "Good day to you."


async def test_a_cassette_holds_no_key(serve: Serve, client: Any, tmp_path: Path) -> None:
    model = serve(lambda request: ScriptedAnswer(f'{{"sky": "{request.key}"}}'))
    asking = await client(model, cassette="tape.jsonl")
    assert (await weather(asking, question=f"What is {model.key}?")).sky == "**********"
    tape = (tmp_path / "tape.jsonl").read_text("utf-8")
    assert model.key not in tape
    assert model.key not in model.requests[0].text
    assert "What is **********?" in tape


async def test_a_file_that_is_no_cassette_is_refused_by_line(serve: Serve, client: Any, tmp_path: Path) -> None:
    (tmp_path / "tape.jsonl").write_text('\n{"digest": 3}\n', "utf-8")
    with pytest.raises(SettingsError, match=r"tape\.jsonl, line 2: not an answer of a cassette"):
        await client(serve([]), cassette="tape.jsonl")


async def test_a_cassette_that_is_missing_cannot_be_replayed(serve: Serve, client: Any) -> None:
    with pytest.raises(SettingsError, match=r"tape\.jsonl' does not exist. Record it first"):
        await client(serve([]), cassette="tape.jsonl", cassette_mode="replay")


@pytest.mark.parametrize("cut", [1, 7, 40, 300, -1])
async def test_a_last_line_that_was_cut_short_is_recorded_anew(
    serve: Serve, client: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, cut: int
) -> None:
    """As by a program that was killed while it wrote."""
    first = await client(serve([GREY, SUNNY]), cassette="tape.jsonl")
    for each in ("Today?", "Tomorrow?"):
        await weather(first, question=each)
    tape = tape_in(tmp_path)
    whole, last, _ = tape.read_bytes().split(b"\n")
    tape.write_bytes(whole + b"\n" + last[:cut])
    model = serve([SUNNY])
    asking = await client(model, cassette="tape.jsonl")
    assert [await weather(asking, question=each) for each in ("Today?", "Tomorrow?")] == [GREY, SUNNY]
    assert len(model.requests) == 1
    (said,) = [each.message for each in caplog.records if "cut short" in each.message]
    assert said.startswith(f"{tape}, line 2: the cassette's last line was cut short: its answer is not used, and ")
    replaying = await client(serve([]), cassette="tape.jsonl", cassette_mode="replay")
    assert [await weather(replaying, question=each) for each in ("Today?", "Tomorrow?")] == [GREY, SUNNY]
    assert tape.read_bytes().count(b"\n") == 2


async def test_a_last_line_without_its_end_is_whole_and_odd_separators_end_none(
    serve: Serve, client: Any, tmp_path: Path
) -> None:
    odd = Weather(sky="grey\u2028\x85wet")
    await weather(await client(serve([odd]), cassette="tape.jsonl"))
    tape = tape_in(tmp_path)
    tape.write_bytes(tape.read_bytes().rstrip(b"\n"))
    asking = await client(serve([SUNNY]), cassette="tape.jsonl")
    assert [await weather(asking), await weather(asking, question="Tomorrow?")] == [odd, SUNNY]
    replaying = await client(serve([]), cassette="tape.jsonl", cassette_mode="replay")
    assert [await weather(replaying), await weather(replaying, question="Tomorrow?")] == [odd, SUNNY]


@pytest.mark.parametrize("broken", [b'{"digest":"0', b"\xff\xfe", b"hello"])
async def test_a_broken_line_before_the_last_is_one_clear_error(
    serve: Serve, client: Any, tmp_path: Path, broken: bytes
) -> None:
    await weather(await client(serve([GREY]), cassette="tape.jsonl"))
    tape = tape_in(tmp_path)
    before = broken + b"\n" + tape.read_bytes()
    tape.write_bytes(before)
    with pytest.raises(SettingsError, match=r"tape\.jsonl, line 1: not an answer of a cassette: .* Delete the line"):
        await client(serve([]), cassette="tape.jsonl")
    assert tape.read_bytes() == before
