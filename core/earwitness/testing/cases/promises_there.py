"""Promise 5: being talked about is not being present, and being present is enough."""

# ruff: noqa: S101
from __future__ import annotations

from ...events import WorldAnswer
from ...records.channel import Channel
from ...records.message import Participant
from ...session import Session
from ..scripted import Gossip, ScriptedStrategy
from ..suite import case
from .promises_base import PromiseCases, Stage

SECRET = "Carol does not know that her sister took the crown."  # noqa: S105


class There(PromiseCases):
    """Who perceives a message, by the detector's word or the host's."""

    @case
    async def test_whom_a_secret_is_about_does_not_know_it(self, stage: Stage) -> None:
        """She does not find it by recall or by `who_knows`. Those who were present do."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            settled = await self.tell(story, "alice", SECRET)
            assert list(settled.participants) == ["alice", "bob"]
            assert await self.held(story, "carol") == []
            await self.until_searchable(story)
            knows = await story.backstage().who_knows("Carol's sister took the crown")
            assert {id for id, knower in knows.knowers.items() if knower.knows} == {"alice", "bob"}
            assert str(knows.knowers["carol"]) == "carol: nothing found"

    @case
    async def test_a_silent_observer_remembers(self, stage: Stage) -> None:
        """A character who is present and says nothing for a whole scene remembers all of it."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.enter("dave")
            for number in range(6):
                await self.tell(story, ("alice", "bob")[number % 2], f"message {number}")
            assert await self.numbers(story, "dave") == [0, 1, 2, 3, 4, 5]

    @case
    async def test_leaving_and_returning_keeps_both_stretches(self, stage: Stage) -> None:
        """She remembers everything up to the message she left with, and again from her return.

        The host's word or the text's may say so.
        """
        async with stage.open() as ew:
            story = await self.tavern(ew)
            for number, moves in enumerate(("", "(bob leaves)", "", "", "(bob enters)", "", "")):
                await self.tell(story, "alice", f"message {number} {moves}")
            assert await self.numbers(story, "bob") == [0, 1, 5, 6]
            assert await self.numbers(story, "alice") == list(range(7))
            await story.leave("bob", to="cellar")
            await self.tell(story, "alice", "message 7")
            await story.enter("bob")
            await self.tell(story, "alice", "message 8")
            assert await self.numbers(story, "bob") == [0, 1, 5, 6, 8]
            assert [text for text in await self.recalled(story, "bob", "message 7") if "message 7" in text] == []

    @case
    async def test_who_stays_behind_hears_nothing_of_the_next_place(self, stage: Stage) -> None:
        """When the story moves on, those present come along.

        A character who is elsewhere stays there, and is met there.
        """
        async with stage.open() as ew:
            story = await self.tavern(ew, state={"current_scene": "tavern"})
            await story.move("carol", "cave")
            await self.tell(story, "alice", "message 0")
            await story.leave("bob", to="market")
            await story.change(current_scene="cave")
            await self.tell(story, "alice", "message 1")
            assert await self.numbers(story, "bob") == [0]
            assert await self.numbers(story, "carol") == [1]

    @case
    async def test_a_world_agent_adds_nobody_who_is_in_another_place(self, stage: Stage) -> None:
        """What counts is where the speaker is: where he went, or where the host let him speak before."""
        everybody = dict.fromkeys(("alice", "bob", "carol", "dave"), Participant(role="present", confidence=1))
        async with stage.open(world_agent=ScriptedStrategy(lambda *_: WorldAnswer(participants=everybody))) as ew:
            story = await self.tavern(ew)
            await story.move("alice", "cellar")
            await story.move("carol", "cellar")
            await story.move("dave", "attic")
            await self.tell(story, "alice", f"message 0 {SECRET} (heard by )")
            await self.tell(story, "alice", "message 1 (heard by )", place="attic")
            await self.tell(story, "alice", "message 2 (heard by )")
            heard = {id: await self.numbers(story, id) for id in story.cast.ids}
            assert heard == {"alice": [0, 1, 2], "bob": [], "carol": [0], "dave": [1, 2]}
            assert SECRET not in "".join(await self.recalled(story, "bob", SECRET))

    @case
    async def test_a_whisper_reaches_only_whom_it_is_whispered_to(self, stage: Stage) -> None:
        """A thought reaches only its thinker, however many are present."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.enter("carol", "dave")
            await self.tell(story, "alice", f"message 0 {SECRET} (heard by bob)")
            await self.tell(story, "alice", f"message 1 {SECRET} (heard by )")
            await self.tell(story, "bob", "message 2", audience=["bob"])
            await self.tell(story, "alice", "message 3")
            heard = {id: await self.numbers(story, id) for id in story.cast.ids}
            assert heard == {"alice": [0, 1, 3], "bob": [0, 2, 3], "carol": [3], "dave": [3]}

    @case
    async def test_of_a_message_everyone_remembers_what_they_could_hear(self, stage: Stage) -> None:
        """A whisper within it is in no container, recall, query or gossip of anybody it was not for."""
        async with stage.open(sharing_rules=[Gossip({"carol": ["dave"]})]) as ew:
            story = await self.tavern(ew)
            await story.enter("carol")
            await self.tell(story, "alice", f"Good evening. {{to bob: {SECRET}}} Cheers!")
            texts = {id: (await self.held(story, id))[0].content for id in (*story.cast.ids, "world")}
            assert {id for id, text in texts.items() if SECRET in text} == {"alice", "bob", "world"}
            assert all("Good evening." in text and "Cheers!" in text for text in texts.values())
            for id in ("carol", "dave"):
                assert SECRET not in "".join(await self.recalled(story, id, SECRET))
                assert SECRET not in (await story.turn(id)).query
            knows = await story.backstage().who_knows(SECRET)
            assert {id for id, knower in knows.knowers.items() if knower.knows} == {"alice", "bob"}

    @case
    async def test_what_is_said_out_of_character_is_remembered_by_nobody(self, stage: Stage) -> None:
        """It also carries no news, which would be lost with it."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.update("It rains", audience="public")
            await self.tell(story, "alice", "{ooc: back in five minutes}")
            assert await self.held(story, "alice") == await self.held(story, "bob") == []
            settled = await self.tell(story, "alice", "Good evening.")
            assert settled.knowledge == dict.fromkeys(("alice", "bob"), ("It rains. GameDay: 1",))

    @case
    async def test_the_host_knows_best_who_is_there(self, stage: Stage) -> None:
        """`present` overrides the text: those it names are here from now on, and nobody else. The speaker remembers."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            settled = await self.tell(story, "alice", "message 0 (heard by bob)", present=["carol"])
            assert list(settled.participants) == ["alice", "carol"]
            assert settled.participants["carol"].confidence == 1
            await self.tell(story, "alice", "message 1")
            assert await self.numbers(story, "carol") == [0, 1]
            assert await self.numbers(story, "bob") == []
            await self.tell(story, "alice", "message 2 (bob enters)")
            await self.tell(story, "alice", "message 3")
            assert await self.numbers(story, "bob") == [3]

    @case
    async def test_who_is_there_does_not_perceive_what_is_for_others(self, stage: Stage) -> None:
        """Whispers, and what is said out of character, stay what they are, whoever the host says is present."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            text = f"Good evening. {{to bob: {SECRET}}} {{ooc: back in five minutes}}"
            await self.tell(story, "alice", text, present=["bob", "carol"])
            texts = {id: "".join(each.content for each in await self.held(story, id)) for id in ("bob", "carol")}
            assert all("Good evening." in each and "five minutes" not in each for each in texts.values())
            assert (SECRET in texts["bob"], SECRET in texts["carol"]) == (True, False)

    @case
    async def test_the_audience_perceives_all_of_it_and_moves_nowhere(self, stage: Stage) -> None:
        """`audience` beats detector and text; together with it, `present` says only who is here."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            text = f"message 0 (heard by bob) {{to bob: {SECRET}}}"
            settled = await self.tell(story, "alice", text, audience=["carol"])
            assert list(settled.participants) == ["alice", "carol"]
            (memory,) = await self.held(story, "carol")
            assert SECRET in memory.content
            assert story.state.here == ("alice", "bob")
            settled = await self.tell(story, "alice", "message 1", audience=["carol"], present=["dave"])
            assert list(settled.participants) == ["alice", "carol"]
            assert story.state.here == ("alice", "dave")

    @case
    async def test_a_thought_is_told_to_nobody(self, stage: Stage) -> None:
        """A sharing rule passes on what could be perceived; a message of nothing but a thought goes nowhere."""
        gossip = Gossip({"alice": ["carol"], "carol": ["dave"]}, delay=1)
        async with stage.open(sharing_rules=[gossip]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", f"Good evening. {{thinks: {SECRET}}}")
            await self.tell(story, "alice", f"{{thinks: {SECRET}}}")
            await story.change(game_day=3)
            assert await self.contents(story, "carol") == ["Good evening."]
            assert await self.contents(story, "dave") == ["Good evening."]
            assert SECRET in (await self.contents(story, "alice"))[0]
            preview = await story.backstage().preview("alice", f"{{thinks: {SECRET}}}")
            assert {each.owner for each in preview.tellings} == set()

    @case
    async def test_a_direct_message_moves_nobody(self, stage: Stage) -> None:
        """Whoever the host says it is between, and whatever a detector makes of it."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.move("carol", "market")
            settled = await self.tell(story, "alice", "message 0 (bob leaves)", context="dm", present=["carol"])
            assert list(settled.participants) == ["alice", "carol"]
            assert settled.participants["carol"].role == "addressee"
            await self.tell(story, "alice", "message 1")
            assert await self.numbers(story, "carol") == [0]
            assert await self.numbers(story, "bob") == [1]

    @case
    async def test_what_is_said_in_a_room_is_heard_in_it(self, stage: Stage) -> None:
        """Also in the room that the story is at: whoever speaks in it comes, and leaves their company behind."""
        for scene in ("tavern", "yard"):
            async with stage.open() as ew:
                story, room = await self.tavern(ew, scene, state={"current_scene": scene}), Channel(channel_id="tavern")
                await story.channel(room, ["bob"], place="tavern")
                await story.move("alice", "garden")
                await story.move("carol", "garden")
                await self.tell(story, "alice", f"message 0 {SECRET}", channel=room)
                assert story.state.whereabouts["alice"].place == "tavern"
                assert story.state.whereabouts["carol"].place == "garden"
                assert await self.numbers(story, "carol") == []

    @case
    async def test_everyone_remembers_their_own_copy_and_the_world_all(self, stage: Stage) -> None:
        """Each participant has one memory of the message: who said it, who was present, where and when."""
        async with stage.open() as ew:
            story = await self.tavern(ew, state={"current_scene": "tavern", "game_day": 2.5})
            await self.tell(story, "alice", "message 0", key="k0", context="dm")
            for owner in ("alice", "bob", "world"):
                (memory,) = await self.held(story, owner)
                known = {name: memory.metadata.get(name) for name in ("speaker", "participants", "location", "gameDay")}
                assert known == {
                    "speaker": "alice",
                    "participants": ["alice", "bob"],
                    "location": "tavern",
                    "gameDay": 2.5,
                }, owner
                assert (memory.type, memory.message_keys) == ("message", ("k0",)), owner
                assert memory.metadata.get("isSpeaker") == {"alice": True, "bob": False}.get(owner), owner

    async def numbers(self, story: Session, character: str) -> list[int]:
        """The numbers of the messages `message 0`, `message 1`, … in a character's container."""
        return [int(each.content.split("message ")[1].split()[0]) for each in await self.held(story, character)]
