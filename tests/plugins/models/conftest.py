"""A client of the real library, connected to a scripted model on a loopback socket."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from earwitness import Settings
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness_plugins.models.client import ModelClient
from earwitness_plugins.models.prompts import ModelPrompt
from earwitness_plugins.testing.model import ScriptedModel

PROMPT = ModelPrompt(name="test", version="3 (abcd)", system="Answer in JSON.", user="{question}")
LIMIT = 30.0
"""Seconds: more than anything here should take."""


class Weather(BaseModel):
    """What the tests ask for."""

    sky: str
    degrees: float = 0
    winds: list[float] = []


@pytest.fixture
async def client(tmp_path: Path) -> Any:
    """Make a client for a scripted model, with further settings in `[model]`; it closes with the test."""
    made: list[ModelClient] = []

    async def client(model: ScriptedModel, **more: Any) -> ModelClient:
        file = tmp_path / "earwitness.toml"
        file.write_text("", "utf-8")
        settings = Settings.load(file).changed(model=model.settings(**more))
        made.append(ModelClient.shared(settings, Resources(), Strategies()))
        await made[-1].open()
        return made[-1]

    yield client
    for each in made:
        await each.close()


async def weather(
    client: ModelClient, account: Any = None, question: str = "How is it?", limit: float = LIMIT
) -> Weather:
    """Ask for the weather."""
    account = account or client.account("s1", "test")
    return await client.structured(account, PROMPT.messages(question=question), Weather, prompt=PROMPT, limit=limit)
