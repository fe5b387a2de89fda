"""What SillyTavern 1.19.0 really sends, replayed through the proxy: recorded in a browser, by `record_sillytavern.mjs`.

Nothing in the recording is from anybody's chats: two characters and a few lines made for it. The main prompt, the
nudges and the order are SillyTavern's defaults. Of its headers, those of HTTP itself are left out.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from .conftest import TOKEN, FrontEnd, Serve

RECORDED = Path(__file__).with_name("sillytavern_1_19_0.jsonl")
MODES = ("default", "none", "content", "completion")
"""Of «Character Names Behavior»."""
GROUP = [
    "Bob Reed: It is raining.",
    "Mira: You are late.",
    "Kim: Good evening.",
    "Bob Reed: Answer 17.",
    "Mira: Answer 18.",
    "Kim: Is there a room?",
    "Bob Reed: Answer 19.",
    "Mira: Answer 20. Answer 21.",
    "Bob Reed: Answer 25.",
    "Mira: Answer 26.",
    "Kim: Thank you.",
    "Bob Reed: Answer 27.",
    "Mira: Answer 28.",
]
"""What the group chat showed in the end, after a continuation, a swipe and a round that was generated again."""


def recorded(chat: str) -> Iterator[dict[str, Any]]:
    for line in RECORDED.read_text("utf-8").splitlines():
        request = json.loads(line)
        if request["step"].startswith(f"{chat}:"):
            yield request


async def replayed(front: FrontEnd, request: dict[str, Any], by: str) -> None:
    """Send it, with what says where it belongs in one place only."""
    body = dict(request["body"])
    headers = {"Authorization": f"Bearer {TOKEN}"} | (request["headers"] if by != "body" else {})
    if by != "body":
        del body["earwitness"]
    if by == "headers without action":
        del headers["x-earwitness-action"]
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.post(f"{front.url}/chat/completions", json=body, headers=headers)
        assert answer.status_code == 200, answer.text


async def played(served: Serve, chat: str, by: str, *, without: str = "") -> list[str]:
    """What the story holds after all requests of a chat. The model answers as it did then."""
    requests = [each for each in recorded(chat) if each["step"] != f"{chat}: {without}"]
    async with served([each["answer"] for each in requests]) as front:
        for each in requests:
            await replayed(front, each, by)
        messages = await (await front.story("inn")).messages()
        return [f"{each.speaker}: {each.content}" for each in messages]


@pytest.mark.parametrize("by", ["body", "headers", "headers without action"])
async def test_a_chat_with_one_character(served: Serve, by: str) -> None:
    quiet = "quiet" if by == "headers without action" else ""  # which nothing but its action shows
    told = await played(served, "single default", by, without=quiet)
    assert told == [
        "Mira: You are late.",
        "Kim: I am hungry.",
        "Mira: Answer 3. Answer 4.",
        "Kim: Both.",
        "Mira: Answer 7.",
    ]


@pytest.mark.parametrize("mode", MODES)
async def test_names_may_stand_anywhere(served: Serve, mode: str) -> None:
    requests = [each["answer"] for each in recorded(f"single {mode}")]
    told = await played(served, f"single {mode}", "body")
    assert told[:2] == ["Mira: You are late.", "Kim: I am hungry."]
    assert told[3:] == ["Kim: Both.", f"Mira: {requests[-1]}"]


async def test_a_group_chat(served: Serve) -> None:
    told = await played(served, "group default", "body")
    assert told == GROUP


async def test_a_group_chat_by_what_its_messages_show(served: Serve) -> None:
    assert await played(served, "group default", "headers without action") == GROUP


@pytest.mark.parametrize("mode", MODES[1:])
async def test_a_group_chat_has_a_speaker_for_each_answer(served: Serve, mode: str) -> None:
    """Without any names, nobody can know who greeted; answers are known all the same."""
    answers = [each["answer"] for each in recorded(f"group {mode}")]
    greetings = [] if mode == "none" else ["Bob Reed: It is raining.", "Mira: You are late."]
    assert await played(served, f"group {mode}", "body") == [
        *greetings,
        "Kim: Good evening.",
        f"Bob Reed: {answers[0]}",
        f"Mira: {answers[1]}",
        "Kim: Is there a room?",
        f"Bob Reed: {answers[2]}",
        f"Mira: {answers[3]}",
    ]
