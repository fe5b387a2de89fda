"""Promises 4 and 6, for memories that are not messages: written by hand, proposed, passed on, archived."""

# ruff: noqa: S101
from __future__ import annotations

from typing import Any

from ...containers import persona_container
from ...events import MessageAnswer, MessageEvent, PlanEvent, Strike
from ...filters import equals
from ...hooks import Plugin
from ...records.character import Character
from ...records.derived import Derivation
from ...session import Session
from ..scripted import Faulty, Only, hangs
from ..suite import case
from .promises_base import PromiseCases, Stage, refused

OWNERS = ("alice", "bob", "carol", "dave", "world")


class Chronicler(Plugin):
    """A plugin that proposes a fact about every message, for Alice and for the world."""

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        """A fact for Alice, and one for the world that rests on the message by its key."""
        key, said = event.moment.message.key, event.moment.message.content
        hers = Derivation(owner="alice", content=f"Her note on: {said}")
        worlds = Derivation(owner="world", content=f"The world's note on: {said}", type="summary", rests_on=(key,))
        return MessageAnswer(derived=(hers, worlds))


class Diarist(Plugin):
    """A plugin that keeps what Bob hears in a container beyond the story."""

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        """One note for the container, which stands only as long as Bob has the message."""
        his = persona_container("p1", "bob")
        where: Any = {"container": his.name, "registers": his, "admits": ("bob",), "knowers": ("bob",)}
        return MessageAnswer(derived=(Derivation(content=f"Heard: {event.moment.message.content}", **where),))


class KeptFromBob(Only):
    """A guard that keeps the messages about secrets from Bob."""

    def strike(self, event: PlanEvent) -> list[Strike]:
        """Strikes Bob's copies of them."""
        found = [each for each in event.plan.deliveries if each.owner == "bob" and "secret" in each.body]
        return [Strike(delivery_id=each.id, reason="not for Bob") for each in found]


class DerivedMemories(PromiseCases):
    """`remember`, `tell`, `archive`, `restore`, and `MessageAnswer.derived`."""

    @case
    async def test_a_derived_memory_says_what_it_rests_on_and_falls_with_any_of_it(self, stage: Stage) -> None:
        """Tellings and memories derived from it are removed too. Memories that rest on other messages stay."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            for key in ("k1", "k2", "k3"):
                await self.tell(story, "alice", f"Message {key}.", key=key)
            await story.remember("bob", "Two messages.", type="summary", rests_on=["k1", "k2"], key="sum")
            await story.tell("bob", "carol", "sum")
            await story.remember("carol", "Bob counts.", rests_on=["sum"], key="deep")
            await story.remember("carol", "A third one.", rests_on=["k3"], key="other")
            (summary,) = await self.notes(story, "bob")
            explained = await story.backstage().explain(summary)
            assert [each.source for each in explained.rests_on] == ["k1", "k2"]
            assert all(ground.owner == "bob" and all(self.first_hand(ground)) for ground in explained.rests_on)
            await (await story.retract("k2")).settled()
            assert [len(await self.notes(story, owner)) for owner in OWNERS] == [0, 0, 1, 0, 0]

    @case
    async def test_rewording_a_message_takes_what_was_derived_from_the_old_words(self, stage: Stage) -> None:
        """Memories proposed for the new words replace them."""
        async with stage.open(plugins=[Chronicler()]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine.", key="k")
            await story.remember("bob", "She has the crown.", rests_on=["k"])
            assert [len(await self.notes(story, owner)) for owner in OWNERS] == [1, 1, 0, 0, 1]
            await (await story.edit("k", "The crown is yours.")).settled()
            await story.settled()
            held = [each.content for owner in OWNERS for each in await self.held(story, owner)]
            assert [each for each in held if each.endswith("mine.") or "She has" in each] == []
            assert [len(await self.notes(story, owner)) for owner in OWNERS] == [1, 0, 0, 0, 1]

    @case
    async def test_what_is_derived_for_somebody_goes_no_further_than_what_they_received(self, stage: Stage) -> None:
        """Beyond the story too: not what a guard keeps from them, what they did not hear, or no longer have."""
        async with stage.open(plugins=[Diarist()], guards=[KeptFromBob()]) as ew:
            story = await self.tavern(ew)
            for key, said in (("k1", "Wine!"), ("k2", "A secret."), ("k3", "Beer! (heard by alice)"), ("k4", "Tea!")):
                await self.tell(story, "alice", said, key=key)
            await story.delivered()
            beyond = persona_container("p1", "bob").name
            kept = sorted([each.content for each in await ew.engine.store.list(beyond)])
            assert kept == ["Heard: Tea!", "Heard: Wine!"]
            (tea,) = await self.held(story, "bob", equals("messageIds", "k4"))
            await (await story.retract(tea.id)).settled()
            await story.delivered()
            assert [each.content for each in await ew.engine.store.list(beyond)] == ["Heard: Wine!"]

    @case
    async def test_passing_on_is_walked_back_hop_by_hop_and_only_for_those_who_know(self, stage: Stage) -> None:
        """A telling by somebody who does not know it on that day is refused. A telling due later arrives on its day."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k")
            with refused(ValueError) as refusal:
                await story.tell("bob", "carol", "k")
            assert "'bob' has no such memory" in refusal.why
            await story.tell("alice", "bob", "k", day=2)
            with refused(ValueError) as refusal:
                await story.tell("bob", "carol", "k", day=1.5)
            assert "learns it on day 2" in refusal.why
            await story.tell("bob", "carol", "k", day=3)
            for day, number in ((1.5, [0, 0]), (2, [1, 0]), (3, [1, 1])):
                await (await story.change(game_day=day)).settled()
                assert [len(await self.held(story, id)) for id in ("bob", "carol")] == number, day
            (memory,) = await self.held(story, "carol")
            assert (memory.game_day, memory.learned_day) == (1, 3)
            explained = await story.backstage().explain(memory.id)
            tellers = [explained.supports[0].shared_from]
            while (via := explained.supports[0].via) is not None:
                explained = via
                tellers.append(explained.supports[0].shared_from)
            assert tellers == ["bob", "alice", None]

    @case
    async def test_what_is_archived_is_out_of_recall_until_restored_and_never_revived(self, stage: Stage) -> None:
        """Memories that rest on it stay. Once it is retracted, nothing restores it."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine.", key="k")
            await story.remember("bob", "She has it.", rests_on=["k"], key="note")
            before = await self.held(story, "bob")
            his = next(each for each in before if each.type == "message")
            await (await story.archive(his)).settled()
            assert len(await self.held(story, "bob")) == 1
            assert "crown" not in "".join(await self.recalled(story, "bob", "crown"))
            assert len(await self.held(story, "alice")) == 1
            await (await story.restore(his)).settled()
            assert sorted(await self.held(story, "bob"), key=lambda each: each.id) == sorted(
                before, key=lambda each: each.id
            )
            await (await story.archive(his)).settled()
            await (await story.retract("k")).settled()
            with refused(ValueError):
                await story.restore(his)
            assert await self.held(story, "bob") == []

    @case
    async def test_what_is_archived_stays_so_when_its_message_is_edited(self, stage: Stage) -> None:
        """Restoring it brings the new words, in a branch too."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine.", key="k")
            (his,) = await self.held(story, "bob")
            await (await story.archive(his)).settled()
            await (await story.edit("k", "The crown is yours.")).settled()
            assert await self.held(story, "bob") == []
            assert await self.held(await story.fork("b1"), "bob") == []
            await (await story.restore(his)).settled()
            (again,) = await self.held(story, "bob")
            assert "yours" in again.content

    @case
    async def test_branches_and_copies_have_all_of_it_and_go_their_own_way(self, stage: Stage) -> None:
        """Archived memories are archived there too, and a retraction there removes nothing here."""
        async with stage.open(plugins=[Chronicler()]) as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "The crown is mine. (heard by alice)", key="k")
            await self.tell(story, "alice", "Wine!", key="w")
            await story.tell("alice", "bob", "k", day=4)
            await story.settled()
            wine = next(each for each in await self.held(story, "bob") if "Wine" in each.content)
            await (await story.archive(wine)).settled()
            lines = [line async for line in story.backstage().export()]
            for each in (await story.fork("b1"), await ew.import_session(lines, id="i1")):
                for owner in OWNERS:
                    ours, theirs = await self.held(story, owner), await self.held(each, owner)
                    assert [memory.content for memory in theirs] == [memory.content for memory in ours], owner
                await (
                    await each.restore((await self.ids(ew, each.id)).of("w", 0, f"{each.id}-bob", "message"))
                ).settled()
                await (await each.change(game_day=4)).settled()
                assert len(await self.held(each, "bob")) == 2
                await (await each.retract("k")).settled()
                assert [len(await self.held(each, id)) for id in ("alice", "bob", "world")] == [2, 1, 2]
            assert [len(await self.held(story, id)) for id in ("alice", "bob", "world")] == [4, 0, 4]

    @case
    async def test_names_in_texts_are_those_of_todays_cast_in_branches_and_copies_too(self, stage: Stage) -> None:
        """A persona who joins or changes is the user of every card, lore entry and greeting. What was retracted stays
        so, and whoever did not hear the greeting has not heard it now."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.prepare(cards={"alice": "{{char}} owes {{user}}."}, lore=["{{user}} owns the inn."])
            for key in ("kept", "gone"):
                await self.tell(story, "alice", "Welcome, {{user}}. (heard by bob)", key=key)
            await (await story.retract("gone")).settled()
            branch = await story.fork("b1")
            for name in ("Kim", "Captain Kim"):
                for each in (story, branch):
                    await each.join(Character("kim", name=name, kind="persona"))
                    await each.settled()
            copy = await ew.import_session([line async for line in story.backstage().export()], id="copy")
            for each in (story, branch, copy):
                held = {
                    owner: "\n".join(memory.content for memory in await self.held(each, owner))
                    for owner in ("alice", "bob", "carol", "kim", "world")
                }
                for owner, text in held.items():
                    assert text.count("Captain Kim owns the inn.") == 1, owner
                    assert text.count("Captain Kim") == text.count("Kim"), owner
                    assert text.count("Welcome, Captain Kim.") == (owner in {"alice", "bob", "world"}), owner
                assert "Alice owes Captain Kim." in held["alice"]

    @case
    async def test_what_is_proposed_becomes_one_memory_however_often_it_is_begun(self, stage: Stage) -> None:
        """A program ends while the message is written.

        The next one finds the proposals, and makes each of them once.
        """
        self.needs("persistent")
        ends_soon = {"end": {"store_timeout": 0.5}}
        hanging = stage.open(plugins=[Chronicler()], store=lambda store: Faulty(store, put=hangs), settings=ends_soon)
        async with hanging as ew:
            story = await ew.session("s1", cast=OWNERS[:4], present=OWNERS[:2])
            await (await story.say("alice", "The crown is mine.", key="k")).decided()
        for _ in range(2):
            async with stage.open(plugins=[Chronicler()]) as ew:
                story = await self.tavern(ew)
                assert not (await story.say("alice", "The crown is mine.", key="k")).created
                await story.delivered()
                assert [len(await self.held(story, owner)) for owner in ("alice", "bob", "world")] == [2, 1, 2]
                keys = [entry.key for entry in await story.backstage().journal()]
                assert keys == ["#begin", "k", "#derived-2-0", "#derived-2-1"]

    async def notes(self, story: Session, owner: str) -> list[str]:
        """Ids of the derived memories in a container."""
        found = await self.held(story, owner)
        return [each.id for each in found if each.type in {"note", "fact", "summary"}]
