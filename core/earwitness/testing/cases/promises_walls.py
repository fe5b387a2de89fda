"""Promise 1: walls hold. A read names one container, and no detour leads into another."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from ...containers import Container, character_container, world_container
from ...errors import ContainerCollision, InvalidId, WallError
from ...events import WorldAnswer
from ...filters import NOTHING, equals
from ...protocols import Store
from ...records.character import Character
from ...records.memory import Hit
from ...records.update import Knowledge
from ..scripted import Adds, Faulty, Only, ScriptedStrategy
from ..suite import case
from .promises_base import PromiseCases, Stage, refused

SECRET = "The crown lies under the third flagstone."  # noqa: S105
WEIGHTS = ("retrieve", "always")


class PromisedWalls(PromiseCases):
    """Containers, and everything that reads them."""

    @case
    async def test_who_was_not_there_recalls_nothing_of_it(self, stage: Stage) -> None:
        """Even the exact words find nothing. A character without memories gets nothing from others."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", f"{SECRET} (heard by bob)")
            await self.tell(story, "dave", "What a fine morning. (heard by nobody)")
            for insider in ("alice", "bob"):
                (found,) = await self.recalled(story, insider, SECRET)
                assert SECRET in found
            assert await self.recalled(story, "carol", SECRET) == []
            (found,) = await self.recalled(story, "dave", SECRET)
            assert SECRET not in found

    @case
    async def test_a_recall_names_no_container_but_the_characters_own(self, stage: Stage) -> None:
        """This holds for messages, changes and preparations. The world's copy is nobody's memory."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.prepare(plot="A crown was stolen.", cards={"alice": "A thief."}, lore=["Crowns are heavy."])
            await self.tell(story, "alice", SECRET)
            await story.change(description="The crown is missed", audience="public", game_day=2)
            await self.tell(story, "bob", "Who took the crown?")
            await story.settled()
            await self.until_searchable(story)
            for character in story.cast.ids:
                for permanent in WEIGHTS:
                    turn = await story.turn(character, query="the crown", memories=100, permanent=permanent)
                    assert {each.memory.container for each in turn.memories} == {f"s1-{character}"}

    @case
    async def test_two_stories_with_the_same_people_stay_apart(self, stage: Stage) -> None:
        """Stories with the same ids, keys and texts share nothing, even if one's name starts with the other's."""
        async with stage.open() as ew:
            names = ("s1", "s10", "S1", "s1-", "s", "s1-alice-", "1")
            stories = [await self.tavern(ew, name) for name in names]
            for number, story in enumerate(stories):
                await self.tell(story, "alice", f"The number of this story is {number} {SECRET}", key="k")
            for number, story in enumerate(stories):
                for character in ("alice", "bob"):
                    (found,) = await self.recalled(story, character, SECRET)
                    assert f"is {number} " in found, story.id
                assert await self.recalled(story, "carol", SECRET) == []
                (raw,) = await self.held(story, "world")
                assert f"is {number} " in raw.content, story.id

    @case
    async def test_a_story_whose_world_would_be_anothers_character_is_refused(self, stage: Stage) -> None:
        """`s1` with `x-world` and `s1-x` with its world both need `s1-x-world`.

        The later one is refused, in either order.
        """
        async with stage.open() as ew:
            first = await ew.session("s1", cast=["alice", "x-world"])
            await self.tell(first, "x-world", SECRET)
            with refused(ContainerCollision):
                await ew.session("s1-x", cast=["bob"])
            assert await ew.sessions() == ("s1",)
            await ew.session("s2-x", cast=["bob"])
            with refused(ContainerCollision):
                await ew.session("s2", cast=["alice", "x-world"])
            assert await ew.sessions() == ("s1", "s2-x")
            free = await ew.session("s2", cast=["alice"])
            with refused(ContainerCollision):
                await free.join("x-world")
            with refused(ContainerCollision):
                await free.join("carol", "x-world")
            assert free.cast.ids == ("alice",)
            with refused(ContainerCollision):
                await free.fork("s1-x")
            assert [each.content.count(SECRET) for each in await self.held(first, "x-world")] == [1]
            assert [each.content.count(SECRET) for each in await self.held(first, "world")] == [1]

    @case
    async def test_characters_of_two_stories_that_would_share_a_container_are_refused(self, stage: Stage) -> None:
        """`s1` + `x-y` collides with `s1-x` + `y`.

        Nothing of the second story is created, and a free name still works.
        """
        async with stage.open() as ew:
            first = await ew.session("s1", cast=["x-y"])
            with refused(ContainerCollision):
                await ew.session("s1-x", cast=["z", "y"])
            assert await ew.sessions() == ("s1",)
            second = await ew.session("s1-x", cast=["z"])
            await self.tell(first, "x-y", SECRET)
            await self.tell(second, "z", "Nothing to see.")
            assert await self.recalled(second, "z", SECRET) != []
            assert SECRET not in "".join(await self.recalled(second, "z", SECRET))

    @case
    async def test_names_of_shared_containers_are_reserved(self, stage: Stage) -> None:
        """No character is called the world, and no story a persona or a canon, in any case. The error says why."""
        async with stage.open() as ew:
            for session in (
                "persona-7",
                "global-canon-alice",
                "Personal-Canon-x",
                "pantheon-olympus",
                "",
                " s1",
                "s\n1",
            ):
                with refused(InvalidId):
                    await ew.session(session, cast=["alice"])
            story = await self.tavern(ew)
            for character in ("world", "World", "", "al\nice", "al\u200bice"):
                with refused(InvalidId):
                    await story.join(character)
            assert await ew.sessions() == ("s1",)
            assert len(story.cast) == 4

    @case
    async def test_random_names_are_one_container_each_or_refused(self, stage: Stage) -> None:
        """Session and character may have any name: no container ever has two owners."""
        from hypothesis import strategies as st

        parts = st.lists(st.sampled_from(["s1", "x", "world", "y", "-", "--", "a'b", "Ω"]), min_size=1, max_size=3)
        names = parts.map("-".join)
        casts = st.lists(names.filter(lambda name: name != "world"), max_size=3, unique=True)
        run = count()

        async def one_owner_each(stories: Sequence[tuple[str, list[str]]]) -> None:
            prefix, owned = f"run{next(run)}-", dict[str, Container]()
            async with stage.open() as ew:
                for session, cast in [(prefix + suffix, cast) for suffix, cast in stories]:
                    claims = {each.name: each for each in _containers(session, cast)}
                    if all(owned.get(name, claim) == claim for name, claim in claims.items()):
                        await ew.session(session, cast=cast)
                        owned |= claims
                    else:
                        with refused(ContainerCollision):
                            await ew.session(session, cast=cast)
                begun = [id for id in await ew.sessions() if id.startswith(prefix)]
                held = [each for id in begun for each in await ew.engine.ledger.containers(id)]
                assert {each.name: each for each in held} == owned

        await self.for_all(one_owner_each, st.lists(st.tuples(names, casts), min_size=2, max_size=5))

    @case
    async def test_what_a_plugin_adds_is_read_from_the_characters_own_container(self, stage: Stage) -> None:
        """Ids of memories of the world, another character or another story add nothing. Her own are added once."""
        adds = Adds()
        async with stage.open(plugins=[adds]) as ew:
            story, other = await self.tavern(ew), await self.tavern(ew, "s2")
            for each in (story, other):
                await self.tell(each, "alice", f"{SECRET} (heard by bob)")
                await self.tell(each, "carol", "I know nothing. (heard by dave)")
            ids = [
                memory.id
                for each in (story, other)
                for owner in ("alice", "bob", "world", "carol", "dave")
                for memory in await self.held(each, owner)
            ]
            adds.ids = tuple(ids)
            await self.until_searchable(story)
            for permanent in WEIGHTS:
                turn = await story.turn("carol", query=SECRET, in_prompt=(), permanent=permanent)
                assert [each.memory.container for each in turn.memories] == ["s1-carol"]
                assert SECRET not in turn.fill("###SUPERMEMORY###")

    @case
    async def test_a_guards_filter_holds_for_all_that_is_recalled(self, stage: Stage) -> None:
        """It covers search results, permanent memories and memories that a plugin adds."""
        adds = Adds()
        async with stage.open(plugins=[adds], guards=[Only(equals("contextType", "dm"))]) as ew:
            story = await self.tavern(ew)
            await story.prepare(plot=f"In the plot: {SECRET}")
            await self.tell(story, "alice", f"In the open: {SECRET}")
            await self.tell(story, "alice", "Between us, the crown is mine.", context="dm")
            adds.ids = tuple(memory.id for memory in await self.held(story, "bob"))
            assert len(adds.ids) == 3
            for permanent in WEIGHTS:
                (found,) = await self.recalled(story, "bob", SECRET, permanent=permanent)
                assert "Between us" in found

    @case
    async def test_every_guard_has_its_say(self, stage: Stage) -> None:
        """A memory is hidden if any guard hides it."""
        guards = [Only(), Only(equals("speaker", "alice")), Only(equals("contextType", "dm"))]
        async with stage.open(guards=guards) as ew:
            story = await self.tavern(ew)
            for speaker, context in (("alice", "dm"), ("bob", "dm"), ("alice", "public_channel")):
                await self.tell(story, speaker, f"{SECRET} says {speaker} in a {context}", context=context)
            (found,) = await self.recalled(story, "bob", SECRET)
            assert "alice in a dm" in found
        async with stage.open(guards=[Only(), Only(NOTHING)]) as ew:
            story = await self.tavern(ew, "s2")
            await self.tell(story, "alice", SECRET)
            assert await self.recalled(story, "alice", SECRET) == []

    @case
    async def test_what_a_guard_strikes_is_delivered_to_nobody(self, stage: Stage) -> None:
        """The plan keeps it with the reason. The container stays empty, also after a restart."""
        async with stage.open(guards=[Only(strikes=("bob",))]) as ew:
            story = await self.tavern(ew)
            settled = await self.tell(story, "alice", SECRET)
            (struck,) = (each for each in settled.deliveries if each.owner == "bob")
            assert struck.status == "struck"
            assert "not for them" in (struck.reason or "")
            assert await self.held(story, "bob") == []
            assert len(await self.held(story, "alice")) == 1
            assert SECRET not in (await story.turn("bob")).query
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", "Good night.")
            assert not any(SECRET in each.content for each in await self.held(story, "bob"))

    @case
    async def test_a_world_agent_tells_nobody_what_is_not_theirs_to_know(self, stage: Stage) -> None:
        """Lines that cite another's secret, another story's world, a made-up id or nothing are struck and named."""
        cited: list[tuple[str, ...]] = []

        def tells_all(*asked: object) -> WorldAnswer:
            lines = tuple(Knowledge(text=f"line {number}: {SECRET}", cites=ids) for number, ids in enumerate(cited))
            return WorldAnswer(knowledge=dict.fromkeys(("alice", "bob", "carol", "nobody"), lines))

        async with stage.open(world_agent=ScriptedStrategy(tells_all)) as ew:
            story, other = await self.tavern(ew), await self.tavern(ew, "s2")
            await story.update("The crown is under the flagstone", audience=["alice"], key="hidden")
            await story.update("It rains", audience="public", key="rain")
            await other.update("It rains there too", audience="public")
            (secret, rain), (elsewhere,) = await self.held(story, "world"), await self.held(other, "world")
            cited += [(secret.id,), (rain.id,), (elsewhere.id,), (), ("no-such-id",), (rain.id, secret.id)]
            settled = await self.tell(story, "alice", "Good evening. (heard by bob)")
            news = {id: [line.split(":")[0] for line in lines] for id, lines in settled.knowledge.items()}
            assert news == {"alice": ["line 0", "line 1", "line 5"], "bob": ["line 1"]}
            assert len([each for each in settled.failures if "was withheld" in (each.failure or "")]) == 3 + 5
            (memory,) = await self.held(story, "bob")
            assert memory.content.count(SECRET) == 1
            assert await self.held(story, "carol") == []

    @case
    async def test_a_world_agent_quotes_nobody_to_who_did_not_hear_it_all(self, stage: Stage) -> None:
        """A message was partly whispered, or a guard kept it from somebody: its raw copy is not for that character."""
        quoted: list[str] = []

        def quotes(*asked: object) -> WorldAnswer:
            lines = tuple(Knowledge(text=SECRET, cites=(id,)) for id in quoted)
            return WorldAnswer(knowledge=dict.fromkeys(("alice", "bob", "carol"), lines))

        async with stage.open(world_agent=ScriptedStrategy(quotes), guards=[Only(strikes=("dave",))]) as ew:
            story = await self.tavern(ew)
            await story.enter("carol", "dave")
            await self.tell(story, "alice", f"Good evening. {{to bob, dave: {SECRET}}}")
            quoted += [each.id for each in await self.held(story, "world")]
        async with stage.open(world_agent=ScriptedStrategy(quotes)) as ew:
            story = await self.tavern(ew)
            settled = await self.tell(story, "alice", "Cheers!")
            assert settled.knowledge == dict.fromkeys(("alice", "bob"), (SECRET,))

    @case
    async def test_a_careless_store_widens_no_recall(self, stage: Stage) -> None:
        """Its results are checked again: memories of others, and those that do not match the filter, are dropped."""

        def careless(store: Store) -> Faulty:
            everywhere = ("s1-alice", "s1-bob", "s1-carol", "s1-world")

            async def search(container: str, query: str, **asked: object) -> list[Hit]:
                return [hit for name in everywhere for hit in await store.search(name, query)]

            async def get(container: str, ids: Sequence[str]) -> list[object]:
                return [each for name in everywhere for each in await store.get(name, ids)]

            async def listed(container: str, **asked: object) -> list[object]:
                return [each for name in everywhere for each in await store.list(name)]

            return Faulty(store, search=search, get=get, list=listed)

        adds = Adds()
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await story.prepare(cards={"alice": SECRET})
            await self.tell(story, "alice", f"{SECRET} (heard by bob)")
            await self.tell(story, "carol", "In public.", context="public_channel")
            await self.tell(story, "carol", "In private.", context="dm")
            adds.ids = tuple([each.id for owner in ("alice", "carol") for each in await self.held(story, owner)])
        guard = Only(equals("contextType", "dm"))
        async with stage.open(store=careless, guards=[guard], plugins=[adds]) as ew:
            story = await ew.open_session("s1")
            for permanent in WEIGHTS:
                (found,) = await self.recalled(story, "carol", SECRET, permanent=permanent)
                assert "In private." in found

    @case
    async def test_only_this_turns_memories_fill_a_prompt(self, stage: Stage) -> None:
        """Another character's recall and backstage results are refused."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", f"{SECRET} (heard by bob)")
            await self.tell(story, "carol", "Hello?")
            await self.until_searchable(story)
            hers = await story.turn("alice", query=SECRET, in_prompt=())
            carols = await story.turn("carol", query=SECRET, in_prompt=())
            knows = await story.backstage().who_knows(SECRET)
            foreign = (hers.memories, list(knows.knowers.values()), await self.held(story, "alice"))
            for memories in foreign:
                with refused(WallError):
                    carols.fill("###SUPERMEMORY###", memories)  # type: ignore[arg-type]

    @case
    async def test_a_forgotten_character_leaves_nothing_for_a_namesake(self, stage: Stage) -> None:
        """A newcomer under the same id remembers nothing of hers, and an edit of old words does not reach him."""
        async with stage.open() as ew:
            story = await self.tavern(ew)
            await self.tell(story, "alice", SECRET, key="k1")
            await story.forget("bob")
            assert await ew.engine.store.count("s1-bob") == 0
            await (await story.edit("k1", f"{SECRET} Or the fourth.")).settled()
            assert await ew.engine.store.count("s1-bob") == 0
            await story.join(Character("bob", name="Another Bob"))
            await (await story.edit("k1", f"{SECRET} Or the fifth.")).settled()
            assert await self.recalled(story, "bob", SECRET) == []
            await story.retract("k1")
            await self.tell(story, "alice", "Good morning. (heard by bob)")
            (memory,) = await self.held(story, "bob")
            assert "Good morning." in memory.content


def _containers(session: str, cast: Sequence[str]) -> list[Container]:
    return [world_container(session), *(character_container(session, id) for id in cast)]
