"""Promise 1, beyond sessions: only the members of a shared container read it, and only on their days."""

# ruff: noqa: S101
from __future__ import annotations

from functools import partial
from typing import Any

from ...app import Earwitness
from ...containers import Container, pantheon_container
from ...errors import StorageError
from ...events import ReadRequest
from ...extras import LocalFirstStore
from ...filters import equals
from ...records.character import Character
from ...records.memory_types import MetaValue
from ..samples import memory
from ..scripted import FAULTS, Adds, Faulty, Only, Reads, ScriptedStrategy
from ..suite import case
from .promises_base import QUICK, PromiseCases, Stage

PLACE = "The sceptre hangs in the hall."
SECRET = "The crown lies under the third flagstone."  # noqa: S105
HUB = pantheon_container("olympus")


class SharedContainers(PromiseCases):
    """The requests of read providers, and the memories they get."""

    @case
    async def test_a_shared_container_is_read_by_its_members_alone(self, stage: Stage) -> None:
        """Both ends of a membership are included. Members from another story read under the name they have there."""
        provider = Reads(ReadRequest(container=HUB.name))
        async with stage.open(read_providers=[provider]) as ew:
            await self._hub(ew)
            await ew.admit(HUB, "alice", since=2, until=3)
            await ew.admit(HUB, "carol", since=5)
            story = await self.tavern(ew)
            other = await ew.session("s2", cast=[Character("al", personality_id="alice"), "alicia"])
            for day, readers in ((1, []), (2, ["alice"]), (3, ["alice"]), (4, []), (5, ["carol"])):
                await story.change(game_day=day)
                await other.change(game_day=day)
                found = {each: await self.recalled(story, each, SECRET) for each in story.cast.ids}
                assert [each for each, texts in found.items() if SECRET in "".join(texts)] == readers
                there = {each: await self.recalled(other, each, SECRET) for each in other.cast.ids}
                assert [each for each, texts in there.items() if texts] == ["al"] * ("alice" in readers)
            (failure,) = (await story.turn("bob")).failures
            assert f"'bob' is not a member of container {HUB.name!r} on game day 5" in failure

    @case
    async def test_a_provider_opens_no_wall(self, stage: Stage) -> None:
        """The world's container, another character's, another story's, and an unregistered one are refused."""
        names = ("s1-world", "s1-bob", "s2-alice", "s2-world", "s2-board", "nowhere", f"{HUB.name} ")
        provider = Reads(*(ReadRequest(container=name, number=100) for name in names))
        board = Container(name="s2-board", kind="notice_board", owner="inn", session="s2")
        adds = Adds()
        async with stage.open(read_providers=[provider], plugins=[adds]) as ew:
            story, other = await self.tavern(ew), await self.tavern(ew, "s2")
            await ew.register(board)
            await ew.admit(board, "alice")
            for each in (story, other):
                await self.tell(each, "bob", f"{SECRET} (heard by carol)")
            await ew.engine.store.put([memory(name, f"forged {name}", SECRET, learnedDay=1) for name in names])
            everywhere = [await ew.engine.store.list(name) for name in names]
            adds.ids = tuple([each.id for found in everywhere for each in found])
            for permanent in ("retrieve", "always"):
                await self.until_searchable(story)
                turn = await story.turn("alice", query=SECRET, in_prompt=(), permanent=permanent)
                assert turn.memories == ()
                assert len(turn.failures) == len(names)
                for name, failure in zip(names, turn.failures, strict=True):
                    assert f"container {name!r} is" in failure

    @case
    async def test_guards_and_days_hold_in_shared_containers_too(self, stage: Stage) -> None:
        """Memories that are learned later, hidden by a guard or left out by the request are not found.

        Nor are they if a plugin adds them.
        """
        adds = Adds()
        days = equals("contextType", "dm")
        request = ReadRequest(container=HUB.name, number=100, filter=equals("type", "message"))
        async with stage.open(read_providers=[Reads(request)], guards=[Only(days)], plugins=[adds]) as ew:
            await self._hub(ew, learnedDay=1, contextType="dm")
            hidden: tuple[dict[str, MetaValue], ...] = (
                {"learnedDay": 2, "contextType": "dm"},
                {"learnedDay": 1, "contextType": "public_channel"},
                {},
            )
            await ew.engine.store.put(
                [memory(HUB.name, f"h{number}", f"hidden {SECRET}", **more) for number, more in enumerate(hidden)]
            )
            await ew.engine.store.put(
                [memory(HUB.name, "h9", f"hidden {SECRET}", learnedDay=1, contextType="dm", type="fact")]
            )
            adds.ids = ("h0", "h1", "h2", "h9")
            await ew.admit(HUB, "alice")
            story = await self.tavern(ew)
            assert await self.recalled(story, "alice", SECRET) == [SECRET]

    @case
    async def test_a_provider_that_fails_reads_nothing_and_is_named(self, stage: Stage) -> None:
        """This holds however it fails. The reads of the others, and her own memories, remain."""
        for fault in FAULTS:
            providers = [ScriptedStrategy(fault), Reads(ReadRequest(container=HUB.name))]
            async with stage.open(read_providers=providers, settings={"strict": False, "end": QUICK}) as ew:
                await self._hub(ew)
                await ew.admit(HUB, "alice")
                story = await self.tavern(ew, f"s-{fault.__name__}")
                await self.tell(story, "alice", f"I know this: {SECRET}")
                await self.until_searchable(story)
                turn = await story.turn("alice", query=SECRET, in_prompt=())
                assert {name: len(found) for name, found in turn.sections().items()} == {"memories": 1, "shared": 1}
                (failure,) = turn.failures
                assert failure.startswith("read_provider:scriptedstrategy: ")

    @case
    async def test_no_story_recalls_what_another_one_has_retracted(self, stage: Stage) -> None:
        """Not even while the store does not take the removal. What is settled is found by every story, too."""
        away = False

        def flaky(store: Any) -> Faulty:
            elsewhere = store.elsewhere if isinstance(store, LocalFirstStore) else store

            async def refuse(call: Any, what: Any) -> None:
                if away:
                    raise StorageError("the service does not answer")
                await call(what)

            calls = {name: partial(refuse, getattr(elsewhere, name)) for name in ("put", "remove")}
            refusing = Faulty(elsewhere, **calls)
            return refusing if elsewhere is store else Faulty(store, elsewhere=refusing)

        provider = Reads(ReadRequest(container=HUB.name))
        async with stage.open(store=flaky, read_providers=[provider]) as ew:
            await ew.register(HUB)
            await ew.admit(HUB, "alice")
            story, other = await self.tavern(ew), await self.tavern(ew, "s2")
            await (await story.remember(None, SECRET, container=HUB, key="crown")).settled()
            await story.delivered()
            assert await self.recalled(other, "alice", SECRET) == [SECRET]
            away = True
            await (await story.backstage().retract("crown")).decided()
            for each in (other, story):
                turn = await each.turn("alice", query=SECRET, in_prompt=())
                assert (turn.memories, turn.failures) == ((), ())
            if ew.engine.local_first:
                await (await story.remember(None, PLACE, container=HUB, key="sceptre")).settled()
                assert await self.recalled(other, "alice", PLACE) == [PLACE]
            away = False
            await story.delivered(timeout=20)
            assert SECRET not in await self.recalled(other, "alice", SECRET)

    async def _hub(self, ew: Earwitness, **metadata: MetaValue) -> None:
        """Register the hub of a pantheon, with the secret in it."""
        await ew.register(HUB)
        await ew.engine.store.put([memory(HUB.name, "m-hub", SECRET, **{"learnedDay": 1, **metadata})])
