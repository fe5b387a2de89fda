"""A model's reasoning is stored nowhere, by whichever door it comes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Earwitness, Session, Update
from earwitness.errors import InputError

Begin = Callable[..., Awaitable[Session]]
OpenApp = Callable[..., Awaitable[Earwitness]]
SECRET = "xyzzy"
ANSWER = f"<think>{SECRET}: Bob must not know.</think>\nHello, Bob."


async def everything(story: Session) -> str:
    """All that the story holds, as text: every container and the whole journal."""
    await story.settled()
    backstage = story.backstage()
    owners = ("alice", "bob", "charlie", "world")
    held = [str((await backstage.inspect(owner)).memories) for owner in owners]
    return "\n".join([*held, str([line async for line in backstage.export()])])


async def test_what_is_said_is_stored_without_it(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"])
    outcome = await story.say("alice", ANSWER)
    assert (await outcome.settled()).message.content == "Hello, Bob."  # type: ignore[union-attr]
    assert SECRET not in await everything(story)


@pytest.mark.parametrize(
    "opening",
    ['<details type="reasoning" done="true">\n<summary>5 s</summary>', "<details>\n<summary>Thought for 5 s</summary>"],
)
@pytest.mark.parametrize("closing", ["</details>\nHello, Bob.", ""])
async def test_reasoning_that_a_front_end_folds_away_is_stored_nowhere(
    begin: Begin, opening: str, closing: str
) -> None:
    story = await begin(present=["alice", "bob"])
    await story.say("alice", f"Good morning. {opening}\n> {SECRET}\n{closing}")
    held = await everything(story)
    assert SECRET not in held
    assert "details" not in held
    assert "Good morning." in held


@pytest.mark.parametrize(
    "text",
    [
        f"<antThinking>{SECRET}</antThinking>Hello, Bob.",
        f"<thinking_process>{SECRET}</thinking_process>Hello, Bob.",
        f"<|START_THINKING|>{SECRET}<|END_THINKING|><|START_RESPONSE|>Hello, Bob.<|END_RESPONSE|>",
        f"<|inner_prefix|>{SECRET}<|inner_suffix|>Hello, Bob.",
        f"[BEGIN_THINKING]{SECRET}[END_THINKING]Hello, Bob.",
        f"<unused94>thought\n{SECRET}<unused95>Hello, Bob.",
        f"<|channel>thought\n{SECRET}<channel|>Hello, Bob.",
        f"<|channel|>commentary<|message|>{SECRET}<|end|><|start|>assistant<|channel|>final<|message|>Hello, Bob.",
        f"analysis{SECRET}.assistantfinalHello, Bob.",
    ],
)
async def test_reasoning_in_the_marks_of_any_model_is_stored_nowhere(begin: Begin, text: str) -> None:
    story = await begin(present=["alice", "bob"])
    outcome = await story.say("alice", text)
    assert (await outcome.settled()).message.content == "Hello, Bob."  # type: ignore[union-attr]
    assert SECRET not in await everything(story)


async def test_what_a_character_folds_away_otherwise_is_kept(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"])
    await story.say("alice", "<details><summary>The map</summary>North is up.</details>")
    assert "North is up." in await everything(story)


async def test_what_is_edited_rerolled_or_said_with_others_is_stored_without_it(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"])
    await story.say("alice", "Good morning.", key="m1")
    await story.edit("m1", ANSWER)
    await story.reroll(ANSWER)
    await story.say_all([{"speaker": "bob", "content": f"{SECRET}</think> Good evening."}])
    held = await everything(story)
    assert SECRET not in held
    assert "Hello, Bob." in held
    assert "Good evening." in held


async def test_the_same_answer_told_again_with_other_reasoning_is_the_same_message(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", ANSWER, key="m1")
    again = await story.say("alice", "<think>something else</think>Hello, Bob.", key="m1")
    assert not again.created


@pytest.mark.parametrize("text", [f"<think>{SECRET}</think>", f"<think>{SECRET}", f"{SECRET}</think> "])
async def test_a_message_of_nothing_but_reasoning_is_refused(begin: Begin, text: str) -> None:
    story = await begin()
    with pytest.raises(InputError, match="nothing but a model's reasoning"):
        await story.say("alice", text)
    with pytest.raises(InputError, match="nothing but a model's reasoning"):
        await story.say_all([{"speaker": "bob", "content": text}])
    assert SECRET not in await everything(story)


async def test_a_preview_leaves_it_out_as_saying_it_would(begin: Begin, **_: Any) -> None:
    story = await begin(present=["alice", "bob"])
    assert (await story.backstage().preview("alice", ANSWER)).message.content == "Hello, Bob."


async def test_what_is_told_of_a_change_is_stored_without_it(begin: Begin) -> None:
    story = await begin(present=["alice", "bob"])
    told = f"<think>{SECRET}</think>The door opens"
    await story.change(description=told, door="open")
    await story.change(updates=[Update(description=told)])
    await story.update(told)
    held = await everything(story)
    assert SECRET not in held
    assert "The door opens. GameDay: 1" in held
    with pytest.raises(InputError, match="there is nothing to tell"):
        await story.update(f"<think>{SECRET}</think>")


async def test_an_update_whose_reasoning_an_earlier_version_kept_is_the_same_when_it_is_told_again(
    begin: Begin, open_app: OpenApp
) -> None:
    story = await begin()
    await story.update("The door opens", key="u1")
    await story.change(door="open", description="It stays open", key="c1")
    await story.settled()
    lines = [line async for line in story.backstage().export()]
    for body in (line["entry"]["body"] for line in lines[1:] if line.get("entry", {}).get("key") in {"u1", "c1"}):
        told = body if body["description"] else body["updates"][0]
        told["description"] = f"<think>{SECRET}</think>{told['description']}"
    story = await (await open_app()).import_session(lines)
    for text in ("", f"<think>{SECRET}</think>"):
        assert not (await story.update(f"{text}The door opens", key="u1")).created
        assert not (await story.change(door="open", description=f"{text}It stays open", key="c1")).created
