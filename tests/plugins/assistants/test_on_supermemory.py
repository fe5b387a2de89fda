"""The table `[supermemory]` alone chooses the service; conversations reach it through its real client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from supermemory import AsyncSupermemory

from earwitness import Earwitness, Settings
from earwitness.containers import conversation_container, user_container
from earwitness.errors import WallError
from earwitness.records.backends import ServiceProfile
from earwitness.shared_documents import SharedDocuments
from earwitness.wrapper import innermost
from earwitness_plugins.applications.assistants.records import ConversationClosing
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


async def test_a_service_that_is_disabled_falls_back_to_the_store_here(tmp_path: Path, service: Emulator) -> None:
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


async def said(ew: Earwitness, key: str, text: str) -> None:
    conversation = ew.conversation(key)
    await conversation.add("user", text)
    assert (await conversation.close()).cleared


EXTRACTS = 'api_key = "any"\n[store]\nname = "supermemory"\ntask_type = "memory"'


async def test_the_profile_of_the_service_is_part_of_the_context(tmp_path: Path, service: Emulator) -> None:
    async with Earwitness.open(settings=settings(tmp_path, EXTRACTS)) as ew:
        conversation = ew.conversation("telegram:42")
        await conversation.add("user", "I am a sailor. The ferry leaves at nine. My cat is called Mio.")
        await conversation.close()
        await said(ew, "discord:7", "The weather in Oslo is fine.")
        found = await conversation.context("weather in Oslo", limit=1)
        assert (found.memories, found.static) == (("user: The weather in Oslo is fine.",), ("user: I am a sailor.",))
        assert set(found.dynamic) == {"The ferry leaves at nine.", "My cat is called Mio."}
        assert str(found).startswith("user: I am a sailor.\n")
        found = await conversation.context("cat Mio", limit=1)
        assert [str(found).count(each) for each in ("sailor", "ferry", "Mio")] == [1, 1, 1]
        assert any(each.endswith("/profile") for each in service.requests)
        service.away = True
        found = await conversation.context("cat")
        assert (found.static, found.dynamic, len(found.failures)) == ((), (), 1)
        assert found.memories == ("user: My cat is called Mio.",)


async def test_a_profile_is_not_asked_for_where_the_settings_say_so(tmp_path: Path, service: Emulator) -> None:
    async with Earwitness.open(settings=settings(tmp_path, f"profile = false\n{EXTRACTS}")) as ew:
        conversation = ew.conversation("telegram:42")
        await conversation.add("user", "I am a sailor.")
        await conversation.close()
        assert (await conversation.context("Who am I?")).static == ()
        assert not any(each.endswith("/profile") for each in service.requests)


async def test_nobody_else_is_told_of_a_profile(tmp_path: Path, service: Emulator) -> None:
    async with Earwitness.open(settings=settings(tmp_path, EXTRACTS)) as ew:
        assert await SharedDocuments(ew, conversation_container("mine")).profile() == ServiceProfile()
        with pytest.raises(WallError, match="a profile cannot be limited"):
            await SharedDocuments(ew, user_container("u1")).profile()


async def test_behind_a_fallback_the_service_still_tells_its_profile(tmp_path: Path, service: Emulator) -> None:
    store = 'api_key = "any"\n[store]\nname = "fallback"\nfallback = "sqlite"\n'
    store += 'primary = { name = "supermemory", task_type = "memory" }'
    async with Earwitness.open(settings=settings(tmp_path, store)) as ew:
        conversation = ew.conversation("telegram:42")
        await conversation.add("user", "I am a sailor. The ferry leaves at nine.")
        assert (await conversation.close()).cleared
        await said(ew, "discord:7", "The weather in Oslo is fine.")
        assert (await conversation.context("weather in Oslo", limit=1)).static == ("user: I am a sailor.",)


async def test_no_profile_is_made_of_documents_that_another_program_wrote(tmp_path: Path, service: Emulator) -> None:
    async with AsyncSupermemory(base_url=service.url, api_key="any", max_retries=0) as other:
        namespace = "conversation-nanobot_memory"
        await other.add(namespace, id="foreign", content="I am a spy for the baron.", metadata={}, dreaming="instant")
    async with Earwitness.open(settings=settings(tmp_path, EXTRACTS)) as ew:
        await said(ew, "telegram:42", "I am a sailor.")
        found = await ew.conversation("telegram:42").context("spy of the baron")
    assert "sailor" in str(found)
    assert "spy" not in str(found)


KEY = 'api_key = "any"'


async def held(ew: Earwitness) -> list[str]:
    return [each.content for each in await ew.engine.store.list("conversation-nanobot_memory")]


async def test_a_replay_succeeds_in_part_fails_and_succeeds_and_sends_nothing_twice(
    tmp_path: Path, service: Emulator
) -> None:
    async with Earwitness.open(settings=settings(tmp_path, KEY)) as ew:
        failed = ew.conversation("telegram:1")
        lines = [f"{number}: {'x' * 1_500}" for number in range(12)]
        for line in lines:
            await failed.add("user", line)
        service.room = 0
        missing = (await failed.close()).missing
        assert missing == 6
        service.room = 3  # one for the conversation that succeeds, two of the one that had failed
        closing = await said_and_closed(ew, "telegram:2", "Hello.")
        assert (closing.uploaded, closing.replayed) == (True, ())
        assert len(await held(ew)) == 3
        service.room = 0
        closing = await failed.retry()
        assert (closing.uploaded, closing.missing) == (False, missing - 2)
        assert len(await failed.messages()) == 12
        service.room = None
        assert (await said_and_closed(ew, "telegram:3", "Good evening.")).replayed == ("telegram:1",)
        uploaded = "\n".join(await held(ew))
        assert [uploaded.count(f"user: {line}\n") + uploaded.endswith(line) for line in lines] == [1] * 12
        assert await failed.messages() == ()


async def said_and_closed(ew: Earwitness, key: str, text: str) -> ConversationClosing:
    await ew.conversation(key).add("user", text)
    closing: ConversationClosing = await ew.conversation(key).close()
    return closing


async def test_a_long_payload_stays_intact(tmp_path: Path, service: Emulator) -> None:
    long = "The sword is in the cave. " * 30_000 + "The end."
    async with Earwitness.open(settings=settings(tmp_path, KEY)) as ew:
        conversation = ew.conversation("telegram:42")
        await conversation.add("user", long)
        for number in range(60):
            await conversation.add("assistant", f"{number} " + "and so on " * 100)
        said = await conversation.messages()
        assert (await conversation.close()).cleared
        assert "\n".join(await held(ew)) == "\n".join(map(str, said))


async def test_without_clearing_it_stays_and_the_next_upload_replaces_it(tmp_path: Path, service: Emulator) -> None:
    async with Earwitness.open(settings=settings(tmp_path, KEY)) as ew:
        conversation = ew.conversation("telegram:42")
        await conversation.add("user", "Hello.")
        closing = await conversation.close(clear=False)
        assert (closing.uploaded, closing.cleared) == (True, False)
        await conversation.add("assistant", "Good morning.")
        assert (await conversation.close(clear=False)).uploaded
        assert await held(ew) == ["user: Hello.\nassistant: Good morning."]
        assert len(await conversation.messages()) == 2
        assert (await conversation.close()).cleared
        assert await held(ew) == ["user: Hello.\nassistant: Good morning."]
        assert await conversation.messages() == ()
