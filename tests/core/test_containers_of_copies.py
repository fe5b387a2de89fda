"""Containers beyond a session belong to no branch and no export, and outlive their story.

Of what a hub has of its story, a branch takes along memories of its own."""

import copy
import json
import re

import pytest

from earwitness import Earwitness, Membership, MessageAnswer, MessageEvent, Plugin, Session
from earwitness.errors import StoryError, UnknownName
from earwitness.records.derived import Derivation
from earwitness.records.journal import Derived
from earwitness.story_export import StoryExport
from earwitness.testing.samples import memory

from .container_stories import BOARD, OLYMPUS, Open


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


async def test_a_branch_takes_along_its_own_containers_and_what_hubs_have_of_its_story(open_app: Open) -> None:
    app = await open_app()
    story = await _with_a_shared_memory(app)
    assert await _counts(app, "pantheon-olympus", "s1-board", "s1-alice") == [1, 1, 2]
    branch = await story.fork("s2")
    await branch.delivered()
    assert await _counts(app, "pantheon-olympus", "s2-board", "s2-alice") == [2, 1, 2]
    assert {each.container for each in await app.engine.ledger.deliveries("s2")} == {
        "pantheon-olympus",
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
    hubs = await app.engine.store.list(OLYMPUS.name)
    assert sorted(str(each.metadata["sessionId"]) for each in hubs) == ["s1", "s2"]
    written = await app.engine.ledger.entry("s2", key="board"), await app.engine.ledger.entry("s2", key="hub")
    assert [each.body.derivation.container for each in written] == ["s2-board", "pantheon-olympus"]
    again = await branch.fork("s3")
    await again.delivered()
    assert await _counts(app, "pantheon-olympus", "s3-board") == [3, 1]


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


async def test_a_branch_cut_before_a_proposal_is_written_takes_it_along_once(open_app: Open) -> None:
    app = await open_app(plugins=[Herald()])
    story = await app.session("s1", cast=["alice"], present=["alice"])
    await app.register(OLYMPUS, BOARD)
    await story.say("alice", "Zeus is away.", key="said")
    await story.delivered()
    branch = await story.fork("s2", at="said")
    await branch.delivered()
    again = await branch.fork("s3", at="said")
    await again.delivered()
    assert await _counts(app, OLYMPUS.name, "s1-board", "s2-board", "s2-alice", "s3-alice") == [3, 1, 1, 2, 2]
    assert [each.key for each in await again.backstage().journal()] == [
        "#begin",
        "said",
        "#hub-2-#derived-2-0",
        "#derived-2-1",
        "#derived-2-2",
    ]
    await branch.say("alice", "He is back.")
    await branch.delivered()
    assert await _counts(app, OLYMPUS.name, "s2-board") == [4, 2]


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
    (left,) = await app.engine.store.list(OLYMPUS.name)
    told = str(await stranger.backstage().explain(left.id)).splitlines()
    assert re.fullmatch(r"  session 's1@[-:.T+0-9]+' wrote it and was forgotten; no more is known", told[-1])
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
