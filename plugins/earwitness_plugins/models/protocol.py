"""The kind `model`: what answers a conversation. Packages may bring their own, for servers that speak otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol, runtime_checkable

from .records import ModelReply, ModelRequest


@runtime_checkable
class LanguageModel(Protocol):
    """Conversation → answer. Budgets, retries, time limits, prices and cassettes are not its business: `ModelClient`
    has them. It may have `open` and `close`."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The whole answer. Raises `ModelAway`; `UnsupportedSchema` if the server takes no `answer_schema`."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The answer piece by piece, and at last a `ModelReply` with all of its text. Raises as `complete`."""
        ...


class ClientsMade(list[Any]):
    """The clients of an instance, as far as they were made: whoever asks opens them, and all are closed at its end."""
