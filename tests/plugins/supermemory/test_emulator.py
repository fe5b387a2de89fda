"""The emulator, asked by the real SDK: strict, slow to publish, and faulty on demand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import supermemory
from supermemory import AsyncSupermemory

from earwitness_plugins.testing.supermemory import Emulator, Fault, Faults

DAYS = {"operator": "and", "operands": [{"field": "gameDay", "operator": "lte", "value": 3}]}


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


async def texts(client: AsyncSupermemory, ns: str = "n", query: str = "the sword", **more: Any) -> list[str | None]:
    asked = {"threshold": 0.1, "search_mode": "hybrid", **more}
    return [row.chunk or row.memory for row in (await client.search(ns, query=query, **asked)).results]


async def test_a_document_is_added_found_with_its_document_and_deleted(client: AsyncSupermemory) -> None:
    added = await client.add("n", content="The sword is here.", id="m", metadata={"gameDay": 3}, task_type="superrag")
    assert (added.id, added.status) == ("m", "done")
    (row,) = (await client.search("n", query="the sword", filter=DAYS, include={"documents": True})).results
    assert (row.chunk, row.memory, row.similarity) == ("The sword is here.", None, 1)
    assert row.included is not None
    assert row.included.document is not None
    assert (row.included.document.id, row.included.document.metadata) == ("m", {"gameDay": 3})
    assert (await client.documents.get("n", "m")).content == "The sword is here."
    assert (await client.documents.delete("n", ids=["m", "other"])).count == 1
    assert await texts(client) == []


async def test_the_same_id_with_another_text_appends_and_an_update_replaces(client: AsyncSupermemory) -> None:
    for text in ("the sword", "the sword", "the crown"):
        await client.add("n", content=text, id="m", task_type="superrag")
    assert (await client.documents.get("n", "m")).content == "the sword\nthe crown"
    await client.documents.update("n", "m", content="the lance")
    assert (await client.documents.get("n", "m")).content == "the lance"


async def test_namespaces_and_keys_share_nothing(service: Emulator, client: AsyncSupermemory) -> None:
    await client.add("a", content="the sword", id="m", task_type="superrag")
    assert await texts(client, "b") == []
    async with AsyncSupermemory(base_url=service.url, api_key="another", max_retries=0) as other:
        assert await texts(other, "a") == []
    assert set(service.content("key")) == {"a"}
    assert service.content("another") == {}


async def test_what_is_unknown_is_empty_to_a_search_and_missing_to_all_else(client: AsyncSupermemory) -> None:
    assert await texts(client, "nowhere") == []
    assert (await client.list("nowhere", "documents")).pagination.total_items == 0
    await client.add("n", content="x", id="m")
    for asked in (
        client.documents.get("n", "other"),
        client.documents.update("n", "other", content="x"),
        client.namespaces.delete("nowhere"),
        client.namespaces.get("nowhere"),
    ):
        with pytest.raises(supermemory.NotFoundError):
            await asked


REFUSED: dict[str, Callable[[AsyncSupermemory], Any]] = {
    "null": lambda client: client.add("n", content="x", date=None),
    "null in metadata": lambda client: client.add("n", content="x", metadata={"a": None}),
    "nested metadata": lambda client: client.add("n", content="x", metadata={"a": {"b": 1}}),
    "number array": lambda client: client.add("n", content="x", metadata={"a": [1]}),
    "unknown key": lambda client: client.add("n", content="x", extra_body={"customId": "m"}),
    "wrong type": lambda client: client.search("n", query=3),
    "blank text": lambda client: client.add("n", content=" \n"),
    "empty query": lambda client: client.search("n", query=""),
    "odd id": lambda client: client.add("n", content="x", id="a b"),
    "long id": lambda client: client.add("n", content="x", id="a" * 101),
    "odd namespace": lambda client: client.search("s1 kira", query="x"),
    "long namespace": lambda client: client.search("a" * 101, query="x"),
    "too many rows": lambda client: client.search("n", query="x", limit=101),
    "threshold": lambda client: client.search("n", query="x", threshold=1.5),
    "old filter": lambda client: client.search("n", query="x", filter={"AND": []}),
    "order of texts": lambda client: client.search("n", query="x", filter={**DAYS["operands"][0], "value": "3"}),
    "deep filter": lambda client: client.search("n", query="x", filter=nested(6)),
    "wide filter": lambda client: client.search("n", query="x", filter={"operator": "or", "operands": [LEAF] * 201}),
    "page 0": lambda client: client.list("n", "documents", page=0),
    "sort": lambda client: client.list("n", "documents", sort="position"),
    "no documents": lambda client: client.documents.batch_add("n", documents=[]),
}
LEAF = {"field": "a", "operator": "eq", "value": "b"}


def nested(depth: int) -> Any:
    return LEAF if depth == 0 else {"operator": "and", "operands": [nested(depth - 1)]}


@pytest.mark.parametrize("what", REFUSED)
async def test_what_the_description_does_not_allow_is_refused(client: AsyncSupermemory, what: str) -> None:
    with pytest.raises(supermemory.BadRequestError):
        await REFUSED[what](client)


async def test_a_filter_at_the_limits_is_taken(client: AsyncSupermemory) -> None:
    assert await texts(client, filter=nested(5)) == []
    assert await texts(client, filter={"operator": "or", "operands": [LEAF] * 200}) == []


async def test_a_key_is_needed(service: Emulator) -> None:
    async with AsyncSupermemory(base_url=service.url, api_key="", max_retries=0) as client:
        with pytest.raises((supermemory.AuthenticationError, supermemory.APIConnectionError)):
            await texts(client)


async def test_a_large_text_is_refused(client: AsyncSupermemory) -> None:
    with pytest.raises(supermemory.APIStatusError) as raised:
        await client.add("n", content="a" * 1_000_001)
    assert raised.value.status_code == 413


async def test_path_parts_are_not_encoded_by_the_client(service: Emulator, client: AsyncSupermemory) -> None:
    for ns in ("s2", "x", "a"):
        await client.add(ns, content="the sword", id="m")
    await client.namespaces.delete("s1/../s2")
    await client.namespaces.delete("a?moveTo=x")
    assert service.requests[-2:] == ["DELETE /ns/s2", "DELETE /ns/a"]
    assert set(service.content("key")) == {"x"}


async def test_filters_are_typed_and_a_missing_field_fulfils_none(client: AsyncSupermemory) -> None:
    rows: dict[str, dict[str, Any]] = {
        "number": {"day": 3, "who": "Bob"},
        "text": {"day": "3", "who": ["Bob"]},
        "flag": {"day": True, "sm_who": "Bob"},
        "none": {},
    }
    for id, metadata in rows.items():
        await client.add("n", content="the sword", id=id, metadata=metadata, task_type="superrag")

    async def found(field: str, operator: str, value: Any, **more: Any) -> set[str]:
        one = {"field": field, "operator": operator, "value": value, **more}
        return {row.id for row in (await client.list("n", "documents", filter=one)).documents}

    assert await found("day", "eq", 3) == {"number"}
    assert await found("day", "neq", 4) == {"number"}
    assert await found("day", "lte", 3.5) == {"number"}
    assert await found("day", "eq", "3") == {"text"}
    assert await found("day", "eq", True) == {"flag"}
    assert await found("who", "eq", "bob") == {"number"}
    assert await found("who", "eq", "bob", case_sensitive=True) == set()
    assert await found("who", "contains", "bo") == {"number"}
    assert await found("who", "notContains", "x") == {"number"}
    assert await found("who", "arrayContains", "Bob") == {"text"}
    assert await found("who", "arrayNotContains", "Bob") == set()
    assert await found("sm_who", "eq", "Bob") == set()


async def test_a_list_comes_in_pages_from_one(client: AsyncSupermemory) -> None:
    documents = [{"content": f"text {n}", "id": f"m{n}"} for n in range(5)]
    added = await client.documents.batch_add("n", documents=[*documents, {"content": "x", "id": "a b"}])
    assert (added.count, added.failed, added.results[-1].status) == (5, 1, "error")
    page = await client.list(
        "n", "documents", page=2, limit=2, sort="createdAt", order="asc", include={"content": True}
    )
    assert [(each.id, each.content) for each in page.documents] == [("m2", "text 2"), ("m3", "text 3")]
    pagination = page.pagination
    assert (pagination.current_page, pagination.total_items, pagination.total_pages) == (2, 5, 3)
    assert (await client.list("n", "documents", page=4, limit=2)).documents == []


async def test_both_spellings_of_include_are_taken(client: AsyncSupermemory) -> None:
    await client.add("n", content="The sword. The crown.", id="m")
    both = await client.documents.get("n", "m", include=["chunks", "memories"])
    commas = await client.documents.get("n", "m", extra_query={"include": "chunks,memories"})
    assert [each.memory for each in both.memories or ()] == ["The sword.", "The crown."]
    assert len(both.chunks or ()) == len(commas.chunks or ()) == 1


async def test_texts_and_numbers_are_kept_as_the_service_keeps_them(client: AsyncSupermemory) -> None:
    await client.add("n", content=" one\r\ntwo ", id="m", metadata={"day": 3.0, "large": 2**53 + 1})
    await client.add("n", content="https://example.org/page", id="url")
    kept = await client.documents.get("n", "m")
    assert (kept.content, kept.metadata) == ("one\ntwo", {"day": 3, "large": 2**53})
    assert (await client.documents.get("n", "url")).content != "https://example.org/page"


async def test_nothing_is_found_before_its_time() -> None:
    clock = Clock()
    with Emulator(lag=10, dream=100, clock=clock) as service:
        async with AsyncSupermemory(base_url=service.url, api_key="key", max_retries=0) as client:
            assert (await client.add("n", content="the sword", id="m")).status == "queued"
            assert await texts(client) == []
            assert (await client.documents.get("n", "m")).content is None
            clock.now += 10
            assert await texts(client) == ["the sword"]
            await client.documents.update("n", "m", content="the sword of stone", metadata={"new": True})
            assert await texts(client) == ["the sword"]
            assert (await client.documents.get("n", "m")).metadata == {"new": True}
            clock.now += 100
            assert await texts(client, search_mode="chunks") == ["the sword of stone"]
            assert await texts(client, search_mode="memories") == ["the sword"]
            assert (await client.documents.get("n", "m")).system.dreaming_status == "dreaming"
            clock.now += 10
            assert await texts(client, search_mode="memories") == ["the sword of stone"]


async def test_extracted_memories_can_be_forgotten(client: AsyncSupermemory) -> None:
    await client.add("n", content="The sword is lost. The sword is found.", id="m")
    assert [each.memory for each in (await client.profile("n")).profile.dynamic][-1] == "The sword is found."
    seen = await client.memories.forget_matching("n", query="lost", dry_run=True)
    assert [each.memory for each in seen.matches] == ["The sword is lost."]
    await client.memories.forget("n", ids=[seen.matches[0].id])
    assert await texts(client, search_mode="memories") == ["The sword is found."]


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("conflict", supermemory.ConflictError),
        ("rate_limit", supermemory.RateLimitError),
        ("error", supermemory.InternalServerError),
        ("drop", supermemory.APIConnectionError),
        ("hang", supermemory.APITimeoutError),
    ],
)
async def test_faults_are_switched_on_and_off(service: Emulator, kind: Fault, error: type[Exception]) -> None:
    async with AsyncSupermemory(base_url=service.url, api_key="key", max_retries=0, timeout=2) as client:
        await client.add("n", content="the sword", id="m", task_type="superrag")
        service.faults = Faults(rate=1, kinds=(kind,), pattern=r"POST .*/search")
        with pytest.raises(error):
            await texts(client)
        assert service.accidents[kind] == 1
        assert (await client.documents.get("n", "m")).id == "m"
        service.faults = Faults()
        assert await texts(client) == ["the sword"]


async def test_what_is_answered_with_an_error_may_have_been_carried_out(
    client: AsyncSupermemory, service: Emulator
) -> None:
    service.faults = Faults(rate=1, kinds=("error",))
    for number in range(12):
        with pytest.raises(supermemory.InternalServerError):
            await client.add("n", content="the sword", id=f"m{number}", task_type="superrag")
    assert 0 < len(service.content("key")["n"]) < 12


async def test_the_client_waits_as_long_as_it_is_told(service: Emulator) -> None:
    service.faults = Faults(rate=1, kinds=("rate_limit",), retry_after="0")
    async with AsyncSupermemory(base_url=service.url, api_key="key", max_retries=0) as client:
        with pytest.raises(supermemory.RateLimitError) as raised:
            await texts(client)
        assert raised.value.response is not None
        assert raised.value.response.headers["retry-after"] == "0"


async def test_the_same_seed_gives_the_same_faults(client: AsyncSupermemory, service: Emulator) -> None:
    async def played() -> list[bool]:
        service.faults = Faults(rate=0.5, kinds=("error", "drop"), seed=7)
        fine = []
        for _ in range(20):
            try:
                await texts(client)
                fine.append(True)
            except supermemory.APIError:
                fine.append(False)
        return fine

    first = await played()
    assert 0 < sum(first) < 20
    assert await played() == first


async def test_a_service_that_is_away_comes_back(client: AsyncSupermemory, service: Emulator) -> None:
    service.away = True
    with pytest.raises(supermemory.APIConnectionError):
        await texts(client)
    service.away = False
    assert await texts(client) == []


async def test_a_file_keeps_what_was_written_for_the_next_emulator(tmp_path: Path) -> None:
    for _ in range(2):
        with Emulator(path=tmp_path / "service.jsonl") as service:
            async with AsyncSupermemory(base_url=service.url, api_key="key", max_retries=0) as client:
                await client.add("n", content="the sword", id="m", metadata={"day": 1}, task_type="superrag")
                await client.add("n", content="the crown", id="gone", task_type="superrag")
                await client.documents.delete("n", ids=["gone"])
            written = service.content("key")
    with Emulator(path=tmp_path / "service.jsonl") as again:
        assert again.content("key") == written
        assert list(written["n"]) == ["m"]
