"""Promise 1: who is in disguise is known by another name, until it is revealed, and only to those who learn it."""

# ruff: noqa: S101
from __future__ import annotations

from ...filters import Not, equals
from ...records.channel import Channel
from ...session import Session
from ..scripted import Only
from ..suite import case
from .promises_base import PromiseCases, Stage

MASK = "the Masked Lady"
PLOT = "The crown is to be stolen at noon."


class Disguises(PromiseCases):
    """Alice speaks as the Masked Lady; Bob hears her, and Carol has it from Bob."""

    async def masquerade(self, stage_story: Session) -> None:
        """Say it in disguise, and pass it on."""
        await self.tell(stage_story, "alice", PLOT, key="plot", speak_as=MASK)
        await self.tell(stage_story, "bob", "At noon, then.", key="noon")
        await (await stage_story.tell("bob", "carol", "plot")).settled()

    async def shown(self, story: Session, character: str) -> str:
        """Everything that a turn and the container of this character show."""
        await self.recalled(story, character, "the crown")
        turns = [await story.turn(character, query="the crown", in_prompt=()), await story.turn(character)]
        held = await self.held(story, character)
        dumped = [each.model_dump_json() for turn in turns for each in turn.memories]
        return "".join([*dumped, *(each.model_dump_json() for each in held), *(t.text() + t.query for t in turns)])

    @case
    async def test_a_mask_is_seen_through_by_those_who_learn_it(self, stage: Stage) -> None:
        """Older memories show who it was, also after a restart; nobody else's do, in text, metadata or query."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.masquerade(story)
            for character in ("bob", "carol"):
                said = (await self.shown(story, character)).casefold()
                assert MASK.casefold() in said
                assert "alice" not in said
        async with stage.open() as ew:
            story = await ew.open_session("s1")
            await (await story.unmask("alice", audience=["bob"], key="unmasked")).settled()
            assert f"Alice (as {MASK})" in await self.shown(story, "bob")
            assert "alice" not in (await self.shown(story, "carol")).casefold()
            known = (await story.backstage().who_knows(PLOT)).knowers
            assert str(known["bob"]) == "bob: heard it from alice on day 1"

    @case
    async def test_a_name_learned_in_a_direct_message_is_used_there_alone(self, stage: Stage) -> None:
        """In public, what is remembered shows the mask, whatever is said before or after; in the message, the name."""
        market = Channel(context="public_channel", channel_id="market")
        letter = Channel(context="dm", channel_id="letter")
        async with stage.open(guards=[Only(Not(equals("contextType", "dm")))]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", PLOT, speak_as=MASK, channel=market)
            await (await story.unmask("alice", audience=["bob"], channel=letter, key="unmasked")).settled()
            await self.tell(story, "alice", "It is me.", speak_as=MASK, channel=letter, present=["bob"])
            await self.tell(story, "alice", "At noon.", speak_as=MASK, channel=market)
            turn = await story.turn("bob", channel=market, in_prompt=())
            heard = await story.messages(heard_by="bob", channel=market)
            shown = [turn.query, turn.text(), *(each.model_dump_json() for each in (*turn.memories, *heard))]
            assert not [each for each in shown if "alice" in each.casefold()]
            (own,) = [each for each in await self.held(story, "bob") if "It is me" in each.content]
            assert (own.metadata["speaker"], own.metadata["speakAs"]) == ("alice", MASK)
            await story.retract("unmasked")
            assert not [each for each in await self.held(story, "bob") if "alice" in each.model_dump_json()]
            await (await story.unmask("alice", audience=["bob"])).settled()
            assert "alice" in (await story.turn("bob", channel=market)).query.casefold()

    @case
    async def test_an_unmasking_can_be_taken_back(self, stage: Stage) -> None:
        """What was said since is hidden again too, and what was retracted stays away."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.masquerade(story)
            await (await story.unmask("alice", audience=["bob"], key="unmasked")).settled()
            await self.tell(story, "alice", "The crown is mine.", key="mine", speak_as=MASK)
            await story.retract("noon")
            await story.retract("unmasked")
            await story.delivered()
            assert "alice" not in (await self.shown(story, "bob")).casefold()
            assert {each.message_keys[0] for each in await self.held(story, "bob")} == {"plot", "mine"}

    @case
    async def test_a_branch_knows_what_was_known_then(self, stage: Stage) -> None:
        """A branch from before the unmasking, one from after it, and a copy by export and import."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.masquerade(story)
            await (await story.unmask("alice", audience=["bob"])).settled()
            early, late = await story.fork("s2", at="noon"), await story.fork("s3")
            lines = [line async for line in story.backstage().export()]
            copy = await ew.import_session(lines, id="s4")
            assert "alice" not in (await self.shown(early, "bob")).casefold()
            for each in (late, copy):
                assert f"Alice (as {MASK})" in await self.shown(each, "bob")
                assert "alice" not in (await self.shown(each, "carol")).casefold()
