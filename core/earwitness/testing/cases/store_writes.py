"""Put, get, list, count, remove, drop: every memory is kept once, unchanged and in order."""

# ruff: noqa: S101
from __future__ import annotations

from ...protocols import Store
from ...records.backends import Health
from ...records.memory import Memory
from ...records.memory_types import MetaValue
from ..samples import LONG_TEXTS, ODD_TEXTS, memory
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
        texts = self.short_enough(ODD_TEXTS)
        written = [memory("c", f"m{n}", text, location=text) for n, text in enumerate(texts)]
        await store.put(written)
        assert await self.contents(store, "c", [each.id for each in written]) == written

    @case
    async def test_no_text_takes_more_than_its_length(self, store: Store) -> None:
        """Contents and queries of 24,000 characters are kept and searched in `seconds` each."""
        texts = self.short_enough(LONG_TEXTS)
        for number, text in enumerate(texts):
            with within_seconds(self.seconds, text):
                await store.put([memory("c", f"m{number}", text)])
                await store.search("c", text)
        found = await self.contents(store, "c", [f"m{number}" for number in range(len(texts))])
        assert [each.content for each in found] == texts

    @case
    async def test_put_replaces_and_never_appends(self, store: Store) -> None:
        """The same (container, id) again is the same memory with other content and no old metadata."""
        await store.put([memory("c", "m", "old", location="tavern")])
        await store.put([memory("c", "m", "new", gameDay=2)])
        assert await self.contents(store, "c", ["m"]) == [memory("c", "m", "new", gameDay=2)]
        assert await self.size(store, "c", ["m"]) == 1

    @case
    async def test_putting_the_same_again_changes_nothing(self, store: Store) -> None:
        """A batch may be sent twice."""
        batch = [memory("c", f"m{n}", f"word{n}") for n in range(5)]
        await store.put(batch)
        await store.put(batch)
        assert await self.contents(store, "c", [each.id for each in batch]) == batch

    @case
    async def test_the_last_of_two_writes_in_one_batch_stands(self, store: Store) -> None:
        """One batch may name a memory twice."""
        await store.put([memory("c", "m", "first"), memory("c", "other"), memory("c", "m", "second")])
        assert [(found.id, found.content) for found in await store.get("c", ["m"])] == [("m", "second")]
        assert await self.size(store, "c", ["m", "other"]) == 2

    @case
    async def test_the_list_is_in_the_order_of_first_writing(self, store: Store) -> None:
        """This holds across batches, whatever the ids. A replaced memory keeps its place."""
        self.needs("enumerates")
        await store.put([memory("c", "z"), memory("c", "a")])
        await store.put([memory("c", "m"), memory("c", "b"), memory("c", "z", "replaced")])
        assert [found.id for found in await store.list("c")] == ["z", "a", "m", "b"]

    @case
    async def test_the_list_comes_in_pages(self, store: Store) -> None:
        """`limit` and `offset` cut the same list; a page past the end is empty."""
        self.needs("enumerates")
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
        assert [found.id for found in await self.contents(store, "c", "abc")] == ["a", "c"]
        assert await self.size(store, "c", "abc") == 2

    @case
    async def test_a_removed_memory_may_come_again(self, store: Store) -> None:
        """It is a new memory then, at the end of the list, with nothing of the old one."""
        await store.put([memory("c", "a", "old", location="tavern"), memory("c", "b")])
        await store.remove({"c": ["a"]})
        await store.put([memory("c", "a", "new")])
        assert await self.contents(store, "c", "ba") == [memory("c", "b"), memory("c", "a", "new")]

    @case
    async def test_drop_removes_the_container_and_is_harmless_again(self, store: Store) -> None:
        """Forgetting can therefore be repeated after a crash."""
        await store.put([memory("c", "a"), memory("c", "b")])
        await store.drop("c")
        await store.drop("c")
        assert await self.size(store, "c", "ab") == 0
        assert await self.contents(store, "c", "ab") == []
        assert list(await store.search("c", "sword")) == []
        await store.put([memory("c", "a", "again")])
        assert await self.contents(store, "c", "ab") == [memory("c", "a", "again")]

    @case
    async def test_an_unknown_container_is_empty(self, store: Store) -> None:
        """Reading it finds nothing, raises nothing and creates nothing."""
        await store.put([memory("c", "a")])
        assert await self.size(store, "nowhere", "a") == 0
        assert await self.contents(store, "nowhere", "a") == list(await store.get("nowhere", ["a"])) == []
        assert list(await store.search("nowhere", "sword")) == []

    @case
    async def test_an_empty_batch_is_fine(self, store: Store) -> None:
        """Nothing is written."""
        await store.put([])
        assert await self.size(store, "c", ["m"]) == 0

    @case
    async def test_a_batch_that_cannot_be_written_leaves_nothing_behind(self, store: Store) -> None:
        """No container changes, whether the memories were new or replacements."""
        self.needs("atomic")
        await store.put([memory("c", "old", "as it was")])
        impossible = memory("d", "bad").model_copy(update={"content": object()})
        try:
            await store.put([memory("c", "old", "changed"), memory("d", "new"), impossible, memory("e", "later")])
        except Exception:  # noqa: BLE001 - the store chooses the error
            assert await self.contents(store, "c", ["old"]) == [memory("c", "old", "as it was")]
            assert [await self.size(store, container, ["new", "bad", "later"]) for container in "de"] == [0, 0]
        else:
            raise AssertionError("put() took a memory whose content is not text, and raised nothing")

    @case
    async def test_what_was_put_is_there_after_a_new_start(self, store: Store) -> None:
        """Memories, their order and removals survive closing and opening again."""
        self.needs("persistent")
        await store.put([memory("c", id, f"word {id}") for id in "bac"])
        await store.remove({"c": ["a"]})
        await store.close()
        async with self.subject() as reopened:
            assert [found.id for found in await self.contents(reopened, "c", "bac")] == ["b", "c"]
            await self.until_searchable(reopened)
            assert [hit.memory.id for hit in await reopened.search("c", "word c", limit=1)] == ["c"]
        await store.open()

    @case
    async def test_two_open_stores_see_each_other_at_once(self, store: Store) -> None:
        """Reads and searches see the writes, replacements and removals of another process."""
        self.needs("shared")
        async with self.subject() as other:
            await store.put([memory("c", "a", "the golden crown")])
            await self.until_shared(other)
            assert [hit.memory.id for hit in await other.search("c", "golden crown")] == ["a"]
            await other.put([memory("c", "a", "a rusty spoon"), memory("c", "b", "the golden crown")])
            await self.until_shared(store)
            assert [hit.memory.id for hit in await store.search("c", "golden crown", limit=1)] == ["b"]
            await other.remove({"c": ["b"]})
            await self.until_shared(store)
            assert await self.contents(store, "c", "ab") == [memory("c", "a", "a rusty spoon")]
            assert [hit.memory.id for hit in await store.search("c", "golden crown")] in ([], ["a"])

    @case
    async def test_the_store_can_say_how_it_is(self, store: Store) -> None:
        """The `doctor` command asks for this."""
        health = await store.health()
        assert isinstance(health, Health)
        assert health.ok, health.details
