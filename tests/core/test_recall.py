"""START: what may come to mind, what is always in mind, and waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from earwitness import (
    Hit,
    Moment,
    Presence,
    Session,
)
from earwitness.events import Share, SharingEvent
from earwitness.filters import EVERYTHING, Filter
from earwitness.testing.reference import MemoryStore

from .recall_stories import Begin, keys, swords, tell

# ── what may come to mind ─────────────────────────────────────────────────────────────────────────────────────────────


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


# ── permanent memories ────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── order and reasons ─────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── waiting ───────────────────────────────────────────────────────────────────────────────────────────────────────────


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
