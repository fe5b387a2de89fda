"""The demo story plays on every store, and who knows what is the same as on `sqlite`."""

from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Settings
from earwitness.loading.strategy_spec import StrategySpec
from earwitness_plugins.applications.stories.player import play
from earwitness_plugins.applications.stories.reader import read_story
from earwitness_plugins.testing.supermemory import Emulator

EXAMPLE = Path(__file__).parents[2] / "examples" / "the_sacred_sword.yaml"
QUESTIONS = ("agreed to find the Sacred Sword", "She sleeps only while somebody sings to her", "the silver coins")
STORES: tuple[dict[str, Any], ...] = ({"store": "mem0"}, {"store": "markdown"}, {"store": "qdrant"})
"""Settings of each store but `sqlite`."""

pytestmark = pytest.mark.anyio


async def answers(path: Path, **settings: Any) -> list[Any]:
    """Who knows what after the story, and what everybody has in mind."""
    async with Earwitness.open(path, **settings) as ew:
        async for _ in play(ew, read_story(EXAMPLE)):
            pass
        story = await ew.open_session("sacred_sword")
        backstage = story.backstage()
        knows = [(await backstage.who_knows(question)).model_dump(mode="json") for question in QUESTIONS]
        held = {id: [str(each) for each in (await backstage.inspect(id)).memories] for id in story.cast.ids}
        return [knows, held]


@pytest.mark.parametrize("settings", STORES, ids=lambda settings: settings["store"])
async def test_the_demo_story_plays_as_on_sqlite(settings: dict[str, Any], tmp_path: Path) -> None:
    expected = await answers(tmp_path / "sqlite.db")
    assert await answers(tmp_path / "other.db", **settings) == expected
    assert any(knower["learned"] for knower in expected[0][0]["knowers"].values())


async def test_the_demo_story_plays_on_postgres_as_on_sqlite(postgres_dsn: str, tmp_path: Path) -> None:
    there = StrategySpec(name="postgres", settings={"dsn": postgres_dsn, "timeout": 30})
    expected = await answers(tmp_path / "sqlite.db")
    assert await answers(tmp_path / "other.db", settings=Settings(ledger=there, store=there)) == expected


async def test_the_demo_story_plays_as_on_sqlite_on_a_service_that_lags(tmp_path: Path) -> None:
    with Emulator(lag=1.0) as service:
        store = {"name": "supermemory", "api_key": "any", "base_url": service.url, "search_timeout": 30, "timeout": 60}
        found = await answers(tmp_path / "other.db", store=store)
    assert found == await answers(tmp_path / "sqlite.db")
