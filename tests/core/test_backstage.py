"""Backstage: who knows it and how, who would learn it, what would be decided now, what lies where; all unchanged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, ClassVar

import pytest

from earwitness import (
    Character,
    Memory,
    MessageAnswer,
    MessageEvent,
    Moment,
    Perceived,
    Plugin,
    Presence,
    Session,
    Update,
)
from earwitness.backstage.knowers import WhoKnows
from earwitness.backstage.records import BackstageRecord
from earwitness.errors import InputError, StrategyError, UnknownName
from earwitness.events import PlanEvent, ReadEvent, Share, SharingEvent, Strike
from earwitness.filters import EVERYTHING, And, Compare, Filter, equals
from earwitness.records.learned import Learned
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.stories import view

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
FOUR = ("alice", "bob", "charlie", "dana")


class Gossip:
    """Whatever Bob hears, Charlie hears from him, and Dana from Charlie; on the day given, or at once."""

    def __init__(self, due: float | None = None) -> None:
        self.due = due

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.message.participants:
            yield Share(character="charlie", shared_from="bob", rule="bob talks", due=self.due)
            yield Share(character="dana", shared_from="charlie", rule="charlie talks", due=self.due)


class NotDana:
    """A guard that keeps everything from Dana."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        hers = [each for each in event.plan.deliveries if each.owner == "dana"]
        return [Strike(delivery_id=each.id, reason="too young") for each in hers]


def knowing(answer: WhoKnows) -> list[str]:
    return [id for id, knower in answer.knowers.items() if knower.knows]


# ── who knows ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_who_knows_says_of_everybody_since_when_and_how(begin: Begin, memories: Memories) -> None:
    story = await begin(state={"game_day": 2.5})
    await story.say("alice", "Let us find the Sacred Sword.", key="m1", audience=["bob"])
    await story.say("bob", "The soup is hot.", key="m2", audience=["charlie"])
    known = await story.backstage().who_knows("the Sacred Sword")
    assert str(known) == "alice: said it on day 2.5\nbob: heard it from alice on day 2.5\ncharlie: nothing found"
    (proof, *_) = await memories(story, "bob")
    bob = known.knowers["bob"]
    assert (bob.knows, bob.since, bob.memory_id, bob.text) == (True, 2.5, proof.id, proof.content)
    charlie = known.knowers["charlie"]
    assert (charlie.knows, charlie.since, charlie.memory_id, charlie.text) == (False, None, None, None)


async def test_days_are_called_as_the_calendar_says(begin: Begin, memories: Memories) -> None:
    story = await begin(calendar={"unit": "night"})
    await story.say("alice", "Let us find the Sacred Sword.", audience=["bob"])
    known = await story.backstage().who_knows("the Sacred Sword")
    assert str(known.knowers["bob"]) == "bob: heard it from alice on night 1"
    (memory,) = await memories(story, "bob")
    explained = await story.backstage().explain(memory.id)
    assert str(explained).startswith("bob remembers what alice said on night 1 ")
    assert "  heard it from alice on night 1" in str(explained)
    assert "calendar" not in explained.model_dump_json()


async def test_who_was_told_names_the_teller(begin: Begin) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip()])
    await story.say("alice", "Let us find the Sacred Sword.", audience=["bob"])
    known = (await story.backstage().who_knows("Sacred Sword")).knowers
    assert [str(known[id].learned) for id in ("charlie", "dana")] == ["was told by bob", "was told by charlie"]


async def test_who_was_there_is_not_said_to_have_been_told(begin: Begin) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip()])
    await story.say("alice", "Let us find the Sacred Sword.", audience=["bob", "dana"])
    known = (await story.backstage().who_knows("Sacred Sword")).knowers
    assert known["dana"].learned == Learned(way="heard", teller="alice")


async def test_the_day_is_the_first_on_which_somebody_learned_it(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    await story.say("alice", "The Sacred Sword is broken.", audience=["bob"], key="m1")
    await story.change(game_day=2)
    await story.tell("bob", "charlie", "m1")
    await story.change(game_day=3)
    await story.say("alice", "The Sacred Sword is broken.", audience=["charlie"])
    charlie = (await story.backstage().who_knows("the Sacred Sword is broken")).knowers["charlie"]
    assert str(charlie) == "charlie: was told by bob on day 2"


async def test_what_is_due_later_is_not_known_yet(begin: Begin) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip(due=3)])
    await story.say("alice", "Let us find the Sacred Sword.", audience=["bob"])
    assert not (await story.backstage().who_knows("Sacred Sword")).knowers["charlie"].knows
    await story.change(game_day=3)
    charlie = (await story.backstage().who_knows("Sacred Sword")).knowers["charlie"]
    assert (charlie.learned, charlie.since) == (Learned(way="told", teller="bob"), 3)


async def test_the_subject_of_a_secret_does_not_know_it(begin: Begin) -> None:
    story = await begin()
    await story.say("charlie", "I like Alice and Bob.", audience=["alice", "bob"])
    await story.say("alice", "Charlie is a thief, Bob.", audience=["bob"])
    assert str(await story.backstage().who_knows("Charlie is a thief")) == (
        "alice: said it on day 1\nbob: heard it from alice on day 1\ncharlie: nothing found"
    )


async def test_what_was_there_before_the_story_and_news_of_the_world_are_known_too(
    begin: Begin, teller: Callable[..., Any]
) -> None:
    story = await begin(world_agent=teller(), present=["alice", "bob"])
    await story.prepare(lore=[{"text": "Dragons fear iron.", "known_by": ["charlie"]}])
    await story.change(game_day=6, current_scene="lair", description="The party moved to the lair")
    await story.say("alice", "Well.", audience=["bob"])
    backstage = story.backstage()
    assert str(await backstage.who_knows("What do dragons fear?")) == (
        "alice: nothing found\nbob: nothing found\ncharlie: knew it before the story"
    )
    known = (await backstage.who_knows("moved to the lair")).knowers
    assert str(known["bob"].learned) == "learned it as news of the world"
    assert known["bob"].text == "The party moved to the lair. GameDay: 6"
    assert not known["charlie"].knows


async def test_what_was_taken_back_or_corrected_is_known_to_nobody(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "The sword is blue.", key="m1", audience=["bob"])
    await story.say("alice", "The soup is poisoned.", key="m2", audience=["bob"])
    await story.edit("m1", "The shield is red.")
    await story.retract("m2")
    for question in ("blue sword", "poisoned soup"):
        assert not any(each.knows for each in (await story.backstage().who_knows(question)).knowers.values())
    assert (await story.backstage().who_knows("red shield")).knowers["bob"].knows


@pytest.mark.parametrize("question", ["Who killed the king?", "", "###SUPERMEMORY###"])
async def test_of_what_was_never_said_nothing_is_found(begin: Begin, question: str) -> None:
    story = await begin()
    await story.say("alice", "The soup is hot.", audience=["bob"])
    assert not any(each.knows for each in (await story.backstage().who_knows(question)).knowers.values())


async def test_rare_words_tell_who_knows_and_words_that_stand_everywhere_do_not(begin: Begin) -> None:
    story = await begin(cast=FOUR)
    for number in range(5):
        await story.say("dana", f"The king spoke to the people for the {number}. time.", audience=["bob"])
    await story.say("alice", "The king hid the ruby in the well of the old mill.", audience=["bob"])
    await story.say(
        "alice", "And in a speech that goes on and on about this and that: the ruby, the mill.", audience=["charlie"]
    )
    backstage = story.backstage()
    long = await backstage.who_knows("Where did the king hide the ruby? In the well of the old mill, they say.")
    assert knowing(long) == ["alice", "bob"]
    assert knowing(await backstage.who_knows("the ruby and the mill")) == ["alice", "bob", "charlie"]
    assert knowing(await backstage.who_knows("Which king killed a swan?")) == []
    assert knowing(await backstage.who_knows("the")) == []


# ── explain ─────────────────────────────────────────────────────────────────────────────────────────────────────────


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
        "  In short: dana was told by charlie on day 1, who was told by bob on day 1, who heard it from alice on day 1."
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
        "  was told along: A bell rang. GameDay: 1",
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


# ── preview ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Counter(Plugin):
    """Counts what it is asked, in data that must not change by a preview."""

    counted: ClassVar[list[int]] = []

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        event.data["count"] = count = int(str(event.data.get("count", 0))) + 1
        self.counted.append(count)
        return MessageAnswer(updates=(Update(description="The wind rose"),))


async def test_a_preview_shows_who_would_learn_it_and_who_must_not(begin: Begin) -> None:
    story = await begin(cast=FOUR, sharing_rules=[Gossip()], guards=[NotDana()])
    preview = await story.backstage().preview("Alice", "The sword is mine.", audience=["bob"], context="dm")
    assert (preview.message.content, preview.message.context, preview.message.speaker) == (
        "The sword is mine.",
        "dm",
        "alice",
    )
    assert list(preview.participants) == ["alice", "bob"]
    assert preview.learners == ("world", "alice", "bob", "charlie")
    (struck,) = [each for each in preview.deliveries if each.status == "struck"]
    assert (struck.owner, struck.reason) == ("dana", "guard:notdana: too young")


@pytest.mark.parametrize("given", [{"content": " \n"}, {"context": "shouted"}])
async def test_a_preview_refuses_what_could_not_be_said(begin: Begin, given: dict[str, Any]) -> None:
    story = await begin()
    told = {"content": "Hello.", "context": "dm", **given}
    with pytest.raises(InputError) as by_say:
        await story.say("alice", **told)
    with pytest.raises(InputError) as by_preview:
        await story.backstage().preview("alice", **told)
    assert str(by_preview.value) == str(by_say.value)


async def test_a_preview_writes_nothing_at_all(begin: Begin, directions: Any, teller: Callable[..., Any]) -> None:
    ledger, store = MemoryLedger(), MemoryStore()
    story = await begin(
        ledger=ledger,
        store=store,
        detector=directions,
        world_agent=teller(),
        plugins=[Counter()],
        sharing_rules=[Gossip()],
        present=["alice", "bob"],
    )
    await story.update("A bell rang")
    await (await story.say("alice", "One.")).settled()
    before = (await view(ledger, "s1"), await ledger.data("s1", "counter"), str(store._containers), story.state)
    for _ in range(2):
        await story.backstage().preview("alice", "(bob leaves) Two.", audience=["charlie"])
    after = (await view(ledger, "s1"), await ledger.data("s1", "counter"), str(store._containers), story.state)
    assert after == before
    assert Counter.counted == [1, 2, 2]
    await (await story.say("alice", "Three.")).settled()
    assert Counter.counted[-1] == 2


async def test_a_preview_is_what_then_happens(begin: Begin, directions: Any) -> None:
    story = await begin(detector=directions, sharing_rules=[Gossip()], present=["alice", "bob"])
    await story.say("alice", "(charlie enters)")
    preview = await story.backstage().preview("bob", "Who goes there?")
    settled = await (await story.say("bob", "Who goes there?")).settled()
    assert preview.participants == settled.participants
    assert [each.id for each in preview.deliveries] == [each.id for each in settled.deliveries]


async def test_a_preview_names_who_failed(begin: Begin) -> None:
    class Broken:
        def detect(self, moment: Moment) -> Presence:
            raise ValueError("no ears")

    story = await begin(detector=Broken(), strict=False)
    preview = await story.backstage().preview("alice", "Hello.")
    assert list(preview.participants) == ["alice"]
    assert [answer.failure for answer in preview.answers if answer.failure] == ["ValueError: no ears"]
    with pytest.raises(StrategyError, match="no ears"):
        await (await begin(detector=Broken())).backstage().preview("alice", "Hello.")


async def test_a_preview_of_somebody_unknown_is_refused(begin: Begin) -> None:
    backstage = (await begin()).backstage()
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await backstage.preview("zoe", "Hello.")
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await backstage.preview("alice", "Hello.", audience=["zoe"])


# ── replan ──────────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── inspect and overview ────────────────────────────────────────────────────────────────────────────────────────────


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
