"""Reading back: the messages as they now read, whether a key is there, and what became of it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Session
from earwitness.errors import InputError, UnknownName
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]


async def told(begin: Begin, **given: Any) -> Session:
    story = await begin(present=["alice", "bob"], **given)
    await story.say("alice", "One.", key="m1", audience=["bob"], metadata={"avatar": "a.png"})
    await story.say("bob", "Two.", key="m2", audience=["alice"], channel=Channel(context="dm", channel_id="7"))
    await story.change(game_day=2, key="c1")
    await story.say("alice", "Three.", key="m3", audience=["bob", "charlie"])
    await story.say("charlie", "Four.", key="m4", audience=["alice"])
    return story


async def keys(story: Session, **asked: Any) -> list[str]:
    return [each.key for each in await story.messages(**asked)]


async def test_messages_come_in_order_with_all_that_is_known_of_them(begin: Begin) -> None:
    first, *_, last = await (await told(begin)).messages()
    assert (first.key, first.speaker, first.content, first.message.metadata) == (
        "m1",
        "alice",
        "One.",
        {"avatar": "a.png"},
    )
    assert (last.key, last.message.game_day, set(last.participants)) == ("m4", 2, {"alice", "charlie"})


async def test_an_edited_message_reads_as_it_now_does_and_a_retracted_one_is_left_out_or_marked(begin: Begin) -> None:
    story = await told(begin)
    await story.edit("m1", "Won.")
    await story.retract("m3")
    assert [(each.key, each.content, each.edited) for each in await story.messages(limit=3)] == [
        ("m1", "Won.", True),
        ("m2", "Two.", False),
        ("m4", "Four.", False),
    ]
    assert [(each.key, each.retracted) for each in await story.messages(after="m2", retracted=True)] == [
        ("m3", True),
        ("m4", False),
    ]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"limit": 2}, ["m3", "m4"]),
        ({"limit": 0}, []),
        ({"before": "m3"}, ["m1", "m2"]),
        ({"before": "m3", "limit": 1}, ["m2"]),
        ({"after": "m1"}, ["m2", "m3", "m4"]),
        ({"after": "m1", "limit": 2}, ["m2", "m3"]),
        ({"after": "m1", "before": "m4"}, ["m2", "m3"]),
        ({"after": "c1"}, ["m3", "m4"]),
        ({"after": "m4"}, []),
        ({"speaker": "Alice"}, ["m1", "m3"]),
        ({"speaker": "alice", "limit": 1}, ["m3"]),
        ({"heard_by": "charlie"}, ["m3", "m4"]),
        ({"heard_by": "bob"}, ["m1", "m2", "m3"]),
        ({"channel_id": "7"}, ["m2"]),
    ],
    ids=str,
)
async def test_filters(begin: Begin, asked: dict[str, Any], found: list[str]) -> None:
    assert await keys(await told(begin), **asked) == found


async def test_a_long_story_is_read_page_by_page(begin: Begin) -> None:
    story = await begin(cast=["alice"])
    await story.say_all({"speaker": "alice", "content": f"No. {number}", "key": f"k{number}"} for number in range(600))
    everything = [f"k{number}" for number in range(600)]
    assert await keys(story) == await keys(story, after="#begin") == everything
    assert await keys(story, limit=300) == everything[300:]
    assert await keys(story, after="k9", limit=300) == everything[10:310]


async def test_what_a_character_heard_is_in_the_words_they_heard_without_what_they_were_made_to_forget(
    begin: Begin,
) -> None:
    story = await begin(detector="rules")
    await story.enter("alice", "bob")
    await story.say("alice", '"Welcome." [I poisoned his wine.]', key="m1")
    await story.say("alice", "Drink.", key="m2", audience=["alice", "bob"])
    (bobs,) = await story.messages(heard_by="bob", limit=1, before="m2")
    assert "poisoned" not in bobs.content
    assert "Welcome" in bobs.content
    memory = (await story.backstage().inspect("bob")).memories[0]
    await story.retract(memory.id)
    assert await keys(story, heard_by="bob") == ["m2"]


async def test_a_namesake_who_joined_later_heard_nothing_from_before(begin: Begin) -> None:
    story = await told(begin)
    await story.forget("bob")
    await story.join("bob")
    assert await keys(story, heard_by="bob") == []


@pytest.mark.parametrize(
    ("asked", "error", "why"),
    [
        ({"limit": -1}, InputError, "limit = -1"),
        ({"before": "m9"}, UnknownName, "unknown key 'm9'"),
        ({"after": "m9"}, UnknownName, "unknown key 'm9'"),
        ({"speaker": "zoe"}, UnknownName, "unknown character 'zoe'"),
        ({"heard_by": "zoe"}, UnknownName, "unknown character 'zoe'"),
    ],
    ids=str,
)
async def test_what_is_unknown_is_named(begin: Begin, asked: dict[str, Any], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        await (await told(begin)).messages(**asked)


async def test_whether_a_key_was_used(begin: Begin) -> None:
    story = await told(begin)
    unnamed = await story.say("alice", "Hm.")
    await story.retract("m1")
    assert [await story.has(key) for key in ("m1", "c1", unnamed.key, "m9")] == [True, True, True, False]


async def test_an_outcome_is_the_one_that_say_gave_also_after_reopening(begin: Begin) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    story = await told(begin, **kept)
    first = await story.say("alice", "Five.", key="m5", audience=["bob"])
    settlement = await first.settled()
    for each in (story, await begin(**kept)):
        again = await each.outcome("m5")
        assert (again.key, again.sequence, again.created) == ("m5", first.sequence, False)
        assert await again.settled() == settlement
    assert (await (await story.outcome("c1")).settled()).message is None
    with pytest.raises(UnknownName, match="unknown key 'm9'"):
        await story.outcome("m9")


async def test_an_outcome_that_is_not_decided_yet_can_be_waited_for(begin: Begin) -> None:
    asked = asyncio.Event()

    class Slow:
        async def detect(self, moment: Any) -> None:
            await asked.wait()

    story = await begin(detector=Slow(), strict=False)
    await story.say("alice", "One.", key="m1")
    waiting = asyncio.create_task((await story.outcome("m1")).settled())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    asked.set()
    assert (await waiting).message is not None


async def test_a_host_whose_model_answers_otherwise_the_second_time_meets_no_conflict(begin: Begin) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    answers = iter(["Aye.", "Nay."])

    async def answered(story: Session) -> str:
        if not await story.has("m2"):
            turn = await story.turn("bob")
            await turn.say(next(answers), key="m2")
        (answer,) = [each for each in await story.messages() if each.key == "m2"]
        return answer.content

    for _ in range(2):
        story = await begin(**kept)
        await story.say("alice", "Are you with me, Bob?", key="m1")
        assert await answered(story) == "Aye."
