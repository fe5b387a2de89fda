"""Promise 5: what a sharing rule passes on could have been perceived, whatever is known of the message."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Iterable

from ...events import PlanEvent, Share, SharingEvent, Strike
from ...filters import EVERYTHING, Filter
from ...records.channel import Channel
from ...session import Session
from ..scripted import FAULTS, ByScript, Gossip, Only, ScriptedStrategy, breaks
from ..suite import case
from .promises_base import QUICK, PromiseCases, Stage

THOUGHT = "I poisoned his wine."
BOTH = f"Welcome. [{THOUGHT}]"
LENIENT = {"strict": False, "end": QUICK}


class Quoting:
    """A sharing rule: Alice tells Carol everything that the rule is shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def share(self, event: SharingEvent) -> Iterable[Share]:
        """All of it."""
        shown = event.model_dump_json(exclude={"data", "standing", "cast", "state"})
        self.shown.append(shown)
        yield Share(character="carol", shared_from="alice", rule="quotes", content=shown)


class ToldOn(PromiseCases):
    """Messages that no detector has read, and what rules see of earlier ones."""

    @case
    async def test_nothing_is_told_of_a_message_that_no_detector_has_read(self, stage: Stage) -> None:
        """There is no detector, or it fails or hangs: nobody knows what of it was thought, on no later day either."""
        for number, detector in enumerate([None, *(ScriptedStrategy(fault) for fault in FAULTS)]):
            gossip = Gossip({"alice": ["carol"], "carol": ["dave"]}, delay=1)
            async with stage.open(detector=detector, sharing_rules=[gossip], settings=LENIENT) as ew:
                story = await self.tavern(ew, f"s{number}")
                await self.tell(story, "alice", BOTH, key="k")
                await self.tell(story, "alice", BOTH, audience=[])
                await story.tell("alice", "bob", "k")
                await story.change(game_day=4)
                for character in ("bob", "carol", "dave"):
                    assert await self.told_to(story, character) == [], character
                assert (await story.backstage().preview("alice", BOTH)).tellings == ()

    @case
    async def test_the_host_says_for_certain_who_perceives_it_all(self, stage: Stage) -> None:
        """They may pass it on without a detector, and so may the speaker."""
        async with stage.open(detector=None, sharing_rules=[Gossip({"bob": ["carol"], "carol": ["dave"]})]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The bridge is down.", audience=["bob"])
            for character in ("bob", "carol", "dave"):
                assert await self.told_to(story, character) == ["The bridge is down."], character

    @case
    async def test_a_rule_is_shown_of_earlier_messages_what_may_be_told(self, stage: Stage) -> None:
        """Also when a message is edited; a detector and a World Agent see them whole."""
        rule, detector = Quoting(), ByScript()
        async with stage.open(detector=detector, sharing_rules=[rule]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", f"Welcome. {{thinks: {THOUGHT}}}", key="m1")
            await self.tell(story, "alice", "Sit down.", key="m2")
            await story.edit("m2", "Do sit down.")
            await story.settled()
            assert len(rule.shown) == 3
            assert not [each for each in rule.shown if THOUGHT in each]
            assert "Welcome." in rule.shown[1]
            assert THOUGHT in detector.asked[0]

    @case
    async def test_a_copy_that_arrives_later_names_those_who_perceived_the_message(self, stage: Stage) -> None:
        """With guards or without, however often it was told; those whom a guard struck did not perceive it."""
        for number, (guards, there) in enumerate(
            [([], ["alice", "bob"]), ([Only()], ["alice", "bob"]), ([Only(strikes=("bob",))], ["alice"])]
        ):
            gossip = Gossip({"alice": ["carol"]}, delay=1)
            async with stage.open(guards=guards, sharing_rules=[gossip, CarolTells()]) as ew:
                story = await self.tavern(ew, f"s{number}")
                await self.tell(story, "alice", "Hello.")
                await story.change(game_day=4)
                await story.delivered()
                for owner in ("alice", "carol", "dave"):
                    (memory,) = await self.held(story, owner)
                    assert memory.metadata["participants"] == there, (number, owner)

    @case
    async def test_messages_read_back_under_a_failing_guard_are_withheld_and_it_is_named(self, stage: Stage) -> None:
        """As in a recall. What is read back holds nothing that its listener missed."""
        here = Channel(context="private_channel", channel_id="cellar")
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", f"Hello. {{to alice: {THOUGHT}}} {{thinks: Hm.}}", channel=here)
            (heard,) = read = await story.messages(heard_by="bob", channel=here)
            assert (heard.content, read.failures) == ("Hello.", ())
            assert THOUGHT not in heard.model_dump_json()
        failing = [Only(), Failing()]
        async with stage.open(guards=failing, settings={"strict": False}) as ew:
            story = await ew.open_session("s1")
            read = await story.messages(heard_by="bob", channel=here)
            assert tuple(read) == ()
            assert [each.startswith("guard:failing") for each in read.failures] == [True]
            assert (await story.messages(heard_by="bob")).failures == ()

    async def told_to(self, story: Session, character: str) -> list[str]:
        """The texts of messages in a character's container."""
        await story.delivered()
        return [
            each.content.split("Message: ")[1].split(": ", 1)[1].rpartition(" GameDay")[0]
            for each in await self.held(story, character)
        ]


class CarolTells:
    """A sharing rule: Carol tells Dave when it reaches her."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        """Dave hears of it from Carol."""
        assert all(each.metadata["participants"] for each in event.arrived)
        if event.arrived:
            yield Share(character="dave", shared_from="carol", rule="hops")


class Failing:
    """A guard whose reads fail."""

    def filter(self, event: object) -> Filter:
        """Fail."""
        return breaks(event) or EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        """Nothing."""
        return ()
