"""A session as a host holds it: keys, names, outcomes, and several users."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from earwitness import Character
from earwitness.errors import (
    InvalidId,
    KeyConflict,
    NotDecided,
    UnknownName,
)
from earwitness.events import PlanEvent, ReadEvent, Strike
from earwitness.filters import EVERYTHING, Filter
from earwitness.records.channel import Channel

from .session_stories import Begin, Memories, entries, keys

# ── keys ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_same_key_with_the_same_text_returns_the_first_outcome(begin: Begin, memories: Memories) -> None:
    story = await begin()
    first = await story.say("alice", "Hello.", key="m1", audience=["bob"])
    again = await story.say("alice", "Hello.", key="m1")
    assert (first.created, again.created) == (True, False)
    assert again.sequence == first.sequence
    assert (await again.settled()).participants == (await first.settled()).participants
    assert len(await memories(story, "alice")) == 1


async def test_the_same_key_with_another_text_is_refused_and_names_edit(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "Hello.", key="m1")
    with pytest.raises(KeyConflict) as caught:
        await story.say("alice", "Goodbye.", key="m1")
    said = str(caught.value)
    assert said.startswith("key 'm1' already belongs to 'alice: Hello.', not to 'alice: Goodbye.'. ")
    assert "edit() or reroll()" in said
    assert "Goodbye" not in (await memories(story, "alice"))[0].content


async def test_the_same_key_from_another_speaker_is_refused_and_names_both(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "Hello.", key="m1")
    with pytest.raises(KeyConflict, match=r"'alice: Hello\.', not to 'bob: Hello\.'"):
        await story.say("bob", "Hello.", key="m1")


async def test_a_message_that_was_edited_may_be_told_again_in_either_wording(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "Helo.", key="m1")
    await (await story.edit("m1", "Hello.")).settled()
    for wording in ("Helo.", "Hello."):
        assert not (await story.say("alice", wording, key="m1")).created
    with pytest.raises(KeyConflict):
        await story.say("alice", "Hullo.", key="m1")


async def test_a_message_and_a_change_cannot_share_a_key(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "Hello.", key="k")
    with pytest.raises(KeyConflict, match=r"'alice: Hello\.', not to .changed {'changes': {'game_day': 2}}"):
        await story.change(game_day=2, key="k")


async def test_a_change_told_twice_under_its_key_happens_once(begin: Begin) -> None:
    story = await begin()
    for _ in range(2):
        await story.update("Alice acquired the Sacred Sword", character="alice", key="u1")
    assert await entries(story) == 2


async def test_without_a_key_the_same_words_are_two_messages(begin: Begin, memories: Memories) -> None:
    story = await begin()
    for _ in range(2):
        await story.say("alice", "Hello.")
    assert keys(await memories(story, "alice")) == ["#2", "#3"]


@pytest.mark.parametrize("key", ["#2", "", " m1", "a\nb", "k" * 201])
async def test_a_key_that_cannot_be_one_is_refused_before_anything_is_written(begin: Begin, key: str) -> None:
    story = await begin()
    with pytest.raises(InvalidId):
        await story.say("alice", "Hello.", key=key)
    assert await entries(story) == 1


# ── names ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["bob", "Bob", "ROBERT", "the Innkeeper", " robert "])
async def test_a_speaker_may_be_named_by_id_name_or_alias(begin: Begin, name: str) -> None:
    story = await begin(cast=["alice", Character("bob", aliases=["Robert", "the Innkeeper"])])
    assert list((await (await story.say(name, "Hello.")).settled()).participants) == ["bob"]


async def test_an_unknown_speaker_is_refused_with_the_cast_and_the_likeliest(begin: Begin) -> None:
    story = await begin(cast=["alice", Character("bob", aliases=["Robert"])])
    with pytest.raises(UnknownName) as caught:
        await story.say("Robret", "Hello.")
    assert str(caught.value).startswith("unknown character 'Robret'. Known: alice, bob (Robert).")
    assert str(caught.value).endswith("Did you mean 'Robert'?")
    assert await entries(story) == 1


async def test_a_name_that_two_answer_to_is_refused_with_both_ids(begin: Begin) -> None:
    story = await begin(cast=[Character("bob_smith", aliases=["Bob"]), Character("bob_jones", aliases=["Bob"])])
    with pytest.raises(UnknownName, match=r"'Bob' could mean bob_smith or bob_jones"):
        await story.say("Bob", "Hello.")


async def test_those_present_may_be_named_by_alias_and_the_speaker_need_not_be(begin: Begin) -> None:
    story = await begin(cast=["alice", Character("bob", aliases=["Robert"]), "charlie"])
    settled = await (await story.say("alice", "Hello.", audience=["Robert"])).settled()
    assert {id: (part.role, part.confidence) for id, part in settled.participants.items()} == {
        "alice": ("speaker", 1),
        "bob": ("present", 1),
    }
    assert settled.participants["bob"].evidence == ("the host said so",)


async def test_present_by_nobody_leaves_the_speaker_alone(begin: Begin) -> None:
    story = await begin(present=["bob"])
    assert list((await (await story.say("alice", "Hm.", audience=[])).settled()).participants) == ["alice"]


async def test_somebody_unknown_among_those_present_is_refused_before_anything_is_written(begin: Begin) -> None:
    story = await begin()
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await story.say("alice", "Hello.", audience=["bob", "zoe"])
    assert await entries(story) == 1


# ── outcomes ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("field", ["settlement", "participants", "deliveries", "degraded"])
async def test_what_was_decided_raises_before_it_is_settled(begin: Begin, field: str) -> None:
    outcome = await (await begin()).say("alice", "Hello.", key="m1")
    assert (outcome.key, outcome.sequence) == ("m1", 2)
    with pytest.raises(
        NotDecided,
        match=r"'m1': await outcome\.decided\(\) or outcome\.settled\(\) before you read what was decided",
    ):
        getattr(outcome, field)
    await outcome.settled()
    getattr(outcome, field)


async def test_many_tasks_may_speak_at_once_and_each_message_has_its_own_place(
    begin: Begin, memories: Memories
) -> None:
    story = await begin()
    outcomes = await asyncio.gather(*(story.say("alice", f"Word {n}.", key=f"m{n}") for n in range(20)))
    await asyncio.gather(*(outcome.settled() for outcome in outcomes))
    assert sorted(outcome.sequence for outcome in outcomes) == list(range(2, 22))
    in_order = sorted(outcomes, key=lambda outcome: outcome.sequence)
    assert keys(await memories(story, "alice")) == [outcome.key for outcome in in_order]


# ── users, personas, a narrator ───────────────────────────────────────────────────────────────────────────────────────


class Curious:
    """A guard that lets everything through and keeps who asked."""

    def __init__(self) -> None:
        self.readers: list[ReadEvent] = []

    def filter(self, event: ReadEvent) -> Filter:
        self.readers.append(event)
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        return ()


async def test_several_users_take_part_by_their_personas_and_each_remembers_on_her_own(
    begin: Begin, memories: Memories
) -> None:
    guard = Curious()
    cast = [
        Character("nomad", kind="persona", user_id="u1"),
        Character("seer", kind="persona", user_id="u2"),
        Character("teller", kind="narrator"),
        "alice",
    ]
    story = await begin(cast=cast, guards=[guard])
    await story.say("nomad", "I come alone.", key="m1", audience=["alice"])
    await story.say("seer", "I saw it coming.", key="m2", audience=["nomad"])
    await story.say("teller", "Night falls.", key="m3", audience=["nomad", "seer", "alice"])
    heard = {id: keys(await memories(story, id)) for id in story.cast.ids}
    assert heard == {"nomad": ["m1", "m2", "m3"], "seer": ["m2", "m3"], "teller": ["m3"], "alice": ["m1", "m3"]}
    await story.turn("seer", context="dm")
    (reader,) = guard.readers
    assert (reader.session, reader.character, reader.personality) == ("s1", "seer", "seer")
    assert (reader.container, reader.channel, reader.day) == ("s1-seer", Channel(context="dm"), 1)
    assert reader.users == ("u1", "u2")
