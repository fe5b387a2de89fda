"""Supermemory: our store and its own client, each against an emulator of the service in a process of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from pydantic import SecretStr

from earwitness.loading.resources import Resources

from ..made import Question, Row
from .backends_ import Backend

_KEY = "any"
_DOCUMENTS = 100
"""In one request at most."""
_AT_ONCE = 8
"""Requests."""
_SERVE = """
import sys
from earwitness_plugins.testing.supermemory import Emulator
with Emulator() as service:
    print(service.url, flush=True)
    sys.stdin.read()
"""
_PATIENCE = 120.0
"""Seconds to wait for an answer: what is measured is how long it takes."""


class Supermemory(Backend):
    """Verbatim chunks, ranked again here."""

    ledger = "story.db"
    """The ledger's file: by default it is the store's, too."""

    def made(self, folder: Path) -> Any:
        """With its buffer in a file."""
        from earwitness_plugins.ledgers.sqlite import SqliteLedger
        from earwitness_plugins.stores.supermemory import supermemory

        url, self._service = self._around.enter_context(emulated())
        path, resources = str(folder / "story.db"), Resources()
        self._ledger = SqliteLedger(path=str(folder / self.ledger), resources=resources)
        return supermemory(
            path=path,
            embedder=self.given,
            resources=resources,
            api_key=SecretStr(_KEY),
            base_url=url,
            search_timeout=_PATIENCE,
            timeout=_PATIENCE,
        )

    async def open(self, folder: Path) -> None:
        """The store, and the ledger beside it."""
        await super().open(folder)
        await self._ledger.open()

    async def close(self) -> None:
        """Close both, and stop the service."""
        await self._ledger.close()
        await super().close()

    def servers(self) -> Sequence[int]:
        """The emulator."""
        return [self._service]


class SupermemoryApart(Supermemory):
    """The same where the ledger has a file of its own: ids that were sent are kept, too."""

    ledger = "ledger.db"


class SupermemoryDirect:
    """The client, as its documentation shows it: a batch of documents for each namespace, side by side."""

    async def open(self, folder: Path) -> None:
        """Start the emulator, and make a client."""
        from supermemory import AsyncSupermemory

        self._around = ExitStack()
        url, self._service = self._around.enter_context(emulated())
        self._client = AsyncSupermemory(api_key=_KEY, base_url=url, max_retries=0, timeout=_PATIENCE)

    def servers(self) -> Sequence[int]:
        """The emulator."""
        return [self._service]

    async def fill(self, rows: Sequence[Row]) -> None:
        """As in `turn`, more at once."""
        await self.turn(rows)

    async def ready(self) -> None:
        """There is nothing to build."""

    async def turn(self, rows: Sequence[Row]) -> None:
        """One request for each namespace. Nobody looks whether the documents are there already."""
        by_namespace = groupby(sorted(rows, key=attrgetter("container")), attrgetter("container"))
        requests = [(name, some) for name, its in by_namespace for some in _batched([*its], _DOCUMENTS)]
        for some in _batched(requests, _AT_ONCE):
            await asyncio.gather(*(self._add(name, its) for name, its in some))

    async def search(self, container: str, question: Question, limit: int) -> int:
        """By the service alone, filtered by day."""
        found = await self._client.search(
            container,
            query=question.text,
            filter={"operator": "and", "operands": [{"field": "learnedDay", "operator": "gte", "value": 0}]},
            search_mode="hybrid",
            limit=limit,
            threshold=0.0,
            include={"documents": True},
        )
        return len(found.results or ())

    async def close(self) -> None:
        """Close the client, and stop the emulator."""
        await self._client.close()
        self._around.close()

    async def _add(self, namespace: str, rows: Sequence[Row]) -> None:
        documents: list[Any] = [
            {"id": uuid5(NAMESPACE_OID, row.id).hex, "content": row.text, "metadata": row.metadata} for row in rows
        ]
        await self._client.documents.batch_add(namespace, documents=documents, task_type="superrag")


@contextmanager
def emulated() -> Iterator[tuple[str, int]]:
    """An emulator without delays in another process: its address, and its process. It ends with this one."""
    with Popen([sys.executable, "-c", _SERVE], stdin=PIPE, stdout=PIPE, text=True) as process:
        try:
            yield (process.stdout.readline().strip() if process.stdout else ""), process.pid
        finally:
            process.communicate()


def _batched(many: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (many[start : start + size] for start in range(0, len(many), size))
