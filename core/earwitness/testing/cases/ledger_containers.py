"""Containers that belong to no session, and the characters who may read them."""

# ruff: noqa: S101
from __future__ import annotations

from ...containers import Container, Membership, character_container, pantheon_container, persona_container
from ...errors import UnknownName
from ...protocols import Ledger
from ..samples import delivery, plan
from ..suite import case
from .ledger_base import LedgerCases

OLYMPUS = pantheon_container("olympus")
BOARD = Container(name="s1-board", kind="notice_board", owner="tavern", session="s1")


class BeyondSessions(LedgerCases):
    """`register` without a session, `claimed`, `forget_container`, `admit`, `dismiss`, `memberships`."""

    @case
    async def test_a_container_may_belong_to_no_session(self, ledger: Ledger) -> None:
        """It is listed apart from the containers of sessions, by kind and by owner, and found by its name."""
        await self.story(ledger)
        personas = [persona_container("p1", "alice"), persona_container("p1", "bob"), persona_container("p2", "bob")]
        await ledger.register([OLYMPUS, *personas])
        await ledger.register([OLYMPUS, BOARD])
        assert {each.name for each in await ledger.containers(None)} == {each.name for each in (OLYMPUS, *personas)}
        assert list(await ledger.containers(None, kind="pantheon")) == [OLYMPUS]
        assert list(await ledger.containers(None, kind="persona", owner="p1")) == personas[:2]
        assert list(await ledger.containers("s1", kind="notice_board")) == [BOARD]
        assert OLYMPUS not in await ledger.containers("s1")
        found = await ledger.claimed(["nobody", OLYMPUS.name, BOARD.name, "s1-alice"])
        assert {each.name: each for each in found} == {
            each.name: each for each in (OLYMPUS, BOARD, character_container("s1", "alice"))
        }

    @case
    async def test_a_name_that_two_owners_would_share_is_refused_whatever_their_kinds(self, ledger: Ledger) -> None:
        """`persona-a-b-c` could belong to persona `a-b` or `a`.

        A session's container may not be named like one of no session, nor the other way round.
        """
        await ledger.register([persona_container("a-b", "c"), OLYMPUS])
        await self.story(ledger, "pantheon", ["zeus"])
        for claim in (
            persona_container("a", "b-c"),
            character_container("pantheon", "olympus"),
            OLYMPUS.model_copy(update={"kind": "guild"}),
            OLYMPUS.model_copy(update={"owner": "olymp"}),
            OLYMPUS.model_copy(update={"session": "s1"}),
            pantheon_container("zeus"),
        ):
            await self.collides(ledger.register([claim]))
        assert {each.name for each in await ledger.containers(None)} == {OLYMPUS.name, "persona-a-b-c"}

    @case
    async def test_who_may_read_a_container_is_kept_for_each_time(self, ledger: Ledger) -> None:
        """Leaving and returning makes two memberships. The same first day again replaces the membership."""
        await self.story(ledger)
        await ledger.register([OLYMPUS, BOARD])
        always = Membership(container=BOARD.name, member="alice")
        first = Membership(container=OLYMPUS.name, member="alice", since=1.5, until=3)
        again = Membership(container=OLYMPUS.name, member="alice", since=5)
        other = Membership(container=OLYMPUS.name, member="bob", since=5)
        await ledger.admit([first.model_copy(update={"until": None}), again])
        await ledger.admit([first, other, always, always])
        assert _sorted(await ledger.memberships(containers=[OLYMPUS.name], member="alice")) == _sorted([first, again])
        assert _sorted(await ledger.memberships(member="alice")) == _sorted([first, again, always])
        assert list(await ledger.memberships(member="alice", kind="notice_board")) == [always]
        assert list(await ledger.memberships(containers=[], member="alice")) == []
        assert len(await ledger.memberships()) == 4
        await ledger.dismiss([first, Membership(container=OLYMPUS.name, member="bob", since=4)])
        assert _sorted(await ledger.memberships(containers=[OLYMPUS.name])) == _sorted([again, other])

    @case
    async def test_nobody_is_admitted_to_a_container_that_is_not_there(self, ledger: Ledger) -> None:
        """Memberships are admitted all or none."""
        await ledger.register([OLYMPUS])
        there, nowhere = [Membership(container=name, member="alice") for name in (OLYMPUS.name, "nowhere")]
        try:
            await ledger.admit([there, nowhere])
        except UnknownName:
            assert list(await ledger.memberships()) == []
            return
        raise AssertionError("somebody was admitted to a container that is not there")

    @case
    async def test_a_session_takes_only_its_own_containers_along(self, ledger: Ledger) -> None:
        """Containers of no session stay, with their members.

        Forgetting a session or a namesake in it does not touch them.
        """
        await self.story(ledger, "s1", ["olympus", "alice"])
        await ledger.register([OLYMPUS, BOARD])
        members = [Membership(container=name, member="alice") for name in (OLYMPUS.name, BOARD.name)]
        await ledger.admit(members)
        shared = delivery("hub", owner="olympus").model_copy(update={"container": OLYMPUS.name})
        await self.recorded(ledger, plan(1, shared, delivery("own", owner="olympus")))
        await ledger.forget_owner("s1", "olympus")
        assert await self.standing(ledger) == ["hub"]
        assert _sorted(await ledger.memberships()) == _sorted(members)
        await ledger.forget("s1")
        assert list(await ledger.memberships()) == [members[0]]
        assert list(await ledger.claimed([OLYMPUS.name, BOARD.name])) == [OLYMPUS]

    @case
    async def test_forgetting_a_container_takes_its_members_and_what_any_session_brought(self, ledger: Ledger) -> None:
        """Due deliveries to it are struck and its name is free again. Everything else stays."""
        await self.story(ledger)
        await self.story(ledger, "s2")
        await ledger.register([OLYMPUS, BOARD])
        await ledger.admit([Membership(container=name, member="alice") for name in (OLYMPUS.name, BOARD.name)])
        for session in ("s1", "s2"):
            had, due = [
                delivery(f"{session}-{name}", session=session, due=day, cites=["cited"]).model_copy(
                    update={"container": OLYMPUS.name}
                )
                for name, day in (("had", 1), ("due", 9))
            ]
            await self.recorded(ledger, plan(1, had, delivery(f"{session}-own", session=session), session=session))
            await self.recorded(ledger, plan(2, due.model_copy(update={"sequence": 2}), session=session), applied=False)
        await ledger.forget_container(OLYMPUS.name)
        await ledger.forget_container("nowhere")
        for session in ("s1", "s2"):
            assert await self.standing(ledger, session) == [f"{session}-own"]
            (struck,) = await ledger.deliveries(session, container=OLYMPUS.name)
            assert (struck.status, struck.reason) == ("struck", "forgotten")
            assert list(await ledger.citing(session, ["cited"])) == []
        assert [each.container for each in await ledger.memberships()] == [BOARD.name]
        await ledger.register([OLYMPUS.model_copy(update={"owner": "somebody else"})])
        assert list(await ledger.memberships(containers=[OLYMPUS.name])) == []

    @case
    async def test_members_are_there_after_a_new_start(self, ledger: Ledger) -> None:
        """They come back with the container's kind and owner, and the days of the membership."""
        self.needs("persistent")
        await ledger.register([OLYMPUS])
        member = Membership(container=OLYMPUS.name, member="alice", since=-2.5, until=3)
        await ledger.admit([member])
        await ledger.close()
        async with self.subject() as reopened:
            assert list(await reopened.containers(None)) == [OLYMPUS]
            assert list(await reopened.memberships(member="alice")) == [member]
        await ledger.open()


def _sorted(memberships: object) -> list[str]:
    return sorted(map(repr, memberships))  # type: ignore[call-overload]
