"""Sessions and the register of containers: one name, one owner."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import anyio

from ...containers import Container, character_container, world_container
from ...errors import ContainerCollision
from ...protocols import Ledger
from ...records.backends import Health
from ...records.character import Character, as_cast
from ...records.plan import PluginWrite
from ...records.snapshot import Snapshot
from ...records.state import State, Whereabouts
from ..reference import MemoryLedger
from ..samples import NOON, ODD_NAMES, delivery, plan, said, settled
from ..suite import case
from .ledger_base import LedgerCases

RICH = Snapshot(
    id="s1",
    cast=as_cast([Character("alice", aliases=["Al"]), Character("u", kind="persona", user_id="user-1"), "bob"]),
    state=State.model_validate(
        {"game_day": 2.5, "flags": {"door": [1, None]}, "own_key": {"deep": "x"}, "participants": ["alice"]}
    ).updated({"whereabouts": {"bob": Whereabouts(place="cellar", since=3)}}),
    news_seen={"alice": 2},
    parent="s0",
    forked_at=0,
)


class Register(LedgerCases):
    """`create`, `load`, `sessions`, `register`, `containers`, `forget`, `forget_owner`."""

    @case
    async def test_a_session_comes_back_as_it_was_created(self, ledger: Ledger) -> None:
        """Cast, state with custom keys, whereabouts, branch and strategies all come back."""
        assert await ledger.create(RICH, []) == RICH
        assert await ledger.load("s1") == RICH

    @case
    async def test_creating_again_returns_what_exists_untouched(self, ledger: Ledger) -> None:
        """The new arguments do not matter."""
        first = await self.story(ledger)
        again = await ledger.create(Snapshot(id="s1", cast=as_cast(["zoe"])), [character_container("s1", "zoe")])
        assert again == first == await ledger.load("s1")

    @case
    async def test_creating_at_the_same_time_makes_one(self, ledger: Ledger) -> None:
        """All callers get the same session."""
        made: list[Snapshot] = []

        async def create(number: int) -> None:
            made.append(await ledger.create(Snapshot(id="s1", news_seen={"alice": number}), [world_container("s1")]))

        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(create, number)
        assert made == [made[0]] * 10
        assert await ledger.load("s1") == made[0]

    @case
    async def test_sessions_are_listed_sorted(self, ledger: Ledger) -> None:
        """Any session id is listed; an unknown session is not."""
        names = [*ODD_NAMES, "b", "a"]
        for name in names:
            await ledger.create(Snapshot(id=name), [])
        assert list(await ledger.sessions()) == sorted(names)
        for name in names:
            assert (await ledger.load(name) or Snapshot(id="")).id == name
        assert await ledger.load("nobody") is None

    @case
    async def test_a_session_has_its_own_containers(self, ledger: Ledger) -> None:
        """Containers given on creation and those registered later both count. Registering again is fine."""
        await self.story(ledger)
        await self.story(ledger, "s2")
        later = [character_container("s1", "dora"), character_container("s1", "alice")]
        await ledger.register(later)
        await ledger.register(later)
        assert {container.owner for container in await ledger.containers("s1")} == {"world", "alice", "bob", "dora"}
        assert {container.name for container in await ledger.containers("s2")} == {"s2-world", "s2-alice", "s2-bob"}
        assert list(await ledger.containers("nobody")) == []

    @case
    async def test_a_session_that_would_share_a_container_is_refused_wholly(self, ledger: Ledger) -> None:
        """`s1` with a character `x-world` collides with `s1-x` and its world, in either order.

        Nothing remains of the refused one.
        """
        await self.story(ledger, "s1", ["x-world"])
        await self.collides(self.story(ledger, "s1-x", ["alice"]))
        assert list(await ledger.sessions()) == ["s1"]
        assert list(await ledger.containers("s1-x")) == []
        await self.story(ledger, "t1-x", ["alice"])
        await self.collides(self.story(ledger, "t1", ["bob", "x-world"]))
        assert list(await ledger.sessions()) == ["s1", "t1-x"]
        assert list(await ledger.containers("t1")) == []

    @case
    async def test_a_registration_that_collides_claims_nothing(self, ledger: Ledger) -> None:
        """Containers listed before the collision are not claimed either; their names stay free."""
        await self.story(ledger, "s1-x")
        free, taken = character_container("s1", "dora"), character_container("s1", "x-world")
        await self.story(ledger, "s1")
        await self.collides(ledger.register([free, taken]))
        assert "dora" not in {container.owner for container in await ledger.containers("s1")}
        other = Container(name=free.name, kind="character", owner="zoe", session="s9")
        await self.collides(ledger.register([free, other]))
        await ledger.register([other])

    @case
    async def test_random_names_collide_exactly_where_they_must(self, ledger: Ledger) -> None:
        """The ledger refuses the same sessions as the reference, and both registers are the same afterwards."""
        from hypothesis import strategies as st

        run = count()
        parts = st.lists(st.sampled_from(("x", "world", "a'b", "x-world", "空")), min_size=1, max_size=2).map("-".join)
        stories = st.lists(st.tuples(parts, st.lists(parts, max_size=3, unique=True)), min_size=1, max_size=6)

        async def as_in_a_dict(wanted: Sequence[tuple[str, Sequence[str]]]) -> None:
            model, prefix = MemoryLedger(), f"run{next(run)}."
            for name, characters in wanted:
                cast = [character for character in characters if character != "world"]
                refused = [await self._refused(book, prefix + name, cast) for book in (model, ledger)]
                assert refused[0] == refused[1]
            for name, _ in wanted:
                ours, theirs = [await book.containers(prefix + name) for book in (ledger, model)]
                assert {held.name: held for held in ours} == {held.name: held for held in theirs}

        await self.for_all(as_in_a_dict, stories)

    @case
    async def test_forgetting_a_session_leaves_nothing_of_it(self, ledger: Ledger) -> None:
        """Journal, plans, deliveries, messages and data are removed.

        The containers are free again, and numbers restart.
        """
        await self._two_full_stories(ledger)
        await ledger.forget("s1")
        await ledger.forget("s1")
        assert await ledger.sessions() == ["s2"]
        assert [await ledger.load("s1"), await ledger.plan("s1", 1), await ledger.entry("s1", sequence=1)] == [None] * 3
        for nothing in (ledger.entries, ledger.plans, ledger.deliveries, ledger.messages, ledger.containers):
            assert list(await nothing("s1")) == []
        assert await ledger.data("s1", "keepsake") == {}
        assert list(await ledger.citing("s1", ["cited"])) == []
        await ledger.register([Container(name="s1-alice", kind="character", owner="alice", session="s9")])
        await ledger.create(Snapshot(id="s1"), [])
        assert (await ledger.append("s1", said(), timestamp=NOON)).entry.sequence == 1
        assert list(await ledger.deliveries("s1")) == []

    @case
    async def test_forgetting_a_session_leaves_the_others_alone(self, ledger: Ledger) -> None:
        """This holds also for a session whose id starts with the forgotten one, or matches it as a pattern."""
        await self._two_full_stories(ledger)
        for name in ("s", "s_", "s%", "S2", "s2-", ""):
            await ledger.forget(name)
        await ledger.forget("s1")
        assert len(await ledger.entries("s2")) == len(await ledger.plans("s2")) == len(await ledger.messages("s2")) == 1
        assert [found.memory_id for found in await ledger.deliveries("s2")] == ["s2-m", "s2-n"]
        assert await ledger.data("s2", "keepsake") == {"k": 1}
        assert len(await ledger.containers("s2")) == 3

    @case
    async def test_forgetting_an_owner_takes_what_was_theirs_and_what_is_due(self, ledger: Ledger) -> None:
        """Applied and pending deliveries go; other owners keep theirs, and the owner's container is free."""
        await self._two_full_stories(ledger)
        due = delivery("later", sequence=2, due=9), delivery("b", sequence=2, owner="bob", due=9)
        await self.recorded(ledger, plan(2, *due), applied=False)
        await ledger.forget_owner("s1", "alice")
        assert await self.standing(ledger) == ["b", "s1-n"]
        assert list(await ledger.deliveries("s1", container="s1-alice", status="pending")) == []
        assert list(await ledger.deliveries("s1", container="s1-alice", status="applied")) == []
        assert {held.owner for held in await ledger.containers("s1")} == {"world", "bob"}
        assert await self.standing(ledger, "s2") == ["s2-m", "s2-n"]
        await ledger.acknowledge("s1", [2], [due[0].id])
        assert await self.standing(ledger) == ["b", "s1-n"]

    @case
    async def test_forgetting_an_owner_up_to_a_plan_leaves_what_later_plans_brought(self, ledger: Ledger) -> None:
        """Earlier deliveries go, applied or pending. The container stays for the newcomer with the same id."""
        await self.story(ledger)
        await self.recorded(ledger, plan(1, delivery("had"), delivery("due", due=9), delivery("b", owner="bob")))
        await self.recorded(ledger, plan(2, delivery("has", sequence=2)))
        await self.recorded(ledger, plan(3, delivery("gets", sequence=3, due=9)), applied=False)
        await ledger.forget_owner("s1", "alice", up_to=1)
        assert await self.standing(ledger) == ["b", "gets", "has"]
        assert {held.owner for held in await ledger.containers("s1")} == {"world", "alice", "bob"}
        await ledger.forget_owner("s1", "dora", up_to=3)
        await ledger.register([character_container("s1", "dora")])
        await ledger.forget_owner("s1", "dora", up_to=3)
        assert "dora" not in {held.owner for held in await ledger.containers("s1")}

    @case
    async def test_who_joins_under_a_forgotten_id_may_be_told_the_same_again(self, ledger: Ledger) -> None:
        """Deliveries due to the forgotten character stay away; those that a later plan makes arrive."""
        await self.story(ledger)
        await self.recorded(ledger, plan(1, delivery("lore", due=9)), applied=False)
        await ledger.forget_owner("s1", "alice", up_to=1)
        assert await self.standing(ledger) == []
        await self.recorded(ledger, plan(2, again := delivery("lore", sequence=2)), applied=False)
        assert await self.standing(ledger) == ["lore"]
        await ledger.acknowledge("s1", [2], [again.id])
        (stands,) = await ledger.deliveries("s1", status="applied")
        assert stands.sequence == 2

    @case
    async def test_the_register_is_there_after_a_new_start(self, ledger: Ledger) -> None:
        """Sessions and the owners of containers come back."""
        self.needs("persistent")
        await self.story(ledger, "s1", ["x-world"])
        await ledger.close()
        async with self.subject() as reopened:
            assert await reopened.sessions() == ["s1"]
            await self.collides(self.story(reopened, "s1-x", ["alice"]))
        await ledger.open()

    @case
    async def test_the_ledger_can_say_how_it_is(self, ledger: Ledger) -> None:
        """The `doctor` command asks for this."""
        health = await ledger.health()
        assert isinstance(health, Health)
        assert health.ok, health.details

    async def _two_full_stories(self, ledger: Ledger) -> None:
        for session in ("s1", "s2"):
            await self.story(ledger, session)
            brought = (
                delivery(f"{session}-m", session=session, cites=["cited"]),
                delivery(f"{session}-n", session=session, owner="bob"),
            )
            kept = (PluginWrite(plugin="keepsake", key="k", value=1),)
            await self.recorded(ledger, plan(1, *brought, session=session, message=settled("#1", 1), plugin_data=kept))

    async def _refused(self, ledger: Ledger, session: str, characters: Sequence[str]) -> bool:
        try:
            await self.story(ledger, session, characters)
        except ContainerCollision:
            return True
        return False
