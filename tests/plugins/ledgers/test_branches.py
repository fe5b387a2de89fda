"""A branch inside one file shares its parent's past: it is what a branch of copied plans would be, and its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterable
from pathlib import Path
from typing import Any

import apsw
import pytest

from earwitness import Earwitness, MessageAnswer, MessageEvent, Plugin, Session, Update, branches
from earwitness.events import Share, SharingEvent
from earwitness.records.snapshot import Snapshot
from earwitness_plugins.stores.sqlite import segments, writes

pytestmark = pytest.mark.anyio
CAST = ["alice", "bob", "charlie", "dave"]


class Gossip:
    """Whatever Bob hears, Charlie hears from him on day 3, and Dave from Charlie on day 5."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.knowers:
            yield Share(character="charlie", shared_from="bob", rule="gossip", due=3)
        if "charlie" in event.knowers:
            yield Share(character="dave", shared_from="charlie", rule="gossip", due=5)


class Counter(Plugin):
    """Counts the messages, and tells the world."""

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        event.data["count"] = count = int(str(event.data.get("count", 0))) + 1
        return MessageAnswer(updates=(Update(description=f"Message {count} was said"),))


@pytest.fixture
async def ew(tmp_path: Path) -> AsyncIterator[Earwitness]:
    async with Earwitness.open(
        tmp_path / "story.db", detector="everyone", sharing_rules=[Gossip()], plugins=[Counter()], embedder="none"
    ) as opened:
        yield opened


async def played(ew: Earwitness, id: str = "s1") -> Session:
    """A story with every kind of entry that changes what was before."""
    story = await ew.session(id, cast=CAST, present=["alice", "bob"])
    for number in range(6):
        await story.say("alice", f"message {number}", key=f"m{number}", audience=["bob"] if number % 2 else ["charlie"])
    await story.remember("bob", "A note on the first.", rests_on=["m1"], key="n1")
    await story.edit("m1", "message one", own_key="e1")
    await story.change(game_day=3, weather="rain", key="c1")
    await story.retract("m3", own_key="r1")
    await story.tell("bob", "dave", "m5", key="t1")
    await story.settled()
    note = (await story.backstage().inspect("bob", filter='type = "note"')).memories
    for memory in note:
        await (await story.archive(memory, key="a1")).settled()
    await story.say("bob", "message 6", key="m6", audience=["alice"])
    await story.change(game_day=4, key="c2")
    await story.say("bob", "message 7", key="m7", audience=["alice"])
    await story.change(game_day=5, weather=None, key="c3")
    await story.edit("m0", "message zero", own_key="e2")
    await story.retract("m6", own_key="r2")
    await story.prepare(plot="A crown was stolen.", key="p1")
    await story.join("eve", key="j1")
    await story.say("alice", "message 8", key="m8", audience=["eve", "bob"])
    await story.delivered()
    return story


async def picture(ew: Earwitness, id: str) -> dict[str, Any]:
    """Everything about a session but its ids."""
    ledger, store = ew.engine.ledger, ew.engine.store
    await (await ew.open_session(id)).delivered()
    found = await ledger.load(id)
    assert found is not None
    owners = [*found.cast.ids, "world"]
    held = {owner: await store.list(f"{id}-{owner}") for owner in owners}
    hits = {owner: await store.search(f"{id}-{owner}", "which message was it", limit=100) for owner in owners}
    return {
        "snapshot": found.model_dump(include={*Snapshot.model_fields} - {"id", "parent", "forked_at", "origin"}),
        "held": {
            owner: sorted((each.content, str(sorted({**each.metadata, "restsOn": []}.items()))) for each in memories)
            for owner, memories in held.items()
        },
        "found": {owner: sorted(hit.memory.content for hit in found) for owner, found in hits.items()},
        "counts": {owner: await store.count(f"{id}-{owner}") for owner in owners},
        "deliveries": sorted(
            (each.source, each.part, each.revision, each.container.removeprefix(id), each.status, each.reason or "")
            for each in await ledger.deliveries(id)
        ),
        "messages": [each.model_dump() for each in await ledger.messages(id)],
        "entries": [(each.sequence, each.key, each.applied) for each in await ledger.entries(id)],
        "data": await ledger.data(id, "counter"),
        "containers": sorted(each.name.removeprefix(id) for each in await ledger.containers(id)),
        "plans": [(each.sequence, each.session == id, len(each.deliveries)) for each in await ledger.plans(id)],
    }


async def not_shared(*_: object) -> bool:
    return False


async def test_at_every_entry_it_is_what_a_branch_of_copied_plans_would_be(
    ew: Earwitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = await played(ew)
    entries = await story.backstage().journal()
    for entry in entries:
        at = entry.sequence
        shared = await story.fork(f"shared-{at}", at=at)
        assert shared.id == f"shared-{at}"
        with monkeypatch.context() as patched:
            patched.setattr(branches, "shared", not_shared)
            await story.fork(f"copied-{at}", at=at)
        ours, theirs = await picture(ew, f"shared-{at}"), await picture(ew, f"copied-{at}")
        for what, found in theirs.items():
            assert ours[what] == found, (at, entry.key, what)


async def test_nothing_is_decided_recorded_embedded_or_put_again(
    ew: Earwitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = await played(ew)

    async def never(*_: object, **__: object) -> None:
        raise AssertionError("written again")

    for part, name in ((ew.engine.ledger, "record"), (ew.engine.ledger, "append_all"), (ew.engine.store, "put")):
        monkeypatch.setattr(part, name, never)
    branch = await story.fork("b1")
    await branch.delivered()
    assert await picture(ew, "b1") == await picture(ew, "b1")


async def test_each_goes_its_own_way(ew: Earwitness) -> None:
    story = await played(ew)
    branch = await story.fork("b1")
    second = await branch.fork("b2", at="m7")
    before = {id: await picture(ew, id) for id in ("s1", "b1", "b2")}
    await (await branch.retract("m5")).settled()
    await (await branch.edit("m1", "otherwise", audience=["dave"])).settled()
    await branch.forget("alice")
    await branch.delivered()
    assert {id: await picture(ew, id) for id in ("s1", "b2")} == {id: before[id] for id in ("s1", "b2")}
    await (await story.retract("m7")).settled()
    await story.forget("bob")
    await story.delivered()
    assert await picture(ew, "b2") == before["b2"]
    assert any("otherwise" in each.content for each in await ew.engine.store.list("b1-dave"))
    await (await second.say("bob", "news", key="m9")).settled()
    assert not any("news" in each.content for each in await ew.engine.store.list("b1-world"))


async def test_forgetting_the_parent_keeps_a_branch_whole_and_the_last_takes_all_along(
    ew: Earwitness, tmp_path: Path
) -> None:
    story = await played(ew)
    await (await story.fork("b1", at="m7")).fork("b2")
    before = {id: await picture(ew, id) for id in ("b1", "b2")}
    await ew.forget("s1")
    assert {id: await picture(ew, id) for id in ("b1", "b2")} == before
    await ew.forget("b1")
    assert await picture(ew, "b2") == before["b2"]
    await ew.forget("b2")
    database = ew.engine.ledger.database  # type: ignore[attr-defined]
    for table in ("ledger_shared", "ledger_deliveries", "ledger_plans", "store_text", "store_words", "store_memory"):
        statement = f"SELECT count(*) FROM {table}"
        assert await database.read(lambda connection, asked=statement: connection.execute(asked).get) == 0, table


async def test_what_is_learned_again_in_a_branch_is_one_more_support_of_the_same_memory(ew: Earwitness) -> None:
    story = await played(ew)
    branch = await story.fork("b1")
    count = await ew.engine.store.count("b1-charlie")
    await (await branch.tell("alice", "charlie", "m0")).settled()
    await branch.delivered()
    assert await ew.engine.store.count("b1-charlie") == count
    lines = [line async for line in branch.backstage().export()]
    copy = await ew.import_session(lines, id="copy")
    ours, theirs = await picture(ew, "b1"), await picture(ew, copy.id)
    assert (ours["held"], ours["snapshot"]) == (theirs["held"], theirs["snapshot"])


async def test_one_that_was_cut_short_is_gone_on_with(ew: Earwitness, monkeypatch: pytest.MonkeyPatch) -> None:
    story = await played(ew)
    expected = await picture(ew, (await story.fork("b1")).id)

    async def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ew.engine.ledger, "finish", dies)
        with pytest.raises(KeyboardInterrupt):
            await branches.shared(ew.engine, "s1", "b2", expected["snapshot"]["decided"])
    await story.fork("b2")
    assert await picture(ew, "b2") == expected


async def test_a_branch_from_before_changes_is_in_the_order_of_then(ew: Earwitness) -> None:
    """What was removed since stands where it stood, and no plan is written again."""
    story = await ew.session("s1", cast=CAST, present=["alice", "bob"])
    then: dict[int, dict[str, list[str]]] = {}

    async def noted(act: Awaitable[Any]) -> None:
        await (await act).settled()
        await story.delivered()
        found = await ew.engine.ledger.load("s1")
        assert found is not None
        then[found.decided] = await order("s1")

    async def order(id: str) -> dict[str, list[str]]:
        return {owner: [m.content for m in await ew.engine.store.list(f"{id}-{owner}")] for owner in (*CAST, "world")}

    for number in range(5):
        await noted(story.say("alice", f"message {number}", key=f"m{number}", audience=["bob"]))
    for key in ("m1", "m3"):
        await noted(story.retract(key))
    await noted(story.edit("m0", "message zero", own_key="e1"))
    await noted(story.change(game_day=3))
    await noted(story.say("bob", "message 5", key="m5", audience=["alice"]))
    await noted(story.retract("m4"))
    for sequence, expected in then.items():
        branch = await story.fork(f"b{sequence}", at=sequence)
        assert await order(branch.id) == expected, sequence
        found = await ew.engine.ledger.load(branch.id)
        assert found is not None
        assert found.origin == "s1"


async def test_a_fork_writes_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows and pages do not grow with the past that is shared."""
    monkeypatch.setattr(segments, "FOLD", 64)
    monkeypatch.setattr(writes, "FOLD", 64)
    async with Earwitness.open(tmp_path / "story.db", detector="everyone", embedder="none") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        database = ew.engine.ledger.database  # type: ignore[attr-defined]
        for number in range(400):
            await story.say("alice", f"message {number} of a long story", key=f"m{number}")
        await (await story.retract("m390")).settled()
        await story.delivered()
        for at, most in (("m320", 600), (None, 700)):
            before = await database.read(size)
            await story.fork(f"b-{at}", at=at)
            rows, pages = await database.read(size)
            assert rows - before[0] < most, at
            assert pages - before[1] < before[1] / 10, at


def size(connection: apsw.Connection) -> tuple[int, int]:
    """Rows of all tables, and pages that are in use."""
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL").fetchall()
    counts = [connection.execute(f"SELECT count(*) FROM {name}").get for (name,) in tables]
    return sum(map(int, counts)), connection.pragma("page_count") - connection.pragma("freelist_count")
