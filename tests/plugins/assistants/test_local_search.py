"""What was said is found on this machine as long as the store does not have it, or is away; and once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.testing.reference import MemoryLedger
from earwitness_plugins.applications.assistants.file import ConversationContent, ConversationFile
from earwitness_plugins.applications.assistants.records import AssistantMessage

from .uploads import FOLDER, Service

LOCKER = "My locker in the harbour has the number 17."
QUESTION = "Which number has the locker?"


async def said(ew: Earwitness, key: str, *lines: str) -> Any:
    conversation = ew.conversation(key)
    for line in lines:
        await conversation.add("user", line)
        await conversation.add("assistant", "Noted.")
    return conversation


async def found(ew: Earwitness, query: str = QUESTION, key: str = "discord:7", limit: int = 10) -> tuple[str, ...]:
    return (await ew.conversation(key).context(query, limit=limit)).memories


async def test_an_open_conversation_is_found_while_the_service_is_away_and_while_it_is_not(
    ew: Earwitness, service: Service
) -> None:
    conversation = await said(ew, "telegram:42", "Good morning.", LOCKER, "The weather is fine.")
    for room in (float("inf"), 0):
        service.room = room
        assert await found(ew) == (f"user: {LOCKER}",)
    service.room = float("inf")
    assert (await conversation.close()).cleared
    (document,) = await found(ew)
    assert document.count(LOCKER) == 1
    service.room = 0
    assert await found(ew) == (f"user: {LOCKER}",)


async def test_a_failed_upload_is_found_until_it_is_replayed_and_then_once(ew: Earwitness, service: Service) -> None:
    service.room = 0
    conversation = await said(ew, "telegram:42", LOCKER)
    assert not (await conversation.close()).uploaded
    assert await found(ew) == (f"user: {LOCKER}",)
    assert await found(ew, key="telegram:42") == (f"user: {LOCKER}",)
    service.room = float("inf")
    assert await found(ew) == (f"user: {LOCKER}",)
    assert (await conversation.retry()).uploaded
    assert "\n".join(await found(ew)).count(LOCKER) == 1


async def test_of_a_partial_upload_what_the_store_has_is_not_found_twice(ew: Earwitness, service: Service) -> None:
    service.room = 1
    conversation = await said(ew, "telegram:42", LOCKER, *("x" * 900 for _ in range(8)), "The locker has a blue door.")
    assert (await conversation.close()).missing == 1
    service.room = float("inf")
    everything = "\n".join(await found(ew, "What of the locker?"))
    assert (everything.count(LOCKER), everything.count("blue door")) == (1, 1)
    service.room = 0
    away = await found(ew, "What of the locker?")
    assert set(away) == {f"user: {LOCKER}", "user: The locker has a blue door."}


async def test_what_was_uploaded_and_kept_is_not_found_twice(ew: Earwitness, service: Service) -> None:
    conversation = await said(ew, "telegram:42", LOCKER)
    assert (await conversation.close(clear=False)).uploaded
    await conversation.add("user", "And one thing more about the number of the locker: it is a prime.")
    everything = "\n".join(await found(ew))
    assert (everything.count(LOCKER), everything.count("prime")) == (1, 1)


async def test_what_is_much_less_alike_than_the_best_is_not_found(ew: Earwitness, service: Service) -> None:
    await said(ew, "telegram:42", LOCKER, "I have a sister.", "My house is in a harbour.")
    service.room = 0
    assert await found(ew) == (f"user: {LOCKER}",)


async def test_a_query_that_says_nothing_finds_nothing_and_a_long_message_is_shortened(
    ew: Earwitness, service: Service
) -> None:
    rest = "The weather was fine that day. " * 20_000
    await said(ew, "telegram:42", f"{rest}{LOCKER} {rest}")
    service.room = 0
    for empty in ("???", "the", "Who are you?"):
        assert await found(ew, empty) == ()
    (line,) = await found(ew)
    assert LOCKER in line
    assert len(line) <= 4_000


async def test_what_the_bot_has_before_it_is_not_told_again(tmp_path: Path, service: Service) -> None:
    settings = {"path": str(tmp_path / "bot.db"), "supermemory": {"memory_window": 4}}
    async with Earwitness.open(settings=settings, store=service, ledger=MemoryLedger()) as ew:
        await said(ew, "telegram:42", LOCKER, "Hello.")
        assert await found(ew, key="telegram:42") == ()
        await said(ew, "telegram:42", "Good evening.")
        await ew.conversation("telegram:42").add("user", QUESTION)
        assert await found(ew, key="telegram:42") == (f"user: {LOCKER}",)
        assert await found(ew) == (f"user: {LOCKER}",)


async def test_documents_and_what_is_not_uploaded_yet_take_turns(ew: Earwitness, service: Service) -> None:
    for number in range(4):
        assert (await (await said(ew, f"old:{number}", f"Locker number {number} is empty.")).close()).cleared
    await said(ew, "telegram:42", LOCKER)
    two = await found(ew, limit=2)
    assert len(two) == 2
    assert two[1] == f"user: {LOCKER}"


async def test_a_conversation_that_cannot_be_read_is_named_and_others_are_found(ew: Earwitness, tmp_path: Path) -> None:
    await said(ew, "telegram:42", LOCKER)
    await said(ew, "broken", "Hello.")
    path = tmp_path / FOLDER / "broken.jsonl"
    path.write_text(f"{path.read_text('utf-8')}no message\n", "utf-8")
    context = await ew.conversation("discord:7").context(QUESTION)
    assert context.memories == (f"user: {LOCKER}",)
    assert "broken.jsonl' is not a conversation that can be read" in context.failures[0]


async def test_only_conversations_that_have_changed_are_read_again(
    ew: Earwitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole = ConversationFile.read

    def noted(self: ConversationFile) -> ConversationContent:
        read.append(self.key)
        return whole(self)

    for number in range(5):
        await said(ew, f"telegram:{number}", f"My locker in harbour {number} has the number 17.")
    monkeypatch.setattr(ConversationFile, "read", noted)
    assert len(await found(ew)) == 5
    assert sorted(read) == [f"telegram:{number}" for number in range(5)]
    assert len(await found(ew)) == 5
    other = ConversationFile(ew.conversation.folder, "telegram:3", "nanobot_memory")
    other.append(AssistantMessage(role="user", content="The locker is green.", timestamp="2026-11-23T00:00:00+00:00"))
    read.clear()
    assert "user: The locker is green." in await found(ew)
    assert read == ["telegram:3"]
    await ew.conversation("telegram:3").forget()
    assert len(await found(ew)) == 4
