"""What an extension itself keeps in a container beyond sessions, past the stories: a bot's documents, for example."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, TypeVar

from .containers import Container
from .errors import EarwitnessError, StorageError, WallError
from .extras import ProfileStore
from .filters import EVERYTHING, Filter, matches
from .records.backends import ServiceProfile
from .records.memory import Hit, Memory
from .time_limit import LimitReached, contained, reason

if TYPE_CHECKING:
    from .app import Earwitness

T = TypeVar("T")


class SharedDocuments:
    """One container that belongs to no session, as its owner's program may read and write it. No character is asked."""

    def __init__(self, ew: Earwitness, container: Container) -> None:
        """Raises `WallError` for the container of a session."""
        if container.session is not None:
            raise WallError(
                f"{container.name!r} belongs to session {container.session!r}: only its stories write to it."
            )
        self._ew = ew
        self.container: Container = container
        """The container."""

    @property
    def is_here(self) -> bool:
        """Whether the store asks nobody elsewhere."""
        return bool(getattr(self._ew.engine.store, "prepares_here", False))

    async def put(self, documents: Sequence[Memory]) -> None:
        """Register the container, and write or replace documents by id.

        Raises `WallError` for one of another container, and `StorageError`; `PartialWrite` names what was written.
        """
        if strange := next((each for each in documents if each.container != self.container.name), None):
            raise WallError(f"{strange.id!r} is for {strange.container!r}, not for {self.container.name!r}.")
        await self._ew.register(self.container)
        await self._limited(self._ew.engine.store.put(documents), self._ew.settings.end.store_timeout)

    async def remove(self, filter: Filter) -> int:
        """Remove the documents that match; returns how many. Raises `StorageError`."""
        name, store, seconds = self.container.name, self._ew.engine.store, self._ew.settings.end.store_timeout
        found = await self._limited(store.list(name, filter=filter), seconds)
        ids = [each.id for each in found if each.container == name and matches(filter, each.metadata)]
        if ids:
            await self._limited(store.remove({name: ids}), seconds)
        return len(ids)

    async def search(self, query: str, *, filter: Filter = EVERYTHING, limit: int = 10) -> tuple[Hit, ...]:
        """The best documents, within the time limit of a recall.

        Container and filter are checked again on what the store finds. Raises `StorageError`.
        """
        name, seconds = self.container.name, self._ew.settings.recall.timeout
        found = await self._limited(self._ew.engine.store.search(name, query, filter=filter, limit=limit), seconds)
        return tuple(hit for hit in found if hit.memory.container == name and matches(filter, hit.memory.metadata))[
            :limit
        ]

    async def profile(self) -> ServiceProfile:
        """What the store's service has made out of its user, within the time limit of a recall; empty if it makes none.

        Raises `StorageError`, and `WallError` for any but the container of a `conversation`: readers of others are
        limited by days and guards, and a profile cannot be checked against these.
        """
        if self.container.kind != "conversation":
            raise WallError(
                f"{self.container.name!r}: a profile cannot be limited to what each of its readers may know."
            )
        store = self._ew.engine.store
        if not isinstance(store, ProfileStore):
            return ServiceProfile()
        return await self._limited(store.profile(self.container.name), self._ew.settings.recall.timeout)

    async def _limited(self, work: Awaitable[T], limit: float) -> T:
        try:
            return await self._ew.engine.store_work(limit, work)
        except LimitReached as error:
            raise StorageError(f"the store has not answered within {limit:g} s.") from error
        except BaseException as error:
            failure = contained(error)
            if failure is error and isinstance(error, EarwitnessError):
                raise
            raise StorageError(reason(failure)) from error
