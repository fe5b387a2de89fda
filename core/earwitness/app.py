"""Earwitness: one instance, one ledger, one store, its own strategies and plugins. Two instances share nothing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from . import register, transfer, wiring
from .background import Background
from .containers import Container, Membership
from .engine import Engine
from .errors import InputError
from .extensions import Extensible
from .extras import ReembeddingStore, SnapshotLedger
from .ids import with_invisible
from .loading.resources import Resources
from .loading.settings import Settings
from .loading.strategies import LoadFailure, Strategies
from .loading.strategy_spec import StrategySpec
from .open_handle import OPEN_ALREADY, OpenHandle
from .open_sessions import OpenSessions
from .records.backends import Health
from .records.character import Character
from .records.state import Day
from .session import Session
from .story_export import StoryExport
from .strategy import Strategy
from .transfer import Seen, unseen
from .validation.arguments import several


class Earwitness(Extensible):
    """An open store of stories. Use it with `async with Earwitness.open(…)`, or between `start` and `close`."""

    _extension_group = "earwitness.extension"

    def __init__(
        self, engine: Engine, strategies: Strategies | None = None, failures: Sequence[LoadFailure] = ()
    ) -> None:
        """Called by `open`. Raises `InputError` if `engine` is not an `Engine`."""
        if not isinstance(engine, Engine):
            raise InputError(f"Earwitness({engine!r}) opens nothing: write Earwitness.open({engine!r}).")
        self.engine = engine
        """The asynchronous parts of this instance."""
        self.strategies: Strategies = strategies or Strategies()
        """The strategies this instance can make."""
        self.failures: tuple[LoadFailure, ...] = tuple(failures)
        """The plugins that could not be loaded."""
        self._extended = (self,)
        self._handle = OpenHandle(self)
        self._start_over()

    def __repr__(self) -> str:
        where = "" if self.settings.path is None else f" {str(self.settings.path)!r},"
        return f"<Earwitness{where} ledger {self.settings.ledger.name!r}, store {self.settings.store.name!r}>"

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        settings: Settings | Mapping[str, Any] | str | Path | None = None,
        plugins: Iterable[object] | object = (),
        **changes: Any,
    ) -> Self:
        """Assemble an instance. Nothing is opened before `async with` or `start`.

        `path` is the embedded file. `settings` is a `Settings` or an `earwitness.toml`. `plugins` are your own
        instances; each is named after its class. `changes` replace single settings (`detector="everyone"`,
        `strict=True`). A strategy may also be an instance, named after its class (`detector=LastTwo()`,
        `guards=["hours", MyGuard()]`). Raises `SettingsError`, `UnknownName`, `PluginError`.
        """
        made, changes = wiring.handed_over(changes)
        chosen = wiring.named(wiring.settings_of(path, settings, changes), made)
        makers = Strategies()
        engine, failures = wiring.Wiring(chosen, makers, made).wired(wiring.instances(plugins))
        return cls(engine, makers, failures)

    async def __aenter__(self) -> Self:
        if self._background.is_open:
            raise InputError(OPEN_ALREADY)
        await self.engine.lifecycle.open()
        self._start_over()
        await self._background.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._background.is_parents:  # after a fork in the block: threads and files are the parent's to close
            return
        try:
            await self._background.__aexit__(kind, error, traceback)
        except BaseException as failure:
            error = failure
            raise
        finally:
            await self.engine.lifecycle.close(error)

    @property
    def settings(self) -> Settings:
        """The settings of this instance, defaults included."""
        return self.engine.settings

    @property
    def resources(self) -> Resources:
        """What the strategies and extensions of this instance share."""
        return self.engine.resources

    async def strategy(self, kind: str, spec: StrategySpec | str) -> Any:
        """A strategy that a package needs besides those of the settings: made and opened by the first call, and closed
        with this instance. Raises `UnknownName`, `SettingsError`, `StrategyError`."""
        spec = StrategySpec(name=spec) if isinstance(spec, str) else spec
        key = (kind, spec.name, repr(sorted(spec.revealed.items())))
        if key not in self._late:
            context = {"settings": self.settings, "resources": self.resources, "strategies": self.strategies}
            made = Strategy(kind, spec.name, self.strategies.make(kind, spec, **context))
            self._late[key] = asyncio.ensure_future(self.engine.lifecycle.add(made))
        try:
            return (await asyncio.shield(self._late[key])).made
        except BaseException:
            if self._late[key].done():
                del self._late[key]  # the next call tries again
            raise

    async def warm_up(self) -> None:
        """Let the detector load what it needs now. Otherwise it does so with the first message, which then takes
        longer; the time counts in no time limit."""
        if self.engine.detector is not None:
            await self.engine.consultant.warm_up.of(self.engine.detector.made)

    def in_background(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Start a task of a package. It is cancelled when this instance closes. Raises `NotOpen`."""
        self._background.start(work, name, cancelled_on_close=True)

    async def start(self) -> Self:
        """Open this instance without an `async with` block. `close` closes it, possibly in another task.

        Raises `StorageError`, `StrategyError`, and `InputError` if it was started already.
        """
        await self._handle.start()
        return self

    async def close(self) -> None:
        """Close what `start` opened, once everything acknowledged is settled. Does nothing if it is not open."""
        await self._handle.close()

    async def session(
        self,
        id: str,
        *,
        cast: Iterable[Character | str] = (),
        state: Mapping[str, Any] | None = None,
        present: Iterable[str] = (),
    ) -> Session:
        """Begin a story, or resume an existing one.

        When a story is resumed, new members of `cast` join it and its state is left as it is. `present` names the
        characters who are here when the story begins. Raises `InvalidId`, `InputError`, `ContainerCollision`.
        """
        self._background.check()
        return await self._open.session(id, cast, state, present)

    async def sessions(self) -> tuple[str, ...]:
        """The ids of all stories, sorted. Stories whose removal was interrupted are left out."""
        self._background.check()
        return await self._open.ids()

    async def open_session(self, id: str) -> Session:
        """Open an existing story. Raises `UnknownName`, which lists the existing ones."""
        self._background.check()
        return await self._open.existing(id)

    async def forget(self, session: str) -> None:
        """Remove a story for good: memories, journal, everything. Raises `UnknownName`, `StorageError`.

        A store that is away raises `StorageError`. The story is forgotten then, too: nobody can open it any more. The
        ledger keeps the names of its containers until the store has dropped them: `ew.spool.replay()` finishes it, and
        so does the next call that names the story.
        """
        self._background.check()
        await self._open.forget(session)

    async def import_session(
        self, lines: Iterable[Mapping[str, Any]] | StoryExport, *, id: str | None = None, seen: Seen = unseen
    ) -> Session:
        """Import the lines of `backstage().export()`, under their own id or another. Raises `StoryError`, `InputError`.

        `StoryExport.read` checks the lines beforehand, without a store. Its `left_out` names the shared containers for
        which the story wrote memories, which are not imported. `seen` is called with the number of entries of each
        batch once it is written, and not at all if nothing is new.
        """
        self._background.check()
        if not isinstance(lines, StoryExport):
            lines = await asyncio.to_thread(StoryExport.read, list(several("lines", lines)))
        return await self.session(await transfer.imported(self.engine, lines, id=id, seen=seen))

    # ── containers beyond a session ──────────────────────────────────────────────────────────────────────────────

    async def register(self, *containers: Container) -> None:
        """Register containers that sessions do not create, such as `persona_container("p7", "alice")`.

        Registering one again changes nothing. Characters can read it once they are admitted. Raises
        `ContainerCollision` if another owner has the name (then none of the containers was registered), `InvalidId`,
        `UnknownName` for a session that does not exist, and `InputError`.
        """
        self._background.check()
        await register.register(self.engine.ledger, containers)

    async def containers(
        self, *, session: str | None = None, kind: str | None = None, owner: str | None = None
    ) -> tuple[Container, ...]:
        """The containers that belong to no session, or those of one session. `kind` and `owner` narrow the list."""
        self._background.check()
        return tuple(await self.engine.ledger.containers(session, kind=kind, owner=owner))

    async def admit(
        self, container: Container | str, member: str, *, since: Day | None = None, until: Day | None = None
    ) -> Membership:
        """Let a personality read a container that is not its own, from one game day to another, both included.

        A member who leaves and returns has two memberships. A call with the same `since` replaces a membership.
        Raises `UnknownName` for a container that is not registered, `WallError` for the container of a character or
        the world, `InvalidId`, `InputError`.
        """
        self._background.check()
        return await register.admit(self.engine.ledger, container, member, since, until)

    async def dismiss(self, container: Container | str, member: str, *, until: Day | None = None) -> None:
        """End a membership after the game day `until`. Without `until`, remove it as if it had never existed."""
        self._background.check()
        await register.dismiss(self.engine.ledger, container, member, until)

    async def memberships(
        self, *, container: Container | str | None = None, member: str | None = None
    ) -> tuple[Membership, ...]:
        """All memberships, those in one container, or those of one personality."""
        self._background.check()
        return await register.memberships(self.engine.ledger, container, member)

    async def forget_container(self, container: Container | str) -> None:
        """Remove a container for good: its memories, its memberships, and the deliveries still on their way to it.

        Extensions that keep something of it elsewhere are told (see `earwitness.extensions`). If it is interrupted,
        call it again to finish. Raises `UnknownName`, and `WallError` for the container of a character or the world:
        those are forgotten with the character or the story.
        """
        self._background.check()
        await self._container_forgotten(await register.forget(self.engine, container))

    async def snapshot(self, path: str | Path) -> None:
        """Copy all stories to a new file, as they are at one moment, while they go on: to back them up, or to peek.

        The copy holds everything acknowledged before the call, and can be opened by itself. Raises `InputError` for a
        path that exists, and where ledger and store do not share one file that can be copied; and `StorageError`.
        """
        self._background.check()
        if not isinstance(path, str | os.PathLike):
            raise InputError(f"path = {path!r} cannot be used: it must be the name of a file.")
        ledger = self.engine.ledger
        if not (self.engine.one_database and isinstance(ledger, SnapshotLedger)):
            raise InputError("this ledger and this store do not share one file. Back up each with its own tools.")
        await ledger.snapshot(os.fspath(path))

    async def reembed(self) -> int:
        """Make the vectors of all memories again with this instance's embedder; returns how many memories there are.

        For a store that refuses to open with `EmbedderMismatch`: call it on an instance that is not open, and open it
        afterwards. Nothing changes until every vector is made. Run again after an interruption, it goes on where it
        stopped. Raises `InputError` if the instance is open or its store cannot do that, and `StorageError`.
        """
        if self._background.is_open:
            raise InputError("this Earwitness is open. Close it, make the vectors again, and open it afterwards.")
        store = self.engine.store
        if not isinstance(store, ReembeddingStore):
            name = self.settings.store.name
            raise InputError(f"the store {name!r} keeps no vectors that can be made again. Nothing has to be done.")
        return await store.reembed()

    async def health(self) -> dict[str, Health]:
        """The health of the `ledger` and the `store`. Raises `StorageError` if one of them cannot report it, such as a
        store that has not answered within `end.store_timeout`."""
        self._background.check()
        ledger = await self.engine.ledger.health()
        return {"ledger": ledger, "store": await self.engine.answered(self.engine.store.health())}

    async def invisible_ids(self) -> dict[str, tuple[str, ...]]:
        """Ids of stories and of their characters that have an invisible character, by story.

        `bob` and `bob` with an invisible character look the same and are two. New ids have none; older stories may.
        """
        self._background.check()
        found: dict[str, tuple[str, ...]] = {}
        for id in await self.engine.ledger.sessions():
            snapshot = await self.engine.ledger.load(id)
            ids = with_invisible((id, *(snapshot.cast.ids if snapshot else ())))
            found |= {id: ids} if ids else {}
        return found

    def _start_over(self) -> None:
        """Forget what an earlier opening left, whose event loop may be gone. Its handles stay closed."""
        self._background = Background()
        self._open = OpenSessions(self.engine, self._background, self)
        self._late: dict[object, asyncio.Future[Strategy[Any]]] = {}
