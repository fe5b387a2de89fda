"""A sharing rule sees what stands, adds tellings to memories that say the same, and is asked again after it failed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import pytest

from earwitness import Memory, Session, Share, SharingAnswer, SharingEvent
from earwitness.records.plan import Answer
from earwitness.testing.scripted import ByScript

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
CAST = ["alice", "bob", "charlie", "dana"]
FACT = "The mill has burnt down."


class SameFact:
    """Bob and Charlie tell Dana everything; what she was told in another message supports the memory she has of it."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.seen: list[list[tuple[str, str]]] = []

    async def share(self, event: SharingEvent) -> SharingAnswer:
        standing = await event.standing.deliveries(self.keys)
        self.seen.append([(each.source, each.owner) for each in standing if each.owner == "dana"])
        self.keys.append(event.message.message.key)
        own = next((each.memory_id for each in standing if each.owner == "dana"), None)
        tellers = [id for id in event.knowers if id in {"bob", "charlie"}]
        shares = tuple(Share(character="dana", shared_from=id, rule="same", memory=own) for id in tellers)
        return SharingAnswer(shares=shares, consulted=(Answer(by="triage:mine", failure=None),))


async def twice(story: Session) -> None:
    await story.say("alice", FACT, key="m1", audience=["bob"])
    await story.say("alice", FACT, key="m2", audience=["charlie"])
    await story.delivered()


async def test_tellers_of_several_messages_add_up_to_one_memory(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[SameFact()])
    await twice(story)
    (memory,) = await memories(story, "dana")
    explained = await story.backstage().explain(memory.id)
    assert sorted(str(each.shared_from) for each in explained.supports) == ["bob", "charlie"]


class SlowBob(SameFact):
    """Bob tells Dana ten days later."""

    async def share(self, event: SharingEvent) -> SharingAnswer:
        answer = await super().share(event)
        late = [each.model_copy(update={"due": event.day + 10 * (each.shared_from == "bob")}) for each in answer.shares]
        return answer.model_copy(update={"shares": tuple(late)})


def shown(memory: Memory) -> tuple[object, ...]:
    """Who said it, who told it, which message it is, and when it was learned."""
    return *(memory.metadata[name] for name in ("speaker", "sharedFrom", "messageIds")), memory.learned_day


async def test_the_memory_shows_the_message_that_was_learned_first_and_no_words_of_another(
    begin: Begin, memories: Memories
) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[SameFact()])
    await story.change(game_day=2)
    await story.say("bob", FACT, key="m1", audience=[])
    await story.change(game_day=10)
    await story.say("charlie", f"{FACT} Nobody was hurt.", key="m2", audience=[])
    await story.delivered()
    (memory,) = await memories(story, "dana")
    assert shown(memory) == ("bob", "bob", ["m1"], 2)
    assert memory.content.endswith(f"Message: Bob: {FACT} GameDay: 2")
    await story.retract("m1")
    (memory,) = await memories(story, "dana")
    assert shown(memory) == ("charlie", "charlie", ["m2"], 10)
    assert memory.content.endswith(f"Message: Charlie: {FACT} Nobody was hurt. GameDay: 10")


async def test_a_slower_teller_changes_nothing_of_what_is_known(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[SlowBob()])
    await story.say("bob", f"{FACT} Nobody was hurt.", key="m1", audience=[])
    await story.say("charlie", FACT, key="m2", audience=[])
    for day in (1, 5, 20):
        await story.change(game_day=day)
        await story.delivered()
        (memory,) = await memories(story, "dana")
        assert shown(memory) == ("charlie", "charlie", ["m2"], 1)
        assert memory.content.endswith(f"Message: Charlie: {FACT} GameDay: 1")


class InTurn:
    """Bob tells Dana on one day, and Charlie, on another, perhaps in other words."""

    def __init__(self, bob: str | None = None) -> None:
        self.bob = bob

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if event.arrived:
            return []
        first = Share(character="dana", shared_from="bob", rule="r", due=event.day + 1, content=self.bob)
        return [first, Share(character="dana", shared_from="charlie", rule="r", due=event.day + 9)]


async def test_who_hears_the_same_again_learned_it_the_first_time(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[InTurn()])
    await story.say("alice", FACT, key="m1", audience=["bob", "charlie"])
    await story.change(game_day=10)
    await story.delivered()
    (memory,) = await memories(story, "dana")
    assert shown(memory) == ("alice", "bob", ["m1"], 2)


async def test_who_hears_more_of_it_later_has_that_from_who_told_it(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[InTurn(bob="A mill.")])
    await story.say("alice", FACT, key="m1", audience=["bob", "charlie"])
    await story.change(game_day=10)
    await story.delivered()
    (memory,) = await memories(story, "dana")
    assert FACT in memory.content
    assert shown(memory) == ("alice", "charlie", ["m1"], 10)


async def test_what_is_handed_over_is_that_message_too(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[SameFact()])
    await story.say("bob", FACT, key="m1", audience=[])
    await story.change(game_day=10)
    await story.say("charlie", f"{FACT} Nobody was hurt.", key="m2", audience=[])
    await story.delivered()
    (memory,) = await memories(story, "dana")
    await story.tell("dana", "alice", memory.id)
    await story.delivered()
    (told,) = await memories(story, "alice")
    assert (told.metadata["speaker"], told.message_keys) == ("bob", ("m1",))
    assert told.content.endswith(f"Message: Bob: {FACT} GameDay: 1")


@pytest.mark.parametrize("masks", [("Stranger", None), (None, "Stranger")])
async def test_a_rule_cannot_join_what_was_said_in_disguise(
    begin: Begin, memories: Memories, masks: tuple[str | None, str | None]
) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[SameFact()])
    for key, hears, mask in zip(("m1", "m2"), ("bob", "charlie"), masks, strict=True):
        await story.say("alice", FACT, key=key, audience=[hears], speak_as=mask)
    await story.delivered()
    speakers = {each.message_keys: each.metadata["speaker"] for each in await memories(story, "dana")}
    assert speakers == {("m1",): masks[0] or "alice", ("m2",): masks[1] or "alice"}


async def test_the_memory_stands_until_the_last_of_its_messages_is_retracted(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[SameFact()])
    await twice(story)
    await story.retract("m1")
    (memory,) = await memories(story, "dana")
    assert memory.metadata["sharedFrom"] == "charlie"
    await story.retract("m2")
    assert not await memories(story, "dana")


async def test_what_was_retracted_is_no_part_of_active_deliveries(begin: Begin, memories: Memories) -> None:
    rule = SameFact()
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[rule])
    await story.say("alice", FACT, key="m1", audience=["bob"])
    await story.retract("m1")
    await story.say("alice", FACT, key="m2", audience=["bob"])
    assert len(await memories(story, "dana")) == 1
    assert rule.seen == [[], []]


async def test_a_memory_that_the_listener_has_not_gets_no_support(begin: Begin, memories: Memories) -> None:
    class Stray:
        def share(self, event: SharingEvent) -> Iterable[Share]:
            return [Share(character="dana", shared_from="bob", memory="mem_nowhere")]

    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[Stray()])
    await story.say("alice", FACT, audience=["bob"])
    (memory,) = await memories(story, "dana")
    assert memory.id != "mem_nowhere"


async def test_what_a_rule_itself_asked_stands_in_the_plan(begin: Begin) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[SameFact()])
    await story.say("alice", FACT, audience=["bob"])
    await story.delivered()
    plan = await story._engine.ledger.plan(story.id, story._live.snapshot.decided)
    assert plan is not None
    assert "triage:mine" in [each.by for each in plan.answers]


async def test_a_copy_of_the_story_has_the_same_memories(begin: Begin, memories: Memories) -> None:
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[SameFact()])
    await twice(story)
    branch = await story.fork("branch")
    await branch.retract("m1")
    (memory,) = await memories(branch, "dana")
    assert memory.metadata["sharedFrom"] == "charlie"


class Away:
    """Bob tells Charlie two days later, and Charlie Dana at once. On some days it fails."""

    def __init__(self) -> None:
        self.fails = False
        self.calls = 0

    def share(self, event: SharingEvent) -> Iterable[Share]:
        self.calls += 1
        if self.fails:
            raise ConnectionError("the graph is away")
        if "charlie" in event.knowers:
            return [Share(character="dana", shared_from="charlie", rule="hop")]
        return [Share(character="charlie", shared_from="bob", rule="hop", due=event.day + 2)]


async def holders(story: Session, memories: Memories) -> list[str]:
    await story.delivered()
    return [id for id in story.cast.ids if await memories(story, id)]


async def begun_while_away(begin: Begin, **given: Any) -> tuple[Session, Away]:
    rule = Away()
    story = await begin(cast=CAST, detector=ByScript(), sharing_rules=[rule], strict=False, **given)
    await story.say("alice", FACT, key="m1", audience=["bob"])
    await story.delivered()
    rule.fails = True
    changed = await story.change(game_day=5)
    settled = await changed.settled()
    assert settled.degraded
    assert "the graph is away" in str(settled.failures)
    return story, rule


async def test_what_arrives_while_a_rule_fails_is_told_on_once_it_answers(begin: Begin, memories: Memories) -> None:
    story, rule = await begun_while_away(begin)
    assert await holders(story, memories) == ["alice", "bob", "charlie"]
    rule.fails = False
    await story.change(flags={"graph": "back"})
    assert await holders(story, memories) == ["alice", "bob", "charlie", "dana"]
    (memory,) = await memories(story, "dana")
    assert memory.learned_day == 5
    calls = rule.calls
    await story.change(flags={"more": True})
    await story.delivered()
    assert rule.calls == calls


async def test_it_is_told_on_once_and_not_for_a_retracted_message(begin: Begin, memories: Memories) -> None:
    story, rule = await begun_while_away(begin)
    await story.retract("m1")
    rule.fails = False
    await story.change(game_day=6)
    assert await holders(story, memories) == []
    assert not story._live.untold


async def test_what_still_fails_is_kept_without_a_word(begin: Begin, memories: Memories) -> None:
    story, rule = await begun_while_away(begin)
    settled = await (await story.change(flags={"graph": "away"})).settled()
    assert not settled.degraded
    rule.fails = False
    await story.change(game_day=7)
    assert await holders(story, memories) == ["alice", "bob", "charlie", "dana"]


async def test_what_is_said_while_a_rule_fails_is_told_once_it_answers(begin: Begin, memories: Memories) -> None:
    rule = Away()
    story = await begin(cast=CAST, sharing_rules=[rule], strict=False)
    rule.fails = True
    await story.say("alice", FACT, key="m1", audience=["bob"])
    await story.change(game_day=3)
    assert await holders(story, memories) == ["alice", "bob"]
    rule.fails = False
    await story.change(flags={"graph": "back"})
    await story.change(game_day=5)
    assert await holders(story, memories) == ["alice", "bob", "charlie", "dana"]
    assert [each.learned_day for each in await memories(story, "charlie")] == [5]
    calls = rule.calls
    await story.change(flags={"more": True})
    await story.delivered()
    assert rule.calls == calls


@pytest.mark.parametrize("then", ["edit", "retract"])
async def test_what_was_said_meanwhile_is_told_as_it_reads_now(begin: Begin, memories: Memories, then: str) -> None:
    rule = Away()
    story = await begin(cast=CAST, sharing_rules=[rule], strict=False)
    rule.fails = True
    await story.say("alice", FACT, key="m1", audience=["bob"])
    await (story.edit("m1", "The cellar is dry.") if then == "edit" else story.retract("m1"))
    await story.settled()
    rule.fails = False
    await story.change(game_day=3)
    await story.change(game_day=5)
    found = [each.content for each in await memories(story, "charlie")]
    assert ["The cellar is dry." in each for each in found] == ([True] if then == "edit" else [])
    assert not story._live.untold


async def test_a_rule_that_fails_is_asked_again_once_for_each_entry(begin: Begin, memories: Memories) -> None:
    rule = Away()
    story = await begin(cast=CAST, sharing_rules=[rule], strict=False)
    rule.fails = True
    for number in range(4):
        await story.say("alice", f"{FACT} {number}", key=f"m{number}", audience=["bob"])
    await story.settled()
    assert rule.calls == 4
    await story.change(flags={"graph": "away"})
    await story.settled()
    assert rule.calls == 5


class Choosy(Away):
    """Fails for one message for ever."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        self.fails = self.fails or event.message.key == "m0"
        try:
            return super().share(event)
        finally:
            self.fails = False


async def test_a_message_that_a_rule_cannot_bear_holds_up_no_other(begin: Begin, memories: Memories) -> None:
    rule = Choosy()
    story = await begin(cast=CAST, sharing_rules=[rule], strict=False)
    for number in range(3):
        rule.fails = True
        await story.say("alice", f"{FACT} {number}", key=f"m{number}", audience=["bob"])
        await story.settled()
    for day in range(2, 10):
        await story.change(game_day=day)
    assert await holders(story, memories) == ["alice", "bob", "charlie", "dana"]
    assert len(await memories(story, "charlie")) == 2
