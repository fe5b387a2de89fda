"""Promise 6: every memory can be explained, and a retraction removes everything that rested on it."""

# ruff: noqa: S101
from __future__ import annotations

from contextlib import suppress

import anyio

from ...backstage.records import Explanation
from ...events import Share
from ...filters import equals
from ...formats import KNOWLEDGE
from ..scripted import ByScript, Faulty, Gossip, Only, Retold, ScriptedStrategy, breaks, hangs
from ..suite import case
from .promises_base import Crash, PromiseCases, Stage, crash

CHAIN = Gossip({"alice": ["bob"], "bob": ["carol"], "carol": ["dave"]})
SLOWLY = Gossip({"alice": ["bob"], "bob": ["carol"], "carol": ["dave"]}, delay=1)


class Provenance(PromiseCases):
    """`explain`, hop by hop, and the effects of a retraction."""

    @case
    async def test_gossip_is_walked_back_hop_by_hop(self, stage: Stage) -> None:
        """Alice said it and told Bob, Bob told Carol, and Carol told Dave."""
        async with stage.open(sharing_rules=[CHAIN]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k")
            (memory,) = await self.held(story, "dave")
            assert (memory.metadata["interactionType"], memory.metadata["sharedFrom"]) == ("shared", "carol")
            explained: Explanation | None = await story.backstage().explain(memory.id)
            tellers = []
            while explained is not None:
                (hop,) = explained.supports
                tellers.append((explained.owner, hop.how, hop.shared_from, hop.rule))
                explained = hop.via
            assert tellers == [
                ("dave", "shared", "carol", "gossip"),
                ("carol", "shared", "bob", "gossip"),
                ("bob", "shared", "alice", "gossip"),
                ("alice", "direct", None, "the script says so"),
            ]

    @case
    async def test_every_memory_there_is_can_be_explained(self, stage: Stage) -> None:
        """This covers messages, copies, news, plot and lore, a newcomer's common knowledge, and a branch.

        Each path ends first hand, and each line of news names what it rests on.
        """
        async with stage.open(sharing_rules=[CHAIN]) as ew:
            story = await self.tavern(ew)
            await story.prepare(plot="A crown was stolen.", cards={"bob": "A guard."}, lore=["Crowns are heavy."])
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k1")
            await story.change(game_day=2, description="It rains", audience="public")
            await self.tell(story, "bob", "How wet!", key="k2")
            await story.edit("k2", "How very wet!")
            await story.join("eve")
            branch = await story.fork("b1")
            for each in (story, branch):
                for owner in (*each.cast.ids, "world"):
                    for memory in await self.held(each, owner):
                        explained = await each.backstage().explain(memory.id)
                        assert (explained.alive, explained.owner, explained.content) == (True, owner, memory.content)
                        assert all(self.first_hand(explained))
                        lines = memory.content.partition(f"{KNOWLEDGE}\n")[2].splitlines()
                        assert [line.text for line in explained.knowledge] == lines
                        assert all(line.rests_on for line in explained.knowledge)

    @case
    async def test_what_is_gone_or_was_struck_says_why(self, stage: Stage) -> None:
        """A retracted memory is `withdrawn` and says by whom; a struck one never existed."""
        async with stage.open(guards=[Only(strikes=("bob",))]) as ew:
            story = await self.tavern(ew)
            settled = await self.tell(story, "alice", "The crown is mine.", key="k")
            ids = {each.owner: each.memory_id for each in settled.deliveries}
            await (await story.backstage(role="designer").retract("k")).settled()
            hers, his = [await story.backstage().explain(ids[id]) for id in ("alice", "bob")]
            assert [(hop.status, hop.reason) for hop in hers.supports] == [("withdrawn", "retracted by designer")]
            assert [hop.status for hop in his.supports] == ["struck"]
            assert (hers.alive, his.alive) == (False, False)

    @case
    async def test_what_is_struck_for_a_teller_is_not_told_on_by_him(self, stage: Stage) -> None:
        """Those he would have told do not tell it on either. Another teller's telling remains."""
        rule = Retold(
            Share(character="carol", shared_from="bob", rule="gossip"),
            Share(character="dave", shared_from="carol", rule="gossip"),
            Share(character="dave", shared_from="alice", rule="gossip"),
        )
        async with stage.open(sharing_rules=[rule], guards=[Only(strikes=("bob",))]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine.")
            assert await self.held(story, "bob") == await self.held(story, "carol") == []
            (memory,) = await self.held(story, "dave")
            assert memory.metadata["sharedFrom"] == "alice"

    @case
    async def test_every_copy_names_as_participants_exactly_those_who_received_it(self, stage: Stage) -> None:
        """The world's copy does too. Characters struck by a guard, or forgotten before an edit, are not named."""
        async with stage.open(guards=[Only(strikes=("bob",))]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by bob, carol, dave)", key="k")
            for owner in ("alice", "carol", "world"):
                (memory,) = await self.held(story, owner)
                assert memory.metadata["participants"] == ["alice", "carol", "dave"], owner
            await story.forget("dave")
            await (await story.edit("k", "The crown is hers. (heard by bob, carol, dave)")).settled()
            for owner in ("alice", "carol", "world"):
                (memory,) = await self.held(story, owner)
                assert memory.metadata["participants"] == ["alice", "carol"], owner

    @case
    async def test_gossip_arrives_on_its_day_and_says_when_it_was_said(self, stage: Stage) -> None:
        """`gameDay` stays the day it was said, and `learnedDay` is the day it arrives. Nobody recalls it before."""
        async with stage.open(sharing_rules=[SLOWLY]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k")
            learned: dict[str, tuple[float, float | None, float | None]] = {}
            for day in (1.5, 2, 3, 4):
                await (await story.change(game_day=day)).settled()
                for id in ("bob", "carol", "dave"):
                    for memory in await self.held(story, id):
                        learned.setdefault(id, (day, memory.game_day, memory.learned_day))
            assert learned == {"bob": (2, 1, 2), "carol": (3, 1, 3), "dave": (4, 1, 4)}
            await (await story.change(game_day=2)).settled()
            assert len(await self.recalled(story, "bob", "crown")) == 1
            assert await self.recalled(story, "carol", "crown") == []

    @case
    async def test_what_arrives_is_guarded_by_the_guards_of_that_day(self, stage: Stage) -> None:
        """A guard added after it was said strikes it. Tellings that depend on it do not happen."""
        self.needs("persistent")
        async with stage.open(sharing_rules=[SLOWLY]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k")
            await (await story.change(game_day=2)).settled()
        async with stage.open(guards=[Only(strikes=("carol",))]) as ew:
            story = await self.tavern(ew)
            (carols,) = await ew.engine.ledger.deliveries("s1", container="s1-carol")
            assert carols.status == "pending"
            await (await story.change(game_day=3)).settled()
        async with stage.open() as ew:
            story = await self.tavern(ew)
            branch = await story.fork("b1")
            for each in (story, branch):
                await (await each.change(game_day=9)).settled()
                assert [len(await self.held(each, id)) for id in ("bob", "carol", "dave")] == [1, 0, 0]
            (hop,) = (await story.backstage().explain(carols.memory_id)).supports
            assert (hop.status, hop.reason) == ("struck", "guard:only: not for them")

    @case
    async def test_what_arrives_under_a_guard_that_fails_waits_until_it_answers(self, stage: Stage) -> None:
        """The plan names the guard. Nobody has what is due until the guards can be asked, also after a restart."""
        self.needs("persistent")
        async with stage.open(sharing_rules=[SLOWLY]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k")
        async with stage.open(guards=[ScriptedStrategy(breaks)], settings={"strict": False}) as ew:
            story = await self.tavern(ew)
            settled = await (await story.change(game_day=2)).settled()
            assert settled.degraded
            assert [len(await self.held(story, id)) for id in ("alice", "bob", "carol", "world")] == [1, 0, 0, 1]
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await (await story.change(game_day=9)).settled()
            assert [len(await self.held(story, id)) for id in ("alice", "bob", "carol", "world")] == [1, 1, 1, 1]

    @case
    async def test_what_was_decided_of_an_arrival_is_not_decided_again(self, stage: Stage) -> None:
        """The program ended while the arrival was written. The next one has no guard, and applies what is recorded."""
        self.needs("persistent")
        rule = Retold(*(Share(character=id, shared_from="alice", rule="gossip", due=2) for id in ("carol", "dave")))
        async with stage.open(sharing_rules=[rule]) as ew:
            await self.tell(await self.tavern(ew), "alice", "The crown is mine. (heard by alice)", key="k")
        writing = anyio.Event()

        async def put(memories: object) -> None:
            writing.set()
            await hangs()

        with suppress(Crash):
            guards = [Only(strikes=("carol",))]
            async with stage.open(guards=guards, store=lambda store: Faulty(store, put=put)) as ew:
                await (await self.tavern(ew)).change(game_day=2)
                await writing.wait()
                crash()
        async with stage.open(guards=[Only(strikes=("dave",))]) as ew:
            story = await self.tavern(ew)
            assert [len(await self.held(story, id)) for id in ("carol", "dave")] == [0, 1]

    @case
    async def test_a_retraction_cancels_what_is_due_on_a_later_day(self, stage: Stage) -> None:
        """Halfway through, memories that have arrived are removed, and those still due never arrive."""
        async with stage.open(sharing_rules=[SLOWLY]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k")
            await (await story.change(game_day=2)).settled()
            assert len(await self.held(story, "bob")) == 1
            await (await story.retract("k")).settled()
            await (await story.change(game_day=9)).settled()
            for owner in (*story.cast.ids, "world"):
                assert await self.held(story, owner) == [], owner
            assert {each.status for each in await ew.engine.ledger.deliveries("s1", sources=["k"])} == {"withdrawn"}

    @case
    async def test_an_edit_cancels_gossip_about_the_old_words(self, stage: Stage) -> None:
        """Only the new words arrive on its day."""
        async with stage.open(sharing_rules=[SLOWLY]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k")
            await (await story.change(game_day=3)).settled()
            await (await story.edit("k", "The sword is mine. (heard by alice)")).settled()
            for id, number in (("bob", 1), ("carol", 1), ("dave", 0)):
                assert ["sword" in each.content for each in await self.held(story, id)] == [True] * number, id
            await (await story.change(game_day=4)).settled()
            (memory,) = await self.held(story, "dave")
            assert "sword" in memory.content

    @case
    async def test_retracting_one_memory_takes_away_what_was_told_on_from_it(self, stage: Stage) -> None:
        """Those who perceived it themselves keep it, and so does the world."""
        async with stage.open(sharing_rules=[Gossip({"bob": ["carol"], "carol": ["dave"]})]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine.", key="k")
            assert len(await self.held(story, "dave")) == 1
            (bobs,) = await self.held(story, "bob")
            await (await story.retract(bobs.id)).settled()
            assert [len(await self.held(story, id)) for id in ("alice", "bob", "carol", "dave", "world")] == [
                1,
                0,
                0,
                0,
                1,
            ]

    @case
    async def test_what_fell_falls_in_a_branch_too_whoever_was_forgotten_since(self, stage: Stage) -> None:
        """The teller in the middle was forgotten. His listeners' memories are still removed with the first teller's."""
        async with stage.open(sharing_rules=[CHAIN]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k")
            (hers,) = await self.held(story, "alice")
            await (await story.retract(hers.id)).settled()
            await story.forget("carol")
            lines = [line async for line in story.backstage().export()]
            for each in (story, await story.fork("b1"), await ew.import_session(lines, id="i1")):
                assert [len(await self.held(each, id)) for id in ("alice", "bob", "dave", "world")] == [0, 0, 0, 1]

    @case
    async def test_news_that_is_retracted_leaves_every_memory_it_was_told_in(self, stage: Stage) -> None:
        """The section is rebuilt without the line, or removed with its last line. The message itself is unchanged."""
        async with stage.open(sharing_rules=[Gossip({"bob": ["carol"]})]) as ew:
            story = await self.tavern(ew)
            await story.update("It rains", audience="public", key="rain")
            await story.update("The king is dead", audience="public", key="king")
            await self.tell(story, "alice", "Good evening.")
            (before,) = await self.held(story, "bob")
            both = f"\n\n{KNOWLEDGE}\nIt rains. GameDay: 1\nThe king is dead. GameDay: 1"
            assert before.content.endswith(both)
            await (await story.retract("king")).settled()
            (after,) = await self.held(story, "bob")
            assert (after.id, after.metadata) == (before.id, before.metadata)
            assert after.content == before.content.removesuffix("\nThe king is dead. GameDay: 1")
            (rain,) = await self.held(story, "world", equals("type", "world_state_update"))
            await (await story.retract(rain.id)).settled()
            for id in ("alice", "bob"):
                (last,) = await self.held(story, id)
                assert last.content == before.content.removesuffix(both), id

    @case
    async def test_news_of_a_retracted_message_is_told_by_the_next(self, stage: Stage) -> None:
        """The message goes, but the event in the world remains. News that was told is not told again."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.update("It rains", audience="public")
            await self.tell(story, "alice", "Good evening.", key="k")
            await (await story.retract("k")).settled()
            assert await self.held(story, "bob") == []
            told = [(await self.tell(story, "alice", f"message {number}")).knowledge for number in range(2)]
            assert told == [dict.fromkeys(("alice", "bob"), ("It rains. GameDay: 1",)), {}]

    @case
    async def test_no_later_turn_is_decided_anew(self, stage: Stage) -> None:
        """A retraction asks no strategy, and an edit asks only about the edited message.

        Other plans stay as recorded.
        """
        detector = ByScript()
        async with stage.open(detector=detector, sharing_rules=[CHAIN]) as ew:
            story = await self.tavern(ew)
            for number in range(5):
                await self.tell(
                    story, "alice", f"message {number} {'(bob leaves)' if number == 1 else ''}", key=f"k{number}"
                )
            plans = [each.model_dump() for each in await ew.engine.ledger.plans("s1")]
            kept = {each.id for each in await self.held(story, "alice") if not {"k0", "k1"} & {*each.message_keys}}
            detector.asked.clear()
            await (await story.edit("k1", "message 1")).settled()
            assert detector.asked == ["message 1"]
            await (await story.retract("k0")).settled()
            assert detector.asked == ["message 1"]
            assert [each.model_dump() for each in await ew.engine.ledger.plans("s1")][: len(plans)] == plans
            assert kept <= {each.id for each in await self.held(story, "alice")}
            assert "bob" in story.state.here  # from the next message on: the new text does not let him leave

    @case
    async def test_an_edit_is_judged_by_the_moment_as_it_was(self, stage: Stage) -> None:
        """Characters present at that time perceive the new words even if they have left; later arrivals do not."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "message 0", key="k")
            await story.leave("bob")
            await story.enter("carol")
            await self.tell(story, "alice", "message 1")
            await (await story.edit("k", "message 2")).settled()
            assert [len(await self.held(story, id)) for id in ("bob", "carol")] == [1, 1]
            assert "message 2" in (await self.held(story, "bob"))[0].content
            assert story.state.here == ("alice", "carol")

    @case
    async def test_an_edit_of_words_of_a_later_day_is_remembered(self, stage: Stage) -> None:
        """The story has gone back in time since. Those who heard the old words have the new ones at once."""
        async with stage.open() as ew:
            story = await self.tavern(ew, state={"game_day": 6})
            await self.tell(story, "alice", "message 0", key="k")
            await (await story.change(game_day=2)).settled()
            await (await story.edit("k", "message 1")).settled()
            for owner in ("alice", "bob", "world"):
                assert ["message 1" in each.content for each in await self.held(story, owner)] == [True], owner

    @case
    async def test_a_rerolled_message_undoes_its_comings_and_goings(self, stage: Stage) -> None:
        """It may be rerolled any number of times. Whoever was moved since stays where that left them."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "message 0 (bob leaves) (carol enters)", key="k")
            here = []
            for text in ("message 1", "message 2 (bob leaves)", "message 3 (carol enters)"):
                await (await story.reroll(text)).settled()
                here.append(set(story.state.here))
            assert here == [{"alice", "bob"}, {"alice"}, {"alice", "bob", "carol"}]
            await (await story.leave("carol")).settled()
            await (await story.reroll("message 4 (bob leaves) (carol enters)")).settled()
            assert set(story.state.here) == {"alice"}
            await self.tell(story, "alice", "message 5")
            await (await story.reroll("message 6", key="k")).settled()
            assert set(story.state.here) == {"alice", "bob"}
