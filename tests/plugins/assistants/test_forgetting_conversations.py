"""What a bot forgets, what it is told but once, and what is not a message of a conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Settings
from earwitness.containers import conversation_container
from earwitness.errors import InputError, SettingsError, StorageError

from .uploads import CONTAINER, FOLDER, Service, talked, uploaded


async def test_a_conversation_is_forgotten_here_and_in_the_store_and_no_other_is(
    ew: Earwitness, service: Service
) -> None:
    gone, kept = await talked(ew, "telegram:4", text="My PIN is 4711"), await talked(ew, "telegram:42")
    await gone.close()
    await kept.close()
    await gone.add("user", "My PIN is still 4711.")
    assert await gone.forget() == 1
    assert (await gone.messages(), await gone.facts()) == ((), ())
    assert await ew.conversation.keys() == ("telegram:42",)
    assert "4711" not in await uploaded(service)
    assert "4711" not in str(await kept.context("What is my PIN?"))
    assert "Oslo" in await uploaded(service)


async def test_a_container_that_is_forgotten_leaves_no_file_here(
    ew: Earwitness, service: Service, tmp_path: Path
) -> None:
    await (await talked(ew, "telegram:4", text="My PIN is 4711")).close()
    await talked(ew, "telegram:42")
    (tmp_path / FOLDER / "broken.jsonl").write_text("My PIN is 4711", "utf-8")
    await ew.forget_container(CONTAINER)
    assert await service.count(CONTAINER) == 0
    assert not (tmp_path / "bot.conversations").exists()
    assert str(await ew.conversation("telegram:42").context("What is my PIN?")) == ""


async def test_another_container_that_is_forgotten_leaves_the_conversations(ew: Earwitness) -> None:
    conversation = await talked(ew)
    other = conversation_container("other")
    await ew.register(other)
    await ew.forget_container(other)
    assert len(await conversation.messages()) == 6


async def test_a_forgotten_conversation_leaves_no_file_that_tells_its_key(ew: Earwitness, tmp_path: Path) -> None:
    conversation = await talked(ew, "telegram:4711")
    await conversation.close()
    await conversation.forget()
    assert not [each for each in (tmp_path / FOLDER).iterdir() if "4711" in each.name]


@pytest.mark.parametrize("role", ["", "usr", "user\nassistant", 3, None])
async def test_a_role_that_is_none_is_refused_with_those_there_are(ew: Earwitness, role: Any) -> None:
    with pytest.raises(InputError, match=r"use 'user', 'assistant', 'system', 'tool', as in add\('user', 'Hello\.'\)"):
        await ew.conversation("telegram:42").add(role, "Hello.")
    assert await ew.conversation("telegram:42").messages() == ()


async def test_a_role_that_is_misspelt_is_recognised(ew: Earwitness) -> None:
    with pytest.raises(InputError, match=r"role = 'asistant' is not a role.* Did you mean 'assistant'\?"):
        await ew.conversation("telegram:42").add("asistant", "Hello.")


async def test_a_message_that_is_no_text_is_refused(ew: Earwitness) -> None:
    with pytest.raises(InputError, match="content = None must be text"):
        await ew.conversation("telegram:42").add("user", None)


async def test_half_a_character_is_refused_and_nothing_is_written(ew: Earwitness) -> None:
    conversation = ew.conversation("telegram:42")
    with pytest.raises(InputError, match=r"content = 'hello .*' holds half a character \('\\ud800'\) at 6"):
        await conversation.add("user", "hello \ud800")
    with pytest.raises(InputError, match=r"query = .* holds half a character"):
        await conversation.context("\udc00")
    assert await conversation.messages() == ()


@pytest.mark.parametrize("limit", ["5", None, -1, 1.5, True])
async def test_a_limit_that_is_none_is_refused(ew: Earwitness, limit: Any) -> None:
    with pytest.raises(InputError, match=r"limit = .* must be a whole number from 0 on"):
        await ew.conversation("telegram:42").context("Mio", limit=limit)


async def test_a_query_that_is_no_text_is_refused(ew: Earwitness) -> None:
    with pytest.raises(InputError, match="query = None must be text"):
        await ew.conversation("telegram:42").context(None)  # type: ignore[arg-type]


async def test_a_fact_that_a_document_says_already_is_not_shown_twice(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "bot.db") as ew:
        conversation = ew.conversation("telegram:42")
        await conversation.add("user", "My cat is called Mio.")
        await conversation.add("assistant", "What a nice name!")
        await conversation.close()
        assert await conversation.facts() == ("user: My cat is called Mio.",)
        found = await conversation.context("What is my cat called?")
        assert found.memories == ("user: My cat is called Mio.\nassistant: What a nice name!",)


async def test_a_folder_that_is_a_file_is_refused_at_once_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", "utf-8")
    settings = Settings.of(
        path=str(tmp_path / "bot.db"), supermemory={"api_key": "", "folder": str(tmp_path / "taken")}
    )
    async with Earwitness.open(settings=settings) as ew:
        for call in (lambda: ew.conversation("k").add("user", "Hello."), ew.conversation.keys):
            with pytest.raises(StorageError, match=r"taken' is a file.*set `folder` in the table \[supermemory\]"):
                await call()


@pytest.mark.parametrize("tag", ["a/../b", "a\\b"])
def test_a_container_tag_with_a_folder_in_it_is_refused(tag: str) -> None:
    with pytest.raises(SettingsError, match=r"container_tag: .* holds .*, which separates folders"):
        Settings.of(supermemory={"container_tag": tag})
