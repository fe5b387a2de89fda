"""What the proxy takes back of a story, and what it never does: a front end's mistake costs nothing."""

from contextlib import suppress
from typing import Any

import pytest
from openai import APIError

from earwitness_plugins.testing.model import ScriptedAnswer

from .conftest import FrontEnd, Serve

ALICE = "m#session=s1&character=Alice&user=Kim"
PROMPT = {"role": "system", "content": "You are Alice."}
PICTURE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}
GREETING = {"role": "assistant", "content": "Welcome to the inn."}


async def told(front: FrontEnd, turns: int) -> list[Any]:
    """Tell a story of a greeting and some turns; what a front end shows of it."""
    chat: list[Any] = [PROMPT, GREETING]
    for turn in range(turns):
        chat.append({"role": "user", "content": f"Line {turn} of Kim."})
        chat.append({"role": "assistant", "content": await front.send(chat, model=ALICE)})
    return chat


def answers() -> Any:
    return lambda request: f"So be it, {len(request.messages)}."


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [PROMPT],
        [PROMPT, {"role": "user", "content": ""}],
        [PROMPT, {"role": "user", "content": " \n"}],
        [PROMPT, {"role": "user", "content": "<think>hm</think>"}],
        [PROMPT, {"role": "user"}],
        [PROMPT, PICTURE],
        [PROMPT, {"role": "tool", "content": "7", "tool_call_id": "1"}],
        [PROMPT, GREETING, PICTURE],
    ],
    ids=["none", "prompt", "empty", "blank", "thoughts", "no-content", "picture", "tool", "greeting-and-picture"],
)
async def test_a_request_that_shows_hardly_anything_takes_nothing_back(served: Serve, messages: list[Any]) -> None:
    async with served(answers()) as front:
        await told(front, 3)
        before = await front.told()
        assert len(before) == 7
        for _ in range(2):
            with suppress(APIError):  # a text model refuses pictures
                await front.send(messages, model=ALICE)
        assert (await front.told())[:7] == before


@pytest.mark.parametrize("missing", ["kept", "retracted"])
async def test_a_new_chat_with_the_same_greeting_goes_on_after_the_old_one(served: Serve, missing: Any) -> None:
    async with served(answers(), missing=missing) as front:
        await told(front, 3)
        before = await front.told()
        chat = [PROMPT, GREETING, {"role": "user", "content": "Good evening! A new chat."}]
        chat.append({"role": "assistant", "content": await front.send(chat, model=ALICE)})
        chat.append({"role": "user", "content": "And its second line."})
        await front.send(chat, model=ALICE)
        now = await front.told()
        assert now[:7] == before
        assert [each for each in now[7:] if each.startswith("Kim")] == [f"Kim: {chat[n]['content']}" for n in (2, 4)]
        assert len(now) == 11


async def test_what_was_deleted_is_retracted_only_once_the_model_has_answered(
    served: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    script = [
        "A.",
        "B.",
        "C.",
        ScriptedAnswer(status=400, error="no"),
        ScriptedAnswer(text="w " * 9, drop="midway"),
        "D.",
    ]
    async with served(script) as front:
        await front.ask("1")
        await front.ask("1", "A.", "2")
        await front.ask("1", "A.", "2", "B.", "3")
        for stream in (False, True):
            with pytest.raises(APIError):
                await front.ask("1", "A.", "2!", stream=stream)
            assert await front.told() == ["Kim: 1", "Alice: A.", "Kim: 2!", "Alice: B.", "Kim: 3", "Alice: C."]
        newest = (await (await front.story()).messages())[-1].key
        await front.ask("1", "A.", "2!")
        assert await front.told() == ["Kim: 1", "Alice: A.", "Kim: 2!", "Alice: D."]
        assert f"at={newest!r}" in caplog.text
        await (await front.story()).fork("back", at=newest)
        assert await front.told("back") == ["Kim: 1", "Alice: A.", "Kim: 2", "Alice: B.", "Kim: 3", "Alice: C."]


@pytest.mark.parametrize(("at_most", "left"), [(2, 9), (4, 5)])
async def test_one_request_takes_back_no_more_than_the_settings_say(
    served: Serve, caplog: pytest.LogCaptureFixture, at_most: int, left: int
) -> None:
    async with served(answers(), retract_at_most=at_most) as front:
        chat = await told(front, 3)
        await front.send([*chat[:4], {"role": "user", "content": "Quite another thing."}], model=ALICE)
        now = await front.told()
        assert len(now) == left
        assert now[-2] == "Kim: Quite another thing."
        assert ("they are kept" in caplog.text) == (left == 9)


@pytest.mark.parametrize(("at_most", "edited"), [(1, 0), (2, 2)])
async def test_one_request_gives_no_more_messages_other_words_than_the_settings_say(
    served: Serve, caplog: pytest.LogCaptureFixture, at_most: int, edited: int
) -> None:
    async with served(answers(), edit_at_most=at_most) as front:
        chat = await told(front, 3)
        before = await front.told()
        for number, text in ((2, "A forged question?"), (3, "It was me!"), (4, "Line 1 of Kim, corrected.")):
            chat[number] = {**chat[number], "content": text}
        await front.send([*chat, {"role": "user", "content": "And now?"}], model=ALICE)
        now = await front.told()
        assert len(now) == len(before) + 2
        assert [each for each in range(7) if now[each] != before[each]] == ([1, 2, 3] if edited else [3])
        assert now[3] == "Kim: Line 1 of Kim, corrected."
        assert ("other words for 2 messages of it; they keep theirs" in caplog.text) == (not edited)
        assert ("A forged question?" in front.model.requests[-1].text) == bool(edited)


async def test_a_first_line_is_corrected_or_asked_again_after_a_greeting(served: Serve) -> None:
    async with served(["In the hall.", "In the well.", "Below the well."]) as front:
        for line in ("Where is the sward?", "Where is the sword?", "Where is the sword?"):
            await front.send([PROMPT, GREETING, {"role": "user", "content": line}], model=ALICE)
        assert await front.told() == [
            "Alice: Welcome to the inn.",
            "Kim: Where is the sword?",
            "Alice: Below the well.",
        ]
