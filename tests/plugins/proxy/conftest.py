"""A proxy between the real `openai` client and a scripted model, each on a socket of its own."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI

from earwitness import Earwitness, Session
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.applications.proxy.endpoint import serving
from earwitness_plugins.applications.proxy.settings import ProxySettings
from earwitness_plugins.testing.model import ModelScript, ScriptedModel

TOKEN = "a-token-of-the-tests"


@dataclass
class FrontEnd:
    """What a front end has: a client. And what a test has besides: the story and the model."""

    ew: Earwitness
    url: str
    client: AsyncOpenAI
    model: ScriptedModel

    async def ask(self, *chat: str, model: str = "m#session=s1&character=Alice&user=Kim", **more: Any) -> str:
        """Send a chat, lines in turn by the user and the character, and return the answer."""
        sent: list[Any] = [{"role": "system", "content": "You are Alice. ###SUPERMEMORY###"}]
        sent += [{"role": ("user", "assistant")[n % 2], "content": each} for n, each in enumerate(chat)]
        return await self.send(sent, model=model, **more)

    async def send(self, messages: list[Any], *, model: str, stream: bool = False, **more: Any) -> str:
        """Send messages, and return the answer."""
        if not stream:
            whole = await self.client.chat.completions.create(model=model, messages=messages, **more)
            return whole.choices[0].message.content or ""
        pieces = await self.client.chat.completions.create(model=model, messages=messages, stream=True, **more)
        return "".join([each.choices[0].delta.content or "" async for each in pieces if each.choices])

    async def story(self, id: str = "s1") -> Session:
        """The story."""
        return await self.ew.open_session(id)

    async def told(self, id: str = "s1") -> list[str]:
        """What the story holds."""
        return [f"{each.speaker}: {each.content}" for each in await (await self.story(id)).messages()]


Serve = Callable[..., Any]


@pytest.fixture
def served(tmp_path: Path) -> Serve:
    @asynccontextmanager
    async def made(
        script: ModelScript, *, model: dict[str, Any] | None = None, on_disk: bool = False, **settings: Any
    ) -> AsyncIterator[FrontEnd]:
        parts: Any = {} if on_disk else {"store": MemoryStore(), "ledger": MemoryLedger()}
        with ScriptedModel(script) as scripted:
            table = scripted.settings(**(model or {}))
            async with (
                Earwitness.open(tmp_path / "story.db", settings={"model": table}, strict=True, **parts) as ew,
                serving(ew, token=TOKEN, settings=ProxySettings(**settings)) as proxy,
                AsyncOpenAI(base_url=proxy.url, api_key=TOKEN, max_retries=0, timeout=60) as client,
            ):
                yield FrontEnd(ew, proxy.url, client, scripted)

    return made
