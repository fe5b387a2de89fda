"""Each participant receives what she could perceive of a message, and no more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from earwitness import (
    Earwitness,
    Message,
    MessageAnswer,
    Moment,
    Participant,
    Perceived,
    Plugin,
    Presence,
    Session,
    SettledMessage,
)
from earwitness.errors import StrategyError
from earwitness.events import Share, SharingEvent
from earwitness.records.moment import Segment
from earwitness.testing.reference import MemoryLedger, MemoryStore

OPEN, SECRET, ASIDE, OOC = "Good evening, all.", "*whispers to Bob* The sword is mine.", "[Fools.]", "((brb))"


class Cutter:
    """Everybody is here; a message is cut at bars: `open|whisper|thought|out of character`."""

    def detect(self, moment: Moment) -> Presence:
        who = {id: Perceived(probability=0.9, role="present", evidence=("here",)) for id in moment.cast.ids}
        return Presence(characters=who, segments=tuple(_segment(text) for text in moment.message.content.split("|")))


def _segment(text: str) -> Segment:
    if text.startswith("*whispers to Bob*"):
        return Segment(text=text, kind="whisper", audience=("bob", "nobody_we_know"))
    if text.startswith("["):
        return Segment(text=text, kind="thought", audience=())
    return Segment(text=text, kind="ooc", audience=()) if text.startswith("((") else Segment(text=text, kind="spoken")


class BobTellsCharlie:
    def share(self, event: SharingEvent) -> Iterable[Share]:
        return [Share(character="dora", shared_from="charlie", rule="gossip")]


@asynccontextmanager
async def story(*, strict: bool = True, **more: object) -> AsyncIterator[Session]:
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger(), "detector": Cutter(), **more}
    async with Earwitness.open(**strategies, world_agent="none", block=("chronicle",), strict=strict) as ew:
        yield await ew.session("s", cast=["alice", "bob", "charlie", "dora"])


async def texts(session: Session, owner: str) -> str:
    return "\n".join(memory.content for memory in (await session.backstage().inspect(owner)).memories)


async def test_a_whisper_within_a_message_reaches_only_its_audience_and_the_rest_reaches_all() -> None:
    async with story() as session:
        settled = await (await session.say("alice", f"{OPEN}|{SECRET}")).settled()
        assert set(settled.participants) == {"alice", "bob", "charlie", "dora"}
        assert "sword" in await texts(session, "bob")
        assert "sword" in await texts(session, "alice")
        assert OPEN in await texts(session, "charlie")
        assert "sword" not in await texts(session, "charlie")
        assert "sword" in await texts(session, "world")
        assert OPEN in await texts(session, "world")


async def test_who_could_perceive_no_segment_is_no_participant() -> None:
    async with story() as session:
        settled = await (await session.say("alice", SECRET)).settled()
        assert list(settled.participants) == ["alice", "bob"]
        assert (await session.backstage().inspect("charlie")).total == 0


async def test_a_thought_is_the_speakers_own() -> None:
    async with story() as session:
        await (await session.say("alice", f"{OPEN}|{ASIDE}")).settled()
        assert "Fools" in await texts(session, "alice")
        assert "Fools" not in await texts(session, "bob")


async def test_out_of_character_talk_is_delivered_to_nobody_but_the_world_keeps_it() -> None:
    async with story() as session:
        await (await session.say("alice", OOC)).settled()
        for owner in session.cast.ids:
            assert (await session.backstage().inspect(owner)).total == 0
        assert OOC in await texts(session, "world")
        assert OOC not in (await session.turn("alice")).query


async def test_the_recall_query_holds_only_what_she_perceived() -> None:
    async with story() as session:
        await session.say("alice", f"{OPEN}|{SECRET}")
        assert "sword" in (await session.turn("bob")).query
        query = (await session.turn("charlie")).query
        assert OPEN in query
        assert "sword" not in query


async def test_nobody_passes_on_more_than_he_perceived() -> None:
    async with story(sharing_rules=[BobTellsCharlie()], detector=_WithoutDora()) as session:
        await (await session.say("alice", f"{OPEN}|{SECRET}")).settled()
        assert OPEN in await texts(session, "dora")
        assert "sword" not in await texts(session, "dora")


async def test_who_heard_a_part_is_not_said_to_know_the_rest() -> None:
    async with story() as session:
        await session.say("alice", f"{OPEN}|{SECRET}")
        known = await session.backstage().who_knows("The sword is mine")
        assert [id for id, knower in known.knowers.items() if knower.knows] == ["alice", "bob"]


async def test_the_hosts_word_and_a_plugins_reach_the_whole_message() -> None:
    class Spy(Plugin):
        def on_message(self, event: object) -> MessageAnswer:
            return MessageAnswer(add={"dora": "hides behind the curtain"})

    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger(), "detector": Cutter()}
    async with Earwitness.open(
        **strategies, plugins=[Spy()], world_agent="none", block=("chronicle",), strict=True
    ) as ew:
        session = await ew.session("s", cast=["alice", "bob", "charlie", "dora"])
        await (await session.say("alice", f"{OPEN}|{SECRET}", key="m1")).settled()
        assert "sword" in await texts(session, "dora")
        assert "sword" not in await texts(session, "charlie")
        await (await session.say("alice", f"Again.|{SECRET}", audience=["alice", "charlie"])).settled()
        assert "sword" in await texts(session, "charlie")


async def test_with_perception_whole_a_message_goes_as_one_to_whoever_could_perceive_all_of_it() -> None:
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger(), "detector": Cutter()}
    async with Earwitness.open(
        **strategies, world_agent="none", block=("chronicle",), end={"perception": "whole"}, strict=True
    ) as ew:
        session = await ew.session("s", cast=["alice", "bob", "charlie"])
        settled = await (await session.say("alice", f"{OPEN}|{SECRET}")).settled()
        assert list(settled.participants) == ["alice", "bob"]
        for owner in ("alice", "bob"):
            assert OPEN in await texts(session, owner)
            assert "sword" in await texts(session, owner)
        assert not await texts(session, "charlie")


@pytest.mark.parametrize(
    "pieces",
    [("Alice has betrayed you.",), ("Good day.", "The king is dead."), ("Good evening", "Good evening")],
    ids=["invented", "out of order", "twice"],
)
async def test_a_detector_s_segments_hold_nothing_the_message_does_not_say(pieces: Sequence[str]) -> None:
    said = "The king is dead. Good day. Good evening."
    async with story(detector=_Segments(pieces), strict=False) as session:
        settled = await (await session.say("alice", said)).settled()
        assert list(settled.participants) == ["alice"]
        assert settled.degraded
        (failed,) = settled.failures
        assert failed.by.startswith("detector:")
        assert "is not in the message" in (failed.failure or "")
        assert f"Message: Alice: {said} GameDay" in await texts(session, "alice")
        assert await texts(session, "bob") == ""


async def test_a_detector_may_join_pieces_with_a_blank_where_the_message_has_none_or_more() -> None:
    async with story(detector=_Segments(["*smiles* *bows*", "Good day, Ren\u00e9."])) as session:
        settled = await (await session.say("alice", "*smiles**bows*\n\nGood  day, Rene\u0301.")).settled()
        assert len(settled.participants) == 4


async def test_segments_the_message_never_had_are_raised_when_strict() -> None:
    async with story(detector=_Segments(["Boo!"])) as session:
        outcome = await session.say("alice", "Hello.")
        with pytest.raises(StrategyError, match="'Boo!' is not in the message"):
            await outcome.settled()


class _Segments:
    """Everybody hears these pieces, whatever was said."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def detect(self, moment: Moment) -> Presence:
        who = {id: Perceived(probability=0.9, role="present") for id in moment.cast.ids}
        return Presence(characters=who, segments=tuple(Segment(text=text, kind="spoken") for text in self.texts))


class _WithoutDora(Cutter):
    def detect(self, moment: Moment) -> Presence:
        presence = super().detect(moment)
        return presence.model_copy(
            update={"characters": {id: who for id, who in presence.characters.items() if id != "dora"}}
        )


def test_a_settled_message_says_what_each_perceived() -> None:
    message = Message(key="k", sequence=1, speaker="a", content="one two", game_day=1, scene="s", timestamp="t")
    there = {id: Participant(role="present", confidence=1) for id in ("a", "b")}
    settled = SettledMessage(message=message, participants=there, heard={"b": "one"})
    assert settled.heard_by("a") == "one two"
    assert settled.heard_by("b") == "one"
    assert settled.heard_by("c") == settled.tellable_by("c") == ""  # who took no part perceived nothing


async def test_a_preview_says_what_those_would_hear_who_do_not_hear_all() -> None:
    line = '*whispers to Alice* "The sword is mine." Then aloud: "Good night, all."'
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=["alice", "bob", "kim"])
        seen = await story.backstage().preview("kim", line)
        assert seen.heard == {"bob": 'Then aloud: "Good night, all."'}
        assert set(seen.participants) == {"alice", "bob", "kim"}
        assert seen.seen_by("kim").heard == {}
        assert (await (await story.say("kim", line)).settled()).plan.message.heard == seen.heard
