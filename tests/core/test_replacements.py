"""A summary takes what it sums up out of recall, is recalled only where all of it would be, and gives it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Derivation, Earwitness, Memory, ReadAnswer, Session, Settings
from earwitness.errors import InputError
from earwitness.events import PlanEvent, ReadEvent, Strike
from earwitness.filters import EVERYTHING, Compare, Filter, Not, equals

SUMMARY = "Alice spoke of apples, berries and cherries."
FRUIT = {"m1": "I like apples.", "m2": "I like berries.", "m3": "I like cherries."}
DM = Channel(context="dm", channel_id="7")


def opened(path: Path, **given: Any) -> Earwitness:
    return Earwitness.open(
        path / "s.db", settings=Settings.of(embedder="none", world_agent="none", strict=True), **given
    )


async def told(ew: Earwitness, id: str = "s1") -> Session:
    story = await ew.session(id, cast=["alice", "bob"], present=["alice", "bob"], state={"game_day": 1})
    for day, (key, text) in enumerate(FRUIT.items(), 1):
        await story.change(game_day=day)
        await story.say("alice", text, key=key)
    await story.change(game_day=9)
    return story


async def held(story: Session, owner: str = "bob") -> list[Memory]:
    await story.delivered()
    return list((await story.backstage().inspect(owner)).memories)


async def keys(story: Session, owner: str = "bob") -> set[str]:
    """Keys of the messages and types of the other memories that somebody holds."""
    return {*(each.message_keys[0] if each.message_keys else each.type for each in await held(story, owner))}


async def ids(story: Session, *wanted: str, owner: str = "bob") -> tuple[str, ...]:
    return tuple(each.id for each in await held(story, owner) if {*each.message_keys} & {*wanted})


async def summed_up(story: Session, *wanted: str, text: str = SUMMARY, key: str = "sum", **more: Any) -> Memory:
    grounds = await ids(story, *(wanted or FRUIT)) + tuple(more.pop("besides", ()))
    derivation = Derivation(content=text, owner="bob", type="summary", rests_on=grounds, replaces=True, **more)
    await story.derive(derivation, key=key)
    return next(each for each in await held(story) if each.text == text)


async def recalled(story: Session, query: str = "apples berries cherries", **given: Any) -> set[str]:
    found = (await story.turn("bob", query=query, in_prompt=[], **given)).memories
    return {each.memory.text if each.memory.type == "summary" else each.memory.message_keys[0] for each in found}


async def test_it_replaces_what_it_rests_on_in_its_owners_container_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        summary = await summed_up(story)
        assert await keys(story) == {"summary"}
        assert await keys(story, "alice") == {*FRUIT}
        assert (summary.metadata["gameDayFrom"], summary.game_day, summary.learned_day) == (1, 3, 3)
        assert summary.metadata["replaces"] == 3
        assert await recalled(story) == {SUMMARY}


async def test_what_it_replaces_is_known_as_early_as_before(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        await summed_up(story)
        await story.change(game_day=3)
        assert await recalled(story) == {SUMMARY}
        await story.change(game_day=2)
        assert await recalled(story) == set()


@pytest.mark.parametrize("how", ["retract", "retract the memory", "edit", "retract the summary"])
async def test_when_it_goes_what_it_replaced_comes_back_but_for_what_was_retracted(tmp_path: Path, how: str) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        summary, (second,) = await summed_up(story), await ids(story, "m2", owner="alice")
        parts = summary.metadata["restsOn"]
        match how:
            case "retract":
                await story.retract("m2")
                left = {"m1", "m3"}
            case "retract the memory":
                assert second not in parts
                await story.retract(parts[1])
                left = {"m1", "m3"}
            case "edit":
                await story.edit("m2", "I like bananas.")
                left = {*FRUIT}
            case _:
                await story.retract("sum")
                left = {*FRUIT}
        assert await keys(story) == left
        assert await recalled(story, "apples bananas berries cherries") == left


async def test_a_summary_of_summaries_goes_with_each_part(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        first = await summed_up(story, "m1", "m2", text="Apples and berries.")
        await summed_up(story, "m3", text="All fruit.", key="all", besides=(first.id,))
        assert [each.text for each in await held(story)] == ["All fruit."]
        await story.retract("m1")
        assert await keys(story) == {"m2", "m3"}


async def test_a_fact_that_rests_on_a_replaced_memory_gives_nothing_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        (first,) = await ids(story, "m1")
        await story.remember("bob", "Alice likes apples.", type="fact", rests_on=[first], key="fact")
        await summed_up(story)
        await story.retract("fact")
        assert await keys(story) == {"summary"}


async def test_one_original_is_restored_beside_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        summary = await summed_up(story)
        await story.restore(summary.metadata["restsOn"][0])
        assert await keys(story) == {"summary", "m1"}
        await story.retract("sum")
        assert await keys(story) == {*FRUIT}


async def test_what_was_archived_by_hand_stays_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        grounds = await ids(story, *FRUIT)
        await story.archive(grounds[0])
        await story.delivered()
        await story.derive(Derivation(content=SUMMARY, owner="bob", rests_on=grounds, replaces=True), key="sum")
        await story.retract("sum")
        assert await keys(story) == {"m2", "m3"}


async def test_what_it_replaces_can_be_told_still_and_falls_with_the_tellers(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        await story.join("carol")
        await summed_up(story)
        await story.tell("bob", "carol", "m2")
        assert await keys(story, "carol") == {"m2"}
        await story.retract("sum")
        assert await keys(story, "carol") == {"m2"}
        (own,) = await ids(story, "m2")
        await story.retract(own)
        assert await keys(story, "carol") == set()


async def test_what_is_told_again_adds_nothing_until_the_summary_goes(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        await summed_up(story)
        await story.tell("alice", "bob", "m2", channel=DM)
        assert await keys(story) == {"summary"}
        await story.retract("sum")
        assert await keys(story) == {*FRUIT}


async def test_cards_and_plot_are_never_replaced(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await story.prepare(plot="A sword is lost.")
        grounds = tuple(each.id for each in await held(story))
        await story.derive(Derivation(content="Lost.", owner="bob", rests_on=grounds, replaces=True))
        assert "A sword is lost." in [each.text for each in await held(story)]


async def test_a_private_part_keeps_the_whole_private(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        await story.say("alice", "I like dates.", key="m4", channel=DM, audience=["bob"])
        summary = await summed_up(story, "m3", "m4")
        assert summary.metadata["contextType"] == "dm"


class Reader:
    """Lets Bob see only some memories, and receive what he may."""

    def __init__(self, seen: Filter = EVERYTHING, unsayable: Filter | None = None, strikes: str = "") -> None:
        self.seen, self.unsayable, self.strikes = seen, unsayable, strikes

    def filter(self, event: ReadEvent) -> ReadAnswer:
        return ReadAnswer(filter=self.seen, **({"unsayable": self.unsayable} if self.unsayable else {}))

    def strike(self, event: PlanEvent) -> list[Strike]:
        found = [each for each in event.plan.deliveries if self.strikes and self.strikes in each.body]
        return [Strike(delivery_id=each.id, reason="not for him") for each in found]


@pytest.mark.parametrize(
    "guard",
    [
        Reader(seen=Not(equals("messageIds", "m2"))),
        Reader(seen=Compare("gameDay", ">=", 2)),
        Reader(unsayable=equals("messageIds", "m2")),
    ],
)
@pytest.mark.parametrize("nested", [False, True], ids=["one", "of summaries"])
async def test_a_guard_that_withholds_one_part_withholds_the_whole(tmp_path: Path, guard: Reader, nested: bool) -> None:
    async with opened(tmp_path, guards=[guard]) as ew:
        story = await told(ew)
        inner = await summed_up(story, "m1", "m2", text="Apples and berries.", key="inner") if nested else None
        await summed_up(story, *(["m3"] if inner else FRUIT), besides=(inner.id,) if inner else ())
        assert SUMMARY not in await recalled(story)


async def test_a_filter_counts_for_every_part(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        await summed_up(story)
        assert await recalled(story, filter="gameDay>=2") == set()
        assert await recalled(story, filter="gameDay>=1") == {SUMMARY}


async def test_a_struck_summary_replaces_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, guards=[Reader(strikes=SUMMARY)]) as ew:
        story = await told(ew)
        grounds = await ids(story, *FRUIT)
        await story.derive(Derivation(content=SUMMARY, owner="bob", rests_on=grounds, replaces=True))
        assert await keys(story) == {*FRUIT}


async def test_a_turn_before_it_recalls_what_it_replaced(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        await story.say("bob", "And I like figs.", key="m4")
        await summed_up(story, "m1", "m2")
        assert await recalled(story, before="m4") == {"m1", "m2", "m3"}
        assert await recalled(story) == {SUMMARY, "m3"}


async def test_branches_and_imports_have_it_and_give_back_their_own(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        await summed_up(story)
        branch = await story.fork("s2")
        earlier = await story.fork("s3", at="m3")
        imported = await ew.import_session([line async for line in story.backstage().export()], id="s4")
        assert await keys(earlier) == {*FRUIT}
        for other in (branch, imported):
            assert await keys(other) == {"summary"}
            assert await recalled(other) == {SUMMARY}
            await other.retract("m2")
            assert await keys(other) == {"m1", "m3"}
        assert await keys(story) == {"summary"}


async def test_it_holds_over_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        await summed_up(await told(ew))
    async with opened(tmp_path) as ew:
        story = await ew.open_session("s1")
        assert await keys(story) == {"summary"}
        await story.retract("m3")
        assert await keys(story) == {"m1", "m2"}


async def test_it_needs_an_owner_and_something_to_rest_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as ew:
        story = await told(ew)
        with pytest.raises(InputError, match="names no owner or nothing to rest on"):
            await story.derive(Derivation(content=SUMMARY, owner="bob", replaces=True))
        with pytest.raises(InputError, match="takes a Derivation"):
            await story.derive("a summary")
