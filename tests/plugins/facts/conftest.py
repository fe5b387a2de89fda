"""A story whose facts a scripted model draws, in the process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from earwitness import Earwitness, Settings
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.models.errors import ModelAway
from earwitness_plugins.models.records import ModelReply, ModelRequest


class FactModel:
    """Answers as a function of what it is shown: a list of facts, a text, or an exception."""

    def __init__(self) -> None:
        self.shown: list[dict[str, Any]] = []
        self.script: Callable[[dict[str, Any]], Any] = lambda shown: []
        self.meanwhile: list[Callable[[], Awaitable[Any]]] = []
        """What happens in the story while it is asked, once."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        text = request.messages[-1].content
        shown: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
        self.shown.append(shown)
        said = self.script(shown)
        while self.meanwhile:
            await self.meanwhile.pop()()
        if isinstance(said, Exception):
            raise said
        return ModelReply(
            text=said if isinstance(said, str) else json.dumps({"facts": said}), tokens_in=9, tokens_out=3
        )

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        yield await self.complete(request)

    def says(self, *facts: dict[str, Any]) -> None:
        """Let it find these facts wherever their quotation is said."""
        self.script = lambda shown: [
            {"source": each["label"], **fact}
            for fact in facts
            for each in shown["messages"]
            if fact["quote"] in each["text"]
        ]

    def is_away(self) -> None:
        """Let it not answer."""
        self.script = lambda shown: ModelAway("no route to host")


MODELS: list[FactModel] = []


def the_model() -> FactModel:
    """What the settings name: the model of the test."""
    return MODELS[-1]


@pytest.fixture
def model() -> Iterator[FactModel]:
    MODELS.append(FactModel())
    yield MODELS[-1]
    MODELS.pop()


@pytest.fixture
async def begin(model: FactModel) -> AsyncIterator[Callable[..., Any]]:
    """Opens an instance on reference parts; takes settings of `[facts]` and of everything."""
    async with AsyncExitStack() as opened:

        async def begin(facts: dict[str, Any], **given: Any) -> Earwitness:
            made: Any = {"store": MemoryStore(), "ledger": MemoryLedger()}
            made |= {kind: given.pop(kind) for kind in ("store", "ledger", "guards") if kind in given}
            table = {"model": "scripted", "name": f"{__name__}.the_model", **given.pop("model", {})}
            reads = {"read_providers": ["memberships"]} if facts.get("scope", "session") != "session" else {}
            plain = {"embedder": "none", "world_agent": "none", "model": table, "strict": True, **reads, **given}
            told = {"strategy": "language_model", "write": "auto", "exchange": 1, **facts}
            ew = Earwitness.open(settings=Settings.of(facts=told, **plain), **made)
            return await opened.enter_async_context(ew)

        yield begin
