"""The emulator as a test sees it: a server with content, a clock and faults."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Self, TextIO

from earwitness.errors import InputError
from earwitness.records.base import Record

from .documents import Pipeline
from .faults import Accident, Dice, Fault, Faults
from .routes import EmulatedAccount, EmulatedApi
from .server import HttpRequest, HttpResponse, LoopbackServer

_CHANGES = ("POST", "PATCH", "PUT", "DELETE")
_READS = ("/search", "/profile", "/list/documents", "/list/chunks", "/list/memories")


class StoredDocument(Record):
    """A document as the service holds it."""

    content: str
    """Its text, published or not."""
    metadata: dict[str, Any]
    """As it was written last."""


class Emulator:
    """A Supermemory service on a loopback port, in a thread of its own, for as long as a `with` block lasts.

    Each API key is an account of its own: what one writes no other sees.

    Args:
        port: where to listen; 0 = any free port.
        lag: seconds until what is written can be found, and its text shown.
        dream: seconds more until memories are extracted, unless `dreaming` is `instant`.
        stale: seconds more for which searches find what was edited or deleted, as it was before.
        faults: what goes wrong; may be set to something else at any time.
        path: a file that keeps what is written, for the next emulator with the same path.
        clock: gives seconds since 1970.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        lag: float = 0.0,
        dream: float = 0.0,
        stale: float = 0.0,
        faults: Faults | None = None,
        path: str | Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.pipeline = Pipeline(lag, dream, stale)
        """The delays; may be replaced at any time."""
        self.away = False
        """While true, every connection breaks."""
        self.room: int | None = None
        """How many more documents it writes or deletes before it refuses to; `None` = any number."""
        self.refuses: Mapping[str, int] = {}
        """Regular expression → the status, such as 422, that refuses texts in which it is found."""
        self.requests: list[str] = []
        """`METHOD /path` of each request that was read, faulty ones included."""
        self._accounts: dict[str, EmulatedAccount] = {}
        self._dice = Dice(faults or Faults())
        self._port, self._clock, self._path = port, clock, path
        self._server: LoopbackServer | None = None
        self._journal: TextIO | None = None
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *why: object) -> None:
        self.stop()

    def start(self) -> Self:
        """Read what was kept, and serve. Raises `OSError` for a port that is taken, `InputError` for another file."""
        if self._path is not None:
            self._replay(Path(self._path))
            self._journal = Path(self._path).open("a", encoding="utf-8")  # noqa: SIM115 - `stop` closes it
        self._server = LoopbackServer(self._handled, host="127.0.0.1", port=self._port)
        return self

    def stop(self) -> None:
        """Break all connections. May be called again."""
        server, self._server = self._server, None
        journal, self._journal = self._journal, None
        if server is not None:
            server.stop()
        if journal is not None:
            journal.close()

    def wait(self) -> None:
        """Serve until somebody calls `stop`."""
        if self._server is not None:
            self._server.wait()

    @property
    def url(self) -> str:
        """What `base_url` of a client is to be. Raises `RuntimeError` before `start`."""
        if self._server is None:
            raise RuntimeError("the emulator is not running. Call `start`, or use it in a `with` block.")
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def faults(self) -> Faults:
        """What goes wrong from now on."""
        return self._dice.faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._dice = Dice(faults)

    @property
    def accidents(self) -> Mapping[Fault, int]:
        """How often each fault has happened since `faults` was set."""
        return dict(self._dice.seen)

    def content(self, key: str) -> dict[str, dict[str, StoredDocument]]:
        """Everything an API key has written: namespace → document id → document."""
        with self._lock:
            account = self._accounts.get(key, {})
            return {
                name: {
                    id: StoredDocument(content=each.latest.content, metadata=dict(each.latest.metadata))
                    for id, each in namespace.documents.items()
                }
                for name, namespace in account.items()
            }

    async def _handled(self, request: HttpRequest) -> HttpResponse | None:
        name = f"{request.method} {request.path}"
        self.requests.append(name)
        if self.away:
            return None
        accident = self._dice.thrown(name)
        if accident is None:
            return self._carried_out(request)
        return await self._gone_wrong(request, accident)

    async def _gone_wrong(self, request: HttpRequest, accident: Accident) -> HttpResponse | None:
        faults = self._dice.faults
        if accident.fault == "slow":
            await asyncio.sleep(faults.slow)
            return self._carried_out(request)
        if accident.done:
            self._carried_out(request)
        match accident.fault:
            case "conflict":
                return HttpResponse(409, {"error": "The document is being processed"})
            case "rate_limit":
                return HttpResponse(429, {"error": "Too many requests"}, {"retry-after": faults.retry_after})
            case "error":
                return HttpResponse(accident.status, {"error": "Internal error"})
            case "garbage":
                return HttpResponse(200, accident.body.encode())
            case "hang":
                await asyncio.sleep(faults.hang)
        return None

    def _carried_out(self, request: HttpRequest) -> HttpResponse:
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or not key:
            return HttpResponse(401, {"error": "Unauthorized", "details": "Authorization: Bearer <key> is missing"})
        with self._lock:
            now = self._clock()
            response = self._answer(key, request, now)
            changes = request.method in _CHANGES and not request.path.endswith(_READS)
            if self._journal is not None and changes and response.status == 200:
                entry = [now, key, request.method, request.path, request.query, request.body.decode()]
                self._journal.write(json.dumps(entry) + "\n")
                self._journal.flush()
            return response

    def _answer(self, key: str, request: HttpRequest, now: float) -> HttpResponse:
        api = EmulatedApi(self._accounts.setdefault(key, {}), self.pipeline, now, self.room, self.refuses)
        response = api.answer(request)
        self.room = api.room
        return response

    def _replay(self, path: Path) -> None:
        """Carry out again what was carried out before."""
        headers = {"content-type": "application/json"}
        for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else (), 1):
            try:
                now, key, method, where, query, body = json.loads(line)
                pairs = tuple((name, value) for name, value in query)
            except (ValueError, TypeError) as error:
                raise InputError(
                    f"{str(path)!r}, line {number}: this is not a file that an emulator has kept. It was left as it "
                    "is; name another file."
                ) from error
            self._answer(key, HttpRequest(method, where, pairs, headers, body.encode()), now)
