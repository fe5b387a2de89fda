"""Only conversations of chat assistants leave out what is less alike than the table `[supermemory]` says."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from earwitness import Earwitness, Settings
from earwitness_plugins.applications.assistants.settings import AssistantSettings
from earwitness_plugins.stores.supermemory.factory import CONTAINER_TAG, CONVERSATION_THRESHOLD
from earwitness_plugins.testing.supermemory import Emulator

LINES = [
    "The sword of Aldric lies beneath the frozen lake.",
    "My mother was a baker in the harbour town.",
    "I dreamt of a white wolf again.",
    "The king has raised the salt tax.",
    "Meet me at dusk by the mill.",
    "The wolf was seen at the mill.",
    "Was it white, like the one of my dream?",
]
STORES = {
    "store": '[store]\nname = "supermemory"\n',
    "table": '[supermemory]\napi_key = "k"\n',
    "table and store": '[supermemory]\napi_key = "k"\n[store]\nname = "supermemory"\n',
    "fallback": '[supermemory]\napi_key = "k"\n[store]\nname = "fallback"\nprimary = "supermemory"\n'
    'fallback = "sqlite"\ntimeout = 20\n',
    "tag alone": '[supermemory]\ncontainer_tag = "x"\n',
}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    with Emulator() as running:
        monkeypatch.setenv("SUPERMEMORY_BASE_URL", running.url)
        monkeypatch.setenv("SUPERMEMORY_API_KEY", "k")
        yield running


def settings(file: Path, tables: str) -> Settings:
    story = f'path = "{file.with_suffix(".db")}"\ndetector = "everyone"\nrecall = {{ timeout = 20 }}\n'
    file.write_text(story + tables, "utf-8")
    return Settings.load(file)


async def recalled(given: Settings) -> list[tuple[str, ...]]:
    async with Earwitness.open(settings=given) as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        for number, line in enumerate(LINES):
            await (await story.say("alice" if number % 2 else "bob", line, key=f"m{number}")).settled()
        await story.delivered()
        turns = [await story.turn("bob", query=query, in_prompt=[]) for query in ("Where is the sword?", "the wolf")]
        assert not any(turn.failures for turn in turns)
        found = [tuple(each.text for each in turn.memories) for turn in turns]
        await ew.forget("s1")
        return found


async def test_a_story_recalls_the_same_whichever_table_chose_the_store(tmp_path: Path, service: Emulator) -> None:
    files = {name: settings(tmp_path / f"{name}.toml", tables) for name, tables in STORES.items()}
    found = {name: await recalled(given) for name, given in files.items()}
    first = found["store"]
    assert "sword" in first[0][0]
    assert len(first[1]) >= 2
    assert found == dict.fromkeys(STORES, first)


async def test_a_conversation_leaves_out_what_is_less_alike(tmp_path: Path, service: Emulator) -> None:
    for number, (tables, expected) in enumerate([(STORES["table"], False), (STORES["store"], False), (ALL, True)]):
        async with Earwitness.open(settings=settings(tmp_path / f"{number}.toml", tables)) as ew:
            conversation = ew.conversation("telegram:42")
            await conversation.add("user", "The weather in Oslo is fine today.")
            assert (await conversation.close()).cleared
            await conversation.context("Oslo")  # from here on, the service itself finds what was uploaded
            found = await ew.engine.store.search("conversation-nanobot_memory", "Where is the sword in Oslo?")
            assert bool(found) == expected


ALL = '[supermemory]\napi_key = "k"\nthreshold = 0\n'


def test_the_default_is_that_of_the_table() -> None:
    defaults = AssistantSettings()
    assert (defaults.container_tag, defaults.threshold) == (CONTAINER_TAG, CONVERSATION_THRESHOLD)
