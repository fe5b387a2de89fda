"""The model `openai`: any server with OpenAI's endpoint for chats, hosted or local. Needs `earwitness[model]`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from earwitness.loading.addresses import ServerUrl
from earwitness.redaction import without_passwords

from ..services.openai_client import OpenAIClient
from .errors import ModelAway, UnsupportedSchema
from .records import ModelReply, ModelRequest, counted, tokens_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NEEDED = "language models need their client: pip install 'earwitness[model]'."
MOST_BYTES = 4_000_000
"""Of one answer; what is longer is not read to its end."""
PASSING = frozenset({408, 409, 425, 429})
"""Refusals that may pass, besides those from 500 on."""
ADDRESS = "Check base_url: it often ends in /v1."
UNREACHED = frozenset({"ConnectError", "ConnectTimeout"})
"""What the HTTP client beneath the library raises where no server was reached."""
FAILED = "error"
"""The finish reason of an answer that its server could not end; that of OpenRouter."""
STOPPED = {
    FAILED: "ended its answer with an error",
    "content_filter": "stopped its answer by a content filter: other words may pass it",
}
"""Finish reasons of streams that are not whole answers, as they are said."""
FOREVER = 24 * 3600.0
"""Seconds: the client of the library does not limit the time, since `ModelClient` does."""


class OpenAIModel:
    """Asks a server through the `openai` library. It connects at the first use.

    Args:
        api_key: the key; `None` = the environment variable `OPENAI_API_KEY`, and none for a server at `base_url`.
        base_url: another server with the same endpoint, such as `http://localhost:8000/v1`.
    """

    def __init__(self, *, api_key: SecretStr | None = None, base_url: ServerUrl | None = None) -> None:
        self._client = OpenAIClient(
            what="the language model",
            table="model",
            needed=NEEDED,
            api_key=api_key,
            base_url=base_url,
            timeout=FOREVER,
            retries=0,
        )

    async def open(self) -> None:
        """Make the client. Raises `SettingsError` without the package or a key."""
        await self._client.opened()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The whole answer. Raises `SettingsError`, `ModelAway` and `UnsupportedSchema`."""
        client = await self._client.opened()
        with _naming_failures(client, request):
            asked = client.chat.completions.with_streaming_response.create(**_body(request), stream=False)
            async with asked as response:
                raw = await _read(response.iter_bytes())
        return reply_of(raw, request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The answer piece by piece, and at last a `ModelReply` with all of its text. Raises as `complete`."""
        client = await self._client.opened()
        where = without_passwords(str(client.base_url))
        pieces: list[str] = []
        last, said, finish = None, None, ""
        ended = False
        with _naming_failures(client, request):
            body = {**_body(request), "stream_options": {"include_usage": True}}
            chunks = await client.chat.completions.create(**body, stream=True)
            async with chunks:
                async for chunk in chunks:
                    said = chunk.model_dump()
                    last = said if said.get("usage") else last
                    finish = _text(_at(said, "choices", 0, "finish_reason")) or finish
                    ended = ended or bool(said.get("usage") or finish)
                    if piece := _text(_at(said, "choices", 0, "delta", "content")):
                        pieces.append(piece)
                        yield piece
            if said is None:
                raise ModelAway(f"{where} answered no completion. {ADDRESS}", passes=True)
            if not ended:
                raise ModelAway(f"{where} broke off: the stream ended before the answer did", passes=True)
            if finish in STOPPED:
                raise ModelAway(f"{where} {STOPPED[finish]}", passes=finish == FAILED)
        yield _counted("".join(pieces), last, request).model_copy(update={"finish": finish})


def _body(request: ModelRequest) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [each.model_dump() for each in request.messages],
        **({} if request.temperature is None else {"temperature": request.temperature}),
        **({} if request.max_tokens is None else {"max_tokens": request.max_tokens}),
    }
    if wanted := request.answer_schema:
        schema = {"name": wanted.name, "schema": wanted.definition}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return {**body, **({"extra_body": request.extra} if request.extra else {})}


async def _read(parts: AsyncIterator[bytes]) -> bytes:
    read, size = [], 0
    async for part in parts:
        read.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise ModelAway(f"the model's answer is longer than {MOST_BYTES:,} bytes.")
    return b"".join(read)


@contextmanager
def _naming_failures(client: AsyncOpenAI, request: ModelRequest) -> Iterator[None]:
    """What the library raises becomes a `ModelAway` that says which server and what to do."""
    from openai import APIConnectionError, APIStatusError, OpenAIError

    where = without_passwords(str(client.base_url))
    try:
        yield
    except APIStatusError as error:
        what = f"{where} refused ({error.status_code}): {error.message}"
        if request.answer_schema and error.status_code in (400, 404, 415, 422, 501) and _names_schema(what):
            raise UnsupportedSchema(what) from error
        passes = error.status_code >= 500 or error.status_code in PASSING
        raise ModelAway(what, passes=passes, retry_after=_seconds(error.response.headers), is_free=True) from error
    except OpenAIError as error:
        unreached = isinstance(error, APIConnectionError) and type(error.__cause__).__name__ in UNREACHED
        raise ModelAway(f"{where} did not answer: {error}", passes=True, is_free=unreached) from error
    except ModelAway:
        raise
    except Exception as error:  # httpx2 raises its own errors while an answer is read
        raise ModelAway(f"{where} broke off: {type(error).__name__}: {error}", passes=True) from error


def _names_schema(text: str) -> bool:
    return any(word in text.casefold() for word in ("response_format", "json_schema", "schema", "grammar"))


def _seconds(headers: Mapping[str, str]) -> float | None:
    """After how many seconds the server wants to be asked again."""
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:  # not given, or a date
        return None


# ── what servers answer, however they do ────────────────────────────────────────────────────────────────────────────


def reply_of(raw: bytes, request: ModelRequest) -> ModelReply:
    """The answer in a response. Raises `ModelAway` for a response that is not a chat completion."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        quoted = raw[:60].decode(errors="replace")
        raise ModelAway(f"the server answered {quoted!r}…, which is not JSON. {ADDRESS}", passes=True) from error
    message = _at(body, "choices", 0, "message")
    if not isinstance(message, dict):
        raise ModelAway(f"the server answered without a message: {raw[:120]!r}…", passes=True)
    refusal = _text(message.get("refusal"))
    finish = _text(_at(body, "choices", 0, "finish_reason"))
    if finish == FAILED:
        raise ModelAway(f"the server {STOPPED[FAILED]}: {raw[:120]!r}…", passes=True)
    reply = _counted(_text(message.get("content")), body, request)
    return reply.model_copy(update={"refusal": refusal, "finish": finish})


def _counted(text: str, body: object, request: ModelRequest) -> ModelReply:
    """The reply with its tokens, as the server counts them, or else by length."""
    tokens_in, tokens_out, reused = counted(body)
    return ModelReply(
        text=text,
        tokens_in=tokens_in or request.tokens,
        tokens_out=tokens_out or tokens_of(len(text)),
        tokens_reused=reused,
    )


def _at(value: Any, *path: str | int) -> Any:
    """What is found there; `None` where there is nothing."""
    for key in path:
        if isinstance(key, int) and isinstance(value, list) and len(value) > key:
            value = value[key]
        elif isinstance(key, str) and isinstance(value, dict):
            value = value.get(key)
        else:
            return None
    return value


def _text(value: object) -> str:
    """Text, also in parts; half an emoji is replaced."""
    if isinstance(value, list):
        return "".join(_parts(value))
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _parts(value: Iterable[object]) -> Iterator[str]:
    for each in value:
        yield _text(each.get("text") if isinstance(each, dict) else each if isinstance(each, str) else None)
