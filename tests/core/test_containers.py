"""Containers beyond a session: their names, who owns them, who may read them, and what becomes of them."""

import copy
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Container, Earwitness, Membership, MessageAnswer, MessageEvent, Plugin, Session
from earwitness.containers import (
    SESSION_KINDS,
    check_container,
    conversation_container,
    global_canon_container,
    pantheon_container,
    persona_container,
    user_container,
)
from earwitness.errors import ContainerCollision, InputError, InvalidId, NotOpen, StoryError, UnknownName, WallError
from earwitness.ids import PREFIXES
from earwitness.records.derived import Derivation
from earwitness.records.journal import Derived
from earwitness.story_export import StoryExport
from earwitness.testing.reference import MemoryLedger
from earwitness.testing.samples import memory

Open = Callable[..., Awaitable[Earwitness]]
Begin = Callable[..., Awaitable[Session]]
OLYMPUS = pantheon_container("olympus")
BOARD = Container(name="s1-board", kind="notice_board", owner="tavern", session="s1")


# ── names ───────────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── the register ────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── members ─────────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── forks, forgetting, export and import ────────────────────────────────────────────────────────────────────────────


async def _with_a_shared_memory(app: Earwitness) -> Session:
    """A story that brought one memory to the pantheon's hub, and one that rests on Alice's to its notice board."""
    story = await app.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
    await app.register(OLYMPUS, BOARD)
    await app.admit(BOARD, "alice", since=2)
    await (await story.say("alice", "Zeus is away.", key="said")).settled()
    await (await story.remember("alice", "Zeus travels a lot.", key="note")).settled()
    (note,) = await app.engine.ledger.deliveries("s1", sources=["note"])
    await (await story.remember(None, "Zeus is away.", container=OLYMPUS, rests_on=["said"], key="hub")).settled()
    await (
        await story.remember(None, "Gone!", container=BOARD, rests_on=["said", note.memory_id], key="board")
    ).settled()
    await story.delivered()
    return story


async def _counts(app: Earwitness, *names: str) -> list[int]:
    return [await app.engine.store.count(name) for name in names]


async def test_a_branch_takes_its_own_containers_along_and_leaves_the_others(open_app: Open) -> None:
    app = await open_app()
    story = await _with_a_shared_memory(app)
    assert await _counts(app, "pantheon-olympus", "s1-board", "s1-alice") == [1, 1, 2]
    branch = await story.fork("s2")
    await branch.delivered()
    assert await _counts(app, "pantheon-olympus", "s2-board", "s2-alice") == [1, 1, 2]
    assert {each.container for each in await app.engine.ledger.deliveries("s2")} == {
        "s2-board",
        "s2-alice",
        "s2-world",
    }
    assert await app.memberships(member="alice") == (
        Membership(container="s1-board", member="alice", since=2),
        Membership(container="s2-board", member="alice", since=2),
    )
    assert [each.name for each in await app.containers(session="s2", kind="notice_board")] == ["s2-board"]
    (board,) = await app.engine.ledger.deliveries("s2", container="s2-board")
    (note,) = await app.engine.ledger.deliveries("s2", container="s2-alice", sources=["note"])
    assert note.memory_id in board.rests_on
    (hub,) = await app.engine.store.list(OLYMPUS.name)
    assert hub.metadata["sessionId"] == "s1"
    written = await app.engine.ledger.entry("s2", key="board"), await app.engine.ledger.entry("s2", key="hub")
    assert [each.body.derivation.container for each in written] == ["s2-board", "pantheon-olympus"]
    again = await branch.fork("s3")
    await again.delivered()
    assert await _counts(app, "pantheon-olympus", "s3-board") == [1, 1]


async def test_taking_back_in_a_branch_leaves_what_the_trunk_has_shared(open_app: Open) -> None:
    app = await open_app()
    story = await _with_a_shared_memory(app)
    branch = await story.fork("s2")
    await (await branch.retract("said")).settled()
    await branch.delivered()
    assert await _counts(app, "pantheon-olympus", "s2-board", "s1-board") == [1, 0, 1]
    await (await story.retract("said")).settled()
    await story.delivered()
    assert await _counts(app, "pantheon-olympus", "s1-board") == [0, 0]
    later = await story.fork("s4")
    await later.delivered()
    assert await _counts(app, "pantheon-olympus", "s4-board") == [0, 0]


class Herald(Plugin):
    """Proposes a memory for the pantheon's hub, the story's notice board and Alice."""

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        board = f"{event.session}-board"
        where: list[dict[str, str]] = [{"container": OLYMPUS.name}, {"container": board}, {"owner": "alice"}]
        return MessageAnswer(derived=tuple(Derivation(content="Zeus is away.", **each) for each in where))


async def test_a_branch_cut_before_a_proposal_is_written_does_not_share_it_again(open_app: Open) -> None:
    app = await open_app(plugins=[Herald()])
    story = await app.session("s1", cast=["alice"], present=["alice"])
    await app.register(OLYMPUS, BOARD)
    await story.say("alice", "Zeus is away.", key="said")
    await story.delivered()
    branch = await story.fork("s2", at="said")
    await branch.delivered()
    again = await branch.fork("s3", at="said")
    await again.delivered()
    assert await _counts(app, OLYMPUS.name, "s1-board", "s2-board", "s2-alice", "s3-alice") == [1, 1, 1, 2, 2]
    assert [each.key for each in await again.backstage().journal()] == [
        "#begin",
        "said",
        "#derived-2-1",
        "#derived-2-2",
    ]
    await branch.say("alice", "He is back.")
    await branch.delivered()
    assert await _counts(app, OLYMPUS.name, "s2-board") == [2, 2]


async def test_forgetting_a_story_leaves_what_it_shared(open_app: Open) -> None:
    app = await open_app()
    await _with_a_shared_memory(app)
    await app.forget("s1")
    assert await _counts(app, "pantheon-olympus", "s1-board", "s1-alice") == [1, 0, 0]
    assert await app.containers() == (OLYMPUS,)
    assert await app.memberships() == ()


async def test_a_shared_memory_is_explained_by_what_it_keeps_once_its_story_is_forgotten(open_app: Open) -> None:
    app = await open_app()
    await _with_a_shared_memory(app)
    (hub,) = await app.engine.store.list(OLYMPUS.name)
    stranger = await app.session("s2", cast=["zeus"])
    with pytest.raises(UnknownName, match=r"no memory .* in session 's2'"):
        await stranger.backstage().explain(hub.id)
    assert await stranger.backstage().find_memories(hub.id) == {}
    await app.admit(OLYMPUS, "zeus")
    assert await stranger.backstage().find_memories(hub.id[:6]) == {hub.id: OLYMPUS.name}
    explained = await stranger.backstage().explain(hub.id)
    assert str(explained).splitlines() == [
        "pantheon-olympus remembers the note 'Zeus is away.'",
        "  noted it on day 1",
        "  session 's1' wrote it, and its backstage explains it further",
    ]
    assert (explained.alive, explained.content, explained.source) == (True, "Zeus is away.", None)
    await app.forget("s1")
    told = str(await stranger.backstage().explain(hub.id)).splitlines()
    assert told[-1] == "  session 's1' wrote it and was forgotten; no more is known"
    await app.engine.store.put([memory(OLYMPUS.name, "m1")])
    assert str(await stranger.backstage().explain("m1")).endswith("which session wrote it; no more is known")


async def test_an_export_holds_a_storys_own_containers_and_members_and_nothing_beyond(open_app: Open) -> None:
    app, other = await open_app(), await open_app()
    lines = [json.loads(json.dumps(line)) async for line in (await _with_a_shared_memory(app)).backstage().export()]
    assert [line["container"]["name"] for line in lines if line["kind"] == "container"] == ["s1-board"]
    deliveries = [each for line in lines for each in line.get("plan", {}).get("deliveries", ())]
    assert OLYMPUS.name not in {each["container"] for each in deliveries}
    await (await other.import_session(lines, id="copy")).delivered()
    assert await _counts(other, "pantheon-olympus", "copy-board", "copy-alice") == [0, 1, 2]
    assert await other.containers() == ()
    assert await other.memberships() == (Membership(container="copy-board", member="alice", since=2),)
    same = await app.import_session(lines)
    assert (same.id, await _counts(app, "pantheon-olympus", "s1-board")) == ("s1", [1, 1])


async def test_an_export_names_the_shared_containers_whose_memories_it_leaves_out(open_app: Open) -> None:
    app, other = await open_app(), await open_app()
    story = await _with_a_shared_memory(app)
    export = StoryExport.read([line async for line in story.backstage().export()])
    assert export.left_out == (OLYMPUS.name,)
    copy = await other.import_session(export)
    await other.register(OLYMPUS)
    assert await _counts(other, OLYMPUS.name) == [0]
    for entry in await copy.backstage().journal():
        if isinstance(entry.body, Derived) and entry.body.derivation.container in export.left_out:
            made = entry.body.derivation
            await copy.remember(None, made.content, container=made.container, type=made.type, metadata=made.metadata)
    await copy.delivered()
    assert [each.content for each in await other.engine.store.list(OLYMPUS.name)] == ["Zeus is away."]
    assert StoryExport.read([line async for line in copy.backstage().export()]).left_out == (OLYMPUS.name,)


async def test_an_export_that_reaches_beyond_its_story_is_refused(open_app: Open) -> None:
    app, other = await open_app(), await open_app()
    lines = [json.loads(json.dumps(line)) async for line in (await _with_a_shared_memory(app)).backstage().export()]
    (at,) = [number for number, line in enumerate(lines) if line["kind"] == "container"]
    for change, why in (
        ({"session": "s9", "name": "s9-board"}, "does not belong to session 's1'"),
        ({"session": None}, "does not belong to session 's1'"),
        ({"name": "s9-board"}, "must be named s1-"),
        ({"kind": "world"}, "only sessions make containers of kind 'world'"),
    ):
        forged = copy.deepcopy(lines)
        forged[at]["container"] |= change
        with pytest.raises(StoryError, match=why):
            await other.import_session(forged, id="copy")
    forged = copy.deepcopy(lines)
    forged[at]["memberships"][0]["container"] = "pantheon-olympus"
    with pytest.raises(StoryError, match="names 'pantheon-olympus'"):
        await other.import_session(forged, id="copy")
    for name in ("s1-bob", "pantheon-olympus", "s9-alice"):
        forged = copy.deepcopy(lines)
        (hers,) = [
            each for line in forged for each in line.get("plan", {}).get("deliveries", ()) if each["source"] == "note"
        ]
        hers["container"] = name
        with pytest.raises(StoryError, match=f"delivery to 'alice' names container '{name}'"):
            await other.import_session(forged, id="copy")
    assert await other.sessions() == ()
