"""Each contender in a process of its own, which does one thing at a time and reports how long it took."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from . import contenders, made
from .contenders import Contender, Entry, Served
from .measuring import Round, folder_mb, resident_mb, sampled

WARM = 3


class Worker:
    """A contender in another process; its calls wait for the answer. Raises `RuntimeError` for what went wrong there.

    Args:
        entry: which contender.
        folder: where it keeps its files, made when it is missing; a temporary one when left out.
    """

    def __init__(self, entry: Entry, folder: Path | None = None) -> None:
        self.entry = entry
        self._temporary = TemporaryDirectory(prefix="earwitness-bench-") if folder is None else None
        self.folder = folder or Path(self._temporary.name if self._temporary else "")
        self.folder.mkdir(parents=True, exist_ok=True)
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, entry, self.folder), daemon=True)
        self._process.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fill(self, spans: Sequence[made.Span]) -> float:
        """Write spans of memories; returns memories a second."""
        return float(self._call("fill", spans))

    def search(self, container: str, count: int, limit: int) -> Round:
        """Ask so many questions."""
        found: Round = self._call("search", container, count, limit)
        return found

    def turns(self, first: int, count: int) -> Round:
        """Write so many turns."""
        found: Round = self._call("turns", first, count)
        return found

    def memory_mb(self) -> float:
        """Megabytes its process has."""
        return float(self._call("memory"))

    def disk_mb(self) -> float:
        """Megabytes of its files."""
        return folder_mb(self.folder)

    def first_answer(self, container: str, limit: int) -> tuple[float, float]:
        """Milliseconds from opening to the answer to one question, wall and CPU. For a worker that did nothing yet."""
        found: tuple[float, float] = self._call("first_answer", container, limit)
        return found

    def close(self) -> None:
        """End the process."""
        if self._process.is_alive():
            self._call("close")
        self._process.join(timeout=30)
        if self._temporary is not None:
            self._temporary.cleanup()

    def _call(self, name: str, *arguments: object) -> Any:
        self._connection.send((name, arguments))
        try:
            failed, answer = self._connection.recv()
        except EOFError:
            raise RuntimeError(f"{self.entry.name}: its process died") from None
        if failed:
            raise RuntimeError(f"{self.entry.name}: {answer}")
        return answer


def _serve(connection: Connection, entry: Entry, folder: Path) -> None:
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # peers print what they like; our output stays JSON
    with asyncio.Runner() as runner:
        desk = _Desk(entry, folder)
        name = ""
        while name != "close":
            name, arguments = connection.recv()
            try:
                answer = False, runner.run(getattr(desk, name)(*arguments))
            except Exception as error:  # noqa: BLE001 - a peer may raise anything, and the program goes on without it
                answer = True, f"{type(error).__name__}: {error}"
            connection.send(answer)


class _Desk:
    """What a worker can be asked for."""

    def __init__(self, entry: Entry, folder: Path) -> None:
        self._entry = entry
        self._folder = folder
        self._contender: Contender | None = None

    async def fill(self, spans: Sequence[made.Span]) -> float:
        contender = await self._opened()
        spent, count = 0.0, 0
        for rows in made.batches(spans):
            started = time.perf_counter()
            await contender.fill(rows)
            spent += time.perf_counter() - started
            count += len(rows)
        await contender.ready()
        return count / spent if spent else 0.0

    async def search(self, container: str, count: int, limit: int) -> Round:
        contender = await self._opened()
        asked: list[Callable[[], Any]] = [
            partial(contender.search, container, question, limit) for question in made.questions(count)
        ]
        for operation in asked[:WARM]:
            if not await operation():
                raise RuntimeError(f"found nothing in {container!r}")
        return await sampled(asked, _servers(contender))

    async def turns(self, first: int, count: int) -> Round:
        contender = await self._opened()
        turns = [made.turn(number) for number in range(first, first + count)]
        return await sampled([partial(contender.turn, rows) for rows in turns], _servers(contender))

    async def first_answer(self, container: str, limit: int) -> tuple[float, float]:
        question = made.questions(1)[0]
        contender = contenders.made(self._entry)
        gc.freeze()  # nobody's first answer pays for looking through what was imported
        cpu, wall = time.process_time(), time.perf_counter()
        await contender.open(self._folder)
        if not await contender.search(container, question, limit):
            raise RuntimeError(f"found nothing in {container!r}")
        self._contender = contender
        return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)

    async def memory(self) -> float:
        return resident_mb()

    async def close(self) -> None:
        if self._contender is not None:
            await self._contender.close()

    async def _opened(self) -> Contender:
        if self._contender is None:
            contender = contenders.made(self._entry)
            await contender.open(self._folder)
            self._contender = contender
        return self._contender


def _servers(contender: Contender) -> Sequence[int]:
    return contender.servers() if isinstance(contender, Served) else ()
