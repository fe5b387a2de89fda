"""The language model behind the proxy: requests go on as they are, and answers come back as they are."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from earwitness_plugins.models.settings import ModelSettings

OPENAI = "https://api.openai.com/v1"
MOST = 4_000_000
"""Characters of one answer that are remembered."""


class Upstream:
    """Sends requests to the server of `[model]`."""

    def __init__(self, settings: ModelSettings, timeout: float) -> None:
        key = settings.api_key.get_secret_value() if settings.api_key else os.environ.get("OPENAI_API_KEY")
        own = None if settings.base_url and not settings.api_key else key
        self.model = settings.model
        """The model that is asked where a front end names none."""
        self._client = httpx.AsyncClient(
            base_url=settings.base_url or OPENAI,
            headers={"authorization": f"Bearer {own}"} if own else {},
            timeout=httpx.Timeout(timeout, connect=20),
            limits=httpx.Limits(max_connections=None),
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def models(self) -> httpx.Response:
        """The list of models. Raises `httpx.HTTPError`."""
        return await self._client.get("models")

    @asynccontextmanager
    async def asked(self, body: Mapping[str, Any]) -> AsyncIterator[httpx.Response]:
        """The response, of which nothing but the head is read. Raises `httpx.HTTPError`."""
        async with self._client.stream("POST", "chat/completions", json=dict(body)) as response:
            yield response


class StreamedAnswer:
    """Puts the first answer together from the lines of a stream."""

    def __init__(self) -> None:
        self.text = ""
        """What the model has said so far."""
        self.finished = False
        """Whether the server has said that the answer is whole."""
        self._rest = b""

    def lines(self, piece: bytes) -> list[bytes]:
        """The whole lines that have come, with their ends; they are read too."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for each in lines:
            self._read(each)
        return [each + b"\n" for each in lines]

    @property
    def rest(self) -> bytes:
        """What has come of a line that has no end."""
        return self._rest

    def _read(self, line: bytes) -> None:
        data = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
        if data == b"[DONE]":
            self.finished = True
        elif data:
            choice = first_choice(_parsed(data))
            said = choice.get("delta")
            piece = said.get("content") if isinstance(said, dict) else None
            if isinstance(piece, str) and len(self.text) < MOST:
                self.text += piece
            self.finished = self.finished or bool(choice.get("finish_reason"))


def first_choice(body: object) -> dict[str, Any]:
    """The first of the answers in a response or in a piece of one; empty where there is none."""
    choices = body.get("choices") if isinstance(body, dict) else None
    found = [each for each in choices or () if isinstance(each, dict) and not each.get("index")]
    return found[0] if found else {}


def answer_in(body: bytes) -> str:
    """The text of the first answer in a response that came whole."""
    message = first_choice(_parsed(body)).get("message")
    text = message.get("content") if isinstance(message, dict) else None
    return text[:MOST] if isinstance(text, str) else ""


def _parsed(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
