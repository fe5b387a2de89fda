"""START: what is asked of a character's memory, what may come to mind, and in which order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import pytest

from earwitness import (
    Character,
    Hit,
    Moment,
    Plugin,
    Presence,
    RecallAnswer,
    RecallEvent,
    Session,
    Turn,
)
from earwitness.errors import InvalidFilter, SettingsError, UnknownName
from earwitness.events import PlanEvent, ReadEvent, ReadProviderEvent, ReadRequest, Share, SharingEvent, Strike
from earwitness.filters import EVERYTHING, Filter, Not, Or, equals
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
EVERYBODY = ("alice", "bob", "charlie")


async def tell(story: Session, *lines: str, by: str = "alice", audience: Iterable[str] = EVERYBODY) -> None:
    """Messages under the keys they begin with: `m1 Hello.`."""
    for line in lines:
        key, _, words = line.partition(" ")
        await story.say(by, words, key=key, audience=audience)
    await story.settled()


def keys(turn: Turn) -> list[str]:
    return [key for each in turn.memories for key in each.memory.message_keys]


def texts(turn: Turn) -> list[str]:
    return [each.text.rpartition("Message: Alice: ")[2].partition(" GameDay")[0] for each in turn.memories]


# ── the query ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_query_is_to_the_letter(begin: Begin) -> None:
    story = await begin(cast=[Character("alice"), Character("bob", name="Sir Bob"), "charlie"])
    await tell(story, "m1 Bob and I agreed to find the Sacred Sword!")
    await (await story.change(game_day=2.5)).settled()
    await tell(story, "m2 Then let us go.\nAt once!", by="bob")
    await tell(story, "m3 Go where?", by="charlie")
    assert (await story.turn("bob")).query == (
        "###Current time###\n"
        "Game Day: 2.5\n"
        "\n"
        "###Recent messages###\n"
        "Message: Alice: Bob and I agreed to find the Sacred Sword! GameDay: 1\n"
        "Message: Sir Bob: Then let us go.\n"
        "At once! GameDay: 2.5\n"
        "Message: Charlie: Go where? GameDay: 2.5\n"
        "\n"
        "What are the relevant memories that are not in the recent three messages to construct Sir Bob's message?"
    )


async def test_before_anything_is_said_the_query_has_no_messages(begin: Begin) -> None:
    assert (await (await begin()).turn("alice")).query == (
        "###Current time###\nGame Day: 1\n\n"
        "What are the relevant memories that are not in the recent three messages to construct Alice's message?"
    )


@pytest.mark.parametrize("recent", [1, 2, 3])
async def test_one_to_three_recent_messages_make_the_query(begin: Begin, recent: int) -> None:
    story = await begin(recall={"recent": recent})
    await tell(story, "m1 One.", "m2 Two.", "m3 Three.", "m4 Four.")
    query = (await story.turn("alice")).query
    assert [words for words in ("One", "Two", "Three", "Four") if words in query] == ["Two", "Three", "Four"][-recent:]


@pytest.mark.parametrize("recent", [0, 4, 1.5, True])
async def test_any_other_number_of_recent_messages_is_refused(begin: Begin, recent: Any) -> None:
    with pytest.raises(SettingsError, match=r"recall\.recent"):
        await begin(recall={"recent": recent})


async def test_only_what_she_perceived_is_in_the_query(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 We meet at dawn.")
    await tell(story, "m2 Charlie is the thief.", "m3 Say nothing.", "m4 He must not know.", audience=["bob"])
    query = (await story.turn("charlie")).query
    assert "We meet at dawn." in query
    assert "thief" not in query
    assert "know" not in query


async def test_the_query_has_a_message_as_it_was_last_edited_and_none_that_was_retracted(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 The sword is blue.", "m2 I hate you.", "m3 Let us go.")
    await story.edit("m1", "The sword is red.")
    await story.retract("m2")
    query = (await story.turn("bob")).query
    assert "The sword is red." in query
    assert "blue" not in query
    assert "hate" not in query


async def test_the_query_has_no_message_of_a_later_day(begin: Begin) -> None:
    story = await begin(state={"game_day": 3})
    await tell(story, "m1 The sword is here.")
    await story.change(game_day=9)
    await tell(story, "m2 The sword is broken.")
    await story.change(game_day=3)
    turn = await story.turn("bob")
    assert "The sword is here. GameDay: 3" in turn.query
    assert "broken" not in turn.query


async def test_the_query_has_no_message_that_she_was_made_to_forget_until_she_remembers_it_again(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 The sword is here.", "m2 The soup is hot.")
    (sword,) = (await story.turn("bob", query="sword", in_prompt=[], memories=1)).memories
    assert "sword" in (await story.turn("bob")).query
    await (await story.archive(sword.memory)).settled()
    assert "sword" not in (await story.turn("bob")).query
    assert "sword" in (await story.turn("charlie")).query
    await (await story.restore(sword.memory)).settled()
    assert "sword" in (await story.turn("bob")).query
    await (await story.retract(sword.memory.id)).settled()
    await tell(story, "m3 And now?")
    assert "sword" not in (await story.turn("bob")).query
    await story.edit("m1", "The sword was here.")  # revives nothing
    assert "sword" not in (await story.turn("bob")).query
    assert "The sword was here." in (await story.turn("charlie")).query


class Discreet:
    """A guard that withholds what was said of the sword, and strikes nothing."""

    def filter(self, event: ReadEvent) -> Filter:
        return Not(equals("messageIds", "m1"))

    def strike(self, event: PlanEvent) -> Sequence[Strike]:
        return []


async def test_the_query_reaches_back_behind_a_message_that_a_guard_withholds(begin: Begin) -> None:
    story = await begin(guards=[Discreet()], recall={"recent": 1})
    await tell(story, "m0 Good evening.", "m1 The sword is here.")
    turn = await story.turn("bob")
    assert "sword" not in turn.query
    assert "Good evening." in turn.query
    assert keys(turn) == []


async def test_read_providers_and_plugins_see_the_query_without_what_is_withheld(begin: Begin) -> None:
    asked = []

    class Provider:
        def reads(self, event: ReadProviderEvent) -> Sequence[ReadRequest]:
            asked.append(event.query)
            return []

    story = await begin(guards=[Discreet()], read_providers=[Provider()])
    await tell(story, "m1 The sword is here.", "m2 The soup is hot.")
    turn = await story.turn("bob")
    assert asked == [turn.query]
    assert "sword" not in turn.query


async def test_without_guards_and_withdrawals_the_query_costs_no_read_of_the_ledger(begin: Begin) -> None:
    ledger = MemoryLedger()
    story = await begin(ledger=ledger)
    await tell(story, "m1 The sword is here.")
    await story.delivered()
    read = ledger.deliveries

    async def refuse(*given: object, **more: object) -> Any:
        raise AssertionError("nothing to look up")

    ledger.deliveries = refuse  # type: ignore[method-assign]
    assert "sword" in (await story.turn("bob")).query
    ledger.deliveries = read  # type: ignore[method-assign]


async def test_a_host_may_ask_in_words_of_its_own(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 The sword is in the cave.", "m2 The soup is hot.")
    turn = await story.turn("bob", query="Where is the sword?", in_prompt=[], memories=1)
    assert turn.query == "Where is the sword?"
    assert keys(turn) == ["m1"]


async def test_an_unknown_character_has_no_turn(begin: Begin) -> None:
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await (await begin()).turn("zoe")


# ── what may come to mind ───────────────────────────────────────────────────────────────────────────────────────────


async def test_every_search_names_the_one_container_of_whose_turn_it_is(begin: Begin) -> None:
    class Watched(MemoryStore):
        def __init__(self) -> None:
            super().__init__()
            self.searched: list[str] = []

        async def search(
            self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
        ) -> Sequence[Hit]:
            self.searched.append(container)
            return await super().search(container, query, filter=filter, limit=limit)

    store = Watched()
    story = await begin(store=store)
    await tell(story, "m1 Hello.")
    await story.turn("bob")
    assert store.searched == ["s1-bob"]


async def test_what_a_store_lets_slip_from_elsewhere_is_not_recalled(begin: Begin) -> None:
    class Leaky(MemoryStore):
        async def search(
            self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
        ) -> Sequence[Hit]:
            every = [memory for held in self._containers.values() for memory in held.values()]
            return [Hit(memory=memory, score=1) for memory in every]

    story = await begin(store=Leaky())
    await tell(story, "m1 Charlie is the thief.", audience=["bob"])
    await tell(story, "m2 a", "m3 b", "m4 c")
    assert keys(await story.turn("charlie", query="Who is the thief?")) == []
    assert keys(await story.turn("bob", query="Who is the thief?")) == ["m1"]


async def test_what_was_learned_on_a_later_day_is_never_recalled(begin: Begin) -> None:
    story = await begin(state={"game_day": 1})
    await tell(story, "m1 The sword is lost.")
    for day, line in ((2.5, "m2 The sword is in the cave."), (3, "m3 The sword is broken.")):
        await story.change(game_day=day)
        await tell(story, line)
    seen = {}
    for day in (1, 2.4, 2.5, 3):
        await story.change(game_day=day)
        seen[day] = keys(await story.turn("alice", query="the sword", in_prompt=[]))
    assert seen == {1: ["m1"], 2.4: ["m1"], 2.5: ["m1", "m2"], 3: ["m1", "m2", "m3"]}


async def test_gossip_is_recalled_from_the_day_it_was_learned_and_keeps_the_day_it_was_said(begin: Begin) -> None:
    class Gossip:
        def share(self, event: SharingEvent) -> Iterable[Share]:
            return [Share(character="charlie", shared_from="bob", due=3)]

    story = await begin(sharing_rules=[Gossip()])
    await tell(story, "m1 The sword is lost.", audience=["bob"])
    heard = []
    for day in (2, 3):
        await story.change(game_day=day)
        heard.append((await story.turn("charlie", query="the sword")).memories)
    assert heard[0] == ()
    (told,) = heard[1]
    assert (told.memory.game_day, told.memory.learned_day) == (1, 3)
    assert told.memory.metadata["sharedFrom"] == "bob"


async def test_what_was_there_before_the_story_is_known_on_every_day(begin: Begin) -> None:
    story = await begin(state={"game_day": 5})
    await story.prepare(plot="A sword is lost.")
    await story.change(game_day=2)
    assert [each.text for each in (await story.turn("bob", query="the sword")).memories] == ["A sword is lost."]


async def test_the_messages_of_the_query_are_in_the_prompt_and_not_recalled(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 One.", "m2 Two.", "m3 Three.", "m4 Four.")
    assert keys(await story.turn("alice")) == ["m1"]
    assert keys(await story.turn("alice", recent=1)) == ["m1", "m2", "m3"]


async def test_the_host_says_which_messages_its_prompt_holds(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 One.", "m2 Two.", "m3 Three.", "m4 Four.")
    assert keys(await story.turn("alice", in_prompt=["m1", "m3", "elsewhere"])) == ["m2", "m4"]
    assert keys(await story.turn("alice", in_prompt=[])) == ["m1", "m2", "m3", "m4"]


# ── permanent memories ──────────────────────────────────────────────────────────────────────────────────────────────


async def prepared(begin: Begin, **given: Any) -> Session:
    story = await begin(**given)
    await story.prepare(
        plot="The kingdom is at war.",
        cards={"alice": "Alice is a smith."},
        examples={"alice": ["Alice: Hm."]},
        lore=[{"text": "Dragons fear iron.", "key": "dragons"}],
    )
    await tell(story, "m1 The sword is in the cave.", "m2 a", "m3 b", "m4 c")
    return story


async def test_by_default_what_was_there_before_is_found_like_any_memory(begin: Begin) -> None:
    story = await prepared(begin)
    turn = await story.turn("alice", query="What do dragons fear?", memories=1)
    assert [each.text for each in turn.memories] == ["Dragons fear iron."]


async def test_by_policy_always_it_is_always_there_beside_the_others(begin: Begin) -> None:
    story = await prepared(begin, recall={"permanent": "always"})
    turn = await story.turn("alice", query="Where is the sword?", memories=1)
    *always, found = turn.memories
    assert {each.text for each in always} == {
        "The kingdom is at war.",
        "Alice is a smith.",
        "Alice: Hm.",
        "Dragons fear iron.",
    }
    assert {each.why for each in always} == {"always in mind"}
    assert found.memory.message_keys == ("m1",)


async def test_another_s_card_is_never_there(begin: Begin) -> None:
    story = await prepared(begin, recall={"permanent": "always"})
    assert "Alice is a smith." not in {each.text for each in (await story.turn("bob")).memories}


# ── number, threshold, recency, diversity, budget ───────────────────────────────────────────────────────────────────

SWORDS = ("m1 a sword lies here", "m2 a sword", "m3 sword of old", "m4 nothing", "m5 soup", "m6 bread", "m7 ale")


async def swords(begin: Begin, **recall: Any) -> Turn:
    story = await begin()
    await tell(story, *SWORDS)
    return await story.turn("alice", query="old sword", **recall)


async def test_at_most_as_many_as_were_asked_for_come_to_mind_the_best_ones(begin: Begin) -> None:
    assert keys(await swords(begin, memories=1)) == ["m3"]
    assert len((await swords(begin, memories=3)).memories) == 3


async def test_what_scores_below_the_threshold_stays_away(begin: Begin) -> None:
    assert keys(await swords(begin, threshold=0.6)) == ["m3"]
    assert keys(await swords(begin, threshold=0.5)) == ["m1", "m2", "m3"]


async def test_recency_prefers_what_is_new_and_says_so(begin: Begin) -> None:
    story = await begin()
    for day in (1, 2, 3):
        await story.change(game_day=day)
        await tell(story, f"m{day} a sword")
    recency = {"weight": 0.5, "half_life": 1.0}
    turn = await story.turn("alice", query="sword", in_prompt=[], recency=recency)
    assert {each.memory.message_keys: (each.score, each.parts["recency"]) for each in turn.memories} == {
        ("m1",): (0.625, 0.25),
        ("m2",): (0.75, 0.5),
        ("m3",): (1.0, 1.0),
    }
    assert keys(await story.turn("alice", query="sword", in_prompt=[], recency=recency, memories=1)) == ["m3"]


async def test_what_is_new_is_found_behind_many_that_are_old(begin: Begin) -> None:
    story = await begin()
    await tell(story, *(f"m{n:02} the sword is lost" for n in range(60)))
    await story.change(game_day=100)
    await tell(story, "new the sword is lost and found")
    fresh = {"weight": 1.0, "half_life": 1.0}
    turn = await story.turn("alice", query="sword lost", in_prompt=[], memories=3, recency=fresh)
    assert "new" in keys(turn)
    assert "new" not in keys(await story.turn("alice", query="sword lost", in_prompt=[], memories=3))


async def test_recency_leaves_what_was_there_before_the_story_as_it_is(begin: Begin) -> None:
    story = await begin()
    await story.prepare(lore=["a sword"])
    await story.change(game_day=50)
    (found,) = (await story.turn("alice", query="sword", recency={"weight": 1.0})).memories
    assert (found.score, found.why) == (1.0, "words 1.00")


async def test_diversity_prefers_what_is_unlike_the_rest(begin: Begin) -> None:
    story = await begin()
    await tell(
        story, "m1 the old sword is lost", "m2 the old sword is lost!", "m3 a sword for a king", "m4 x", "m5 y", "m6 z"
    )
    assert keys(await story.turn("alice", query="old sword", memories=2)) == ["m1", "m2"]
    assert "m3" in keys(await story.turn("alice", query="old sword", memories=2, diversity=0.7))


async def test_the_token_budget_holds_for_all_memories_together(begin: Begin) -> None:
    story = await begin()
    await story.prepare(lore=["sword " * 40, "old sword", "my sword"])
    turn = await story.turn("alice", query="old sword", token_budget=5)
    assert {each.text for each in turn.memories} == {"old sword", "my sword"}
    assert sum(-(-len(each.text) // 4) for each in turn.memories) == 5


async def test_diversity_chooses_among_what_the_budget_leaves(begin: Begin) -> None:
    story = await begin()
    long = [f"sword {'blade ' * 50}{n}" for n in range(4)]
    await story.prepare(lore=[*long, *(f"my sword {word}" for word in ("red", "blue", "green", "grey"))])
    for diversity in (0.0, 0.3, 0.9):
        turn = await story.turn("alice", query="my sword", memories=4, token_budget=20, diversity=diversity)
        assert [each.text[:8] for each in turn.memories] == ["my sword"] * 4


async def test_an_unknown_recall_setting_is_refused_with_those_there_are(begin: Begin) -> None:
    story = await begin()
    with pytest.raises(SettingsError, match=r"unknown key 'memory'.* Allowed: .*Did you mean 'memories'"):
        await story.turn("alice", memory=3)
    with pytest.raises(SettingsError, match="memories: 0"):
        await story.turn("alice", memories=0)


# ── order and reasons ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_permanent_memories_stand_first_and_the_others_as_they_were_learned(begin: Begin) -> None:
    story = await begin()
    lines = [f"m{n} sword {n}" for n in range(10, 30)]
    await tell(story, *lines)
    await story.prepare(lore=["The sword is old."])
    turn = await story.turn("alice", query="The sword is old.", in_prompt=[], memories=30)
    assert turn.memories[0].text == "The sword is old."
    assert keys(turn) == [line.partition(" ")[0] for line in lines]


async def test_the_order_does_not_depend_on_the_question(begin: Begin) -> None:
    story = await begin()
    await tell(story, "m1 soup and sword", "m2 sword and bread", "m3 sword")
    orders = [
        keys(await story.turn("alice", query=query, in_prompt=[])) for query in ("bread", "soup", "sword", "soup bread")
    ]
    assert orders == [["m1", "m2", "m3"]] * 4


async def test_each_memory_says_why_it_came_to_mind(begin: Begin) -> None:
    (best,) = (await swords(begin, memories=1)).memories
    assert (best.why, best.parts, best.score) == ("words 1.00", {"words": 1.0}, 1.0)


# ── plugins ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Answers(Plugin):
    """Answers a recall as the test says, from the ids of what was found."""

    def __init__(self, answer: Callable[[RecallEvent, dict[str, str]], RecallAnswer], name: str = "answers") -> None:
        self.name = name
        self.answer = answer
        self.events: list[RecallEvent] = []

    def on_recall(self, event: RecallEvent) -> RecallAnswer | None:
        self.events.append(event)
        ids = {key: hit.memory.id for hit in event.memories for key in hit.memory.message_keys}
        return self.answer(event, ids)


async def with_plugins(begin: Begin, *plugins: Plugin, **given: Any) -> Session:
    story = await begin(plugins=plugins, **given)
    await tell(story, "m1 old sword", "m2 new sword", "m3 sword", "m4 x", "m5 y", "m6 z")
    return story


async def test_a_plugin_is_told_who_recalls_when_and_what_was_found(begin: Begin) -> None:
    plugin = Answers(lambda event, ids: RecallAnswer())
    turn = await (await with_plugins(begin, plugin)).turn("Bob", query="old sword")
    (event,) = plugin.events
    assert (event.session, event.character, event.day, event.query) == ("s1", "bob", 1, "old sword")
    assert event.cast.ids == EVERYBODY
    assert event.memories[0].memory.message_keys == ("m1",)
    assert keys(turn) == ["m1", "m2", "m3"]


async def test_notes_are_joined_and_shown_before_the_memories(begin: Begin) -> None:
    plugins = [Answers(lambda event, ids: RecallAnswer(notes=("It rains.",)), name) for name in ("one", "two")]
    turn = await (await with_plugins(begin, *plugins)).turn("alice", query="old", memories=1)
    assert turn.notes == ("It rains.", "It rains.")
    assert turn.text(format="plain").startswith("<earwitness-memories>\nIt rains.\nIt rains.\nYou, on day 1: ")


async def test_weights_multiply_and_are_shown_as_a_reason(begin: Begin) -> None:
    def halve(event: RecallEvent, ids: dict[str, str]) -> RecallAnswer:
        return RecallAnswer(weights={ids["m1"]: 0.5})

    story = await with_plugins(begin, Answers(halve, "one"), Answers(halve, "two"))
    best = {each.memory.message_keys: each for each in (await story.turn("alice", query="old sword")).memories}
    assert best["m1",].score == 0.25
    assert best["m1",].why == "words 1.00, weight 0.25"
    assert best["m2",].why == "words 0.50"


@pytest.mark.parametrize(("weight", "score"), [(1000.0, 5.0), (-3.0, 0.0)])
async def test_a_weight_is_kept_between_zero_and_ten(begin: Begin, weight: float, score: float) -> None:
    plugin = Answers(lambda event, ids: RecallAnswer(weights={ids["m2"]: weight}))
    turn = await (await with_plugins(begin, plugin)).turn("alice", query="old sword")
    assert {each.memory.message_keys: each.score for each in turn.memories}["m2",] == score


async def test_what_a_plugin_drops_is_left_out_even_if_another_adds_it(begin: Begin) -> None:
    adds = Answers(lambda event, ids: RecallAnswer(add=(ids["m1"],)), "adds")
    drops = Answers(lambda event, ids: RecallAnswer(drop=(ids["m1"],)), "drops")
    assert keys(await (await with_plugins(begin, drops, adds)).turn("alice", query="old sword")) == ["m2", "m3"]


async def test_a_plugin_may_drop_what_is_always_there(begin: Begin) -> None:
    plugin = Answers(lambda event, ids: RecallAnswer(drop=tuple(hit.memory.id for hit in event.memories)))
    story = await begin(plugins=[plugin], recall={"permanent": "always"})
    await story.prepare(plot="A sword is lost.")
    assert (await story.turn("alice", query="sword")).memories == ()


async def everything_of(story: Session, *owners: str) -> tuple[str, ...]:
    shelves = [await story.backstage().inspect(owner) for owner in owners]
    return tuple(memory.id for shelf in shelves for memory in shelf.memories)


async def test_a_plugin_may_add_a_memory_of_hers_that_was_not_found(begin: Begin) -> None:
    wanted: list[str] = []
    plugin = Answers(lambda event, ids: RecallAnswer(add=tuple(wanted), weights=dict.fromkeys(wanted, 2.0)))
    story = await begin(plugins=[plugin], recall={"memories": 1})
    await tell(story, *(f"m{n} sword" for n in range(1, 9)), "m9 soup", "m10 x", "m11 y", "m12 z")
    (soup,) = [m for m in (await story.backstage().inspect("alice")).memories if "soup" in m.content]
    wanted.append(soup.id)
    (found,) = (await story.turn("alice", query="sword")).memories
    assert (found.memory.id, found.why) == (soup.id, "added 1.00, weight 2.00")


async def test_what_lies_outside_the_listed_reads_cannot_be_added(begin: Begin) -> None:
    wanted: list[str] = []
    plugin = Answers(lambda event, ids: RecallAnswer(add=(*wanted, "no such id")))
    story = await begin(plugins=[plugin])
    await tell(story, "m1 Charlie is the thief.", audience=["bob"])
    wanted += await everything_of(story, "alice", "bob", "world")
    turn = await story.turn("charlie")
    assert (turn.memories, turn.failures) == ((), ())


async def test_what_is_in_the_prompt_or_of_a_later_day_or_guarded_cannot_be_added(begin: Begin) -> None:
    class NoThieves:
        def filter(self, event: ReadEvent) -> Filter:
            return Not(equals("speaker", "charlie"))

        def strike(self, event: PlanEvent) -> Iterable[Strike]:
            return ()

    wanted: list[str] = []
    plugin = Answers(lambda event, ids: RecallAnswer(add=tuple(wanted)))
    story = await begin(plugins=[plugin], guards=[NoThieves()], state={"game_day": 5})
    await tell(story, "m1 Tomorrow.")
    await story.change(game_day=4)
    await tell(story, "m2 I am the thief.", by="charlie")
    await tell(story, "m3 Today.")
    wanted += await everything_of(story, "alice")
    assert keys(await story.turn("alice", in_prompt=["m3"])) == []
    assert keys(await story.turn("alice", in_prompt=[])) == ["m3"]


# ── a filter of the host's ──────────────────────────────────────────────────────────────────────────────────────────


async def test_a_host_s_filter_narrows_the_recall(begin: Begin) -> None:
    story = await begin(state={"current_scene": "tavern"})
    await tell(story, "m1 In the tavern.")
    await story.change(current_scene="lair")
    await tell(story, "m2 In the lair.", "m3 Still there.")
    for filter in ('location = "tavern"', equals("location", "tavern")):
        assert keys(await story.turn("bob", in_prompt=[], filter=filter)) == ["m1"]
    assert keys(await story.turn("bob", in_prompt=[], filter='location = "nowhere"')) == []
    assert keys(await story.turn("bob", in_prompt=[])) == ["m1", "m2", "m3"]


async def test_it_narrows_what_is_always_in_mind_and_what_plugins_add(begin: Begin) -> None:
    wanted: list[str] = []
    story = await begin(plugins=[Answers(lambda event, ids: RecallAnswer(add=tuple(wanted)))])
    await (await story.prepare(lore=["Dragons fear iron."])).settled()
    await tell(story, "m1 One.", "m2 Two.")
    wanted += await everything_of(story, "alice")
    turn = await story.turn("alice", query="zither", in_prompt=[], filter='messageIds = "m2"')
    assert keys(turn) == ["m2"]
    assert len(turn.memories) == 1


async def test_it_widens_nothing_that_a_guard_or_the_day_withholds(begin: Begin) -> None:
    class NoThieves:
        def filter(self, event: ReadEvent) -> Filter:
            return Not(equals("speaker", "charlie"))

        def strike(self, event: PlanEvent) -> Iterable[Strike]:
            return ()

    story = await begin(guards=[NoThieves()], state={"game_day": 5})
    await tell(story, "m1 Tomorrow.")
    await story.change(game_day=4)
    await tell(story, "m2 I am the thief.", by="charlie")
    for filter in (equals("speaker", "charlie"), 'messageIds = "m1"', Or((EVERYTHING, equals("speaker", "charlie")))):
        assert keys(await story.turn("alice", in_prompt=[], filter=filter)) == []


@pytest.mark.parametrize("filter", ["nonsense", "", 3, None, ["gameDay<=3"]])
async def test_a_filter_that_is_none_is_refused(begin: Begin, filter: Any) -> None:
    with pytest.raises(InvalidFilter):
        await (await begin()).turn("alice", filter=filter)


# ── waiting ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Slow:
    """A detector that answers when told to."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def detect(self, moment: Moment) -> Presence:
        await self.go.wait()
        return Presence.only(moment.message.speaker)


async def test_a_recall_waits_for_what_was_said_before(begin: Begin) -> None:
    detector = Slow()
    story = await begin(detector=detector)
    await story.say("alice", "Hello.", key="m1")
    asyncio.get_running_loop().call_later(0.02, detector.go.set)
    turn = await story.turn("alice")
    assert turn.pending == ()
    assert "Hello." in turn.query


async def test_what_a_recall_did_not_wait_for_is_listed(begin: Begin) -> None:
    detector = Slow()
    story = await begin(detector=detector, recall={"wait": 0.01})
    await story.say("alice", "Hello.", key="m1")
    turn = await story.turn("alice")
    assert turn.pending == ("m1",)
    assert "Hello." not in turn.query
    detector.go.set()
    await story.settled()
    assert (await story.turn("alice")).pending == ()
