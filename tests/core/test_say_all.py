"""Many messages told at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from earwitness import Memory, Session
from earwitness.errors import InputError, InvalidId, KeyConflict, UnknownName

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
HELLO = {"speaker": "alice", "content": "Hello.", "key": "m1"}


async def entries(story: Session) -> int:
    return (await story.backstage().overview()).decided


async def test_they_are_told_in_their_order_and_remembered_as_if_said_one_by_one(
    begin: Begin, memories: Memories
) -> None:
    together, alone = await begin(id="together"), await begin(id="alone")
    told = [
        HELLO,
        {"speaker": "bob", "content": "Hello, Alice!", "audience": ["alice"]},
        {"speaker": "Alice", "content": "(to Bob) Not a word.", "metadata": {"mood": "grim"}, "context": "dm"},
    ]
    outcomes = await together.say_all(told)
    for each in told:
        rest = {key: value for key, value in each.items() if key not in {"speaker", "content"}}
        await alone.say(each["speaker"], each["content"], **rest)  # type: ignore[arg-type]
    first = outcomes[0].sequence
    assert [(each.key, each.sequence, each.created) for each in outcomes] == [
        ("m1", first, True),
        (f"#{first + 1}", first + 1, True),
        (f"#{first + 2}", first + 2, True),
    ]
    settled = [await each.settled() for each in outcomes]
    assert [each.message.content for each in settled if each.message] == [each["content"] for each in told]
    for id in ("alice", "bob", "charlie"):
        assert [each.content for each in await memories(together, id)] == [
            each.content for each in await memories(alone, id)
        ]


async def test_told_again_nothing_is_told_twice_and_what_is_new_is_told(begin: Begin, memories: Memories) -> None:
    story = await begin()
    heard = {"speaker": "bob", "audience": ["alice"]}
    await story.say_all([HELLO, HELLO, heard | {"content": "Hi.", "key": "m2"}])
    again = await story.say_all(iter([HELLO, heard | {"content": "Well?", "key": "m3"}]))
    await story.settled()
    assert [each.created for each in again] == [False, True]
    assert [key for each in await memories(story, "alice") for key in each.message_keys] == ["m1", "m2", "m3"]


async def test_nothing_is_nothing(begin: Begin) -> None:
    story = await begin()
    before = await entries(story)
    assert await story.say_all([]) == []
    assert await entries(story) == before


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"speaker": "mallory", "content": "Hi."}, UnknownName, r"messages\[1\]: .*mallory"),
        ({"speaker": "bob", "content": "  "}, InputError, r"messages\[1\]: .*is empty"),
        ({"speaker": "bob"}, InputError, r"messages\[1\].*has no 'content'"),
        ({"speaker": "bob", "contents": "Hi."}, InputError, "has 'contents', .*Did you mean 'content'"),
        ({"speaker": "bob", "content": "Hi.", "presnt": []}, InputError, "'presnt'.*Did you mean 'present'"),
        ({"speaker": "bob", "content": "Hi.", "key": "#7"}, InvalidId, "starts with '#'"),
        ({"speaker": "bob", "content": "Hi.", "context": "shout"}, InputError, "context 'shout'"),
        ({"speaker": "bob", "content": "half \ud83d"}, InputError, r"messages\[1\]: this cannot be kept"),
        ("Hi.", InputError, r"messages\[1\] = 'Hi.' cannot be used"),
    ],
)
async def test_one_that_cannot_be_told_keeps_all_from_being_told(
    begin: Begin, wrong: Any, error: type[Exception], words: str
) -> None:
    story = await begin()
    before = await entries(story)
    with pytest.raises(error, match=words):
        await story.say_all([HELLO, wrong])
    assert await entries(story) == before


@pytest.mark.parametrize("before", [True, False])
async def test_a_key_that_stands_for_something_else_keeps_all_from_being_told(begin: Begin, before: bool) -> None:
    story = await begin()
    if before:
        await story.say(**HELLO)  # type: ignore[arg-type]
    told = await entries(story)
    others = [{"speaker": "bob", "content": "Hi.", "key": "m2"}, *([] if before else [HELLO])]
    with pytest.raises(KeyConflict, match=rf"messages\[{len(others)}\]: key 'm1' already belongs to"):
        await story.say_all([*others, HELLO | {"content": "Goodbye."}])
    assert await entries(story) == told


async def test_a_message_told_again_as_it_was_edited_is_the_same(begin: Begin) -> None:
    story = await begin()
    await story.say(**HELLO)  # type: ignore[arg-type]
    await (await story.edit("m1", "Hello, Bob.")).settled()
    (again,) = await story.say_all([HELLO | {"content": "Hello, Bob."}])
    assert not again.created
