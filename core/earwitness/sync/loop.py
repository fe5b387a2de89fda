"""The thread in which the asynchronous objects live. The one module of `earwitness.sync` that is written by hand.

The thread has an event loop of its own, so everything works where a loop runs already, as in a notebook. Plugins and
strategies, plain or `async`, run in that thread. Exceptions and Ctrl-C come through as they are. Nothing waits for the
thread when the process ends: what was acknowledged is durable, and the rest is done by whoever opens the file next.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Generic, ParamSpec, Self, TypeVar

from ..app import Earwitness
from ..errors import InputError, NotOpen
from ..extensions import Extensible, extensions_of
from ..home import Home
from ..open_handle import OPEN_ALREADY, OpenHandle
from ..records.base import Record

P = ParamSpec("P")
T = TypeVar("T")
PATIENCE = 1.0
"""Seconds that closing waits after an error or Ctrl-C. A strategy that holds the thread for longer is left behind."""


class LoopThread:
    """The thread with the event loop, for as long as an instance is open."""

    def __init__(self) -> None:
        self._home: Home | None = None
        self._thread: Thread | None = None
        self._ended = asyncio.Event()
        self._scheduling = Lock()

    @property
    def is_open(self) -> bool:
        """Whether calls can be made."""
        return self._home is not None

    @property
    def is_parents(self) -> bool:
        """Whether it runs in the process that this one was forked from."""
        return self._home is not None and self._home.is_parents

    def start(self) -> None:
        """Start the thread."""
        started: Future[Home] = Future()
        self._ended = asyncio.Event()
        self._thread = Thread(target=asyncio.run, args=(self._serve(started),), name="earwitness", daemon=True)
        self._thread.start()
        self._home = started.result()

    def stop(self, patience: float | None = None) -> None:
        """End the thread, and wait at most so many seconds for it. Calls that are under way are cancelled."""
        with self._scheduling:  # what was scheduled before is cancelled; nothing is scheduled after
            home, self._home = self._home, None
        thread, self._thread = self._thread, None
        if home is not None and thread is not None:
            home.loop.call_soon_threadsafe(self._ended.set)
            thread.join(patience)

    def __call__(self, call: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the call in the thread and return its result. Raises what it raises, and `NotOpen` when not open."""
        return self.within(None, call, *args, **kwargs)

    def within(
        self, patience: float | None, call: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """As a plain call; raises `TimeoutError` when it takes longer than so many seconds."""
        future = self._scheduled(call, tuple(map(_read, args)), {name: _read(each) for name, each in kwargs.items()})
        try:
            return future.result(patience)
        finally:
            future.cancel()  # after Ctrl-C nobody waits any more; a call that is done cannot be cancelled

    def each(self, items: AsyncIterator[T]) -> Iterator[T]:
        """The items, one after the other."""
        with suppress(StopAsyncIteration):
            while True:
                yield self(items.__anext__)

    def _scheduled(self, call: Callable[..., Awaitable[T]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Future[T]:
        with self._scheduling:
            if self._home is None:
                raise NotOpen(
                    "this Earwitness is not open. Use it and its sessions in `with Earwitness.open(…) as ew:`, or "
                    "between `ew.start()` and `ew.close()`."
                )
            self._home.check_process()
            return asyncio.run_coroutine_threadsafe(_awaited(call, args, kwargs), self._home.loop)

    async def _serve(self, started: Future[Home]) -> None:
        asyncio.get_running_loop().set_default_executor(_DaemonThreads())
        started.set_result(Home.here())
        await self._ended.wait()


class _DaemonThreads(ThreadPoolExecutor):
    """What strategies run with `asyncio.to_thread`, each in a thread that does not keep the process from ending."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run the function in a thread of its own."""
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(fn(*args, **kwargs))
                except BaseException as error:  # noqa: BLE001 - whoever waits for it receives it
                    future.set_exception(error)

        Thread(target=run, name="earwitness-call", daemon=True).start()
        return future


async def _awaited(call: Callable[..., Awaitable[T]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    return await call(*args, **kwargs)


def _read(argument: object) -> Any:
    """An iterator is read here: it may come from a session of the thread, which could not wait for itself."""
    return list(argument) if isinstance(argument, Iterator) else argument


class Mirror(Generic[T]):
    """One asynchronous object, and the thread in which it lives."""

    def __init__(self, call: LoopThread, behind: T) -> None:
        self._call = call
        self._behind = behind

    def __repr__(self) -> str:
        return repr(self._behind)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not isinstance(self._behind, Extensible):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}.", name=name, obj=self)
        return ExtensionMirror(self._call, getattr(self._behind, name))

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *extensions_of(self._behind)})


class ExtensionMirror:
    """What an installed package adds to a store or story. Its coroutines are plain calls here."""

    def __init__(self, call: LoopThread, behind: Any) -> None:
        self._call = call
        self._behind = behind

    def __repr__(self) -> str:
        return repr(self._behind)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._behind, name)
        return ExtensionMirror(self._call, found) if _is_asynchronous(found) else found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it in the thread, and wait for its answer. Stories and the like in the answer are mirrored."""
        return self._mirrored(self._call(_answer, self._behind, *args, **kwargs))

    def _mirrored(self, answer: Any) -> Any:
        mirror = _mirrors().get(type(answer))
        if mirror is not None:
            return mirror(self._call, answer)
        return ExtensionMirror(self._call, answer) if _is_asynchronous(answer) else answer


async def _answer(behind: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    answer = behind(*args, **kwargs)
    return await answer if inspect.isawaitable(answer) else answer


def _mirrors() -> dict[type, Callable[[LoopThread, Any], Any]]:
    """The mirrors of what a package may return."""
    from .. import outcome, session, turn
    from ..backstage import backstage
    from . import Backstage, Outcome, Session, Turn

    return {session.Session: Session, turn.Turn: Turn, outcome.Outcome: Outcome, backstage.Backstage: Backstage}


def _is_asynchronous(found: object) -> bool:
    """Whether it has to be called in the thread: a function, or an object with a coroutine among its methods."""
    if isinstance(found, type | Record):
        return False
    methods = (value for kind in type(found).__mro__ for value in vars(kind).values())
    return inspect.isroutine(found) or any(map(inspect.iscoroutinefunction, methods))


class OpenedMirror(Mirror[Earwitness]):
    """The mirror of an `Earwitness`, which starts the thread when it is opened and ends it when it is closed."""

    def __init__(self, behind: Earwitness) -> None:
        if not isinstance(behind, Earwitness):
            raise InputError(f"Earwitness({behind!r}) opens nothing: write Earwitness.open({behind!r}).")
        super().__init__(LoopThread(), behind)
        self._opened = OpenHandle(behind)

    def __enter__(self) -> Self:
        if self._call.is_open:
            raise InputError(OPEN_ALREADY)
        self._call.start()
        try:
            self._call(self._opened.start)
        except BaseException:
            self._call.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._call.is_parents:  # after a fork in the block: the thread is the parent's
            return
        if error is not None and not isinstance(error, Exception):
            error = _Interrupted()  # Ctrl-C itself would end the loop before it has closed its files
        patience = None if error is None else PATIENCE
        try:
            self._call.within(patience, self._opened.close, error)
        except TimeoutError:
            if patience is None:
                raise
        finally:
            self._call.stop(PATIENCE)

    def start(self) -> Self:
        """Open it without a block, where beginning and end are two calls; `close` ends it.

        Raises `StorageError`, and `InputError` when it was started already.
        """
        return self.__enter__()

    def close(self) -> None:
        """End what `start` began, once everything acknowledged is settled. Does nothing when it is not open."""
        if self._call.is_open:
            self.__exit__(None, None, None)


class _Interrupted(Exception):
    """Stands for Ctrl-C and the like."""
