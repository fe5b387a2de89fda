"""A batch that is written in part: the store names exactly what it has written, and the rest follows in order."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from unittest import SkipTest

from ...errors import MemoriesRefused, PartialWrite, StorageError
from ...extras import NewMemoryStore
from ...protocols import Store
from ...records.memory import Memory
from ...refusals import MemoryAddress, address
from ..samples import memory
from ..suite import case
from .store_base import StoreCases

OLD = (memory("c", "old", "as it was"), memory("d", "kept", "as it was"))
BATCH = (
    memory("c", "old", "changed"),
    memory("c", "one"),
    memory("d", "two"),
    memory("c", "three"),
    memory("d", "four"),
)


class PartlyWritten(StoreCases):
    """What a store says of a batch that it could not finish."""

    @case
    async def test_a_batch_with_a_bad_memory_names_exactly_what_was_written(self, store: Store) -> None:
        """What `PartialWrite` names is written, and nothing else; with any other error, nothing is."""
        self.needs("names_what_was_written")
        await store.put(OLD)
        bad = memory("d", "bad").model_copy(update={"content": object()})
        written = await _written_by(store.put([*BATCH[:3], bad, *BATCH[3:]]), any_error=True)
        assert await self._held(store) == _expected(
            each for each in BATCH if each.id in written.get(each.container, ())
        )

    @case
    async def test_a_put_that_is_cut_short_names_exactly_what_was_written(self, store: Store) -> None:
        """The rest follows, and each container is in the order of the batch then."""
        self.needs("names_what_was_written")
        for after in range(len(BATCH)):
            await store.remove({"c": ["old", "one", "three"], "d": ["kept", "two", "four"]})
            await store.put(OLD)
            with self._failing(store, after):
                written = await _written_by(store.put(BATCH))
            rest = [each for each in BATCH if each.id not in written.get(each.container, ())]
            assert await self._held(store) == _expected(each for each in BATCH if each not in rest)
            await store.put(rest)
            assert await self._held(store) == _expected(BATCH)
            if self.enumerates is True:
                assert [each.id for each in await store.list("c")] == ["old", "one", "three"]

    @case
    async def test_what_is_new_is_put_as_anything_else(self, store: Store) -> None:
        """Only a `NewMemoryStore` is asked. What was put as new may be put again, in other words, and removed; what was
        cut short is completed by a `put`."""
        if not isinstance(store, NewMemoryStore):
            raise SkipTest(f"{type(store).__name__} puts what is new like anything else")
        await store.put(OLD)
        await store.put_new(BATCH[1:3])
        await store.put_new(BATCH[3:])
        await store.put([BATCH[0], *BATCH])
        assert await self._held(store) == _expected(BATCH)
        await store.put([memory("c", "one", "in other words")])
        assert [each.content for each in await store.get("c", ["one"])] == ["in other words"]
        await store.remove({"c": ["one", "three"], "d": ["two", "four"]})
        for after in range(3 if self.cut_short(store, 0) else 0):
            new = [memory("c", f"new{after}a"), memory("d", f"new{after}b"), memory("c", f"new{after}c")]
            with self._failing(store, after), suppress(StorageError):
                await store.put_new(new)
            await store.put(new)
            for name, ids in (("c", [new[0].id, new[2].id]), ("d", [new[1].id])):
                assert [each.id for each in await store.get(name, ids)] == ids
                assert [each.content for each in await store.get(name, ids)] == [new[0].content] * len(ids)

    @case
    async def test_a_removal_that_is_cut_short_names_exactly_what_was_removed(self, store: Store) -> None:
        """The rest can be removed afterwards."""
        self.needs("names_what_was_written")
        ids = {"c": ["old", "one", "three"], "d": ["two", "four"]}
        for after in range(len(BATCH)):
            await store.put(BATCH)
            with self._failing(store, after):
                removed = await _written_by(store.remove(ids))
            assert await self._held(store) == {
                name: {each.id: each.content for each in BATCH if each.container == name and each.id not in gone}
                for name, gone in (("c", removed.get("c", ())), ("d", removed.get("d", ())))
            }
            await store.remove({name: [id for id in of if id not in removed.get(name, ())] for name, of in ids.items()})
            assert await self._held(store) == {"c": {}, "d": {}}

    @case
    async def test_what_is_refused_for_good_is_named_and_the_others_pass_it(self, store: Store) -> None:
        """`MemoriesRefused` names it, with a reason; what it names as neither that nor written follows when it is put.

        Of a refused memory, the store holds nothing or the older wording. Once it is taken, it is there."""
        self.needs("names_what_was_written")
        batch = [memory(each.container, each.id, f"the new text of {each.id}") for each in BATCH]
        await store.put(OLD)
        with self._refusing(store, [each.content for each in batch if each.id in {"old", "two"}]):
            named, written, left = set[MemoryAddress](), set[MemoryAddress](), batch
            while left:
                new, done = await _refused_by(store, left)
                assert new or done == set(map(address, left)), "the error names nothing that is refused"
                named, written = named | new, written | done
                left = [each for each in left if address(each) not in named | written]
            assert named == {("c", "old"), ("d", "two")}
            held = await self._held(store)
            assert held["c"].pop("old", "as it was") == "as it was"
            assert held["c"].keys() == {"one", "three"}
            assert held["d"].keys() == {"kept", "four"}
            await store.remove({"c": ["old"], "d": ["two"]})
            assert "old" not in (await self._held(store))["c"]
        await store.put(batch)
        assert await self._held(store) == _expected(batch)

    def _refusing(self, store: Store, contents: Sequence[str]) -> AbstractContextManager[object]:
        if (refusing := self.refusing(store, contents)) is None:
            raise SkipTest(f"{type(self).__name__}.refusing() is not defined")
        return refusing

    async def _held(self, store: Store) -> dict[str, dict[str, str]]:
        ids = [each.id for each in (*OLD, *BATCH)]
        return {name: {each.id: each.content for each in await self.contents(store, name, ids)} for name in "cd"}

    def _failing(self, store: Store, after: int) -> AbstractContextManager[object]:
        if (failing := self.cut_short(store, after)) is None:
            raise SkipTest(f"{type(self).__name__}.cut_short() is not defined")
        return failing


async def _written_by(work: Awaitable[None], *, any_error: bool = False) -> Mapping[str, frozenset[str]]:
    """What a write that must fail says it has done."""
    try:
        await work
    except PartialWrite as error:
        return error.written
    except Exception as error:
        if not any_error and not isinstance(error, StorageError):
            raise
        return {}
    raise AssertionError("the whole batch was taken, and nothing was raised")


async def _refused_by(store: Store, memories: Sequence[Memory]) -> tuple[set[MemoryAddress], set[MemoryAddress]]:
    """What a put says to be refused, and to be written."""
    try:
        await store.put(memories)
    except MemoriesRefused as error:
        refused = {(name, id) for name, of in error.refused.items() for id, why in of.items() if why}
        return refused, {(name, id) for name, ids in error.written.items() for id in ids}
    return set(), set(map(address, memories))


def _expected(written: Iterable[Memory]) -> dict[str, dict[str, str]]:
    held: dict[str, dict[str, str]] = {"c": {}, "d": {}}
    for each in (*OLD, *written):
        held[each.container][each.id] = each.content
    return held
