"""What nobody has sent yet is not looked up; what may have been sent is."""

from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from earwitness import Channel, Earwitness
from earwitness.errors import StorageError
from earwitness.testing.samples import memory
from earwitness_plugins.testing.supermemory import Emulator, Faults

from .conftest import KEY, Opened


@pytest.fixture
def opened(opened: Opened) -> Opened:
    return partial(opened, in_ledger_file=True)


def lists(service: Emulator) -> int:
    """How many lists were asked for since the last time."""
    count = sum("/list/" in each for each in service.requests)
    service.requests.clear()
    return count


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


@pytest.mark.parametrize("lost", ["a new file", "an older copy"])
async def test_where_others_have_sent_something_all_is_looked_up(
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


async def test_what_was_sent_before_a_kill_is_known_to_have_been(service: Emulator, opened: Opened) -> None:
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


async def test_where_the_ledger_has_a_file_of_its_own_all_is_looked_up_for_good(
    service: Emulator, opened: Opened
) -> None:
    async with opened() as store:
        await store.put_new([memory("c", "a", "one")])
    async with opened(in_ledger_file=False) as store:
        lists(service)
        await store.put_new([memory("c", "b", "two")])
        await store.put_new([memory("c", "d", "three")])
        assert lists(service) == 2
    async with opened() as store:
        await store.put_new([memory("c", "e", "four")])
        assert lists(service) == 1
        assert len(await store.list("c")) == 4


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
    texts = [each.content for documents in service.content(KEY).values() for each in documents.values()]
    assert len(texts) == 3
    assert not any("PRIVATE" in text for text in texts)


def _channel(context: str) -> Channel:
    return Channel.model_validate({"context": context, "channel_id": context})
