"""A client of Qdrant that answers coroutines, and whose errors are Earwitness's own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from earwitness.errors import EarwitnessError, SettingsError, StorageError, StorageFull, StorageLocked

_FULL = ("disk is full", "No space left")
_TAKEN = "already accessed by another instance"


class QdrantConnection:
    """One client. A local one works on a thread of its own, one call after the other; one of a server is
    asynchronous.

    Args:
        place: where it is, as errors say it: a folder or an address.
        make: makes the client; called on a thread, since importing it takes a second.
        is_local: whether the client's methods are plain functions.
    """

    def __init__(self, place: str, make: Callable[[], Any], *, is_local: bool) -> None:
        self.place = place
        """Where it is."""
        self.is_local = is_local
        """Whether nobody else can write there while it is open."""
        self._make = make
        self._client: Any = None
        self._thread: ThreadPoolExecutor | None = None

    @property
    def is_open(self) -> bool:
        """Whether it may be asked."""
        return self._client is not None

    async def open(self) -> None:
        """Make the client. Raises `StorageError`, and `StorageLocked` for a folder that is open elsewhere."""
        if self._client is None:
            self._thread = ThreadPoolExecutor(1, "qdrant")
            try:
                self._client = await self._translated(self._aside(self._make))
            except BaseException:
                self._thread.shutdown(wait=False)
                raise

    async def close(self) -> None:
        """Let go of the folder, or of the connections."""
        client, self._client = self._client, None
        if client is not None and self._thread is not None:
            with suppress(Exception):
                await (self._aside(client.close) if self.is_local else client.close())
            self._thread.shutdown(wait=False)

    async def ask(self, method: str, **arguments: Any) -> Any:
        """Call a method of the client. Raises `StorageError`."""
        if self._client is None:
            raise StorageError(f"the store at {self.place!r} is not open. Call `open` first.")
        asked = getattr(self._client, method)
        if self.is_local:
            return await self._translated(self._aside(partial(asked, **arguments)))
        return await self._translated(asked(**arguments))

    async def work(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function that uses the local client, on the thread of its methods. Raises `StorageError`."""
        return await self._translated(self._aside(partial(function, *arguments)))

    def _aside(self, work: Callable[[], Any]) -> Awaitable[Any]:
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _translated(self, answer: Awaitable[Any]) -> Any:
        try:
            return await answer
        except EarwitnessError:
            raise
        except Exception as error:
            raise self._as_ours(error) from error

    def _as_ours(self, error: Exception) -> StorageError:
        said = " ".join(str(error).split()) or type(error).__name__
        if _TAKEN in said:
            return _taken(self.place)
        if any(sign in said for sign in _FULL):
            return StorageFull(f"no space left for {self.place!r}. Free some and try again.")
        if self.is_local:
            return StorageError(f"Qdrant's local storage in {self.place!r} says {type(error).__name__}: {said}")
        return StorageError(f"Qdrant at {self.place!r} {_trouble(error, said)}; what was acknowledged is safe.")


def _trouble(error: Exception, said: str) -> str:
    """What is wrong with a server, and what to do."""
    status = getattr(error, "status_code", None)
    if status in (401, 403):
        return f"refuses the key (HTTP {status}). Correct `api_key`"
    if status is not None:
        return f"answered HTTP {status} ({said}). Check `url`, and that it is a Qdrant server"
    if type(error).__name__ == "ResponseHandlingException":  # of the client: no answer, or none that it understands
        return f"does not answer ({said}). Start the server, or correct `url`"
    return f"could not do its work ({type(error).__name__}: {said})"


def refuse_locked(path: str) -> None:
    """Raises `StorageLocked` for a folder of Qdrant's that is open elsewhere: its client would leave a file open."""
    lock_file = Path(path) / ".lock"
    if not lock_file.exists():
        return
    import portalocker

    with lock_file.open("r+") as file:
        try:
            portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.exceptions.LockException:
            raise _taken(path) from None
        portalocker.unlock(file)


def _taken(place: str) -> StorageLocked:
    return StorageLocked(
        f"the folder {place!r} is open in another program, or twice in this one. Only one may have it: close the "
        "other, or run a Qdrant server and name its `url`."
    )


def models(extra: str) -> Any:
    """The module `qdrant_client.models`. Raises `SettingsError` without the package.

    Args:
        extra: what is to be installed.
    """
    try:
        from qdrant_client import models as found
    except ModuleNotFoundError as missing:
        raise SettingsError(f"the store {extra!r} needs its client: pip install 'earwitness[{extra}]'.") from missing
    return found
