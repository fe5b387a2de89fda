"""The language model behind the proxy: requests go on as they are, and answers come back as they are."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from earwitness.redaction import without, without_passwords
from earwitness_plugins.models.settings import ModelSettings

OPENAI = "https://api.openai.com/v1"
MOST = 4_000_000
"""Characters of one answer that are remembered."""


class Upstream:
    """Sends requests to the server of `[model]`."""

    def __init__(self, settings: ModelSettings, timeout: float) -> None:
        key = settings.api_key.get_secret_value() if settings.api_key else os.environ.get("OPENAI_API_KEY")
        own = None if settings.base_url and not settings.api_key else key
        self._secrets = [key] if key else []
        self._takes_options = True
        self.model = settings.model
        """The model that is asked where a front end names none."""
        self.address = without_passwords(settings.base_url or OPENAI)
        """Where the server is."""
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
        """The response, of which nothing but the head is read. A stream is asked to end with its `usage`, unless the
        server refuses that. Raises `httpx.HTTPError`."""
        asked = with_usage(body) if self._takes_options else dict(body)
        async with self._client.stream("POST", "chat/completions", json=asked) as response:
            refused = asked != body and response.status_code in (400, 404, 415, 422, 501)
            if not refused or b"stream_options" not in await response.aread():
                yield response
                return
        self._takes_options = False
        async with self._client.stream("POST", "chat/completions", json=dict(body)) as response:
            yield response

    def sayable(self, body: bytes, status: int) -> bytes:
        """A refusal, without the key that it may quote. One of the key says that it is not the proxy's."""
        body = self.without_key(body)
        if status not in (401, 403):
            return body
        said, whole = body.decode("utf-8", "replace"), parsed(body)
        error = whole.get("error") if isinstance(whole, dict) else None
        error = error if isinstance(error, dict) else {"type": "upstream", "param": None, "code": None}
        why = error.get("message") or said
        message = f"the model's server behind the proxy, {self.address}, refused `api_key` of [model] ({status}): {why}"
        return json.dumps({"error": {**error, "message": message}}).encode()

    def without_key(self, body: bytes) -> bytes:
        """What the server has sent, without the key that it may quote."""
        return without(body.decode("utf-8", "surrogateescape"), self._secrets).encode("utf-8", "surrogateescape")

    def told(self, error: Mapping[str, Any]) -> dict[str, Any]:
        """What the server has said of a failure instead of an answer (`error_in`), as OpenAI's endpoint says it."""
        message = error.get("message") or f"the language model at {self.address} ended its answer with an error."
        known = {"type": "upstream", "param": None, "code": None, **error, "message": str(message)}
        return {"error": json.loads(self.without_key(json.dumps(known).encode()), parse_constant=str)}

    def failure(self, error: httpx.HTTPError) -> str:
        """What went wrong, with the server's address."""
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return f"the model's server at {self.address} cannot be reached: is it running? ({error})"
        return f"the language model at {self.address} broke off: {type(error).__name__}: {error}"


def with_usage(body: Mapping[str, Any]) -> dict[str, Any]:
    """The request for a stream, so that its end says how many tokens it took."""
    if not body.get("stream"):
        return dict(body)
    options = body.get("stream_options")
    return {**body, "stream_options": {**(options if isinstance(options, dict) else {}), "include_usage": True}}


def wants_usage(body: Mapping[str, Any]) -> bool:
    """Whether the front end itself has asked for it."""
    options = body.get("stream_options")
    return isinstance(options, dict) and bool(options.get("include_usage"))


class StreamedAnswer:
    """Puts the first answer together from the lines of a stream."""

    def __init__(self, without_key: Callable[[bytes], bytes] = bytes, *, keep_usage: bool = True) -> None:
        """`without_key` takes the key out of a line; `keep_usage` = the piece that says nothing but how many tokens
        there were is passed on, too."""
        self.text = ""
        """What the model has said so far."""
        self.finished = False
        """Whether the server has said that the answer is whole."""
        self.usage: object = {}
        """The piece that says how many tokens there were."""
        self.error: Mapping[str, Any] | None = None
        """What the server says went wrong, as in `error_in`: the answer is none, however it ends. From then on, nothing
        is passed on."""
        self._without_key, self._keep_usage = without_key, keep_usage
        self._rest, self._left_out = b"", False

    def lines(self, piece: bytes) -> list[bytes]:
        """The whole lines that have come and are passed on, with their ends; they are read too."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        return [each + b"\n" for each in map(self._without_key, lines) if self._read(each)]

    def end(self) -> bytes:
        """What of the last line is passed on, once nothing more comes: it is read, and ended where it has no end."""
        return b"".join(self.lines(b"\n\n")) if self._rest.strip() else b""

    def _read(self, line: bytes) -> bool:
        """Whether the line is passed on: not that of the tokens that nobody asked for, nor the empty one after it."""
        if line.startswith(b"error:"):  # llama.cpp
            self.error = self.error or _error_of(parsed(line.removeprefix(b"error:")))
        if self.error is not None:
            return False
        data = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
        if not data:
            was_left_out, self._left_out = self._left_out, False
            return not (was_left_out and not line.strip())
        if data == b"[DONE]":
            self.finished = True
            return True
        piece = parsed(data)
        self.error = error_in(piece)
        if isinstance(piece, dict) and piece.get("usage"):
            self.usage = piece
            self._left_out = not piece.get("choices") and not self._keep_usage
        self._add(first_choice(piece))
        return not self._left_out and self.error is None

    def _add(self, choice: Mapping[str, Any]) -> None:
        said = choice.get("delta")
        if isinstance(said, dict) and len(self.text) < MOST:
            self.text += _text(said.get("content"))
        self.finished = self.finished or bool(choice.get("finish_reason"))


def first_choice(body: object) -> dict[str, Any]:
    """The first of the answers in a response or in a piece of one; empty where there is none."""
    choices = body.get("choices") if isinstance(body, dict) else None
    found = [each for each in choices or () if isinstance(each, dict) and not each.get("index")]
    return found[0] if found else {}


async def came_whole(answer: httpx.Response) -> bool:
    """Whether a server has answered with a JSON object, although a stream was asked for. Raises `httpx.HTTPError`."""
    is_json = answer.headers.get("content-type", "").startswith("application/json")
    return is_json and isinstance(parsed(await answer.aread()), dict)


def as_stream(body: Mapping[str, Any]) -> bytes:
    """A response that came whole, as the stream that was asked for: one piece, and the end."""
    choices = [
        {**{key: value for key, value in each.items() if key != "message"}, "delta": each.get("message")}
        for each in body.get("choices") or ()
        if isinstance(each, dict)
    ]
    piece = {**body, "object": "chat.completion.chunk", "choices": choices}
    return b"data: " + json.dumps(piece).encode() + b"\n\ndata: [DONE]\n\n"


def error_in(body: object) -> Mapping[str, Any] | None:
    """What a server says went wrong in a response, or a piece of one, that has the status of an answer.

    `{"error": …}` says so, also inside the answer (vLLM, OpenRouter), `"object": "error"` (older vLLM), and the finish
    reason `error`, perhaps without a word (OpenRouter). `None` = nothing.
    """
    if not isinstance(body, dict):
        return None
    choice = first_choice(body)
    error = body.get("error") or choice.get("error")
    if error or choice.get("finish_reason") == "error":
        return _error_of(error)
    return _error_of(body) if body.get("object") == "error" else None


def _error_of(error: object) -> Mapping[str, Any]:
    return error if isinstance(error, dict) else {"message": error} if isinstance(error, str) else {}


def answer_in(body: object) -> str:
    """The text of the first answer in a response that came whole."""
    message = first_choice(body).get("message")
    return _text(message.get("content"))[:MOST] if isinstance(message, dict) else ""


def _text(content: object) -> str:
    """The text of an answer, or of a piece of one, also in parts; other parts, such as thoughts, are not text."""
    if isinstance(content, list):
        return "".join(_text(each.get("text")) for each in content if isinstance(each, dict))
    return content if isinstance(content, str) else ""


def parsed(data: bytes) -> object:
    """The JSON; `None` for what is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
