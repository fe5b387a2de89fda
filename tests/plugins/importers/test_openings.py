"""`import` and `new` agree about a chat: who was there from its first line on, and who heard what."""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Session
from earwitness.loading.strategies import Strategies
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.applications.imports.import_files import import_files
from earwitness_plugins.applications.imports.story_writer import story_values
from earwitness_plugins.applications.stories.player import play
from earwitness_plugins.applications.stories.story import Story

from .making import V2, file
from .test_chats import GROUP, HEADER, says

GREETING = "The stove is cold. Late again?"
PAIR = [HEADER, says("Mira", GREETING), says("Kim", "Sorry.", is_user=True), says("Mira", "Sit down.")]
COMPANY = [
    GROUP,
    says("Mira", "Good evening, Bo! Nobody followed you, I hope."),
    says("Kim", "I hope so too.", is_user=True),
    says("Bo", "Nobody. And the door is locked."),
    says("Tom", "*steps out of the shadows* Good evening."),
    says("Mira", "Tom!"),
]
LONELY = [HEADER, says("Mira", GREETING)]


@pytest.fixture
async def ew() -> AsyncIterator[Earwitness]:
    """An instance with the default detector."""
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    async with Earwitness.open(embedder="none", strict=True, **strategies) as opened:
        yield opened


def chat(folder: Path, rows: Sequence[object]) -> str:
    return file(folder, "night.jsonl", rows)


async def heard(story: Session) -> list[tuple[str, set[str]]]:
    """Each message, and who perceived it."""
    memories = (await story.backstage().inspect("world")).memories
    said = [each for each in memories if each.type == "message"]
    return [(each.content, set(each.metadata["participants"])) for each in said]


async def imported(ew: Earwitness, path: str) -> Session:
    await import_files(ew, "imported", [read_file(Strategies(), path)])
    return await ew.open_session("imported")


async def made(ew: Earwitness, path: str) -> Session:
    values, _ = story_values("made", "Made", [read_file(Strategies(), path)], None)
    async for _ in play(ew, Story.model_validate({**values, "steps": _steps(values["steps"])})):
        pass
    return await ew.open_session("made")


def _steps(steps: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    return [{"kind": "say", "speaker": id, "text": text} for step in steps for id, text in step.items()]


@pytest.mark.parametrize("rows", [PAIR, COMPANY, LONELY], ids=["pair", "company", "lonely"])
async def test_import_and_new_agree_about_a_chat(ew: Earwitness, tmp_path: Path, rows: list[object]) -> None:
    path = chat(tmp_path, rows)
    assert await heard(await imported(ew, path)) == await heard(await made(ew, path))


@pytest.mark.parametrize("rows", [PAIR, LONELY], ids=["pair", "lonely"])
async def test_the_persona_remembers_the_greeting(ew: Earwitness, tmp_path: Path, rows: list[object]) -> None:
    story = await imported(ew, chat(tmp_path, rows))
    turn = await story.turn("kim", query="the stove", in_prompt=())
    assert any(GREETING in each.text for each in turn.memories)


async def test_in_company_whoever_spoke_came_or_was_greeted_is_there(ew: Earwitness, tmp_path: Path) -> None:
    story = await imported(ew, chat(tmp_path, COMPANY))
    assert [who for _, who in await heard(story)] == [
        {"mira", "kim", "bo"},
        {"mira", "kim", "bo"},
        {"mira", "kim", "bo"},
        {"mira", "kim", "bo", "tom"},
        {"mira", "kim", "bo", "tom"},
    ]


async def test_a_chat_goes_on_in_a_story_where_its_two_come_in(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "imported", [read_file(Strategies(), file(tmp_path, "mira.json", V2))])
    rows = json.loads(json.dumps(PAIR).replace('"Mira"', '"Mira Vale"'))
    story = await imported(ew, chat(tmp_path, rows))
    assert [who for _, who in await heard(story)] == [{"mira_vale", "kim"}] * 3
    await story.leave("kim")
    before = len(await story.backstage().journal())
    await imported(ew, chat(tmp_path, rows))
    assert len(await story.backstage().journal()) == before, "the same chat again brings nobody back"
    assert "kim" not in story.state.here
