"""The thread in which the asynchronous objects live. The one module of `earwitness.sync` that is written by hand.

The thread has an event loop of its own, so everything works where a loop runs already, as in a notebook. Plugins and
strategies, plain or `async`, run in that thread. Exceptions and Ctrl-C come through as they are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypeVar

from ..app import Earwitness
from ..errors import InputError, NotOpen
from ..open_handle import OPEN_ALREADY

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

P = ParamSpec("P")
T = TypeVar("T")


class LoopThread:
    """The thread with the event loop, for as long as an instance is open."""

    def __init__(self) -> None:
        self.portal: BlockingPortal | None = None

    def __call__(self, call: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the call in the thread and return its result. Raises what it raises, and `NotOpen` when not open."""
        if self.portal is None:
            raise NotOpen(
                "this Earwitness is not open. Use it and its sessions in `with Earwitness.open(…) as ew:`, or between "
                "`ew.start()` and `ew.close()`."
            )
        future = self.portal.start_task_soon(_bound(call, args, kwargs))
        try:
            return future.result()
        finally:
            future.cancel()  # after Ctrl-C nobody waits any more; a call that is done cannot be cancelled

    def each(self, items: AsyncIterator[T]) -> Iterator[T]:
        """The items, one after the other."""
        with suppress(StopAsyncIteration):
            while True:
                yield self(items.__anext__)


def _bound(
    call: Callable[..., Awaitable[T]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[[], Awaitable[T]]:
    return partial(call, *map(_read, args), **{name: _read(value) for name, value in kwargs.items()})


def _read(argument: object) -> object:
    """An iterator is read here: it may come from a session of the thread, which could not wait for itself."""
    return list(argument) if isinstance(argument, Iterator) else argument


class Mirror(Generic[T]):
    """One asynchronous object, and the thread in which it lives."""

    def __init__(self, call: LoopThread, behind: T) -> None:
        self._call = call
        self._behind = behind

    def __repr__(self) -> str:
        return repr(self._behind)


class OpenedMirror(Mirror[Earwitness]):
    """The mirror of an `Earwitness`, which starts the thread when it is opened and ends it when it is closed."""

    def __init__(self, behind: Earwitness) -> None:
        if not isinstance(behind, Earwitness):
            raise InputError(f"Earwitness({behind!r}) opens nothing: write Earwitness.open({behind!r}).")
        super().__init__(LoopThread(), behind)
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        from anyio.from_thread import start_blocking_portal

        with ExitStack() as opening:
            portal = opening.enter_context(start_blocking_portal())
            opening.enter_context(portal.wrap_async_context_manager(self._behind))
            self._call.portal, self._closing = portal, opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._call.portal = None
        if error is not None and not isinstance(error, Exception):
            error = _Interrupted()  # Ctrl-C itself would end the loop before it has closed its files
        self._closing.__exit__(type(error) if error else None, error, traceback)

    def start(self) -> Self:
        """Open it without a block, where beginning and end are two calls; `close` ends it.

        Raises `StorageError`, and `InputError` when it was started already.
        """
        if self._call.portal is not None:
            raise InputError(OPEN_ALREADY)
        return self.__enter__()

    def close(self) -> None:
        """End what `start` began, once everything acknowledged is settled. Does nothing when it is not open."""
        if self._call.portal is not None:
            self.__exit__(None, None, None)


class _Interrupted(Exception):
    """Stands for Ctrl-C and the like."""
