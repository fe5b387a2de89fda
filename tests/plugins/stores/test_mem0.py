"""The store `mem0`: its users find their fields, and their own records stay. Its contract is in tests/conformance."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import EmbedderMismatch, SettingsError, StorageError, StorageLocked
from earwitness.filters import Compare, Not, equals, matches
from earwitness.testing.samples import HOSTILE_NAMES, ODD_NAMES, memory
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.qdrant.points import StoredMemory, point_id
from earwitness_plugins.stores.mem0 import Mem0Store
from earwitness_plugins.stores.mem0.client import _discreet
from earwitness_plugins.stores.mem0.payload import Mem0Record, user_id

NOT_HERE = pytest.mark.skipif(find_spec("mem0") is None, reason="the extra 'mem0' is not installed")
pytestmark = [pytest.mark.anyio, NOT_HERE]
EMBEDDER = StaticEmbedder()


class Given:
    """Our embedder in the place of mem0's."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector: list[float] = EMBEDDER.embed([text])[0].tolist()
        return vector

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def store(folder: Path, embedder: Any = EMBEDDER) -> Mem0Store:
    return Mem0Store(path=str(folder / "mem0"), embedder=embedder)


@contextmanager
def mem0_itself(folder: Path) -> Iterator[Any]:
    """`mem0.Memory` on the same folder, as its users configure it."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none", "MEM0_DIR": str(folder)}.items():
            patched.setenv(name, value)
        from mem0 import Memory

        vectors = {"path": str(folder / "mem0"), "embedding_model_dims": 256, "on_disk": True}
        opened = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": vectors},
                "history_db_path": str(folder / "mem0" / "history.db"),
            }
        )
        opened.embedding_model = Given()
        try:
            yield opened
        finally:
            opened.close()
            opened.vector_store.client.close()


async def test_users_of_mem0_find_their_fields(tmp_path: Path) -> None:
    ours = store(tmp_path)
    await ours.open()
    told = memory("s1-alice", "m1", "The sword is in the cave.", speaker="bob", sharedFrom="bob", gameDay=2)
    await ours.put([told, memory("s1-alice", "m2", "It rained all day.", gameDay=3)])
    await ours.put([memory("s1-bob", "m1", "Bob baked bread.")])
    await ours.put([told.model_copy(update={"content": "The sword is in the lake."})])
    await ours.close()
    with mem0_itself(tmp_path) as theirs:
        found = theirs.search("Where is the sword?", filters={"user_id": "s1-alice"}, top_k=1)["results"][0]
        assert found["memory"] == "The sword is in the lake."
        assert found["metadata"]["learned_from_character_id"] == "bob"
        assert (found["metadata"]["speaker"], found["metadata"]["gameDay"]) == ("bob", 2)
        assert found["created_at"] < found["updated_at"]
        assert len(found["hash"]) == 32
        for who in ({"user_id": "s1-alice"}, {"agent_id": "s1-alice"}):
            every = theirs.get_all(filters=who)["results"]
            assert {each["memory"] for each in every} == {"The sword is in the lake.", "It rained all day."}
        later = theirs.get_all(filters={"user_id": "s1-alice", "gameDay": {"gte": 3}})["results"]
        assert [each["memory"] for each in later] == ["It rained all day."]
        history = [(each["event"], each["new_memory"]) for each in theirs.history(found["id"])]
        assert history == [("ADD", told.content), ("UPDATE", "The sword is in the lake.")]


async def test_what_its_users_write_is_nobodys_memory_and_stays(tmp_path: Path) -> None:
    ours = store(tmp_path)
    await ours.open()
    await ours.put([memory("s1-alice", "m1", "the sword")])
    await ours.close()
    with mem0_itself(tmp_path) as theirs:
        theirs.add("Alice likes swords.", user_id="s1-alice", infer=False)
        theirs.update(point_id("s1-alice", "m1"), "the lance")
    await ours.open()
    assert [hit.memory.content for hit in await ours.search("s1-alice", "swords and lances")] == ["the lance"]
    assert await ours.count("s1-alice") == 1
    await ours.drop("s1-alice")
    assert await ours.count("s1-alice") == 0
    await ours.close()
    with mem0_itself(tmp_path) as theirs:
        left = theirs.get_all(filters={"user_id": "s1-alice"})["results"]
        assert [each["memory"] for each in left] == ["Alice likes swords."]


async def test_metadata_that_means_something_else_to_mem0_comes_back(tmp_path: Path) -> None:
    names = ("data", "hash", "user_id", "agent_id", "run_id", "role", "created_at", "memory", "earwitness", "a.b", "")
    odd = memory("c", "m", "the sword", large=2**80, **dict.fromkeys(names, "mine"))
    ours = store(tmp_path)
    await ours.open()
    await ours.put([odd, memory("c", "n", "bread")])
    assert list(await ours.get("c", ["m"])) == [odd]
    for filter in (*(equals(name, "mine") for name in names), equals("large", 2**80), Compare("large", ">", 3)):
        expected = [each.id for each in (odd, memory("c", "n")) if matches(filter, each.metadata)]
        assert [each.id for each in await ours.list("c", filter=filter)] == expected, filter
        assert "n" in [each.id for each in await ours.list("c", filter=Not(filter))]
    await ours.close()


def test_every_container_has_an_id_that_mem0_takes_and_no_two_share_one() -> None:
    from mem0.memory.main import _validate_and_trim_entity_id

    names = list(dict.fromkeys((*ODD_NAMES, *HOSTILE_NAMES, "", "*", "s1-alice", user_id("*"), user_id("a b"))))
    ids = [user_id(name) for name in names]
    assert len(set(ids)) == len(names)
    assert all(_validate_and_trim_entity_id(id, "user_id") == id != "*" for id in ids)
    assert user_id("s1-alice") == "s1-alice"


def test_a_record_says_when_it_was_first_and_last_written() -> None:
    record = Mem0Record().payload(StoredMemory(memory("c", "m"), 1_000_000, 2_500_000), None)
    assert record["created_at"] == "1970-01-01T00:00:01+00:00"
    assert record["updated_at"] == "1970-01-01T00:00:02.500000+00:00"


async def test_vectors_of_another_embedder_are_refused(tmp_path: Path) -> None:
    ours = store(tmp_path)
    await ours.open()
    await ours.close()
    with pytest.raises(EmbedderMismatch, match=r"made by the embedder 'static'.*name another `collection`.*migrate"):
        await store(tmp_path, None).open()
    await ours.open()
    with pytest.raises(StorageLocked, match="is open in another program"):
        await store(tmp_path).open()
    assert (await ours.health()).ok
    await ours.close()


async def test_vectors_in_a_collection_of_others_are_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot make the vectors of the store 'mem0' again"):
        await store(tmp_path).reembed()


async def test_mem0s_advice_on_its_own_search_is_not_passed_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ours = store(tmp_path)
    await ours.open()
    await ours.put([memory("c", "m")])
    await ours.close()
    assert [each for each in caplog.records if each.levelname == "WARNING"] == []


async def test_without_mem0_it_says_what_to_install_also_for_a_folder_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = store(tmp_path)
    await ours.open()
    await ours.close()
    for missing in ("mem0.utils.factory", "portalocker"):
        monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SettingsError, match=r"pip install 'earwitness\[mem0\]'"):
        await store(tmp_path).open()


def test_nothing_is_told_to_anybody_and_the_hosts_word_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == "mem0"]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("MEM0_TELEMETRY", "MEM0_DIR"):
        monkeypatch.delenv(name, raising=False)
    with _discreet("there"):
        assert os.environ["MEM0_TELEMETRY"] == "False"
        assert os.environ["MEM0_DIR"] == str(Path("there", ".mem0"))
    assert {"MEM0_TELEMETRY", "MEM0_DIR"}.isdisjoint(os.environ)
    monkeypatch.setenv("MEM0_TELEMETRY", "True")
    monkeypatch.setenv("MEM0_DIR", "mine")
    with _discreet("there"):
        assert (os.environ["MEM0_TELEMETRY"], os.environ["MEM0_DIR"]) == ("True", "mine")
