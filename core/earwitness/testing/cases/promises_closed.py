"""Promise 2: fail closed. A strategy that does not answer, or answers nonsense, gives nobody more memories or reads."""

# ruff: noqa: S101
from __future__ import annotations

from typing import Any

from ...errors import PluginError, StrategyError
from ...events import MessageAnswer, MessageEvent, Share, WorldAnswer
from ...filters import equals
from ...hooks import Plugin
from ...lore import Lore
from ...records.message import Participant
from ...records.moment import Moment, Movement, Perceived, Presence, Segment
from ..scripted import FAULTS, Adds, Gossip, Only, Retold, ScriptedStrategy, hangs, says_nothing
from ..suite import case
from .promises_base import QUICK, PromiseCases, Stage, refused

LENIENT = {"strict": False, "end": QUICK}
THERE = Perceived(probability=1, role="present")


class FailClosed(PromiseCases):
    """Detectors, World Agents, rules, guards and plugins that fail."""

    @case
    async def test_without_a_detector_only_the_speaker_remembers(self, stage: Stage) -> None:
        """This holds whoever the host says is there. Its word on who perceives a message still counts."""
        async with stage.open(detector=None) as ew:
            story = await self.tavern(ew)
            settled = await self.tell(story, "alice", "Is anybody there, Bob?")
            assert list(settled.participants) == ["alice"]
            settled = await self.tell(story, "alice", "Bob!", present=["bob"])
            assert list(settled.participants) == ["alice"]
            settled = await self.tell(story, "alice", "Bob!", audience=["bob"])
            assert list(settled.participants) == ["alice", "bob"]
            assert len(await self.held(story, "bob")) == 1

    @case
    async def test_a_detector_that_lets_us_down_leaves_only_the_speaker(self, stage: Stage) -> None:
        """It raises, hangs, answers nonsense or nothing. The plan names it, and marks the message `degraded`."""
        for number, fault in enumerate(FAULTS):
            async with stage.open(detector=ScriptedStrategy(fault), settings=LENIENT) as ew:
                story = await self.tavern(ew, f"s{number}")
                settled = await self.tell(story, "alice", "Bob, listen!", present=["bob"])
                assert list(settled.participants) == ["alice"], fault.__name__
                assert settled.degraded, fault.__name__
                assert [each.by.split(":")[0] for each in settled.failures] == ["detector"], fault.__name__
                assert await self.held(story, "bob") == [], fault.__name__

    @case
    async def test_whoever_joins_under_a_forgotten_id_is_a_newcomer(self, stage: Stage) -> None:
        """She remembers nothing said before, and is not told news that concerned her predecessor."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.update("Carol is Bob's long-lost sister", audience=["bob"])
            await self.tell(story, "alice", "Wait here. (bob leaves)", key="k1")
            await story.update("Bob has inherited a castle", audience=["bob"])
            await story.update("The war is over", audience="public")
            await self.tell(story, "alice", "Nothing. (heard by alice)")
            await story.forget("bob")
            await story.join("bob")
            for handle in (story, await ew.import_session([line async for line in story.backstage().export()], id="i")):
                turn = await handle.turn("bob")
                assert "Wait here" not in turn.query
                await self.tell(handle, "alice", "Welcome. (heard by bob)")
                (memory,) = await self.held(handle, "bob")
                assert "The war is over" in memory.content
                assert "castle" not in memory.content
                assert "sister" not in memory.content

    @case
    async def test_an_improbable_listener_does_not_remember(self, stage: Stage) -> None:
        """Her probability is below the threshold of the settings, however many listeners there are."""

        def guesses(*asked: object) -> Presence:
            chance = {"bob": 0.49, "carol": 0.5, "dave": 0.0}
            return Presence(characters={id: Perceived(probability=p, role="present") for id, p in chance.items()})

        async with stage.open(detector=ScriptedStrategy(guesses)) as ew:
            story = await self.tavern(ew)
            assert list((await self.tell(story, "alice", "Hello?")).participants) == ["alice", "carol"]

    @case
    async def test_being_unsure_is_withheld_unless_the_settings_deliver_or_somebody_who_is_asked_is_sure(
        self, stage: Stage
    ) -> None:
        """A whisper stays a whisper. Characters who turn out to be present hear only what the others present hear."""

        def guesses(moment: Moment) -> Presence:
            chance = {"bob": 0.9, "carol": 0.4, "dave": 0.1}
            parts = [
                Segment(text="Good evening.", kind="spoken"),
                Segment(text="Hush.", kind="whisper", audience=("bob",)),
            ]
            there = {id: Perceived(probability=p, role="present") for id, p in chance.items()}
            return Presence(characters=there, segments=tuple(parts))

        class Sure(Plugin):
            def on_message(self, event: MessageEvent) -> MessageAnswer:
                return MessageAnswer(add=dict.fromkeys(event.unsure, "I saw them"))

        for number, (policy, plugins, heard) in enumerate(
            [
                ("withhold", [Sure()], ["alice", "bob"]),
                ("ask", [], ["alice", "bob"]),
                ("ask", [Sure()], ["alice", "bob", "carol"]),
                ("deliver", [], ["alice", "bob", "carol"]),
            ]
        ):
            settings = {"end": {"unsure": {"policy": policy}}}
            async with stage.open(detector=ScriptedStrategy(guesses), plugins=plugins, settings=settings) as ew:
                story = await self.tavern(ew, f"s{number}")
                settled = await self.tell(story, "alice", "Good evening. Hush.")
                assert list(settled.participants) == heard, policy
                kept = await self.held(story, "carol")
                assert len(kept) == ("carol" in heard), policy
                assert not any("Hush" in each.content for each in kept), policy
                assert await self.held(story, "dave") == []

    @case
    async def test_unknown_names_make_no_listener_and_no_container(self, stage: Stage) -> None:
        """The names come from a detector, a World Agent, a plugin or a rule.

        They are misspelt, in another case, or the world itself. Only a World Agent's names are resolved regardless of
        case.
        """
        strangers = ("Bob", "b0b", "eve", "world", "s1-bob", "")

        def detects(*asked: object) -> Presence:
            moves = tuple(Movement(character=id, kind="enter") for id in strangers)
            return Presence(characters={**dict.fromkeys(strangers, THERE), "carol": THERE}, movements=moves)

        def proposes(*asked: object) -> WorldAnswer:
            heard = Participant(role="present", confidence=1)
            return WorldAnswer(participants=dict.fromkeys((*strangers[1:], "carol"), heard))

        class AddsThem(Plugin):
            def on_message(self, event: MessageEvent) -> MessageAnswer:
                return MessageAnswer(add=dict.fromkeys(strangers, "I say so"))

        rule = Retold(*(Share(character=id) for id in strangers))
        lenient = {"strict": False}
        for number, agent in enumerate((None, ScriptedStrategy(proposes))):
            parts: dict[str, Any] = {
                "detector": ScriptedStrategy(detects),
                "world_agent": agent,
                "sharing_rules": [rule],
            }
            async with stage.open(plugins=[AddsThem()], settings=lenient, **parts) as ew:
                story = await self.tavern(ew, f"s{number}")
                settled = await self.tell(story, "alice", "Hello, all of you!")
                assert list(settled.participants) == ["alice", "carol"]
                assert {each.owner for each in settled.deliveries} == {"world", "alice", "carol"}
                assert set(story.state.whereabouts) == {"alice", "bob"}
                owners = {each.owner for each in await ew.engine.ledger.containers(story.id)}
                assert owners == {"world", *story.cast.ids}

    @case
    async def test_a_world_agent_that_lets_us_down_tells_nothing(self, stage: Stage) -> None:
        """The message is remembered as the detector says. The next message tells the news."""
        for number, fault in enumerate(FAULTS):
            async with stage.open(world_agent=ScriptedStrategy(fault), settings=LENIENT) as ew:
                story = await self.tavern(ew, f"s{number}")
                await story.update("It rains", audience="public")
                settled = await self.tell(story, "alice", "Hello!")
                assert list(settled.participants) == ["alice", "bob"], fault.__name__
                assert settled.knowledge == {}, fault.__name__
                assert settled.degraded == (fault is not says_nothing), fault.__name__
            async with stage.open() as ew:
                story = await self.tavern(ew, f"s{number}")
                settled = await self.tell(story, "alice", "Hello again!")
                assert settled.knowledge == dict.fromkeys(("alice", "bob"), ("It rains. GameDay: 1",)), fault.__name__

    @case
    async def test_a_sharing_rule_that_lets_us_down_tells_nobody(self, stage: Stage) -> None:
        """The shares of the other rules remain."""
        for number, fault in enumerate(FAULTS):
            rules = [ScriptedStrategy(fault), Gossip({"bob": ["carol"]})]
            async with stage.open(sharing_rules=rules, settings=LENIENT) as ew:
                story = await self.tavern(ew, f"s{number}")
                settled = await self.tell(story, "alice", "A secret! (heard by bob)")
                assert {each.owner for each in settled.deliveries} == {"world", "alice", "bob", "carol"}
                assert settled.degraded == (fault is not says_nothing), fault.__name__

    @case
    async def test_nobody_tells_what_they_do_not_know(self, stage: Stage) -> None:
        """A share whose teller neither perceived the message nor was told it is dropped."""
        rule = Retold(
            Share(character="dave", shared_from="carol", rule="gossip"),
            Share(character="bob", shared_from="nobody", rule="gossip"),
        )
        async with stage.open(sharing_rules=[rule]) as ew:
            story = await self.tavern(ew)
            settled = await self.tell(story, "alice", "Alone at last. (heard by alice)")
            assert {each.owner for each in settled.deliveries} == {"world", "alice"}

    @case
    async def test_a_guard_that_lets_us_down_withholds_deliveries(self, stage: Stage) -> None:
        """Only the speaker and the world receive theirs.

        The other deliveries are struck, and the plan names the guard.
        """
        for number, fault in enumerate(fault for fault in FAULTS if fault is not says_nothing):
            parts: dict[str, Any] = {
                "guards": [Only(), ScriptedStrategy(fault)],
                "sharing_rules": [Gossip({"bob": ["carol"]})],
            }
            async with stage.open(settings=LENIENT, **parts) as ew:
                story = await self.tavern(ew, f"s{number}")
                settled = await self.tell(story, "alice", "A secret!")
                standing = {each.owner for each in settled.deliveries if each.is_active}
                assert standing == {"world", "alice"}, fault.__name__
                assert settled.degraded, fault.__name__
                assert any(each.by == "guard:scriptedstrategy" for each in settled.failures), fault.__name__
                assert await self.held(story, "bob") == await self.held(story, "carol") == [], fault.__name__
                assert "A secret!" not in (await story.turn("bob")).query, fault.__name__

    @case
    async def test_news_that_a_guard_withheld_is_told_when_it_does_not(self, stage: Stage) -> None:
        """The memory that would have carried the news was never made."""
        async with stage.open(guards=[Only(strikes=("bob",))]) as ew:
            story = await self.tavern(ew)
            await story.update("It rains", audience="public")
            await self.tell(story, "alice", "Good evening.")
        async with stage.open() as ew:
            story = await self.tavern(ew)
            settled = await self.tell(story, "alice", "Hello?")
            assert settled.knowledge == {"bob": ("It rains. GameDay: 1",)}

    @case
    async def test_a_guard_that_lets_us_down_withholds_reads(self, stage: Stage) -> None:
        """Nothing is recalled, not even permanent memories or those a plugin adds. The turn names the guard."""
        adds = Adds()
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.prepare(plot="A crown was stolen.")
            await self.tell(story, "alice", "Where is the crown?")
            adds.ids = tuple([each.id for each in await self.held(story, "alice")])
            assert len(await self.recalled(story, "alice", "the crown", permanent="always")) == 2
        for fault in FAULTS:
            async with stage.open(guards=[Only(), ScriptedStrategy(fault)], plugins=[adds], settings=LENIENT) as ew:
                story = await ew.open_session("s1")
                turn = await story.turn("alice", query="the crown", in_prompt=(), permanent="always")
                assert turn.memories == (), fault.__name__
                assert [each.split(":")[:2] for each in turn.failures] == [["guard", "scriptedstrategy"]], (
                    fault.__name__
                )
                assert turn.fill("You are Alice. ###SUPERMEMORY###") == "You are Alice. "

    @case
    async def test_a_plugin_that_lets_us_down_adds_nobody_and_hides_nobodys_answer(self, stage: Stage) -> None:
        """The plan names it. The proposals of the others remain, and so does withholding."""

        class Fails(Plugin):
            name = "fails"

        class Proposes(Plugin):
            name = "proposes"

            def on_message(self, event: MessageEvent) -> MessageAnswer:
                return MessageAnswer(add={"carol": "at the door", "dave": "at the door"}, withhold={"dave": "deaf"})

        for number, fault in enumerate(fault for fault in FAULTS if fault is not says_nothing):
            failing = type("Fails", (Fails,), {"on_message": staticmethod(fault), "on_recall": staticmethod(fault)})()
            async with stage.open(plugins=[failing, Proposes()], settings=LENIENT) as ew:
                story = await self.tavern(ew, f"s{number}")
                settled = await self.tell(story, "alice", "Hello!")
                assert list(settled.participants) == ["alice", "bob", "carol"], fault.__name__
                assert [each.by for each in settled.failures] == ["plugin:fails"], fault.__name__
                assert settled.degraded, fault.__name__
                turn = await story.turn("alice", query="Hello", in_prompt=())
                assert len(turn.memories) == 1, fault.__name__
                assert [each.split(":")[:2] for each in turn.failures] == [["plugin", "fails"]], fault.__name__

    @case
    async def test_strict_raises_what_is_otherwise_named(self, stage: Stage) -> None:
        """The message is not lost: it settles with the next start that can decide it."""
        for part in ("detector", "world_agent", "sharing_rules", "guards"):
            failing: Any = [ScriptedStrategy(hangs)] if part.endswith("s") else ScriptedStrategy(hangs)
            async with stage.open(settings={"strict": True, "end": QUICK}, **{part: failing}) as ew:
                story = await self.tavern(ew, part)
                outcome = await story.say("alice", "Hello!", key="k")
                with refused(StrategyError, PluginError) as refusal:
                    await outcome.settled()
                assert "no answer within" in refusal.why, part
            async with stage.open() as ew:
                story = await self.tavern(ew, part)
                assert len(await self.held(story, "bob")) == 1, part

    @case
    async def test_a_newcomer_remembers_nothing_from_before(self, stage: Stage) -> None:
        """He has common knowledge and his own card, but no talk, news or lore of others."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.prepare(
                plot="A crown was stolen.",
                cards={"alice": "Alice is a thief."},
                lore=["Crowns are heavy.", Lore(text="Alice has the crown.", known_by=("alice", "bob"))],
            )
            await self.tell(story, "alice", "The crown is under the flagstone.")
            await story.update("Alice hid the crown", audience="present")
            await story.join("eve")
            await story.prepare(cards={"eve": "Eve is a guard."})
            await story.enter("eve")
            await story.settled()
            found = await self.recalled(story, "eve", "Where is the crown?")
            assert sorted(found) == ["A crown was stolen.", "Crowns are heavy.", "Eve is a guard."]
            settled = await self.tell(story, "bob", "Welcome, Eve.")
            assert "eve" in settled.participants
            assert "eve" not in settled.knowledge
            assert "bob" in settled.knowledge

    @case
    async def test_an_empty_result_never_widens_a_read(self, stage: Stage) -> None:
        """Nothing is recalled if no score reaches the threshold or no memory matches the filter.

        The same holds if the prompt already has all memories.
        """
        async with stage.open(guards=[Only(equals("speaker", "alice"))]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "bob", "The crown is mine.", key="k1")
            assert await self.recalled(story, "bob", "crown") == []
            await self.tell(story, "alice", "The crown is mine, too.", key="k2")
            assert len(await self.recalled(story, "bob", "crown")) == 1
            assert await self.recalled(story, "bob", "crown", in_prompt=["k1", "k2"]) == []
            assert await self.recalled(story, "carol", "") == []
            await story.change(game_day=0)
            assert await self.recalled(story, "bob", "crown") == []
