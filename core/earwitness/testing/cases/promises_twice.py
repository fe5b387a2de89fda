"""Promise 4: nothing twice. Repeating a call gives the same memory, and a retraction is final."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ...app import Earwitness
from ...errors import ContainerCollision, KeyConflict
from ...events import Share
from ...ids import memory_id
from ...lore import Lore
from ...session import Session
from ..scripted import ByScript, Gossip, Retold
from ..suite import case
from .promises_base import PromiseCases, Stage, refused

SessionCall = Callable[[], Awaitable[object]]


class NothingTwice(PromiseCases):
    """Keys, derived ids, supports, revisions."""

    @case
    async def test_a_transcript_played_again_changes_nothing(self, stage: Stage) -> None:
        """The transcript has messages, changes, moves, news, lore, edits, rerolls, retractions and a branch.

        Ids and contents are the same.
        """
        detector = ByScript()
        async with stage.open(detector=detector, sharing_rules=[Gossip({"bob": ["carol"]}, delay=1)]) as ew:
            await self.transcript(ew)
            before, asked = await self.everything(ew), list(detector.asked)
            await self.transcript(ew)
            assert await self.everything(ew) == before
            assert detector.asked == asked

    @case
    async def test_a_transcript_cut_short_goes_on_where_it_was(self, stage: Stage) -> None:
        """One program plays half of it and the next one all of it. The result is as if it was played once."""
        self.needs("persistent")
        async with stage.open() as ew:
            await self.transcript(ew, steps=9)
        async with stage.open() as ew:
            await self.transcript(ew)
            halfway = await self.everything(ew)
        async with stage.open() as ew:
            await self.transcript(ew, "other")
            at_once = await self.everything(ew)
        for owner in ("alice", "bob", "carol", "world"):
            cut, whole = (
                [each.content for each in found[f"{id}: {owner}"]]
                for id, found in (("s1", halfway), ("other", at_once))
            )
            assert sorted(cut) == sorted(whole), owner

    @case
    async def test_the_same_key_with_the_same_text_returns_the_first_outcome(self, stage: Stage) -> None:
        """The text may be the first or a revised one, whatever else has happened since."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            first = await self.tell(story, "alice", "Hello!", key="k")
            await story.leave("bob")
            again = await story.say("alice", "Hello!", key="k")
            assert (again.created, (await again.settled()).plan) == (False, first.plan)
            await (await story.edit("k", "Good evening!")).settled()
            for text in ("Hello!", "Good evening!"):
                assert not (await story.say("alice", text, key="k")).created
            assert len(await self.held(story, "alice")) == 1

    @case
    async def test_the_same_key_with_another_text_is_refused(self, stage: Stage) -> None:
        """So are another speaker and another kind of call. The error names `edit`, and nothing changes."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "Hello!", key="k")
            before = await self.everything(ew)
            calls: list[SessionCall] = [
                lambda: story.say("alice", "Good evening!", key="k"),
                lambda: story.say("bob", "Hello!", key="k"),
                lambda: story.change(game_day=2, key="k"),
                lambda: story.edit("k", "Good evening!", own_key="k"),
                lambda: story.retract("k", own_key="k"),
            ]
            for call in calls:
                with refused(KeyConflict) as refusal:
                    await call()
                assert "edit" in refusal.why
            assert await self.everything(ew) == before

    @case
    async def test_a_change_told_again_is_the_same_change(self, stage: Stage) -> None:
        """This holds for any values: they stay the same after the ledger has kept them."""
        changes: Mapping[str, Any] = {
            "participants": ("alice", "bob"),
            "game_day": 6.0,
            "flags": {"open": True, "tries": [1, 2.5]},
            "my_own": {"deep": ("x", None)},
            "quest": None,
            "time_of_day": "evening",
        }
        async with stage.open() as ew:
            story = await self.tavern(ew)
            for _ in range(3):
                await (await story.change(**changes, description="It is evening", key="c")).settled()
            assert len(await self.held(story, "world")) == 1
            with refused(KeyConflict):
                await story.change(**{**changes, "game_day": 7}, key="c")

    @case
    async def test_ids_derive_from_what_a_memory_is_about(self, stage: Stage) -> None:
        """They derive from session, key, revision, container and part, so that anybody can compute them again."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "Hello!", key="k")
            await (await story.edit("k", "Good evening!")).settled()
            (memory,) = await self.held(story, "bob")
            assert memory.id == memory_id("s1", "k", 1, "s1-bob", "message")
            (raw,) = await self.held(story, "world")
            assert raw.id == memory_id("s1", "k", 1, "s1-world", "message")

    @case
    async def test_a_second_way_to_know_is_a_second_support_of_one_memory(self, stage: Stage) -> None:
        """The strongest support shows. When it is removed, the next one shows; the memory lives while one is left."""
        rule = Retold(
            Share(character="bob", shared_from="alice", rule="gossip"),
            Share(character="carol", shared_from="bob", rule="gossip"),
            Share(character="carol", shared_from="alice", rule="gossip"),
            Share(character="carol", how="witnessed", rule="spying"),
        )
        async with stage.open(sharing_rules=[rule]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by bob)", key="k")
            (bobs,), (carols,) = await self.held(story, "bob"), await self.held(story, "carol")
            assert bobs.metadata["interactionType"] == "direct"
            assert carols.metadata["interactionType"] == "witnessed"
            explained = await story.backstage().explain(carols.id)
            assert sorted(f"{hop.how} {hop.shared_from}" for hop in explained.supports) == [
                "shared alice",
                "shared bob",
                "witnessed None",
            ]
            await (await story.retract(bobs.id)).settled()
            assert await self.held(story, "bob") == []
            assert [each.id for each in await self.held(story, "carol")] == [carols.id]
            await (await story.retract(carols.id)).settled()
            assert await self.held(story, "carol") == []
            assert len(await self.held(story, "alice")) == 1

    @case
    async def test_the_next_support_shows_when_the_strongest_falls(self, stage: Stage) -> None:
        """Two characters told it. When one teller's memory is retracted, the other's telling shows."""
        rule = Retold(
            Share(character="dave", shared_from="bob", how="witnessed", rule="spying"),
            Share(character="dave", shared_from="carol", rule="gossip", due=3),
        )
        async with stage.open(sharing_rules=[rule]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by bob, carol)")
            await (await story.change(game_day=4)).settled()
            (before,) = await self.held(story, "dave")
            assert (before.metadata["sharedFrom"], before.learned_day) == ("bob", 1)
            (bobs,) = await self.held(story, "bob")
            await (await story.retract(bobs.id)).settled()
            (after,) = await self.held(story, "dave")
            assert after.id == before.id
            assert after.metadata["interactionType"] == "shared"
            assert (after.metadata["sharedFrom"], after.learned_day) == ("carol", 3)

    @case
    async def test_what_was_retracted_is_not_revived(self, stage: Stage) -> None:
        """Repeating it under its key, a restart, an edit, or gossip under way do not bring it back."""
        async with stage.open(sharing_rules=[Gossip({"bob": ["carol"]}, delay=2)]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine.", key="k")
            await (await story.retract("k")).settled()
            again = await story.say("alice", "The crown is mine.", key="k")
            assert not again.created
            with refused(ValueError) as refusal:
                await story.edit("k", "The crown is yours.")
            assert "retracted" in refusal.why
            with refused(ValueError):
                await story.reroll("The crown is yours.")
            await (await story.change(game_day=9)).settled()
            await self.nothing_left(story)
        self.needs("persistent")
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine.", key="k")
            await self.nothing_left(story)

    @case
    async def test_retracting_twice_changes_nothing_more(self, stage: Stage) -> None:
        """It may be retracted by key, by memory id, or by one after the other."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine.", key="k")
            await self.tell(story, "alice", "And so is the sword.", key="l")
            crown, sword = await self.held(story, "bob")
            for target in ("k", "k", crown.id, sword.id, sword.id):
                await (await story.retract(target)).settled()
            assert await self.held(story, "bob") == []
            assert [each.content.count("sword") for each in await self.held(story, "alice")] == [1]

    @case
    async def test_replaced_words_are_remembered_by_nobody(self, stage: Stage) -> None:
        """Edited and rerolled words are in no container and found by no search, however often they are replaced."""
        async with stage.open(sharing_rules=[Gossip({"bob": ["carol"]})]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is under the flagstone.", key="k")
            for number in range(3):
                await (await story.reroll(f"I never saw crown {number}. (heard by bob)")).settled()
                await (await story.edit("k", f"What crown, {number}? (heard by bob)")).settled()
            for owner in ("alice", "bob", "carol", "world"):
                (memory,) = await self.held(story, owner)
                assert "What crown, 2?" in memory.content
            assert "What crown, 2?" in "".join(await self.recalled(story, "bob", "under the flagstone"))
            assert "flagstone" not in "".join(await self.recalled(story, "bob", "under the flagstone"))

    @case
    async def test_preparing_again_replaces_and_never_appends(self, stage: Stage) -> None:
        """The same piece is the same memory; a new text takes the old one's place."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            for plot in ("A crown was stolen.", "A crown was stolen.", "A crown was lost."):
                await story.prepare(plot=plot, cards={"bob": plot}, lore=[Lore(text=plot, key="crown")])
                await story.prepare(lore=["Crowns are heavy."])
                await story.settled()
                found = [each.content for each in await self.held(story, "bob")]
                assert sorted(found) == [*[plot] * 3, "Crowns are heavy."]
            assert len(await self.held(story, "carol")) == 3

    @case
    async def test_the_same_branch_again_is_that_branch(self, stage: Stage) -> None:
        """It includes what has been said in it since. Another branch under its name is refused."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            for number in range(3):
                await self.tell(story, "alice", f"message {number}", key=f"k{number}")
            branch = await story.fork("b1", at="k1")
            await self.tell(branch, "alice", "another way", key="k2")
            before = await self.everything(ew)
            await story.fork("b1", at="k1")
            assert await self.everything(ew) == before
            with refused(ContainerCollision):
                await story.fork("b1", at="k0")
            assert await self.everything(ew) == before
            assert [each.content.count("another way") for each in await self.held(branch, "bob")] == [0, 0, 1]

    async def transcript(self, earwitness: Earwitness, id: str = "s1", steps: int = 99) -> None:
        """Make a story with every kind of entry a host may append, each under its own key."""
        story = await self.tavern(earwitness, id)
        note = memory_id(id, "n2", 0, f"{id}-bob", "derived")
        reported: list[SessionCall] = [
            lambda: story.prepare(plot="A crown was stolen.", cards={"alice": "A thief."}, key="p1"),
            lambda: story.say("alice", "The crown is mine.", key="k1"),
            lambda: story.say("bob", "Is it? (heard by alice, carol)", key="k2", audience=["alice"]),
            lambda: story.change(game_day=2, current_scene="cave", description="They went on", key="c1"),
            lambda: story.remember("carol", "There was a crown.", type="fact", rests_on=["k1"], key="n1"),
            lambda: story.edit("k1", "The crown is yours.", own_key="e1"),
            lambda: story.say("alice", "What now?", key="k3"),
            lambda: story.reroll("What then?", own_key="r1"),
            lambda: story.update("Alice acquired the crown", character="alice", type="item_acquired", key="u1"),
            lambda: story.enter("carol", key="m1"),
            lambda: story.leave("bob", key="m2"),
            lambda: story.say("carol", "So there you are.", key="k4"),
            lambda: story.reroll("Here we are.", key="k3", own_key="r2"),
            lambda: story.retract("k2", own_key="x1"),
            lambda: story.edit("k4", "So there you were.", own_key="e2"),
            lambda: story.retract("k4", own_key="x2"),
            lambda: story.retract("u1", own_key="x3"),
            lambda: story.change(game_day=5, key="c2"),
            lambda: story.remember("alice", "It was stolen.", rests_on=["k3"], key="n2"),
            lambda: story.tell("alice", "bob", "n2", key="t1"),
            lambda: story.tell("bob", "carol", "n2", day=6, key="t2"),
            lambda: story.archive(note, key="a1"),
            lambda: story.restore(note, key="a2"),
            lambda: story.archive(note, key="a3"),
            lambda: story.join("eve", key="j1"),
            lambda: story.fork(f"{id}-branch", at="k3"),
        ]
        for report in reported[:steps]:
            await report()
        await story.settled()

    async def nothing_left(self, story: Session) -> None:
        """Assert that every container is empty."""
        for owner in (*story.cast.ids, "world"):
            assert await self.held(story, owner) == [], owner
