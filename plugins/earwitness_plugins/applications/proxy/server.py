"""The endpoint itself: HTTP by Starlette and uvicorn, which come with `earwitness[serve]`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from secrets import compare_digest
from time import monotonic
from typing import Any, TypeVar

import anyio
import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from earwitness import Earwitness
from earwitness.errors import EarwitnessError, InputError, quoted
from earwitness_plugins.models.errors import BudgetSpent

from .address import address_of, in_headers, split_body, split_mark, split_model
from .call_book import CallBook, ProxiedCall
from .exchange import Exchange, Exchanges
from .settings import ProxySettings
from .upstream import StreamedAnswer, Upstream, answer_in, as_stream, came_whole, error_in, parsed, wants_usage

T = TypeVar("T")
MODELS, COMPLETIONS = "/v1/models", "/v1/chat/completions"
ROLES = ("system", "developer", "user", "assistant", "tool")
"""Of OpenAI's messages."""
MOST_BYTES = 32_000_000
"""Of one request."""


class ProxyApp:
    """The endpoint as an ASGI application; it leaves `ew` open."""

    def __init__(self, ew: Earwitness, settings: ProxySettings, upstream: Upstream, token: str) -> None:
        self._exchanges, self._calls = Exchanges(ew, settings), CallBook(ew)
        self._settings, self._upstream, self._token = settings, upstream, token.encode()
        routes = [
            Route(MODELS, self._models, methods=["GET"]),
            Route(COMPLETIONS, _Whole(self._completion), methods=["POST"]),
        ]
        self._app = Starlette(routes=routes, exception_handlers={404: _nothing_there, 405: _nothing_there})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that has the token."""
        if scope["type"] == "http" and not self._is_permitted(scope):
            await _error(401, _locked(scope))(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_permitted(self, scope: Scope) -> bool:
        sent = dict(scope["headers"]).get(b"authorization", b"")
        return compare_digest(sent.partition(b" ")[2].strip(), self._token)

    async def _models(self, request: Request) -> Response:
        del request
        try:
            found = await self._upstream.models()
        except httpx.HTTPError as error:
            return self._away(error)
        body = found.content if found.status_code == 200 else self._upstream.sayable(found.content, found.status_code)
        return Response(body, found.status_code, media_type=found.headers.get("content-type"))

    async def _completion(self, request: Request, send: _Sender) -> None:
        arrived = monotonic()
        try:
            body, by_body = split_body(_body(await request.body()))
            model, by_model = split_model(str(body.get("model") or ""))
            mark = self._settings.mark
            messages, by_mark = split_mark(body["messages"], mark.get_secret_value() if mark else None)
            address = address_of(by_mark, by_model, by_body, in_headers(request.headers))
            async with self._exchanges.lock(address.session):
                exchange = await self._exchanges.begin(address, messages, arrived)
                await send.check_there()
                asked = {**body, "model": model or self._upstream.model, "messages": exchange.messages}
                await self._paid(asked, exchange, send)
        except InputError as error:
            await send(_error(400, str(error)))
        except BudgetSpent as spent:
            await send(_refused(spent))
        except EarwitnessError as error:
            await send(_error(503, str(error)))
        except httpx.HTTPError as error:
            await send(self._away(error))
        except FrontEndGone:  # there is nobody to answer
            return

    def _away(self, error: httpx.HTTPError) -> Response:
        return JSONResponse(self._told(error), 502)

    def _told(self, error: Exception) -> dict[str, Any]:
        if isinstance(error, httpx.HTTPError):
            return _told_as(self._upstream.failure(error), "upstream")
        return _told_as(str(error), "earwitness")

    async def _paid(self, asked: Mapping[str, Any], exchange: Exchange, send: _Sender) -> None:
        """Ask within the budgets, and count what it cost however it ends."""
        call = await self._calls.begin(exchange.story, asked)
        try:
            await self._answered(asked, exchange, call, send)
        except FrontEndGone:
            call.answered_in_part("")
            raise
        finally:
            await self._calls.settle(exchange.story, call)

    async def _answered(self, asked: Mapping[str, Any], exchange: Exchange, call: ProxiedCall, send: _Sender) -> None:
        """Raises `FrontEndGone` for an answer that comes whole, and that nobody waits for any more."""
        async with AsyncExitStack() as stack:
            answer = await send.while_there(stack.enter_async_context(self._upstream.asked(asked)))
            kind = answer.headers.get("content-type", "application/json")
            if answer.status_code == 200 and asked.get("stream") and not await came_whole(answer):
                reader = StreamedAnswer(self._upstream.without_key, keep_usage=wants_usage(asked))
                stream = Relay(reader, exchange, call)
                try:
                    await send(StreamingResponse(self._relayed(answer, stream), media_type=kind))
                finally:
                    call.answered_in_part(reader.text)
                return
            body = self._upstream.sayable(await send.while_there(answer.aread()), answer.status_code)
            if answer.status_code == 200:
                await send(await self._whole(asked, body, exchange, call))
                return
            call.failure = f"the server refused ({answer.status_code})"
            headers = {name: answer.headers[name] for name in ("retry-after",) if name in answer.headers}
            await send(Response(body, answer.status_code, headers, kind))

    async def _whole(self, asked: Mapping[str, Any], body: bytes, exchange: Exchange, call: ProxiedCall) -> Response:
        """An answer that came in one piece, as it was asked for."""
        said = parsed(body)
        if not isinstance(said, dict):
            raise httpx.RemoteProtocolError(
                f"it answered {body[:60].decode(errors='replace')!r}, which is not a JSON object"
            )
        if (error := error_in(said)) is not None:
            call.failed(said, answer_in(said))
            return JSONResponse(self._upstream.told(error), 502)
        call.ended(said, answer_in(said))
        await self._exchanges.answered(exchange, answer_in(said), call.call)
        if asked.get("stream"):
            return Response(as_stream(said), media_type="text/event-stream")
        return Response(body, media_type="application/json")

    async def _relayed(self, answer: httpx.Response, stream: Relay) -> AsyncIterator[bytes]:
        """The stream as it comes. Its end waits until the answer is durable; a stream without an end is told nobody."""
        reader = stream.reader
        last: list[bytes] = []
        try:
            async for piece in answer.aiter_bytes():
                lines = reader.lines(piece)
                if reader.finished or reader.error is not None:
                    last += lines
                else:
                    yield b"".join(lines)
            last.append(reader.end())
            if reader.error is None and not reader.finished:
                raise httpx.RemoteProtocolError("the answer has no end")
            with anyio.CancelScope(shield=True):
                await self._ended(stream)
        except (httpx.HTTPError, EarwitnessError) as error:
            yield _event(self._told(error) if reader.error is None else self._upstream.told(reader.error))
        else:
            said = reader.error
            yield b"".join(last) if said is None else _event(self._upstream.told(said))

    async def _ended(self, stream: Relay) -> None:
        """Report the answer, and what it cost; of one that the server ended with an error, only that."""
        reader, call = stream.reader, stream.call
        if reader.error is None:
            call.ended(reader.usage, reader.text)
            await self._exchanges.answered(stream.exchange, reader.text, call.call)
        else:
            call.failed(reader.usage, reader.text)
        await self._calls.settle(stream.exchange.story, call)


@dataclass(frozen=True)
class Relay:
    """A stream that is passed on."""

    reader: StreamedAnswer
    """Reads it."""
    exchange: Exchange
    """What it answers."""
    call: ProxiedCall
    """What it costs."""


class FrontEndGone(Exception):
    """The front end has closed the connection before it was answered."""


class _Sender:
    """Sends a response once, to a front end that may go away before. The request has been read."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._call = (scope, receive, send)

    async def __call__(self, response: Response) -> None:
        await response(*self._call)

    async def check_there(self) -> None:
        """Raises `FrontEndGone`."""
        if await Request(*self._call[:2]).is_disconnected():
            raise FrontEndGone

    async def while_there(self, wanted: Coroutine[Any, Any, T]) -> T:
        """The result; what is done for it ends if the front end goes away. Raises `FrontEndGone` then."""
        gone, work = asyncio.ensure_future(self._gone()), asyncio.ensure_future(wanted)
        try:
            await asyncio.wait({gone, work}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                raise FrontEndGone
            return work.result()
        finally:
            for each in (gone, work):
                each.cancel()
            await asyncio.gather(gone, work, return_exceptions=True)

    async def _gone(self) -> None:
        while (await self._call[1]())["type"] != "http.disconnect":
            pass


class _Whole:
    """An endpoint that keeps what it holds until its response is sent."""

    def __init__(self, endpoint: Any) -> None:
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._endpoint(Request(scope, receive), _Sender(scope, receive, send))


def _body(raw: bytes) -> dict[str, Any]:
    """A request for a chat completion. Raises `InputError`."""
    if len(raw) > MOST_BYTES:
        raise InputError(f"the request has {len(raw):,} bytes; at most {MOST_BYTES:,} are taken.")
    try:
        body = json.loads(raw)
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end]
        raise InputError(f"the request holds {half!r}, half of a character: send whole ones, as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"the request is not JSON: {error}") from error
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise InputError("the request has no `messages`: a list of objects with role and content.")
    for number, each in enumerate(messages):
        if not isinstance(role := each.get("role"), str) or not role.strip():
            wrong = (
                f"the role of messages[{number}] is {quoted(role)}"
                if "role" in each
                else f"messages[{number}] has no role"
            )
            raise InputError(
                f"{wrong}: it is one of {', '.join(ROLES)}, or another text that your model's server knows."
            )
    return dict(body)


def _locked(scope: Scope) -> str:
    """Why a request without the token is refused."""
    where = "`earwitness serve --proxy` shows the token, or says that it is in [proxy]."
    if b"authorization" in dict(scope["headers"]):
        return f"the API key is not this proxy's token. {where}"
    return f"no API key was sent. This is an endpoint for front ends, not a page for browsers: {where}"


async def _nothing_there(request: Request, _: Exception) -> Response:
    """The answer to a request for what the proxy does not have."""
    there = f"Front ends use GET {MODELS} and POST {COMPLETIONS}; the base URL ends with /v1."
    return _error(404, f"there is no {request.method} {request.url.path} here. {there}")


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse(_told_as(message, "earwitness"), status)


def _refused(spent: BudgetSpent) -> JSONResponse:
    """As OpenAI says that a quota is used up; its client does not ask again by itself."""
    body = {"error": {"message": str(spent), "type": "insufficient_quota", "param": None, "code": "insufficient_quota"}}
    return JSONResponse(body, 429, {"x-should-retry": "false"})


def _told_as(message: str, kind: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _event(body: object) -> bytes:
    return b"\n\ndata: " + json.dumps(body).encode() + b"\n\n"
