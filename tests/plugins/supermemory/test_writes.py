"""The store `supermemory`: what is refused of a write, and what is looked up before it."""

from typing import Any

import pytest
from supermemory import AsyncSupermemory

from earwitness.errors import MemoriesRefused, PartialWrite, StorageError
from earwitness.extras import NewMemoryStore
from earwitness.protocols import Store
from earwitness.testing.samples import memory
from earwitness_plugins.testing.supermemory import Emulator, Faults
from earwitness_plugins.testing.supermemory.documents import Pipeline
from earwitness_plugins.testing.supermemory.faults import Fault

from .conftest import KEY, Opened


async def contents(store: Store, query: str, **more: Any) -> list[str]:
    return [hit.memory.content for hit in await store.search("c", query, **more)]


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_text_that_is_refused_is_named_and_the_others_are_written(
    service: Emulator, opened: Opened, status: int
) -> None:
    batch = [memory("c", name, f"the {name}") for name in ("sword", "crown", "lance")]
    async with opened() as store:
        service.refuses = {"crown": status}
        with pytest.raises(MemoriesRefused, match=str(status)) as raised:
            await store.put([*batch, memory("d", "m", "the crown")])
        assert raised.value.refused.keys() == {"c", "d"}
        assert raised.value.refused["c"].keys() == {"crown"}
        assert raised.value.written == {"c": frozenset({"sword", "lance"})}
        assert set(await contents(store, "the sword, crown or lance")) == {"the sword", "the lance"}
        service.refuses = {}
        await store.put(batch)
        assert {each.content for each in await store.list("c")} == {"the sword", "the crown", "the lance"}


async def test_of_a_long_text_that_is_refused_in_part_nothing_is_left(service: Emulator, opened: Opened) -> None:
    long = "dragon " * 900 + "the password is xyzzy " + "tavern " * 900
    async with opened(largest_text=6_000) as store:
        for before in ([], [memory("c", "m", "short")]):
            await store.put(before)
            service.refuses = {"xyzzy": 422}
            with pytest.raises(MemoriesRefused):
                await store.put([memory("c", "m", long), memory("c", "n", "another")])
            assert [each.id for each in await store.list("c")] == ["n"]
            assert await contents(store, "dragon short") == []
            assert await store.count("c") == 1
            service.refuses = {}
            await store.put([memory("c", "m", long)])
            assert await contents(store, "xyzzy") == [long]
            await store.remove({"c": ["m"]})


async def test_what_concerns_the_account_refuses_no_memory(service: Emulator, opened: Opened) -> None:
    async with opened(base_url=f"{service.url}/elsewhere") as store:
        with pytest.raises(StorageError, match="404") as raised:
            await store.put([memory("c", "m")])
        assert not isinstance(raised.value, PartialWrite)


@pytest.mark.parametrize("fault", ["conflict", "rate_limit"])
@pytest.mark.parametrize("is_new", [True, False])
async def test_what_was_carried_out_all_the_same_is_not_sent_again(
    service: Emulator, opened: Opened, fault: Fault, is_new: bool
) -> None:
    """As when a service says that the document already exists."""
    async with opened(failures=100) as store:
        done = 0
        for seed in range(6):
            service.faults = Faults(
                rate=1, kinds=(fault,), pattern="^POST .*/document(/batch)?$", retry_after="0", seed=seed
            )
            put = store.put_new if is_new and isinstance(store, NewMemoryStore) else store.put
            with pytest.raises(StorageError, match="409" if fault == "conflict" else "429"):
                await put([memory("c", f"m{seed}", f"the sword {seed}")])
            if f"the sword {seed}" in [each.content for each in service.content(KEY).get("c", {}).values()]:
                done += 1
                await store.put([memory("c", f"m{seed}", f"the sword {seed}")])  # the service still refuses to add it
        assert 0 < done < 6
        held = service.content(KEY)["c"].values()
        assert all(each.content.count("the sword") == 1 for each in held)


async def test_what_somebody_deletes_in_the_service_is_recalled_no_more(service: Emulator, opened: Opened) -> None:
    async with (
        opened() as store,
        AsyncSupermemory(base_url=service.url, api_key=KEY, max_retries=0, timeout=20) as client,
    ):
        await store.put([memory("c", "m", "the sword"), memory("c", "n", "the crown")])
        sword = next(id for id, each in service.content(KEY)["c"].items() if each.content == "the sword")
        await client.documents.delete("c", ids=[sword])
        assert "the sword" not in await contents(store, "the sword")
        assert [each.id for each in await store.list("c")] == ["n"]
        assert await store.count("c") == 1
        await store.put([memory("c", "m", "the sword")])
        assert sorted(each.content for each in service.content(KEY)["c"].values()) == ["the crown", "the sword"]


@pytest.mark.parametrize("pattern", ["/document$", "PATCH"])
async def test_an_answer_that_names_no_document_is_no_success(
    service: Emulator, opened: Opened, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from a proxy in between. Documents that are tried alone are added alone."""
    monkeypatch.setattr("earwitness_plugins.testing.supermemory.faults.GARBAGE", ("{}",))
    is_edit = pattern == "PATCH"
    async with opened() as store:
        if is_edit:  # another stamp for the same text is written to the same document
            await store.put([memory("c", "a", "one")])
            ((document, _),) = service.content(KEY)["c"].items()
            service._accounts[KEY]["c"].documents[document].latest.metadata.pop("earwitnessMetadata")
        else:
            service.refuses = {"nothing": 422, "xyzzy": 422}
        service.faults = Faults(rate=1, kinds=("garbage",), pattern=pattern)
        batch = [memory("c", "a", "one")] if is_edit else [memory("c", "b", "xyzzy")]
        with pytest.raises(StorageError, match="cannot be read"):
            await store.put(batch)


async def test_what_is_missing_and_refused_when_it_is_written_anew_is_named(service: Emulator, opened: Opened) -> None:
    service.pipeline = Pipeline(lag=60)
    async with opened() as store:
        await store.put([memory("c", "a", "xyzzy")])
        service._accounts[KEY]["c"].documents.clear()
        service.refuses = {"xyzzy": 422}
        with pytest.raises(MemoriesRefused):
            await store.put([memory("c", "a", "xyzzy")])
