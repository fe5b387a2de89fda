"""HTTP over a loopback socket, in a thread of its own: requests in, responses out, and connections that break."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import h11

_READ = 65_536


@dataclass(frozen=True)
class HttpRequest:
    """One request, read whole."""

    method: str
    path: str
    """With its percent-encoding undone."""
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    """By name in lower case."""
    body: bytes


@dataclass(frozen=True)
class HttpResponse:
    """One response."""

    status: int
    body: Any = None
    """What JSON can hold, or `bytes`, which are sent as they are."""
    headers: Mapping[str, str] = field(default_factory=dict)


RequestHandler = Callable[[HttpRequest], Awaitable[HttpResponse | None]]
"""Answers a request; `None` breaks the connection."""


ROUNDS = 3
"""Rounds of the event loop without a task until the sockets of all connections are closed."""


class LoopbackServer:
    """Serves on a port of this machine until it is stopped. Raises `OSError` for a port that is taken."""

    def __init__(self, handler: RequestHandler, *, host: str, port: int) -> None:
        listening = socket.create_server((host, port))
        self._handler = handler
        self._loop = asyncio.new_event_loop()
        self._stopped = Event()
        self.port: int = listening.getsockname()[1]
        """The port it listens on."""
        self._thread = Thread(target=self._loop.run_forever, name=f"supermemory emulator {self.port}", daemon=True)
        self._thread.start()
        starting = asyncio.start_server(self._accepted, sock=listening)
        self._listening = asyncio.run_coroutine_threadsafe(starting, self._loop).result()

    def stop(self) -> None:
        """Close every connection and wait for the thread."""
        asyncio.run_coroutine_threadsafe(self._closed(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._stopped.set()

    def wait(self) -> None:
        """Wait until somebody stops it."""
        self._stopped.wait()  # an interrupted `join` would take the thread for ended

    async def _closed(self) -> None:
        """Accept nothing more, and end what is under way, also for connections that were accepted just now."""
        for each in self._listening.sockets:
            self._loop.remove_reader(each.fileno())
        for _ in range(ROUNDS):  # what was accepted needs the server until it has begun
            await asyncio.sleep(0)
        self._listening.close()
        quiet, begun = 0, set[asyncio.Task[object]]()
        while quiet < ROUNDS:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others & begun:  # one that is cancelled before it begins would leave its socket open
                task.cancel()
            quiet, begun = 0 if others else quiet + 1, others
            await asyncio.sleep(0)

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, h11.RemoteProtocolError, asyncio.CancelledError):
                await self._serve(reader, writer)
        finally:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER)
        while (request := await _read(connection, reader)) is not None:
            response = await self._handler(request)
            if response is None:
                return
            writer.write(_written(connection, response))  # at once: two packets would wait for each other
            await writer.drain()
            if connection.our_state is not h11.DONE:
                writer.close()
                await writer.wait_closed()
                return
            connection.start_next_cycle()


async def _read(connection: h11.Connection, reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request; `None` once the client has gone."""
    head: h11.Request | None = None
    body = b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(_READ))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            return _request(head, body)
        else:
            return None


def _request(head: h11.Request, body: bytes) -> HttpRequest:
    url = urlsplit(head.target.decode("ascii"))
    headers = {name.decode("ascii").lower(): value.decode("latin-1") for name, value in head.headers}
    query = tuple(parse_qsl(url.query, keep_blank_values=True))
    return HttpRequest(head.method.decode("ascii"), unquote(url.path), query, headers, body)


def _written(connection: h11.Connection, response: HttpResponse) -> bytes:
    body = response.body if isinstance(response.body, bytes) else json.dumps(response.body).encode()
    headers = {"content-type": "application/json", "content-length": str(len(body)), **response.headers}
    events: tuple[h11.Event, ...] = (
        h11.Response(status_code=response.status, headers=list(headers.items())),
        h11.Data(data=body),
        h11.EndOfMessage(),
    )
    return b"".join(connection.send(event) or b"" for event in events)
