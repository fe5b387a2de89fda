"""The store `supermemory` over a service whose answers are wrong: nothing is believed that cannot be checked."""

from typing import Any

import pytest

from earwitness.errors import StorageError
from earwitness.protocols import Store
from earwitness.testing.samples import memory
from earwitness_plugins.testing.supermemory import Emulator, routes, search, shapes

from .conftest import KEY, Opened


async def contents(store: Store, query: str, **more: Any) -> list[str]:
    return [hit.memory.content for hit in await store.search("c", query, **more)]


async def test_an_extracted_text_is_not_believed_where_texts_are_verbatim(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swapped(*given: Any) -> dict[str, Any]:
        row = row_of(*given)
        row["memory"] = f"Bob hides it: {row.pop('chunk')}"
        return row

    row_of = search._row
    async with opened() as store:
        await store.put([memory("c", "m", "the sword")])
        await contents(store, "the sword")
        monkeypatch.setattr(search, "_row", swapped)
        assert await contents(store, "the sword") == ["the sword"]


def claiming(total: object, monkeypatch: pytest.MonkeyPatch) -> None:
    paged = shapes.paged
    for room in (routes.shapes, shapes):
        monkeypatch.setattr(
            room, "paged", lambda rows, page: (paged(rows, page)[0], {**paged(rows, page)[1], "totalItems": total})
        )


@pytest.mark.parametrize("total", [100_000_000, -5, True, 1e300])
async def test_a_number_of_documents_that_cannot_be_is_one_error(
    service: Emulator, opened: Opened, monkeypatch: pytest.MonkeyPatch, total: object
) -> None:
    async with opened() as store:
        await store.put([memory("c", "m", "the sword")])
        claiming(total, monkeypatch)
        for call in (store.count("c"), store.list("c")):
            with pytest.raises(StorageError, match="claims to have"):
                await call
        assert len(service.requests) < 10


async def test_pages_that_are_claimed_and_empty_are_not_all_asked_for(
    service: Emulator, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as store:
        await store.put([memory("c", "m", "the sword")])
        claiming(900_000, monkeypatch)
        with pytest.raises(StorageError, match="differently each time"):
            await store.list("c")
        assert len(service.requests) < 40


async def test_a_password_in_the_url_is_shown_nowhere(service: Emulator, opened: Opened) -> None:
    async with opened(base_url=service.url.replace("://", "://user:very-secret@")) as store:
        service.away = True
        health = await store.health()
        with pytest.raises(StorageError, match=r"127\.0\.0\.1") as raised:
            await store.put([memory("c", "m", "the sword")])
        assert "very-secret" not in f"{health} {raised.value}"


MODES = [("superrag", "hybrid"), ("superrag", "chunks"), ("memory", "hybrid"), ("memory", "memories")]


@pytest.mark.parametrize(("task_type", "search_mode"), MODES)
async def test_what_was_edited_or_removed_does_not_come_back_while_searches_are_behind(
    service: Emulator, opened: Opened, task_type: str, search_mode: str
) -> None:
    service.pipeline = service.pipeline._replace(stale=1_000)
    given = {"task_type": task_type, "search_mode": search_mode}
    async with opened(**given) as store:
        await store.put([memory("c", "a", "the sword is in the cave"), memory("c", "b", "the crown is in the cave")])
        await contents(store, "cave")
        await store.put([memory("c", "a", "the sword is in the barn")])
        await store.remove({"c": ["b"]})
        for _ in range(3):
            assert await contents(store, "sword crown cave") == ["the sword is in the barn"]
    async with opened(**given) as store:
        assert await contents(store, "sword crown cave") == ["the sword is in the barn"]
        await store.put([memory("c", "b", "the crown is in the well")])
        for _ in range(2):
            assert set(await contents(store, "sword crown cave")) == {
                "the sword is in the barn",
                "the crown is in the well",
            }


async def test_what_was_dropped_does_not_come_back_under_the_same_name(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as store:
        await store.put([memory("c", "m", "the sword")])
        await contents(store, "the sword")
        answered = routes.found
        kept: list[Any] = []
        monkeypatch.setattr(routes, "found", lambda *asked: kept.extend(answered(*asked)) or kept)
        assert await contents(store, "the sword") == ["the sword"]
        monkeypatch.setattr(routes, "found", lambda *asked: kept)
        await store.drop("c")
        await store.put([memory("c", "n", "the crown")])
        for _ in range(2):
            assert "the sword" not in await contents(store, "the sword or the crown")


def lost(metadata: dict[str, Any]) -> None:
    del metadata["learnedDay"]


def changed(metadata: dict[str, Any]) -> None:
    metadata["learnedDay"] = 1


@pytest.mark.parametrize("task_type", ["superrag", "memory"])
@pytest.mark.parametrize("tampered", [lost, changed])
async def test_a_memory_whose_metadata_are_not_those_that_were_written_is_withheld(
    service: Emulator, opened: Opened, tampered: Any, task_type: str
) -> None:
    written = memory("c", "m", "the sword", learnedDay=9, contextType="dm")
    async with opened(task_type=task_type) as store:
        await store.put([written])
        await contents(store, "the sword")
        (document,) = service._accounts[KEY]["c"].documents.values()
        tampered(document.latest.metadata)
        assert await contents(store, "the sword") == []
        assert list(await store.list("c")) == list(await store.get("c", ["m"])) == []
        assert (await store.health()).details["withheld"] == 1
        await store.put([written])
        await contents(store, "the sword")
        assert list(await store.list("c")) == [written]
        assert (await store.health()).details["withheld"] == 0


async def test_a_text_that_was_changed_by_hand_is_taken_and_fields_of_the_service_are_not(
    service: Emulator, opened: Opened
) -> None:
    async with opened() as store:
        await store.put([memory("c", "m", "the sword", learnedDay=9)])
        await contents(store, "the sword")
        (document,) = service._accounts[KEY]["c"].documents.values()
        document.versions.append(
            document.latest._replace(content="the lance", metadata={**document.latest.metadata, "sm_x": 1})
        )
        (found,) = await store.list("c")
        assert (found.content, found.metadata) == ("the lance", {"type": "message", "learnedDay": 9})
