"""Containers beyond a session: their names, who owns them, and who may read them."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Container, Earwitness, Membership, Session
from earwitness.containers import (
    SESSION_KINDS,
    check_container,
    conversation_container,
    global_canon_container,
    pantheon_container,
    persona_container,
    user_container,
)
from earwitness.errors import ContainerCollision, InputError, InvalidId, NotOpen, UnknownName, WallError
from earwitness.ids import PREFIXES
from earwitness.testing.reference import MemoryLedger
from earwitness.testing.samples import memory

from .container_stories import BOARD, OLYMPUS, Open

Begin = Callable[..., Awaitable[Session]]


# ── names ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_containers_beyond_sessions_are_named_after_kind_and_owner() -> None:
    made = [
        persona_container("p7", "alice"),
        user_container("u1"),
        global_canon_container("alice"),
        pantheon_container("olympus"),
        conversation_container("c9"),
    ]
    assert [(each.kind, each.name, each.owner) for each in made] == [
        ("persona", "persona-p7-alice", "p7"),
        ("user", "user-u1", "u1"),
        ("global_canon", "global-canon-alice", "alice"),
        ("pantheon", "pantheon-olympus", "olympus"),
        ("conversation", "conversation-c9", "c9"),
    ]
    assert {each.kind for each in made} == set(PREFIXES)
    assert {each.session for each in made} == {None}
    assert [check_container(each) for each in made] == made


def test_a_persona_with_a_dash_is_told_from_a_personality_with_one() -> None:
    one, other = persona_container("a-b", "c"), persona_container("a", "b-c")
    assert one.name == other.name
    assert one != other


@pytest.mark.parametrize("make", [user_container, global_canon_container, pantheon_container, conversation_container])
def test_an_owner_is_visible_text(make: Callable[[Any], Container]) -> None:
    for id in ("", " x", "x\n", 7, None):
        with pytest.raises(InvalidId):
            make(id)
    with pytest.raises(InvalidId, match="personality ''"):
        persona_container("p7", "")


@pytest.mark.parametrize(
    ("container", "why"),
    [
        (
            Container(name="s1-alice", kind="character", owner="alice", session="s1"),
            "only sessions make containers of kind",
        ),
        (Container(name="s1-world", kind="world", owner="world"), "only sessions make containers of kind 'world'"),
        (Container(name="olympus", kind="pantheon", owner="olympus"), "must be named pantheon-…"),
        (Container(name="pantheon-x", kind="guild", owner="x"), "has a name that is reserved for kind 'pantheon'"),
        (Container(name="Persona-x-y", kind="guild", owner="x"), "has a name that is reserved for kind 'persona'"),
        (Container(name="board", kind="board", owner="x", session="s1"), "in session 's1' must be named s1-…"),
        (OLYMPUS.model_copy(update={"session": "s1"}), "belongs to no session"),
        (Container(name="guild", kind="", owner="x"), "container kind ''"),
        (Container(name="guild\n", kind="guild", owner="x"), "container name"),
        (Container(name="guild", kind="guild", owner=" "), "container owner"),
    ],
)
def test_what_is_named_otherwise_than_its_kind_is_refused(container: Container, why: str) -> None:
    with pytest.raises(InputError, match=why):
        check_container(container)


# ── the register ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_host_registers_containers_and_lists_them(open_app: Open, begin: Begin) -> None:
    app = await open_app()
    await app.session("s1", cast=["alice"])
    guild = Container(name="guild-thieves", kind="guild", owner="thieves")
    await app.register(OLYMPUS, guild, BOARD)
    await app.register(OLYMPUS)
    assert await app.containers() == (OLYMPUS, guild)
    assert await app.containers(kind="guild") == (guild,)
    assert await app.containers(owner="olympus") == (OLYMPUS,)
    assert await app.containers(session="s1", kind="notice_board") == (BOARD,)
    assert [each.kind for each in await app.containers(session="s1")] == [*reversed(SESSION_KINDS), "notice_board"]


async def test_what_collides_or_belongs_nowhere_registers_nothing(open_app: Open) -> None:
    app = await open_app()
    await app.session("s1", cast=["alice", "board"])
    with pytest.raises(ContainerCollision, match="has the name of the container of character 'board' in session 's1'"):
        await app.register(OLYMPUS, BOARD)
    with pytest.raises(UnknownName, match=r"unknown session 's9'\. Known: s1"):
        await app.register(OLYMPUS, Container(name="s9-board", kind="board", owner="x", session="s9"))
    with pytest.raises(InputError, match=r"register\('pantheon-olympus'\): hand over a Container"):
        await app.register("pantheon-olympus")  # type: ignore[arg-type]
    assert await app.containers() == ()


async def test_a_session_that_would_take_a_shared_container_is_refused(open_app: Open) -> None:
    app = await open_app()
    await app.register(Container(name="guild-alice", kind="guild", owner="x"))
    with pytest.raises(ContainerCollision, match="has the name of the container of guild 'x' beyond sessions"):
        await app.session("guild", cast=["alice"])
    assert await app.sessions() == ()


async def test_new_sessions_leave_reserved_names_alone_and_existing_ones_keep_theirs(open_app: Open) -> None:
    ledger = MemoryLedger()
    app = await open_app(ledger=ledger)
    for prefix in PREFIXES.values():
        with pytest.raises(InvalidId, match="names shared containers"):
            await app.session(f"{prefix}x", cast=["alice"])
    story = await app.session("s1", cast=["alice"])
    with pytest.raises(InvalidId, match="names shared containers"):
        await story.fork("user-1")
    lines = [line async for line in story.backstage().export()]
    with pytest.raises(InvalidId, match="names shared containers"):
        await app.import_session(lines, id="user-1")
    older = [{**line, **({"id": "user-1"} if line["kind"] == "session" else {})} for line in lines]
    for line in older[1:]:
        for part in (line["entry"], line["plan"], *line["plan"]["deliveries"]):
            part["session"] = "user-1"
    assert (await app.import_session(older)).id == "user-1"
    again = await app.session("user-1", cast=["alice", "bob"])
    assert again.cast.ids == ("alice", "bob")
    assert (await app.open_session("user-1")).id == "user-1"


# ── members ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_members_come_and_go(open_app: Open) -> None:
    app = await open_app()
    await app.register(OLYMPUS)
    assert await app.admit(OLYMPUS, "zeus", since=2, until=4) == Membership(
        container="pantheon-olympus", member="zeus", since=2, until=4
    )
    await app.admit("pantheon-olympus", "zeus", since=6)
    await app.admit(OLYMPUS, "hera")
    await app.dismiss(OLYMPUS, "zeus", until=7)
    assert [(each.since, each.until) for each in await app.memberships(member="zeus")] == [(2, 4), (6, 7)]
    await app.dismiss(OLYMPUS, "zeus", until=3)
    assert [(each.since, each.until) for each in await app.memberships(member="zeus")] == [(2, 3)]
    await app.dismiss(OLYMPUS, "zeus")
    assert [each.member for each in await app.memberships(container=OLYMPUS)] == ["hera"]


def test_a_membership_holds_on_its_first_and_its_last_day() -> None:
    member = Membership(container="c", member="m", since=2, until=4)
    assert [day for day in (1.9, 2, 3, 4, 4.1) if member.holds_on(day)] == [2, 3, 4]
    assert Membership(container="c", member="m").holds_on(-99)


async def test_nobody_is_admitted_to_anothers_own_memories(open_app: Open) -> None:
    app = await open_app()
    await app.session("s1", cast=["alice"])
    for name in ("s1-alice", "s1-world"):
        with pytest.raises(WallError, match="nobody else may read it"):
            await app.admit(name, "bob")
        with pytest.raises(WallError, match="nobody else may read it"):
            await app.forget_container(name)
    await app.register(OLYMPUS)
    with pytest.raises(UnknownName, match=r"'pantheon-olymp'\. Known: pantheon-olympus\. Did you mean"):
        await app.admit("pantheon-olymp", "zeus")
    with pytest.raises(InputError, match="until=2 comes before since=3"):
        await app.admit(OLYMPUS, "zeus", since=3, until=2)
    with pytest.raises(InputError, match="since = 'soon' cannot be used"):
        await app.admit(OLYMPUS, "zeus", since="soon")  # type: ignore[arg-type]
    with pytest.raises(InvalidId, match="member ''"):
        await app.admit(OLYMPUS, "")
    assert await app.memberships() == ()


async def test_a_container_that_is_forgotten_is_gone_with_members_and_memories(open_app: Open) -> None:
    app = await open_app()
    await app.register(OLYMPUS)
    await app.admit(OLYMPUS, "zeus")
    await app.engine.store.put([memory(OLYMPUS.name, "m1")])
    await app.forget_container(OLYMPUS)
    assert await app.engine.store.count(OLYMPUS.name) == 0
    assert await app.containers() == ()
    assert await app.memberships() == ()
    with pytest.raises(UnknownName, match="unknown container 'pantheon-olympus'"):
        await app.forget_container(OLYMPUS)


async def test_the_register_is_closed_with_the_instance() -> None:
    app = Earwitness.open(ledger=MemoryLedger(), embedder="none")
    for call in (
        app.register(OLYMPUS),
        app.containers(),
        app.admit(OLYMPUS, "zeus"),
        app.dismiss(OLYMPUS, "zeus"),
        app.memberships(),
        app.forget_container(OLYMPUS),
    ):
        with pytest.raises(NotOpen):
            await call
