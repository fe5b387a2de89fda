"""Backstage: inspecting containers, the overview, replan and explain; all unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from earwitness import (
    Character,
    Moment,
    Perceived,
    Presence,
    Session,
)
from earwitness.backstage.records import BackstageRecord
from earwitness.errors import InputError, UnknownName
from earwitness.filters import EVERYTHING, And, Compare, Filter, equals
from earwitness.testing.reference import MemoryLedger
from earwitness.testing.stories import view

from .backstage_stories import FOUR, Begin, Gossip, Memories, NotDana

# ── explain ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_memory_says_how_it_got_there_hop_by_hop(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip()])
    await story.say("alice", "Let us find the Sacred Sword.", key="m1", audience=["bob"])
    (danas,) = await memories(story, "dana")
    explanation = await story.backstage().explain(danas.id)
    assert (explanation.owner, explanation.source, explanation.alive) == ("dana", "m1", True)
    assert explanation.content == danas.content
    assert str(explanation) == (
        "dana remembers what alice said on day 1 (message 2, key 'm1')\n"
        "  was told by charlie on day 1: charlie talks\n"
        "    charlie remembers what alice said on day 1 (message 2, key 'm1')\n"
        "      was told by bob on day 1: bob talks\n"
        "        bob remembers what alice said on day 1 (message 2, key 'm1')\n"
        "          heard it from alice on day 1: the host said so\n"
        "  In short: dana was told by charlie on day 1 (charlie talks), who was told by bob on day 1 (bob talks), "
        "who heard it from alice on day 1."
    )


async def test_every_way_it_got_there_is_told(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip()])
    await story.say("alice", "Let us find the Sacred Sword.", key="m1", audience=["bob", "charlie"])
    (charlies,) = await memories(story, "charlie")
    hops = (await story.backstage().explain(charlies.id)).supports
    assert sorted((hop.how, hop.shared_from, hop.status) for hop in hops) == [
        ("direct", None, "applied"),
        ("shared", "bob", "applied"),
    ]


async def test_what_was_told_along_says_what_it_rests_on(
    begin: Begin, memories: Memories, teller: Callable[..., Any]
) -> None:
    story = await begin(world_agent=teller(), present=["alice"])
    await story.update("A bell rang", key="u1")
    await story.say("alice", "Hark!", key="m1")
    (hers,) = await memories(story, "alice")
    assert (await story.backstage().explain(hers.id)).lines()[2:] == [
        "  learned at the same time: A bell rang. GameDay: 1",
        "    because the world remembers: A bell rang. GameDay: 1",
    ]


async def test_what_is_gone_or_not_there_yet_says_why(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip(due=3)], guards=[NotDana()])
    settled = await (await story.say("alice", "Let us find the Sacred Sword.", key="m1", audience=["bob"])).settled()
    ids = {each.owner: each.memory_id for each in settled.deliveries}
    backstage = story.backstage("designer")
    charlies, danas = await backstage.explain(ids["charlie"]), await backstage.explain(ids["dana"])
    assert charlies.lines()[1] == "  was told by bob on day 3: bob talks [pending]"
    assert danas.lines()[:2] == [
        "dana remembers what alice said on day 1 (message 2, key 'm1') no more",
        "  was told by charlie on day 3: charlie talks [struck: guard:notdana: too young]",
    ]
    await backstage.retract("m1")
    bobs = await backstage.explain(ids["bob"])
    assert bobs.lines() == [
        "bob remembers what alice said on day 1 (message 2, key 'm1') no more",
        "  heard it from alice on day 1: the host said so [withdrawn: retracted by designer]",
    ]


async def test_a_memory_nobody_ever_had_cannot_be_explained(begin: Begin) -> None:
    with pytest.raises(UnknownName, match="no memory 'm1' in session 's1': `inspect` lists ids"):
        await (await begin()).backstage().explain("m1")


# ── replan ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Fickle:
    """A detector that changes its mind."""

    def __init__(self) -> None:
        self.hears = "bob"

    def detect(self, moment: Moment) -> Presence:
        return Presence(characters={self.hears: Perceived(probability=0.9, role="present", evidence=("so be it",))})


async def test_asking_again_shows_the_difference_and_changes_nothing(begin: Begin, memories: Memories) -> None:
    detector, ledger = Fickle(), MemoryLedger()
    story = await begin(detector=detector, ledger=ledger)
    await (await story.say("alice", "Hello.", key="m1")).settled()
    before = await view(ledger, "s1")
    detector.hears = "charlie"
    again = await story.backstage().replan("m1")
    assert (list(again.recorded), list(again.now)) == (["alice", "bob"], ["alice", "charlie"])
    assert (again.added, again.removed) == (("charlie",), ("bob",))
    assert await view(ledger, "s1") == before
    assert await memories(story, "charlie") == ()


async def test_asking_again_without_a_change_of_mind_shows_no_difference(begin: Begin, directions: Any) -> None:
    story = await begin(detector=directions, present=["alice", "bob"])
    await story.say("alice", "(bob leaves)", key="m1")
    await story.say("alice", "Alone.", key="m2")
    for key in ("m1", "m2"):
        again = await story.backstage().replan(key)
        assert (again.added, again.removed) == ((), ())
        assert again.now == again.recorded


async def test_what_nobody_said_cannot_be_asked_about_again(begin: Begin) -> None:
    with pytest.raises(UnknownName, match="no message has the key 'm1' in session 's1'"):
        await (await begin()).backstage().replan("m1")


# ── inspect and overview ──────────────────────────────────────────────────────────────────────────────────────────────


async def a_shelf(begin: Begin) -> Session:
    story = await begin(cast=["alice", Character("bob", aliases=["Robert"])])
    await story.prepare(plot="A sword is lost.")
    for day in (1, 2, 3):
        await story.change(game_day=day)
        await story.say("alice" if day != 2 else "bob", f"Day {day}.", key=f"m{day}", audience=["alice", "bob"])
    return story


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        (EVERYTHING, ["plot", "m1", "m2", "m3"]),
        (equals("speaker", "alice"), ["m1", "m3"]),
        (Compare("game_day", ">=", 2), ["m2", "m3"]),
        (Compare("gameDay", ">=", 2), ["m2", "m3"]),
        (And((equals("is_speaker", True), Compare("gameDay", "<", 3))), ["m2"]),
        (equals("permanent", True), ["plot"]),
        ("gameDay>=2", ["m2", "m3"]),
    ],
)
async def test_a_container_is_inspected_by_filter_in_the_order_it_was_written(
    begin: Begin, filter: Filter | str, found: list[str]
) -> None:
    shelf = await (await a_shelf(begin)).backstage().inspect("Robert", filter=filter)
    assert [*(memory.message_keys or [memory.type] for memory in shelf.memories)] == [
        (each,) if each != "plot" else ["plot"] for each in found
    ]
    assert (shelf.owner, shelf.container, shelf.total) == ("bob", "s1-bob", 4)
    assert shelf.matching == len(shelf.memories)


async def test_a_container_is_inspected_page_by_page(begin: Begin) -> None:
    backstage = (await a_shelf(begin)).backstage()
    everything = (await backstage.inspect("bob")).memories
    assert (await backstage.inspect("bob", limit=2)).memories == everything[:2]
    assert (await backstage.inspect("bob", limit=2, offset=3)).memories == everything[3:]


async def test_the_world_is_inspected_by_its_name_and_nobody_unknown_is(begin: Begin) -> None:
    backstage = (await a_shelf(begin)).backstage()
    assert (await backstage.inspect("world")).container == "s1-world"
    with pytest.raises(UnknownName, match=r"unknown character 'wrold'\. Known: .*world.* Did you mean 'world'"):
        await backstage.inspect("wrold")


async def test_the_overview_shows_every_container_without_its_memories(begin: Begin) -> None:
    overview = await (await a_shelf(begin)).backstage().overview()
    assert {shelf.owner: (shelf.total, shelf.memories) for shelf in overview.containers} == {
        "alice": (4, ()),
        "bob": (4, ()),
        "world": (4, ()),
    }
    assert (overview.session, overview.decided, overview.parent) == ("s1", 8, None)
    assert (overview.cast.ids, overview.state.game_day) == (("alice", "bob"), 3)


async def test_everything_backstage_answers_is_a_record_that_fill_refuses(begin: Begin) -> None:
    story = await a_shelf(begin)
    backstage = story.backstage()
    shelf = await backstage.inspect("alice")
    answers = [
        shelf,
        await backstage.who_knows("sword"),
        await backstage.explain(shelf.memories[0].id),
        await backstage.preview("alice", "Hello."),
        await backstage.replan("m1"),
        await backstage.overview(),
    ]
    assert all(isinstance(each, BackstageRecord) for each in answers)


async def test_a_container_may_be_searched_and_the_journal_read(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"])
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob"])
    await story.say("bob", "The soup is hot.", key="m2")
    back = story.backstage()
    best, *_ = await back.search("bob", "Where is the sword?", limit=1)
    assert best.memory.message_keys == ("m1",)
    assert await back.search("world", "sword", filter='speaker = "charlie"') == ()
    assert await back.search("charlie", "sword") == ()
    with pytest.raises(InputError):
        await back.search("bob", "sword", limit=-1)
    assert [entry.key for entry in await back.journal()][-2:] == ["m1", "m2"]


async def test_a_memory_is_found_by_the_beginning_of_its_id(begin: Begin, memories: Memories) -> None:
    story = await begin(present=["alice", "bob"])
    await story.say("alice", "The sword is in the cave.", audience=["bob"])
    (memory,) = await memories(story, "bob")
    back = story.backstage()
    assert await back.find_memories(memory.id) == {memory.id: "bob"}
    assert (await back.find_memories(memory.id[:8]))[memory.id] == "bob"
    assert set((await back.find_memories("")).values()) == {"alice", "bob", "world"}
    assert await back.find_memories("no such id") == {}
