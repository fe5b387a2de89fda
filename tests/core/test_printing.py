"""What a person prints reads as a sentence or a short list: every record, and what a host holds."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import earwitness
from earwitness import Cast, Channel, Character, Earwitness, Membership, Session
from earwitness.backstage.knowers import Contrary
from earwitness.containers import pantheon_container
from earwitness.loading.settings import RecallSettings, Settings
from earwitness.loading.survey import survey
from earwitness.records.base import Record
from earwitness.records.learned import Learned
from earwitness.records.state import Whereabouts


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    async with Earwitness.open(tmp_path / "s.db", embedder="none") as ew:
        cast = [
            Character("alice"),
            Character("bob", aliases=["Robert"]),
            Character("mira", name="Mira Vale", kind="persona"),
        ]
        yield await ew.session("s1", cast=cast, present=["alice", "bob"])


async def test_an_overview_says_where_everybody_is_and_how_much_they_remember(story: Session) -> None:
    await story.say("alice", "The sword is in the cave.")
    await story.change(game_day=2, current_scene="lair")
    await story.move("mira", "castle/kitchen")
    assert str(await story.backstage().overview()) == (
        "s1: day 2, lair, 4 entries\n"
        "alice: here, 1 memory\n"
        "bob: here, 1 memory\n"
        "mira (Mira Vale): persona, castle/kitchen, 0 memories\n"
        "the world: 2 memories"
    )


async def test_an_outcome_says_who_perceived_it_and_why(story: Session) -> None:
    outcome = await story.say("alice", '*whispers to Bob* "It is in the cave."', key="m1")
    assert str(outcome) == "entry 2, key 'm1': acknowledged; await decided() or settled()"
    settled = await outcome.settled()
    said = (
        "alice on day 1 (message 2, key 'm1'): *whispers to Bob* \"It is in the cave.\"\n"
        "  alice: speaker (1.00: said it)\n"
        "  bob: addressee (0.97: it is whispered to them; here since message 1)"
    )
    assert str(outcome) == str(settled) == str(settled.plan) == said
    assert str(settled.message) == said.partition("\n")[0]
    assert str(settled.deliveries[1]) == ('alice said it on day 1: Alice: *whispers to Bob* "It is in the cave."')


async def test_a_plan_says_what_happened_moved_and_was_taken_back(story: Session) -> None:
    await story.say("alice", "It is in the cave.", key="m1")
    await story.change(game_day=2, description="The night is over")
    left = await (await story.leave("bob", to="attic")).settled()
    assert str(left) == "entry 4, key '#4'\n  bob leaves to attic"
    gone = await (await story.retract("m1")).settled()
    assert str(gone) == (
        "alice on day 1 (message 2, key 'm1'): It is in the cave.\n  retracted by author: 3 memories of 'm1'"
    )
    assert [str(each) for each in await story.backstage().journal()] == [
        "1, key '#begin', changed: alice enters; bob enters; alice joins; bob joins; mira joins",
        "2, key 'm1', said: alice: It is in the cave.",
        "3, key '#3', changed: game_day = 2; The night is over",
        "4, key '#4', changed: bob leaves to attic",
        "5, key '#5', retracted: 'm1', by author",
    ]


async def test_a_turn_says_what_came_to_mind_and_why(story: Session) -> None:
    await story.say("alice", "The sword is in the cave.", key="m1")
    turn = await story.turn("bob", query="Where is the sword?", in_prompt=[])
    said = "Alice: The sword is in the cave. (heard it from alice on day 1"
    assert str(turn) == f"bob remembers 1 memory\n1. {said}; words 1.00, meaning 0.00)"
    assert str(turn.memories[0].memory) == "Alice: The sword is in the cave. (heard it from alice on day 1)"
    page = await story.backstage().inspect("bob")
    assert str(page) == "bob: 1 memory\n1. Alice: The sword is in the cave. (heard it from alice on day 1)"
    (hit,) = await story.backstage().search("bob", "the sword")
    assert str(hit) == "1.00 Alice: The sword is in the cave. (heard it from alice on day 1)"


async def test_a_preview_says_who_would_hear_it(story: Session) -> None:
    assert str(await story.backstage().preview("alice", "[I lied to Bob.]")) == (
        "alice: [I lied to Bob.]\n  alice: speaker (1.00: said it)"
    )


async def test_what_would_be_decided_now_is_told_as_a_difference(story: Session) -> None:
    await story.say("alice", "Good evening.", key="m1", present=["mira"])
    assert str(await story.backstage().replan("m1")) == "message 'm1': the same characters would perceive it"


async def test_what_was_there_before_is_told_piece_by_piece(story: Session) -> None:
    assert str(await story.backstage().before()) == "nothing was there before the story"
    await story.prepare(
        plot="A sword lies hidden.", lore=[{"text": "Dragons fear song.", "known_by": ["bob"], "key": "d"}]
    )
    assert str(await story.backstage().before()) == (
        "prepared with key '#2':\n"
        "  plot, known to everybody: A sword lies hidden.\n"
        "  lore 'd', known to bob: Dragons fear song."
    )
    memory = (await story.backstage().inspect("bob")).memories[0]
    assert str(await story.backstage().explain(memory.id)) == "bob remembers the plot\n  knew it before the story"


def test_small_records_are_told_in_a_few_words() -> None:
    assert str(Channel(context="dm", channel_id="7")) == "dm, channel '7'"
    assert str(Whereabouts(place="cellar", condition="asleep")) == "cellar, asleep"
    assert str(Cast(members=(Character("bob", aliases=["Robert"]),))) == "bob: Bob, Robert"
    assert "recent: 3\nmemories: 8" in str(RecallSettings())
    assert str(pantheon_container("olympus")) == "pantheon-olympus: the hub of olympus"
    assert str(Membership(container="pantheon-olympus", member="zeus", since=3)) == (
        "zeus may read pantheon-olympus since day 3"
    )
    contrary = Contrary(learned=Learned(way="heard", teller="anna"), since=2, memory_id="m", text="No.", trust=0.5)
    assert str(contrary) == "heard the contrary from anna on day 2 (trust 0.5)"


def test_what_is_installed_is_told_by_kind(tmp_path: Path) -> None:
    said = str(survey(Settings.of(path=str(tmp_path / "s.db"), embedder="none")))
    assert "detector: rules\nworld_agent: rules" in said
    assert "plugin chronicle: on_state_change" in said


def records() -> Iterator[type[Record]]:
    """All records of core that are imported with it."""
    for module in pkgutil.walk_packages(earwitness.__path__, "earwitness."):
        if not module.name.startswith(("earwitness.testing", "earwitness.sync")):
            found = vars(importlib.import_module(module.name)).values()
            yield from (each for each in found if isinstance(each, type) and issubclass(each, Record))


def test_no_record_is_printed_as_code() -> None:
    """Not as pydantic shows it, `key='m1' sequence=2 revision=0 …`."""
    assert {each.__str__ for each in records()}.isdisjoint({Record.__mro__[1].__str__})


async def test_a_repr_leaves_out_what_is_at_its_default(story: Session) -> None:
    assert repr(Learned(way="said")) == "Learned(way='said')"
    assert repr(Channel(context="dm")) == "Channel(context='dm')"
    assert repr((await story.backstage().who_knows("the sword")).knowers["bob"]) == "Knower(character='bob')"


async def test_handles_say_what_they_are_of(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "s.db") as ew:
        story = await ew.session("s1", cast=["alice"])
        assert repr(story) == "<Session 's1', 1 character, 1 entry>"
        assert repr(story.backstage()) == "<Backstage of 's1', role 'author'>"
        assert repr(ew) == f"<Earwitness {str(tmp_path / 's.db')!r}, ledger 'sqlite', store 'sqlite'>"


async def test_what_was_told_and_seen_is_said_in_its_own_words(story: Session) -> None:
    await (await story.say("alice", "The gate is open.", key="m1", audience=["alice"])).settled()
    told = await (await story.tell("alice", "mira", "m1")).settled()
    assert str(told) == "entry 3, key '#3'\n  mira was told by alice on day 1: Alice: The gate is open."
    await story.say("bob", "Good evening.", speak_as="Monsieur Roux", audience=["alice"])
    shown = await (await story.unmask("bob", audience=["mira"])).settled()
    (mira,) = (each for each in shown.deliveries if each.owner == "mira")
    assert str(await story.backstage().explain(mira.memory_id)) == (
        "mira remembers 'Monsieur Roux is Bob.'\n  saw it happen on day 1"
    )
