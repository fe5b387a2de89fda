"""The table `[supermemory]` alone chooses the service; conversations reach it through its real client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from earwitness import Earwitness, Settings
from earwitness.wrapper import innermost
from earwitness_plugins.stores.sqlite import SqliteStore
from earwitness_plugins.stores.supermemory.store import SupermemoryStore
from earwitness_plugins.testing.supermemory import Emulator


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    with Emulator() as running:
        monkeypatch.setenv("SUPERMEMORY_BASE_URL", running.url)
        monkeypatch.delenv("SUPERMEMORY_API_KEY", raising=False)
        yield running


def settings(folder: Path, table: str) -> Settings:
    file = folder / "earwitness.toml"
    file.write_text(f'path = "{folder / "bot.db"}"\n\n[supermemory]\n{table}\n', "utf-8")
    return Settings.load(file)


async def test_a_conversation_is_uploaded_found_and_cleared(tmp_path: Path, service: Emulator) -> None:
    async with Earwitness.open(settings=settings(tmp_path, 'api_key = "any"')) as ew:
        assert isinstance(innermost(ew.engine.store), SupermemoryStore)
        conversation = ew.conversation("telegram:42")
        await conversation.add("user", "My cat is called Mio.")
        assert (await conversation.close()).cleared
        assert await conversation.messages() == ()
        held = await ew.engine.store.list("conversation-nanobot_memory")
        found = await ew.conversation("discord:7").context("My cat is called Mio")
        assert found.memories == ("user: My cat is called Mio.",)
        service.away = True
        found = await ew.conversation("discord:7").context("Mio")
        assert found.memories == ("user: My cat is called Mio.",)
        assert len(found.failures) == 1
        service.away = False
    assert [each.content for each in held] == ["user: My cat is called Mio."]
    assert "any" not in settings(tmp_path, 'api_key = "any"').model_dump_json()


async def test_while_the_service_is_away_it_is_kept_and_follows_the_next_that_succeeds(
    tmp_path: Path, service: Emulator
) -> None:
    async with Earwitness.open(settings=settings(tmp_path, 'api_key = "any"\ncontainer_tag = "mine"')) as ew:
        service.away = True
        first = ew.conversation("telegram:1")
        await first.add("user", "My cat is called Mio.")
        assert not (await first.close()).uploaded
        service.away = False
        second = ew.conversation("telegram:2")
        await second.add("user", "Hello.")
        assert (await second.close()).replayed == ("telegram:1",)
        held = await ew.engine.store.list("conversation-mine")
    assert {each.content for each in held} == {"user: Hello.", "user: My cat is called Mio."}


async def test_an_empty_key_falls_back_to_the_store_here(tmp_path: Path, service: Emulator) -> None:
    async with Earwitness.open(settings=settings(tmp_path, 'api_key = ""')) as ew:
        assert isinstance(innermost(ew.engine.store), SqliteStore)
        conversation = ew.conversation("telegram:42")
        await conversation.add("user", "My cat is called Mio.")
        assert (await conversation.close()).cleared
        found = await conversation.context("What is the cat called?")
    assert found.memories[0] == "user: My cat is called Mio."
    assert found.failures == ()


async def test_a_store_that_is_chosen_by_name_stays(tmp_path: Path, service: Emulator) -> None:
    given = settings(tmp_path, 'api_key = "any"').changed(store="sqlite")
    async with Earwitness.open(settings=given) as ew:
        assert isinstance(innermost(ew.engine.store), SqliteStore)
