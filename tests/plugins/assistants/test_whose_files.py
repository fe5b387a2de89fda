"""Whose a conversation's file is: no upload replaces that of another machine, and no bot uploads what is another's."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Settings
from earwitness.containers import conversation_container
from earwitness.errors import InputError
from earwitness.protocols import Ledger
from earwitness.testing.reference import MemoryLedger
from earwitness_plugins.applications.assistants.file import ConversationFile

from .uploads import CONTAINER, FOLDER, Service, files, talked, uploaded

OLD = (
    '{"key": "k", "first": 6, "is_pending": true}\n'
    '{"role": "user", "content": "My locker is 17.", "timestamp": "2026-01-01T00:00:00Z"}\n'
)
"""A file as earlier versions wrote it."""


def bot(folder: Path, store: Service, tag: str = "nanobot_memory", ledger: Ledger | None = None) -> Earwitness:
    settings = Settings.of(path=str(folder / "bot.db"), supermemory={"container_tag": tag})
    return Earwitness.open(settings=settings, store=store, ledger=ledger or MemoryLedger())


def old_file(folder: Path) -> Path:
    (folder / "bot.conversations").mkdir()
    path = folder / "bot.conversations" / "k.jsonl"
    path.write_text(OLD, "utf-8")
    return path


async def knows(*tags: str) -> MemoryLedger:
    ledger = MemoryLedger()
    await ledger.register([conversation_container(each) for each in tags])
    return ledger


async def test_a_second_machine_replaces_nothing_that_was_uploaded(tmp_path: Path, service: Service) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        async with bot(tmp_path / name, service) as ew:
            await (await talked(ew, number=1, text=f"I write from machine {name}")).close()
    assert "machine one" in await uploaded(service)
    assert "machine two" in await uploaded(service)
    async with bot(tmp_path / "one", service) as ew:
        assert await ew.conversation("telegram:42").forget() == 2


async def test_after_forgetting_a_conversation_begins_anew(ew: Earwitness, service: Service) -> None:
    conversation = await talked(ew, number=1)
    await conversation.close()
    (before,) = await service.list(CONTAINER)
    await conversation.forget()
    await (await talked(ew, number=1)).close()
    (after,) = await service.list(CONTAINER)
    assert before.id != after.id


async def test_what_is_begun_during_an_upload_of_what_was_forgotten_stays(ew: Earwitness, service: Service) -> None:
    asked, answers, put = asyncio.Event(), asyncio.Event(), service.put

    async def slow(memories: object) -> None:
        asked.set()
        await answers.wait()

    conversation = await talked(ew, number=1)
    service.put = slow  # type: ignore[method-assign,assignment]
    closing = asyncio.create_task(conversation.close())
    await asked.wait()
    await ew.forget_container(CONTAINER)
    await conversation.add("user", "A new beginning.")
    answers.set()
    await closing
    service.put = put  # type: ignore[method-assign]
    assert [each.content for each in await conversation.messages()] == ["A new beginning."]


@pytest.mark.parametrize("other", ["ben", "..", ".", "Ann"])
async def test_two_bots_with_one_path_have_each_their_own(tmp_path: Path, service: Service, other: str) -> None:
    async with bot(tmp_path, service, "ann") as ew:
        await ew.conversation("k").add("user", "The code of my safe is 4711.")
        service.room = 0
        assert not (await ew.conversation("k").close()).uploaded
        service.room = float("inf")
    async with bot(tmp_path, service, other) as ew:
        assert await ew.conversation("k").messages() == ()
        closing = await (await talked(ew, "k")).close()
        assert (closing.uploaded, closing.replayed) == (True, ())
        assert {each.container for each in await service.list(f"conversation-{other}")} == {f"conversation-{other}"}
        assert "4711" not in str([await service.list(f"conversation-{other}"), await ew.conversation("k").facts()])
        service.room = 0
        assert "4711" not in str(await ew.conversation("k").context("What is the code of my safe?"))
        service.room = float("inf")
        await ew.forget_container(f"conversation-{other}")
        assert await ew.conversation.keys() == ()
    async with bot(tmp_path, service, "ann") as ew:
        assert [each.content for each in await ew.conversation("k").messages()] == ["The code of my safe is 4711."]
        assert (await ew.conversation("k").retry()).cleared
    assert [each.content for each in await service.list("conversation-ann")] == ["user: The code of my safe is 4711."]
    assert files(tmp_path) == files(tmp_path / "bot.conversations" / "ann")


async def test_a_file_of_another_container_tag_is_refused(tmp_path: Path, service: Service) -> None:
    async with bot(tmp_path, service, "ann") as ew:
        await ew.conversation("k").add("user", "Hello.")
    (tmp_path / "bot.conversations" / "ann").rename(tmp_path / "bot.conversations" / "ben")
    async with bot(tmp_path, service, "ben") as ew:
        for call in (ew.conversation("k").messages, ew.conversation("k").close):
            with pytest.raises(InputError, match="is a conversation of container_tag 'ann', not 'ben'"):
                await call()
        (left_out,) = (await (await talked(ew, "other")).close()).left_out
        assert "k.jsonl" in left_out
        assert "container_tag 'ann'" in left_out


async def test_a_file_of_an_earlier_version_is_taken_over_and_keeps_its_ids(tmp_path: Path, service: Service) -> None:
    old_file(tmp_path)
    async with bot(tmp_path, service, ledger=await knows("nanobot_memory")) as ew:
        assert [each.content for each in await ew.conversation("k").messages()] == ["My locker is 17."]
        assert (await ew.conversation("k").close()).uploaded
    assert [each.id for each in await service.list(CONTAINER)] == ["session_k_6"]
    head = json.loads((tmp_path / FOLDER / "k.jsonl").read_text("utf-8"))
    assert (head["container_tag"], head["run"], head["first"]) == ("nanobot_memory", "", 7)


async def test_adding_reads_the_file_only_after_another_program_changed_it(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = list[str]()
    read = ConversationFile.read

    def counted(file: ConversationFile) -> Any:
        reads.append(file.path.name)
        return read(file)

    monkeypatch.setattr(ConversationFile, "read", counted)
    async with bot(tmp_path, service) as one, bot(tmp_path, service) as other:
        for _ in range(20):
            await one.conversation("k").add("user", "one")
        assert len(reads) == 1
        for _ in range(20):
            await other.conversation("k").add("user", "other")
        assert len(reads) == 2
        with (tmp_path / FOLDER / "k.jsonl").open("ab") as cut:
            cut.write(b'{"role": "user", "cont')
        await one.conversation("k").add("user", "last")
        await one.conversation("k").add("user", "very last")
        assert len(reads) == 3
        said = [each.content for each in await one.conversation("k").messages()]
    assert said == ["one"] * 20 + ["other"] * 20 + ["last", "very last"]


async def test_a_takeover_that_was_interrupted_goes_on(tmp_path: Path, service: Service) -> None:
    path = old_file(tmp_path)
    half = tmp_path / "bot.conversations" / ".nanobot_memory.new"
    half.mkdir()
    path.rename(half / path.name)
    async with bot(tmp_path, service, ledger=await knows("nanobot_memory")) as ew:
        assert await ew.conversation.keys() == ("k",)


@pytest.mark.parametrize("known", [(), ("ann",), ("nanobot_memory", "ann")])
async def test_a_file_that_may_be_of_another_tag_is_left_and_named(
    tmp_path: Path, service: Service, known: tuple[str, ...]
) -> None:
    path = old_file(tmp_path)
    async with bot(tmp_path, service, ledger=await knows(*known)) as ew:
        closing = await (await talked(ew, "k")).close()
        (left_out,) = closing.left_out
        assert "an earlier version did not note its container_tag. If that is 'nanobot_memory', move it to" in left_out
        assert "locker" not in await uploaded(service)
        await ew.forget_container(CONTAINER)
    assert path.read_text("utf-8") == OLD


async def test_a_container_that_is_forgotten_takes_files_of_an_earlier_version_along(
    tmp_path: Path, service: Service
) -> None:
    old_file(tmp_path)
    async with bot(tmp_path, service, ledger=await knows("nanobot_memory")) as ew:
        await ew.forget_container(CONTAINER)
    assert not (tmp_path / "bot.conversations").exists()
