"""A chat assistant's conversations: nothing is cleared before its upload is confirmed, and nothing is lost before."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Memory
from earwitness.errors import InputError, StorageError
from earwitness.records.memory import Hit
from earwitness.testing.reference import MemoryLedger
from earwitness_plugins.consolidation import Consolidation, ConsolidationTask

from .uploads import CONTAINER, FOLDER, Service, files, talked, uploaded


async def test_a_successful_upload_is_confirmed_and_clears(ew: Earwitness, service: Service) -> None:
    conversation = await talked(ew)
    closing = await conversation.close()
    assert (closing.uploaded, closing.cleared, closing.missing) == (True, True, 0)
    assert await conversation.messages() == ()
    (document,) = await service.list(CONTAINER)
    assert re.fullmatch("session_telegram:42_[0-9a-f]{12}_0", document.id)
    assert document.metadata["sessionId"] == "session_telegram:42"
    assert document.content.splitlines()[0] == "user: I live in Oslo, and this is message 0."
    assert [each.name for each in await ew.containers(kind="conversation")] == [CONTAINER]


async def test_without_clearing_it_stays_and_is_replaced_by_the_next_upload(ew: Earwitness, service: Service) -> None:
    conversation = await talked(ew)
    assert not (await conversation.close(clear=False)).cleared
    assert len(await conversation.messages()) == 6
    await conversation.add("user", "One more thing.")
    await conversation.close(clear=False)
    assert await service.count(CONTAINER) == 1
    assert (await uploaded(service)).endswith("user: One more thing.")
    assert (await conversation.close()).cleared


async def test_what_comes_after_clearing_adds_to_what_was_uploaded(ew: Earwitness, service: Service) -> None:
    conversation = await talked(ew)
    await conversation.close()
    await conversation.add("user", "Good morning.")
    await conversation.close()
    ids = [each.id.rpartition("_") for each in await service.list(CONTAINER)]
    assert [(number, run) for run, _, number in ids] == [("0", ids[0][0]), ("6", ids[0][0])]


async def test_a_failed_upload_is_kept_in_a_file(ew: Earwitness, service: Service, tmp_path: Path) -> None:
    service.room = 0
    conversation = await talked(ew)
    closing = await conversation.close()
    assert (closing.uploaded, closing.cleared, closing.missing) == (False, False, 1)
    assert "the service is away" in str(closing.failure)
    lines = (tmp_path / FOLDER / "telegram%3A42.jsonl").read_text("utf-8").splitlines()
    head, *messages = map(json.loads, lines)
    assert (head["key"], head["is_pending"]) == ("telegram:42", True)
    assert [each["role"] for each in messages] == ["user", "assistant"] * 3


async def test_a_replay_succeeds_after_the_next_upload_that_does(ew: Earwitness, service: Service) -> None:
    service.room = 0
    failed = await talked(ew, "telegram:1", text="My cat is called Mio")
    await failed.close()
    service.room = float("inf")
    closing = await (await talked(ew, "telegram:2")).close()
    assert closing.replayed == ("telegram:1",)
    assert await failed.messages() == ()
    assert "Mio" in await uploaded(service)


async def test_a_replay_fails_and_changes_nothing(ew: Earwitness, service: Service) -> None:
    service.room = 0
    failed = await talked(ew, "telegram:1")
    await failed.close()
    service.room = 1
    closing = await (await talked(ew, "telegram:2")).close()
    assert (closing.uploaded, closing.replayed) == (True, ())
    assert len(await failed.messages()) == 6
    assert await failed.is_pending()


async def test_a_replay_succeeds_in_part_and_keeps_exactly_what_is_missing(ew: Earwitness, service: Service) -> None:
    service.room = 0
    failed = await talked(ew, "telegram:1", number=40, text="x" * 500)
    missing = (await failed.close()).missing
    assert missing > 4
    service.room = 4
    assert (await (await talked(ew, "telegram:2")).close()).replayed == ()
    service.room = float("inf")
    closing = await failed.retry()
    assert closing.cleared
    assert len(service.taken) == len(set(service.taken)) == missing + 1


async def test_a_partial_success_keeps_exactly_what_is_missing(ew: Earwitness, service: Service) -> None:
    service.room = 2
    conversation = await talked(ew, number=40, text="x" * 500)
    closing = await conversation.close()
    assert not closing.cleared
    assert len({*service.taken}) == 2
    service.room = float("inf")
    assert (await conversation.close()).cleared
    assert len(service.taken) == len(set(service.taken))


async def test_a_long_payload_stays_intact(ew: Earwitness, service: Service) -> None:
    long = "The sword is in the cave. " * 40_000
    conversation = ew.conversation("telegram:42")
    await conversation.add("user", long)
    await conversation.add("assistant", "That was long.")
    await conversation.close()
    assert f"user: {long}" in [each.content for each in await service.list(CONTAINER)]


async def test_while_the_service_is_away_the_memory_here_answers(ew: Earwitness, service: Service) -> None:
    conversation = await talked(ew, text="I live in Oslo with my cat Mio")
    await conversation.close()
    assert (await conversation.context("Where does the cat Mio live?")).failures == ()
    service.room = 0
    found = await ew.conversation("telegram:7").context("Who is Mio?")
    assert any("Mio" in each for each in found.memories)
    assert found.failures == ("StorageError: the service is away",)


async def test_it_survives_a_new_start_and_a_line_that_was_cut_short(
    tmp_path: Path, service: Service, ew: Earwitness
) -> None:
    await talked(ew, number=1)
    file = tmp_path / FOLDER / "telegram%3A42.jsonl"
    with file.open("ab") as cut:
        cut.write(b'{"role": "user", "cont')
    async with Earwitness.open(tmp_path / "bot.db", store=service, ledger=MemoryLedger()) as again:
        conversation = again.conversation("telegram:42")
        await conversation.add("user", "After the crash.")
        said = [each.content for each in await conversation.messages()]
    assert said == ["I live in Oslo, and this is message 0.", "Noted.", "After the crash."]


@pytest.mark.parametrize("key", ["a/../b", "a?moveTo=x", "..", ".", "telegram:42", "CON", "Ünïcode 🗡"])
async def test_a_key_is_only_a_key(ew: Earwitness, tmp_path: Path, key: str) -> None:
    await ew.conversation(key).add("user", "Hello.")
    assert await ew.conversation.keys() == (key,)
    assert files(tmp_path) == ["nanobot_memory"]
    assert (await ew.conversation(key).close()).cleared


async def test_of_two_programs_neither_loses_what_was_acknowledged(tmp_path: Path, service: Service) -> None:
    path = tmp_path / "bot.db"
    async with (
        Earwitness.open(path, store=service, ledger=MemoryLedger()) as one,
        Earwitness.open(path, store=service, ledger=MemoryLedger()) as other,
    ):
        first, second = one.conversation("k"), other.conversation("k")

        async def adds(conversation: Any, name: str) -> None:
            for number in range(30):
                await conversation.add("user", f"{name} {number}")

        async def closes(conversation: Any) -> None:
            for _ in range(8):
                await conversation.close()

        await asyncio.gather(adds(first, "A"), adds(second, "B"), closes(first), closes(second))
        await second.close()
        assert await first.messages() == ()
    lines = (await uploaded(service)).splitlines()
    assert sorted(lines) == sorted(f"user: {name} {number}" for name in "AB" for number in range(30))


async def test_while_an_upload_hangs_messages_are_added_and_stay(tmp_path: Path) -> None:
    class Hangs(Service):
        def __init__(self) -> None:
            super().__init__()
            self.asked, self.answers = asyncio.Event(), asyncio.Event()

        async def put(self, memories: Sequence[Memory]) -> None:
            self.asked.set()
            await self.answers.wait()
            await super().put(memories)

    store = Hangs()
    async with Earwitness.open(tmp_path / "bot.db", store=store, ledger=MemoryLedger()) as ew:
        conversation = ew.conversation("k")
        await conversation.add("user", "One.")
        closing = asyncio.create_task(conversation.close())
        await store.asked.wait()
        await conversation.add("user", "Two.")
        assert not closing.done()
        store.answers.set()
        assert (await closing).cleared
        assert [each.content for each in await conversation.messages()] == ["Two."]
        await conversation.close()
    assert [each.id.rpartition("_")[2] for each in await store.list(CONTAINER)] == ["0", "1"]


async def test_context_waits_for_a_store_no_longer_than_a_recall_does(tmp_path: Path) -> None:
    class Hangs(Service):
        async def search(self, container: str, query: str, **more: Any) -> Sequence[Hit]:
            await asyncio.Event().wait()
            raise AssertionError

    settings = {"path": str(tmp_path / "bot.db"), "recall": {"timeout": 0.05}, "end": {"store_timeout": 3600}}
    async with Earwitness.open(settings=settings, store=Hangs(), ledger=MemoryLedger()) as ew:
        found = await ew.conversation("k").context("Mio")
    assert found.failures == ("StorageError: the store has not answered within 0.05 s.",)


@pytest.mark.parametrize("content", ["", "garbage\n", '{"key": 7}\n'])
async def test_a_file_that_cannot_be_read_stops_no_other_conversation(
    ew: Earwitness, service: Service, tmp_path: Path, content: str
) -> None:
    conversation = await talked(ew)
    (tmp_path / FOLDER / "old.jsonl").write_text(content, "utf-8")
    closing = await conversation.close()
    assert (closing.uploaded, closing.cleared) == (True, True)
    (said,) = closing.left_out
    assert "old.jsonl" in said
    assert "was left out, because it cannot be read" in said
    service.room = 0
    assert said in (await conversation.context("Oslo")).failures


async def test_a_conversation_that_fails_later_loses_no_result(ew: Earwitness, service: Service) -> None:
    class Fails:
        def consolidate(self, task: ConsolidationTask) -> Consolidation:
            raise ValueError("no model")

    service.room = 0
    failed = await talked(ew, "telegram:1")
    await failed.close()
    ew.conversation("telegram:1", consolidator=Fails())
    service.room = float("inf")
    closing = await (await talked(ew, "telegram:2")).close()
    assert closing.cleared
    assert closing.left_out == ("conversation 'telegram:1': ValueError: no model",)
    assert len(await failed.messages()) == 6
    taken = len(service.taken)
    assert (await failed.close()).failure == "ValueError: no model"
    assert len(service.taken) == taken  # what is confirmed is noted


@pytest.mark.parametrize("key", ["x" * 300, "ü" * 300, "😀" * 300])
async def test_a_long_key_is_a_key_like_others(ew: Earwitness, key: str) -> None:
    other = f"{key[:-1]}y"
    for each in (key, other):
        await ew.conversation(each).add("user", f"I am {each}.")
    assert set(await ew.conversation.keys()) == {key, other}
    assert [each.content for each in await ew.conversation(key).messages()] == [f"I am {key}."]


async def test_keys_that_differ_in_case_have_two_files_everywhere(ew: Earwitness, tmp_path: Path) -> None:
    for key in ("Ada", "ada", "ADA", "con", "CON"):
        await ew.conversation(key).add("user", "Hello.")
    names = [each.name for each in (tmp_path / FOLDER).glob("*.jsonl")]
    assert len({each.casefold() for each in names}) == 5
    assert "con.jsonl" not in names


async def test_a_folder_that_cannot_be_written_is_an_error_of_earwitness(ew: Earwitness, tmp_path: Path) -> None:
    (tmp_path / "bot.conversations").write_text("a file", "utf-8")
    with pytest.raises(StorageError, match=r"bot\.conversations"):
        await ew.conversation("k").add("user", "Hello.")


async def test_a_document_that_the_store_refuses_holds_up_no_other(ew: Earwitness, service: Service) -> None:
    conversation = await talked(ew, number=120, text="I live in Oslo, " + "by the harbour, " * 40)
    service.bad = "message 3."
    closing = await conversation.close()
    assert (closing.uploaded, closing.missing) == (False, 1)
    assert "refuses 1 document for good: 422" in str(closing.failure)
    texts = await uploaded(service)
    assert "message 119." in texts
    assert "message 3." not in texts
    service.bad = ""
    closing = await conversation.close()
    assert (closing.uploaded, closing.cleared, closing.missing) == (True, True, 0)
    assert len(service.taken) == len(set(service.taken)) == await service.count("conversation-nanobot_memory")


async def test_a_conversation_that_goes_on_after_a_failed_upload_keeps_what_is_new(
    ew: Earwitness, service: Service
) -> None:
    service.room = 0
    conversation = await talked(ew)
    assert not (await conversation.close()).uploaded
    service.room = float("inf")
    await conversation.add("user", "Something new: my fish is called Bob.")
    assert (await (await talked(ew, "telegram:2")).close()).replayed == ("telegram:42",)
    assert [each.content for each in await conversation.messages()] == ["Something new: my fish is called Bob."]
    assert "message 2" in await uploaded(service)
    assert "Bob" not in await uploaded(service)
    assert not await conversation.is_pending()
    assert (await conversation.retry()).cleared is False  # nothing is to be tried again
    assert len(await conversation.messages()) == 1
    assert (await conversation.close()).cleared
    assert "Bob" in await uploaded(service)


async def test_a_retry_leaves_what_came_after_the_conversation_was_closed(ew: Earwitness, service: Service) -> None:
    service.room = 0
    conversation = await talked(ew)
    await conversation.close()
    service.room = float("inf")
    await conversation.add("user", "Something new.")
    assert (await conversation.retry()).cleared
    assert [each.content for each in await conversation.messages()] == ["Something new."]


async def test_closing_what_is_empty_makes_no_file(ew: Earwitness, tmp_path: Path) -> None:
    closing = await ew.conversation("never").close()
    assert (closing.uploaded, closing.cleared) == (True, True)
    assert files(tmp_path) == []
    conversation = await talked(ew)
    await conversation.close()
    assert (await conversation.close()).cleared
    with pytest.raises(InputError, match="clear = 'no' must be true or false"):
        await conversation.close(clear="no")
    with pytest.raises(InputError, match="content = ' ' is empty"):
        await conversation.add("user", " ")
