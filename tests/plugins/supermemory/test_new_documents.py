"""What nobody has sent yet is not looked up; what may have been sent is."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from supermemory import AsyncSupermemory

from earwitness import Channel, Earwitness
from earwitness.errors import StorageError
from earwitness.testing.samples import memory
from earwitness_plugins.stores.supermemory.documents import Stamp, drafted
from earwitness_plugins.stores.supermemory.names import digest
from earwitness_plugins.testing.supermemory import Emulator, Faults

from .conftest import KEY, Opened


@pytest.fixture(params=["in the ledger's file", "in a file of its own"])
def opened(request: pytest.FixtureRequest, opened: Opened) -> Opened:
    return partial(opened, in_ledger_file=request.param == "in the ledger's file")


def lists(service: Emulator) -> int:
    """How many lists were asked for since the last time."""
    count = sum("/list/" in each for each in service.requests)
    service.requests.clear()
    return count


def texts(service: Emulator) -> list[str]:
    """What the service holds, sorted."""
    return sorted(each.content for documents in service.content(KEY).values() for each in documents.values())


async def test_what_is_new_is_not_looked_up(service: Emulator, opened: Opened) -> None:
    async with opened() as store:
        await store.put_new([memory("c", "a", "one")])
        assert lists(service) == 1  # whether others have sent something
        await store.put_new([memory("c", "b", "two"), memory("c", "d", "three")])
        assert lists(service) == 0
        await store.put([memory("c", "b", "two")])
        assert lists(service) == 1
    async with opened() as store:
        await store.put_new([memory("c", "e", "four")])
        assert lists(service) == 1
        await store.put_new([memory("c", "f", "five")])
        assert lists(service) == 0
        assert [each.content for each in await store.list("c")] == ["one", "two", "three", "four", "five"]


async def test_what_is_said_to_be_new_and_was_written_here_is_looked_up(service: Emulator, opened: Opened) -> None:
    async with opened() as store:
        await store.put_new([memory("c", "m", "one")])
        await store.put_new([memory("c", "m", "two")])
        assert [each.content for each in await store.list("c")] == ["two"]
        assert len(service.content(KEY)["c"]) == 1


async def test_where_the_ledger_may_give_an_id_again_it_is_looked_up(service: Emulator, opened: Opened) -> None:
    async with opened() as store:  # in the first layout, whichever it is
        await store.put_new([memory("c", "m", "one")])
    async with opened(in_ledger_file=False) as store:
        await store.put_new([memory("c", "n", "two")])
        for query in ("one", "two"):
            assert await store.search("c", query)  # the service shows them, so that the buffer need not
        await store.put_new([memory("c", "m", "three"), memory("c", "n", "four")])
        assert texts(service) == ["four", "three"]
        lists(service)
        await store.put_new([memory("c", "o", "five")])
        assert lists(service) == 0


@pytest.mark.parametrize("lost", ["a new file", "an older copy"])
async def test_what_others_have_sent_is_learned_once(
    service: Emulator, opened: Opened, tmp_path: Path, lost: str
) -> None:
    copy = tmp_path / "copy.db"
    async with opened() as store:
        await store.put_new([memory("c", "a", "one")])
    if lost == "an older copy":
        copy.write_bytes((tmp_path / "story.db").read_bytes())
    async with opened() as store:
        await store.put_new([memory("c", "m", "before")])
    for text in ("after", "later"):
        async with opened(path=str(copy)) as store:
            await store.put_new([memory("c", "m", text), memory("c", "n", text)])
            assert {each.id: each.content for each in await store.list("c")} == {"a": "one", "m": text, "n": text}
            await store.remove({"c": ["n"]})
            lists(service)
            await store.put_new([memory("c", f"new {text}", "new")])
            assert lists(service) == 0
            await store.remove({"c": [f"new {text}"]})


async def test_where_others_have_sent_very_much_all_is_looked_up(
    service: Emulator, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("earwitness_plugins.stores.supermemory.writer.MOST_LEARNED", 1)
    async with opened() as store:
        await store.put_new([memory("c", "a", "one"), memory("c", "m", "before")])
    async with opened(path=str(tmp_path / "new.db")) as store:
        await store.put_new([memory("c", "m", "after")])
        lists(service)
        await store.put_new([memory("c", "n", "two")])
        assert lists(service) == 1
        assert texts(service) == ["after", "one", "two"]


async def test_two_machines_that_send_one_id_join_no_texts(service: Emulator, opened: Opened, tmp_path: Path) -> None:
    async with opened() as here, opened(path=str(tmp_path / "elsewhere.db")) as elsewhere:
        for store in (here, elsewhere):
            await store.put_new([memory("c", f"of {store is here}", "a sword")])
        await elsewhere.put_new([memory("c", "m", "the PRIVATE sword", context="dm")])
        await here.put_new([memory("c", "m", "a public sword", context="public")])
        assert texts(service) == ["a public sword", "a sword", "a sword", "the PRIVATE sword"]
        (found,) = [hit.memory for hit in await here.search("c", "public PRIVATE sword") if hit.memory.id == "m"]
        assert (found.content, found.metadata["context"]) == ("a public sword", "public")
        assert [each.content for each in await elsewhere.get("c", ["m"])] == ["a public sword"]
        await here.put([memory("c", "m", "a public sword", context="public")])
        assert texts(service) == ["a public sword", "a sword", "a sword"]


async def test_documents_of_an_earlier_version_are_read_left_alone_and_replaced(
    service: Emulator, client: AsyncSupermemory, opened: Opened
) -> None:
    long = "word " * 120
    for each in (memory("c", "a", "one"), memory("c", "m", "two"), memory("c", "l", long)):
        parts = drafted(each, 500).documents(Stamp(1, 1))
        for place, part in enumerate(parts):
            id = each.id if not place else f"ew-{digest([each.id, place])[:60]}"
            metadata: dict[str, Any] = {**part.metadata, "earwitnessOrder": 1, "earwitnessParts": len(parts)}
            await client.add("c", id=id, content=part.content, metadata=metadata, task_type="superrag")
    async with opened(largest_text=500) as store:
        assert {each.content for each in await store.list("c")} == {"one", "two", long}
        before = {*service.content(KEY)["c"]}
        await store.put([memory("c", "a", "one"), memory("c", "l", long)])
        assert {*service.content(KEY)["c"]} == before
        await store.put_new([memory("c", "m", "another")])
        await store.remove({"c": ["l"]})
        assert texts(service) == ["another", "one"]


async def test_what_was_sent_before_a_kill_is_not_sent_twice(service: Emulator, opened: Opened, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    async with opened() as store:
        await store.put_new([memory("c", "a", "one")])
    copy.write_bytes((tmp_path / "story.db").read_bytes())  # as the file is until a put is over
    async with opened() as store:
        await store.put_new([memory("c", "m", "two")])
    async with opened(path=str(copy)) as store:
        await store.put([memory("c", "m", "two")])
        assert texts(service) == ["one", "two"]
        lists(service)
        await store.put_new([memory("c", "n", "three")])
        assert lists(service) == 0


async def test_what_may_have_been_sent_is_known_to_have_been(service: Emulator, opened: Opened) -> None:
    async with opened() as store:
        await store.put_new([memory("c", "a", "one")])
        service.faults = Faults(rate=1, kinds=("drop",), pattern="/document/batch", seed=3)
        with suppress(StorageError):
            await store.put_new([memory("c", "m", "two")])
        service.faults = Faults()
    async with opened() as store:
        lists(service)
        await store.put([memory("c", "m", "two")])
        assert lists(service) == 2
        await store.put_new([memory("c", "n", "three")])
        assert lists(service) == 0
        assert {each.content for each in await store.list("c")} == {"one", "two", "three"}


async def test_after_a_drop_the_container_begins_anew(service: Emulator, opened: Opened) -> None:
    async with opened() as store:
        await store.put_new([memory("c", "m", "one")])
        await store.drop("c")
        await store.put_new([memory("c", "m", "two")])
        assert [each.content for each in await store.list("c")] == ["two"]


async def test_a_private_text_joins_no_public_memory_of_a_story_begun_anew(service: Emulator, tmp_path: Path) -> None:
    store = {"name": "supermemory", "api_key": KEY, "base_url": service.url, "path": str(tmp_path / "buffer.db")}
    store |= {"timeout": 20, "search_timeout": 20}

    async def play(file: str, text: str, context: str) -> list[str]:
        """What Bob recalls in public; the buffer forgets what recalls have shown."""
        async with Earwitness.open(str(tmp_path / file), store=store, relationships={}) as ew:
            story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
            await (await story.say("alice", text, channel=_channel(context))).settled()
            await story.delivered()
            for place in ("dm", "public_channel"):
                turn = await story.turn("bob", query="secret", in_prompt=(), channel=_channel(place))
        return [each.text for each in turn.memories]

    await play("story.db", "A PRIVATE secret.", "dm")
    assert len(await play("begun_anew.db", "Hello.", "public_channel")) == 1
    assert len(texts(service)) == 3
    assert not any("PRIVATE" in text for text in texts(service))


def _channel(context: str) -> Channel:
    return Channel.model_validate({"context": context, "channel_id": context})
