"""The store `qdrant`: filters, embedders, folders and servers. Its contract is tested in tests/conformance."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from signal import SIGKILL
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from pydantic import SecretStr

from earwitness import Earwitness, Settings
from earwitness.errors import EmbedderMismatch, SettingsError, StorageError, StorageLocked
from earwitness.filters import Compare, Filter, Not, equals, matches
from earwitness.records.backends import EmbedderIdentity
from earwitness.records.memory_types import MetaValue
from earwitness.testing.cases.store_filters import TABLE, combinations, comparisons
from earwitness.testing.samples import memory
from earwitness.testing.strategies import filters, metadata
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.qdrant.conditions import condition
from earwitness_plugins.qdrant.points import WriteClock, point_id
from earwitness_plugins.stores.qdrant import QdrantStore
from earwitness_plugins.stores.qdrant.payload import MemoryPayload

from ...examples import share_of
from ...qdrant_servers import QdrantServer

pytestmark = pytest.mark.anyio
pytest.importorskip("qdrant_client", reason="the extra 'qdrant' is not installed")
EMBEDDER = StaticEmbedder()


class Letters:
    """Another embedder: how long a text is, and whether it holds an e."""

    identity = EmbedderIdentity(name="letters", digest="1", dimension=2)

    def __init__(self) -> None:
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += len(texts)
        if any("impossible" in text for text in texts):
            raise ValueError("impossible")
        return np.array([[len(text), "e" in text] for text in texts], np.float32)


def store(folder: Path, embedder: Any = EMBEDDER) -> QdrantStore:
    return QdrantStore(path=str(folder / "qdrant"), embedder=embedder)


# ── filters ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def lets_through(filter: Filter, row: dict[str, MetaValue]) -> tuple[bool, bool]:
    """Whether Qdrant's own local filter does, and whether it is said to be exact."""
    from qdrant_client import models
    from qdrant_client.local.payload_filters import check_filter

    made = condition(filter, MemoryPayload().path, models)
    if made.condition is None:
        return True, made.is_exact
    return check_filter(models.Filter(must=[made.condition]), {"metadata": row}, "1", {}), made.is_exact


def test_a_condition_lets_through_all_that_a_filter_does_and_nothing_else_where_it_is_exact() -> None:
    exact = 0
    for filter in (*comparisons(), *combinations()):
        for row in TABLE:
            through, is_exact = lets_through(filter, row)
            assert through >= matches(filter, row), (filter, row)
            assert not is_exact or through == matches(filter, row), (filter, row)
            exact += is_exact
    assert exact > 1_000


@given(filters, metadata)
@settings(max_examples=share_of(200), deadline=None)
def test_any_condition_does(filter: Filter, row: dict[str, MetaValue]) -> None:
    through, is_exact = lets_through(filter, row)
    assert through >= matches(filter, row)
    assert not is_exact or through == matches(filter, row)


@pytest.mark.parametrize("field", ["a.b", "a[]", 'a"b', "", "a b"])
def test_a_field_that_would_be_a_path_is_compared_here(field: str) -> None:
    from qdrant_client import models

    for filter in (equals(field, "x"), Not(equals(field, "x"))):
        assert condition(filter, MemoryPayload().path, models) == (None, False)


async def test_what_qdrant_does_not_filter_is_filtered_here(tmp_path: Path) -> None:
    opened = store(tmp_path)
    await opened.open()
    await opened.put([memory("c", f"m{n}", **{"a.b": n, "large": 2**70 + n}) for n in range(3)])
    assert [each.id for each in await opened.list("c", filter=Compare("a.b", ">=", 1))] == ["m1", "m2"]
    assert [each.id for each in await opened.list("c", filter=equals("large", 2**70 + 1))] == ["m1"]
    assert len(await opened.list("c", filter=Compare("large", ">", 3))) == 3
    await opened.close()


# ── what is stored ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_two_memories_share_a_point() -> None:
    names = ["a", "b", "ab", "a b", "1 a", "1", "", " ", "a\x00b", "á"]
    points = {point_id(container, id) for container in names for id in names}
    assert len(points) == len(names) ** 2


def test_a_clock_that_is_set_back_goes_on() -> None:
    clock = WriteClock()
    clock.seen(10**18)
    assert [clock.now() for _ in range(3)] == [10**18 + 1, 10**18 + 2, 10**18 + 3]


async def test_people_can_read_what_is_stored(tmp_path: Path) -> None:
    from qdrant_client import QdrantClient

    opened = store(tmp_path)
    await opened.open()
    await opened.put([memory("s1-alice", "m", "the sword", speaker="bob", gameDay=2.5)])
    await opened.close()
    client = QdrantClient(path=str(tmp_path / "qdrant"))
    (collection,) = client.get_collections().collections
    (found,) = client.retrieve(collection.name, [point_id("s1-alice", "m")])
    assert found.payload is not None
    assert found.payload["content"] == "the sword"
    assert found.payload["metadata"] == {"type": "message", "speaker": "bob", "gameDay": 2.5}
    client.close()


async def test_a_leaky_service_breaches_no_wall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes back is checked again: container, id and filter."""
    opened = store(tmp_path)
    await opened.open()
    await opened.put([memory("s1-bob", "m", "Bob's secret"), memory("s1-alice", "n", "a loaf", gameDay=1)])
    everything = (await opened._ask("scroll", limit=10, with_vectors=True))[0]
    ask = opened._connection.ask

    async def leaky(method: str, **arguments: Any) -> Any:
        answers = {"scroll": (everything, None), "retrieve": everything}
        return answers[method] if method in answers else await ask(method, **arguments)

    monkeypatch.setattr(opened._connection, "ask", leaky)
    assert await opened.get("s1-alice", ["m", "x"]) == []
    assert [each.id for each in await opened.list("s1-alice")] == ["n"]
    assert list(await opened.list("s1-alice", filter=Compare("gameDay", ">", 1))) == []
    assert [hit.memory.id for hit in await opened.search("s1-alice", "Bob's secret loaf")] == ["n"]
    await opened.close()


# ── embedders ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def filled(folder: Path, embedder: Any) -> None:
    opened = store(folder, embedder)
    await opened.open()
    await opened.put([memory(name, f"m{n}", f"the sword number {n}") for name in "cd" for n in range(5)])
    await opened.close()


async def test_vectors_of_another_embedder_are_refused_until_they_are_made_again(tmp_path: Path) -> None:
    await filled(tmp_path, EMBEDDER)
    other = store(tmp_path, Letters())
    with pytest.raises(EmbedderMismatch, match=r"made by the embedder 'static'.*'letters'.*`earwitness reembed`"):
        await other.open()
    assert await other.reembed() == 10
    await other.open()
    assert [each.id for each in await other.list("c")] == [f"m{n}" for n in range(5)]
    assert len(await other.search("d", "the sword")) == 5
    await other.close()
    with pytest.raises(EmbedderMismatch, match="made by the embedder 'letters'"):
        await store(tmp_path).open()


async def test_a_place_without_memories_takes_any_embedder(tmp_path: Path) -> None:
    for embedder in (EMBEDDER, Letters(), None):
        opened = store(tmp_path, embedder)
        await opened.open()
        assert (await opened.health()).ok
        await opened.close()


async def test_an_interrupted_change_of_embedder_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from earwitness_plugins.stores.qdrant import embedder_change

    monkeypatch.setattr(embedder_change, "_AT_ONCE", 4)
    await filled(tmp_path, EMBEDDER)
    letters = Letters()
    impossible = store(tmp_path)
    await impossible.open()
    await impossible.put([memory("c", "m9", "impossible")])
    await impossible.close()
    with pytest.raises(ValueError, match="impossible"):
        await store(tmp_path, letters).reembed()
    old = store(tmp_path)  # until every vector is made, the old ones are what there is
    await old.open()
    await old.put([memory("c", "m9", "possible"), memory("c", "m0", "another sword")])
    await old.remove({"d": ["m0", "m1", "m2"]})
    await old.close()
    assert await store(tmp_path, letters).reembed() == 8
    assert letters.asked < 4 + 4 + 4 + 11
    again = store(tmp_path, letters)
    await again.open()
    assert [each.content for each in await again.get("c", ["m0", "m9"])] == ["another sword", "possible"]
    assert [each.id for each in await again.list("d")] == ["m3", "m4"]
    await again.close()


# ── folders and servers ─────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_folder_that_is_open_is_refused(tmp_path: Path) -> None:
    opened = store(tmp_path)
    await opened.open()
    with pytest.raises(StorageLocked, match=r"is open in another program, or twice in this one.*Qdrant server"):
        await store(tmp_path).open()
    await opened.put([memory("c", "m")])
    await opened.close()
    again = store(tmp_path)
    await again.open()
    assert await again.count("c") == 1
    await again.close()


async def test_a_server_knows_the_tenants_and_programs_see_each_others_writes() -> None:
    with QdrantServer.running() as server:
        one, other = (QdrantStore(path="", url=server.url, embedder=EMBEDDER) for _ in range(2))
        await one.open()
        await other.open()
        assert ("container", {"type": "keyword", "is_tenant": True}) in [index[1:] for index in server.indexes]
        for n in range(3):
            await one.put([memory("c", f"m{n}", f"the sword {n}", gameDay=3.0), memory("d", "m", "bread")])
            assert len(await other.search("c", "the sword")) == n + 1
        await one.put([memory("c", "m0", "a loaf")])
        await one.remove({"c": ["m1"]})
        assert [hit.memory.content for hit in await other.search("c", "loaf or sword")] == ["a loaf", "the sword 2"]
        await one.drop("c")
        assert list(await other.search("c", "the sword")) == []
        assert (await other.health()).details["memories"] == 1
        await one.close()
        await other.close()


async def test_a_server_that_goes_away_is_a_storage_error_and_nothing_is_lost() -> None:
    with QdrantServer.running() as server:
        opened = QdrantStore(path="", url=server.url, embedder=EMBEDDER, timeout=1)
        await opened.open()
        await opened.put([memory("c", "m")])
        server.refuses = True
        for call in (opened.put([memory("c", "n")]), opened.search("c", "the sword"), opened.list("c")):
            with pytest.raises(StorageError, match=r"answered HTTP 5\d\d"):
                await call
        server.refuses = False
        await opened.put([memory("c", "n")])
        assert [each.id for each in await opened.list("c")] == ["m", "n"]
        await opened.close()


async def test_errors_are_in_our_words(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="is not open"):
        await store(tmp_path).count("c")
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="is a file"):
        await QdrantStore(path=str(tmp_path / "file"), embedder=EMBEDDER).open()
    away = QdrantStore(path="", url="http://127.0.0.1:1", embedder=EMBEDDER, timeout=1)
    with pytest.raises(StorageError, match=r"'http://127.0.0.1:1' does not answer.*Start the server, or correct `url`"):
        await away.open()
    assert not (await away.health()).ok
    with pytest.raises(SettingsError, match="set url"):
        QdrantStore(path="", api_key=SecretStr("x"), embedder=EMBEDDER)
    ours = Settings.model_validate({"path": "story.db"})
    with pytest.raises(SettingsError, match="url is a server and path = 'memories' a folder"):
        QdrantStore(path="memories", url="http://127.0.0.1:1", embedder=EMBEDDER, settings=ours)
    QdrantStore(path="story.db", url="http://127.0.0.1:1", embedder=EMBEDDER, settings=ours)


async def test_without_the_client_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    with pytest.raises(SettingsError, match=r"pip install 'earwitness\[qdrant\]'"):
        await store(tmp_path).open()


async def test_a_call_that_was_given_up_leaves_a_right_index(tmp_path: Path) -> None:
    opened = store(tmp_path)
    await opened.open()
    await opened.search("c", "the sword")
    for n in range(8):
        task = asyncio.create_task(opened.put([memory("c", f"m{n}-{part}", f"sword {n}") for part in range(20)]))
        await asyncio.sleep(0.001 * n)
        task.cancel()
        await asyncio.wait([task])
    found = {hit.memory.id for hit in await opened.search("c", "sword", limit=1_000)}
    listed = {each.id for each in await opened.list("c")}
    await opened.close()
    await opened.open()
    assert found == listed == {each.id for each in await opened.list("c")}
    await opened.close()


KILLED = """
import asyncio, sys
from itertools import count
from earwitness.records.memory import Memory
from earwitness_plugins.stores.qdrant import QdrantStore

async def main():
    store = QdrantStore(path=sys.argv[1], embedder=None)
    await store.open()
    first = min([await store.count(f"c{n}") for n in range(3)])  # a turn that was written in part is written again
    for turn in count(first):
        new = Memory(id=f"t{turn}", container="c0", content=f"turn {turn}", metadata={})
        await store.put([new.model_copy(update={"container": f"c{n}"}) for n in range(3)])
        print(turn, flush=True)

asyncio.run(main())
"""


def killed_after(turns: int, folder: Path) -> int:
    """The last turn that a program acknowledged which was killed in the middle of the next one."""
    with subprocess.Popen([sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE) as told:
        assert told.stdout is not None
        acknowledged = [int(told.stdout.readline()) for _ in range(turns)]
        told.send_signal(SIGKILL)
    return acknowledged[-1]


async def test_killed_at_random_nothing_acknowledged_is_lost_and_nothing_is_there_twice(tmp_path: Path) -> None:
    acknowledged = -1
    for turns in (3, 1, 7):
        acknowledged = killed_after(turns, tmp_path / "qdrant")
    opened = store(tmp_path, None)
    await opened.open()
    for n in range(3):
        turns_kept = [each.id for each in await opened.list(f"c{n}")]
        assert turns_kept[: acknowledged + 1] == [f"t{turn}" for turn in range(acknowledged + 1)]
        assert len(turns_kept) <= acknowledged + 2
    await opened.close()


# ── chosen by one line of settings ──────────────────────────────────────────────────────────────────────────────────


async def test_one_line_of_settings_chooses_it(tmp_path: Path) -> None:
    async with Earwitness.open(settings=Settings.of(path=str(tmp_path / "story.db"), store="qdrant")) as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        await (await story.say("alice", "The sword is in the cave.")).settled()
        await story.delivered()
        assert len((await story.backstage().inspect("bob")).memories) == 1
    assert (tmp_path / "story.db.qdrant" / "meta.json").exists()


def test_large_numbers_come_back_as_they_were() -> None:
    from earwitness_plugins.qdrant.points import StoredMemory

    shape = MemoryPayload()
    kept = StoredMemory(memory("c", "m", large=2**80, huge=10**400, small=-(2**64), day=2**53 + 1), 1, 2)
    payload = shape.payload(kept, None)
    assert all(abs(value) < 2**63 for value in payload["metadata"].values() if isinstance(value, int))
    assert payload["metadata"]["large"] == pytest.approx(2**80)
    assert shape.read(payload) == kept
