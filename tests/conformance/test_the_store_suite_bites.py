"""A suite that nothing fails proves nothing: planted mistakes of stores, and the test that must find each."""

import asyncio
import posixpath
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import Phase, settings

from earwitness.errors import InvalidFilter, InvalidId, PartialWrite, StorageError, named, quoted
from earwitness.filters import EVERYTHING, Filter, In, matches
from earwitness.records.memory import Hit, Memory
from earwitness.testing.cases.store_walls import Walls
from earwitness.testing.reference import MemoryStore
from earwitness.testing.reference_branches import BranchingMemoryStore
from earwitness.testing.store import StoreSuite, check_store
from earwitness.testing.suite import adapted

from .planted import IN_MEMORY, fails

pytestmark = pytest.mark.usefixtures("first_failure_is_enough")


class OpenToAll(MemoryStore):
    """A reader with nothing of their own gets everybody's."""

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        own = await super().search(container, query, filter=filter, limit=limit)
        return own or [hit for other in self._containers for hit in await MemoryStore.search(self, other, query)]


class PrefixWalls(MemoryStore):
    """A container is everything whose name begins with its own."""

    async def list(self, container: str, **asked: Any) -> Sequence[Memory]:
        return [
            memory
            for name in self._containers
            if name.startswith(container)
            for memory in await MemoryStore.list(self, name, **asked)
        ]


class FoldedNames(MemoryStore):
    """Container names differ by more than letter case."""

    async def put(self, memories: Sequence[Memory]) -> None:
        await super().put([memory.model_copy(update={"container": memory.container.lower()}) for memory in memories])


class FilterAfterLimit(MemoryStore):
    """The best hits, and then those of them that the filter holds for."""

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        return [
            hit for hit in await super().search(container, query, limit=limit) if matches(filter, hit.memory.metadata)
        ]


class TextOnly(MemoryStore):
    """Every value is kept as text."""

    async def put(self, memories: Sequence[Memory]) -> None:
        await super().put(
            [
                memory.model_copy(update={"metadata": {key: str(value) for key, value in memory.metadata.items()}})
                for memory in memories
            ]
        )


class OnlyWhatIsSeen(MemoryStore):
    """Ids are kept without what nobody sees in them."""

    async def put(self, memories: Sequence[Memory]) -> None:
        seen = [each.model_copy(update={"id": "".join(filter(str.isascii, each.id))}) for each in memories]
        await super().put(seen)


class SlowSearch(MemoryStore):
    """Takes its time with long queries."""

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        await asyncio.sleep(0.2 if len(query) > 20_000 else 0)
        return await super().search(container, query, filter=filter, limit=limit)


class OneByOne(MemoryStore):
    """Writes what it can of a batch."""

    async def put(self, memories: Sequence[Memory]) -> None:
        for memory in memories:
            await super().put([memory])


class Boastful(OneByOne):
    """Says of a batch that it could not finish that all of it was written."""

    async def put(self, memories: Sequence[Memory]) -> None:
        try:
            await super().put(memories)
        except Exception as error:
            raise PartialWrite(named(error), {each.container: [each.id] for each in memories}) from error


class NewestFirst(MemoryStore):
    """Ties in the order of writing, backwards."""

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        hits = list(await super().search(container, query, filter=filter, limit=1000))
        hits.reverse()
        return sorted(hits, key=lambda hit: -hit.score)[:limit]


class SharedStatistics(MemoryStore):
    """A score that falls with the number of all memories there are."""

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        everything = sum(len(memories) for memories in self._containers.values())
        hits = await super().search(container, query, filter=filter, limit=limit)
        return [hit.model_copy(update={"score": hit.score / everything}) for hit in hits]


class MovesToTheEnd(MemoryStore):
    """What is replaced goes to the end of the list."""

    async def put(self, memories: Sequence[Memory]) -> None:
        for memory in memories:
            await self.remove({memory.container: [memory.id]})
        await super().put(memories)


class CutNames(MemoryStore):
    """Names of files have at most 255 characters."""

    async def put(self, memories: Sequence[Memory]) -> None:
        await super().put([each.model_copy(update={"container": each.container[:255]}) for each in memories])

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        return await super().get(container[:255], ids)

    async def list(self, container: str, **asked: Any) -> Sequence[Memory]:
        return await super().list(container[:255], **asked)


class Normalised(MemoryStore):
    """Ids are paths, and what comes before `..` is left out."""

    async def put(self, memories: Sequence[Memory]) -> None:
        await super().put([each.model_copy(update={"id": posixpath.normpath(each.id)}) for each in memories])


class EndsAtNul(MemoryStore):
    """Text ends at NUL."""

    async def put(self, memories: Sequence[Memory]) -> None:
        await super().put([each.model_copy(update={"id": each.id.partition("\x00")[0]}) for each in memories])


class ReadsThenWrites(MemoryStore):
    """Writes the whole container that it has read."""

    async def put(self, memories: Sequence[Memory]) -> None:
        before = {memory.container: dict(self._containers.get(memory.container, {})) for memory in memories}
        await asyncio.sleep(0)
        self._containers |= before
        await super().put(memories)


class FirstTwoHundred(MemoryStore):
    """Of a list of values, the first two hundred count."""

    async def list(self, container: str, *, filter: Filter = EVERYTHING, **asked: Any) -> Sequence[Memory]:
        few = In(filter.field, filter.values[:200]) if isinstance(filter, In) else filter
        return await super().list(container, filter=few, **asked)


class Cutting(MemoryStore):
    """What is too long is cut."""

    async def put(self, memories: Sequence[Memory]) -> None:
        await super().put([each.model_copy(update={"content": each.content[:100]}) for each in memories])


class Mumbling(MemoryStore):
    """Refuses what is too long, and does not say what."""

    async def put(self, memories: Sequence[Memory]) -> None:
        if any(len(each.content) > 100 for each in memories):
            raise StorageError("a text is too long.")
        await super().put(memories)


class Leaky(MemoryStore):
    """Reads the containers of the whole story: everything whose name has the same beginning."""

    def _holding(self, container: str, filter: Filter) -> Sequence[Memory]:
        story = container.partition("-")[0] + "-"
        names = [name for name in self._containers if name == container or name.startswith(story)]
        return [memory for name in names for memory in MemoryStore._holding(self, name, filter)]

    async def count(self, container: str) -> int:
        return len(self._holding(container, EVERYTHING))


class LiveStore(BranchingMemoryStore):
    """What its parent loses, a branch loses, too."""

    def __init__(self) -> None:
        super().__init__()
        self._branches: dict[str, str] = {}

    async def branch(self, containers: Any, without: Any) -> None:
        await super().branch(containers, without)
        self._branches |= {new: name for name, new in containers.items()}

    async def remove(self, ids: Any) -> None:
        followed = {new: ids[name] for new, name in self._branches.items() if name in ids}
        await super().remove({**ids, **followed})


@pytest.mark.parametrize(
    ("store", "found_by"),
    [
        (OpenToAll, "test_who_has_nothing_gets_nothing"),
        (PrefixWalls, "test_reads_stay_in_their_container_whatever_it_is_called"),
        (FoldedNames, "test_reads_stay_in_their_container_whatever_it_is_called"),
        (FilterAfterLimit, "test_a_filter_comes_before_the_limit"),
        (TextOnly, "test_every_comparison_means_what_matches_says"),
        (OneByOne, "test_a_batch_that_cannot_be_written_leaves_nothing_behind"),
        (OneByOne, "test_a_batch_with_a_bad_memory_names_exactly_what_was_written"),
        (Boastful, "test_a_batch_with_a_bad_memory_names_exactly_what_was_written"),
        (NewestFirst, "test_ties_stand_in_the_order_of_their_ids"),
        (SharedStatistics, "test_another_container_moves_no_ranking"),
        (MovesToTheEnd, "test_the_list_is_in_the_order_of_first_writing"),
        (OnlyWhatIsSeen, "test_names_that_look_alike_are_apart"),
        (CutNames, "test_a_hostile_name_reaches_only_its_own_container"),
        (Normalised, "test_a_hostile_id_reaches_only_its_own_memory"),
        (EndsAtNul, "test_nul_is_kept_or_refused_and_cuts_nothing"),
        (ReadsThenWrites, "test_writers_at_the_same_time_lose_nothing"),
        (FirstTwoHundred, "test_a_filter_of_any_size_means_what_matches_says"),
        (LiveStore, "test_neither_sees_what_the_other_does_later"),
        (LiveStore, "test_whatever_happens_they_are_as_copies_would_be"),
    ],
)
def test_a_broken_store_is_found(store: type[MemoryStore], found_by: str) -> None:
    fails(adapted(StoreSuite, "make_store", lambda folder: store(), {}), found_by)


@pytest.mark.parametrize("store", [Cutting, Mumbling])
def test_a_store_that_says_nothing_at_its_limit_is_found(store: type[MemoryStore]) -> None:
    suite = adapted(StoreSuite, "make_store", lambda folder: store(), {"most_characters": 100})
    fails(suite, "test_a_text_that_is_too_long_is_refused_by_name")


@pytest.fixture
def unshrunk() -> Iterator[None]:
    """What fails anyway is not made smaller."""
    before = settings.get_current_profile_name()
    settings.register_profile("unshrunk", settings(), phases=[Phase.generate])
    settings.load_profile("unshrunk")
    yield
    settings.load_profile(before)


@pytest.mark.usefixtures("unshrunk")
def test_a_leaky_store_fails_exactly_the_tests_of_walls() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        check_store(lambda folder: Leaky(), **IN_MEMORY, ranks_by_meaning="ranks by words only")
    failed = {failure.__notes__[-1].rpartition(".")[2] for failure in caught.value.exceptions}
    assert failed == {name for name in vars(Walls) if name.startswith("test_")}


class OnlyGets(MemoryStore):
    """A service that lists and counts nothing, has narrow names, short texts and small filters."""

    async def put(self, memories: Sequence[Memory]) -> None:
        for each in memories:
            for name in (each.container, each.id):
                if not narrow(name):
                    raise InvalidId(f"{quoted(name)} cannot be the name of a memory here.")
            if len(each.content) > 500:
                raise StorageError(f"memory {each.id!r} is too long.")
        await super().put(memories)

    async def list(self, container: str, **asked: Any) -> Sequence[Memory]:
        raise StorageError("the service lists nothing.")

    async def count(self, container: str) -> int:
        raise StorageError("the service counts nothing.")

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        if len(repr(filter)) > 1_000:
            raise InvalidFilter("the filter is too large for the service.")
        return await super().search(container, query, filter=filter, limit=limit)


def narrow(name: str) -> bool:
    return name.isascii() and len(name) <= 100 and name.isprintable() and not set(name) & set("/?#%")


class TestAStoreWithManyLimits(StoreSuite):
    persistent = shared = "in memory"
    ranks_by_meaning = "ranks by words only"
    enumerates = "the service lists nothing"
    wide_filters = "the service takes small filters"
    most_characters = 500

    def make_store(self) -> MemoryStore:
        return OnlyGets()

    def takes_name(self, name: str) -> bool:
        return narrow(name)


def test_a_slow_store_is_found() -> None:
    fails(
        adapted(StoreSuite, "make_store", lambda folder: SlowSearch(), {"seconds": 0.1}),
        "test_no_text_takes_more_than_its_length",
    )
