"""Put, get, list, count, remove, drop: every memory is kept once, unchanged and in order."""

# ruff: noqa: S101
from __future__ import annotations

from ...protocols import Store
from ...records.backends import Health
from ...records.memory import Memory
from ...records.memory_types import MetaValue
from ..samples import LONG_TEXTS, LOOKALIKES, ODD_NAMES, ODD_TEXTS, memory
from ..suite import case, within_seconds
from .store_base import StoreCases


class Keeping(StoreCases):
    """The content of one container."""

    @case
    async def test_what_was_put_comes_back_as_it_was(self, store: Store) -> None:
        """Content, metadata and the types of its values come back."""
        rich: dict[str, MetaValue] = {
            "speaker": "bob",
            "gameDay": 2.5,
            "turn": 3,
            "isSpeaker": True,
            "participants": ["alice", "bob"],
            "none": [],
        }
        written = Memory(id="m", container="c", content="Bob: hello", metadata=rich)
        await store.put([written])
        (found,) = await store.get("c", ["m"])
        assert found == written
        assert {key: type(value) for key, value in found.metadata.items()} == {k: type(v) for k, v in rich.items()}

    @case
    async def test_any_text_is_only_text(self, store: Store) -> None:
        """Content and metadata may hold quotes, SQL, markup, our own headings, any script, or be empty."""
        written = [memory("c", f"m{n}", text, location=text) for n, text in enumerate(ODD_TEXTS)]
        await store.put(written)
        assert list(await store.list("c")) == written

    @case
    async def test_any_id_is_only_an_id(self, store: Store) -> None:
        """Ids that look like patterns, paths, SQL or each other name one memory each."""
        await store.put([memory("c", id, f"memory number {n}") for n, id in enumerate(ODD_NAMES)])
        for n, id in enumerate(ODD_NAMES):
            assert [found.content for found in await store.get("c", [id])] == [f"memory number {n}"]
        await store.remove({"c": ODD_NAMES[:5]})
        assert [found.id for found in await store.list("c")] == list(ODD_NAMES[5:])

    @case
    async def test_any_metadata_key_is_only_a_key(self, store: Store) -> None:
        """Metadata keys never reach a query language or a path."""
        await store.put([memory("c", "m", **{name: name for name in ODD_NAMES})])
        (found,) = await store.get("c", ["m"])
        assert found.metadata == {"type": "message", **{name: name for name in ODD_NAMES}}

    @case
    async def test_names_that_look_alike_are_apart(self, store: Store) -> None:
        """Containers and ids that differ by an invisible character are different ones."""
        for name in LOOKALIKES:
            await store.put([memory(name, id, f"{name} {id}") for id in LOOKALIKES])
        for name in LOOKALIKES:
            found = {each.id: each.content for each in await store.list(name)}
            assert found == {id: f"{name} {id}" for id in LOOKALIKES}, ascii(name)

    @case
    async def test_no_text_takes_more_than_its_length(self, store: Store) -> None:
        """Contents and queries of 24,000 characters are kept and searched in `seconds` each."""
        for number, text in enumerate(LONG_TEXTS):
            with within_seconds(self.seconds, text):
                await store.put([memory("c", f"m{number}", text)])
                await store.search("c", text)
        assert [each.content for each in await store.list("c")] == list(LONG_TEXTS)

    @case
    async def test_put_replaces_and_never_appends(self, store: Store) -> None:
        """The same (container, id) again is the same memory with other content and no old metadata."""
        await store.put([memory("c", "m", "old", location="tavern")])
        await store.put([memory("c", "m", "new", gameDay=2)])
        assert await store.count("c") == 1
        assert list(await store.list("c")) == [memory("c", "m", "new", gameDay=2)]

    @case
    async def test_putting_the_same_again_changes_nothing(self, store: Store) -> None:
        """A batch may be sent twice."""
        batch = [memory("c", f"m{n}", f"word{n}") for n in range(5)]
        await store.put(batch)
        await store.put(batch)
        assert list(await store.list("c")) == batch

    @case
    async def test_the_last_of_two_writes_in_one_batch_stands(self, store: Store) -> None:
        """One batch may name a memory twice."""
        await store.put([memory("c", "m", "first"), memory("c", "other"), memory("c", "m", "second")])
        assert [(found.id, found.content) for found in await store.get("c", ["m"])] == [("m", "second")]
        assert await store.count("c") == 2

    @case
    async def test_the_list_is_in_the_order_of_first_writing(self, store: Store) -> None:
        """This holds across batches, whatever the ids. A replaced memory keeps its place."""
        await store.put([memory("c", "z"), memory("c", "a")])
        await store.put([memory("c", "m"), memory("c", "b"), memory("c", "z", "replaced")])
        assert [found.id for found in await store.list("c")] == ["z", "a", "m", "b"]

    @case
    async def test_the_list_comes_in_pages(self, store: Store) -> None:
        """`limit` and `offset` cut the same list; a page past the end is empty."""
        await store.put([memory("c", f"m{n}") for n in range(7)])
        pages = [await store.list("c", limit=3, offset=offset) for offset in (0, 3, 6, 9)]
        assert [[found.id for found in page] for page in pages] == [["m0", "m1", "m2"], ["m3", "m4", "m5"], ["m6"], []]
        assert [found.id for found in await store.list("c", offset=5)] == ["m5", "m6"]
        assert list(await store.list("c", limit=0)) == []

    @case
    async def test_get_answers_in_the_order_asked(self, store: Store) -> None:
        """Ids that do not exist are left out."""
        await store.put([memory("c", id) for id in "abc"])
        assert [found.id for found in await store.get("c", ["c", "nobody", "a"])] == ["c", "a"]
        assert list(await store.get("c", [])) == []

    @case
    async def test_remove_takes_exactly_what_it_names(self, store: Store) -> None:
        """Unknown ids and containers are fine."""
        await store.put([memory("c", id) for id in "abc"])
        await store.remove({"c": ["b", "nobody"], "nowhere": ["a"]})
        await store.remove({})
        assert [found.id for found in await store.list("c")] == ["a", "c"]
        assert await store.count("c") == 2

    @case
    async def test_a_removed_memory_may_come_again(self, store: Store) -> None:
        """It is a new memory then, at the end of the list, with nothing of the old one."""
        await store.put([memory("c", "a", "old", location="tavern"), memory("c", "b")])
        await store.remove({"c": ["a"]})
        await store.put([memory("c", "a", "new")])
        assert list(await store.list("c")) == [memory("c", "b"), memory("c", "a", "new")]

    @case
    async def test_drop_removes_the_container_and_is_harmless_again(self, store: Store) -> None:
        """Forgetting can therefore be repeated after a crash."""
        await store.put([memory("c", "a"), memory("c", "b")])
        await store.drop("c")
        await store.drop("c")
        assert await store.count("c") == 0
        assert list(await store.list("c")) == []
        assert list(await store.search("c", "sword")) == []
        await store.put([memory("c", "a", "again")])
        assert list(await store.list("c")) == [memory("c", "a", "again")]

    @case
    async def test_an_unknown_container_is_empty(self, store: Store) -> None:
        """Reading it finds nothing, raises nothing and creates nothing."""
        await store.put([memory("c", "a")])
        assert await store.count("nowhere") == 0
        assert list(await store.list("nowhere")) == list(await store.get("nowhere", ["a"])) == []
        assert list(await store.search("nowhere", "sword")) == []

    @case
    async def test_an_empty_batch_is_fine(self, store: Store) -> None:
        """Nothing is written."""
        await store.put([])
        assert await store.count("c") == 0

    @case
    async def test_a_batch_that_cannot_be_written_leaves_nothing_behind(self, store: Store) -> None:
        """No container changes, whether the memories were new or replacements."""
        self.needs("atomic")
        await store.put([memory("c", "old", "as it was")])
        impossible = memory("d", "bad").model_copy(update={"content": object()})
        try:
            await store.put([memory("c", "old", "changed"), memory("d", "new"), impossible, memory("e", "later")])
        except Exception:  # noqa: BLE001 - the store chooses the error
            assert list(await store.list("c")) == [memory("c", "old", "as it was")]
            assert [await store.count(container) for container in "de"] == [0, 0]
        else:
            raise AssertionError("put() took a memory whose content is no text, and raised nothing")

    @case
    async def test_what_was_put_is_there_after_a_new_start(self, store: Store) -> None:
        """Memories, their order and removals survive closing and opening again."""
        self.needs("persistent")
        await store.put([memory("c", id, f"word {id}") for id in "bac"])
        await store.remove({"c": ["a"]})
        await store.close()
        async with self.subject() as reopened:
            assert [found.id for found in await reopened.list("c")] == ["b", "c"]
            await self.until_searchable(reopened)
            assert [hit.memory.id for hit in await reopened.search("c", "word c", limit=1)] == ["c"]
        await store.open()

    @case
    async def test_two_open_stores_see_each_other_at_once(self, store: Store) -> None:
        """Reads and searches see the writes, replacements and removals of another process."""
        self.needs("shared")
        async with self.subject() as other:
            await store.put([memory("c", "a", "the golden crown")])
            await self.until_searchable(other)
            assert [hit.memory.id for hit in await other.search("c", "golden crown")] == ["a"]
            await other.put([memory("c", "a", "a rusty spoon"), memory("c", "b", "the golden crown")])
            await self.until_searchable(store)
            assert [hit.memory.id for hit in await store.search("c", "golden crown", limit=1)] == ["b"]
            await other.remove({"c": ["b"]})
            assert list(await store.list("c")) == [memory("c", "a", "a rusty spoon")]
            assert [hit.memory.id for hit in await store.search("c", "golden crown")] in ([], ["a"])

    @case
    async def test_the_store_can_say_how_it_is(self, store: Store) -> None:
        """The `doctor` command asks for this."""
        health = await store.health()
        assert isinstance(health, Health)
        assert health.ok, health.details
