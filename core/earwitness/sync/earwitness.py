"""Written by scripts/generate_sync.py from the asynchronous `Earwitness`. To change it, change that: `make sync`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from ..app import Earwitness as AsyncEarwitness
from ..containers import Container, Membership
from ..engine import Engine
from ..loading.resources import Resources
from ..loading.settings import Settings
from ..loading.strategies import LoadFailure, Strategies
from ..loading.strategy_spec import StrategySpec
from ..records.backends import Health
from ..records.character import Character
from ..records.state import Day
from ..story_export import StoryExport
from ..transfer import Seen, unseen
from .loop import OpenedMirror
from .session import Session


class Earwitness(OpenedMirror):
    """An open store of stories. Use it with `with Earwitness.open(…)`, or between `start` and `close`."""

    @property
    def engine(self) -> Engine:
        """The asynchronous parts of this instance."""
        return self._behind.engine

    @property
    def strategies(self) -> Strategies:
        """The strategies this instance can make."""
        return self._behind.strategies

    @property
    def failures(self) -> tuple[LoadFailure, ...]:
        """The plugins that could not be loaded."""
        return self._behind.failures

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        settings: Settings | Mapping[str, Any] | str | Path | None = None,
        plugins: Iterable[object] | object = (),
        **changes: Any,
    ) -> Self:
        """Assemble an instance. Nothing is opened before `with` or `start`.

        `path` is the embedded file. `settings` is a `Settings` or an `earwitness.toml`. `plugins` are your own
        instances; each is named after its class. `changes` replace single settings (`detector="everyone"`,
        `strict=True`). A strategy may also be an instance, named after its class (`detector=LastTwo()`,
        `guards=["hours", MyGuard()]`). Raises `SettingsError`, `UnknownName`, `PluginError`.
        """
        return cls(AsyncEarwitness.open(path, settings=settings, plugins=plugins, **changes))

    @property
    def settings(self) -> Settings:
        """The settings of this instance, defaults included."""
        return self._behind.settings

    @property
    def resources(self) -> Resources:
        """What the strategies and extensions of this instance share."""
        return self._behind.resources

    def strategy(self, kind: str, spec: StrategySpec | str) -> Any:
        """A strategy that a package needs besides those of the settings: made and opened by the first call, and closed
        with this instance. Raises `UnknownName`, `SettingsError`, `StrategyError`."""
        return self._call(self._behind.strategy, kind, spec)

    def warm_up(self) -> None:
        """Let the detector load what it needs now. Otherwise it does so with the first message, which then takes
        longer; the time counts in no time limit."""
        self._call(self._behind.warm_up)

    def in_background(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Start a task of a package. It is cancelled when this instance closes. Raises `NotOpen`."""
        self._behind.in_background(work, name)

    def session(
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
        return Session(self._call, self._call(self._behind.session, id, cast=cast, state=state, present=present))

    def sessions(self) -> tuple[str, ...]:
        """The ids of all stories, sorted. Stories whose removal was interrupted are left out."""
        return self._call(self._behind.sessions)

    def open_session(self, id: str) -> Session:
        """Open an existing story. Raises `UnknownName`, which lists the existing ones."""
        return Session(self._call, self._call(self._behind.open_session, id))

    def forget(self, session: str) -> None:
        """Remove a story for good: memories, journal, everything. Raises `UnknownName`, `StorageError`.

        A store that is away raises `StorageError`. The story is forgotten then, too: nobody can open it any more. The
        ledger keeps the names of its containers until the store has dropped them: `ew.spool.replay()` finishes it, and
        so does the next call that names the story.
        """
        self._call(self._behind.forget, session)

    def import_session(
        self, lines: Iterable[Mapping[str, Any]] | StoryExport, *, id: str | None = None, seen: Seen = unseen
    ) -> Session:
        """Import the lines of `backstage().export()`, under their own id or another. Raises `StoryError`, `InputError`.

        `StoryExport.read` checks the lines beforehand, without a store. Its `left_out` names the shared containers for
        which the story wrote memories, which are not imported. `seen` is called with the number of entries of each
        batch once it is written, and not at all if nothing is new.
        """
        return Session(self._call, self._call(self._behind.import_session, lines, id=id, seen=seen))

    def register(self, *containers: Container) -> None:
        """Register containers that sessions do not create, such as `persona_container("p7", "alice")`.

        Registering one again changes nothing. Characters can read it once they are admitted. Raises
        `ContainerCollision` if another owner has the name (then none of the containers was registered), `InvalidId`,
        `UnknownName` for a session that does not exist, and `InputError`.
        """
        self._call(self._behind.register, *containers)

    def containers(
        self, *, session: str | None = None, kind: str | None = None, owner: str | None = None
    ) -> tuple[Container, ...]:
        """The containers that belong to no session, or those of one session. `kind` and `owner` narrow the list."""
        return self._call(self._behind.containers, session=session, kind=kind, owner=owner)

    def admit(
        self, container: Container | str, member: str, *, since: Day | None = None, until: Day | None = None
    ) -> Membership:
        """Let a personality read a container that is not its own, from one game day to another, both included.

        A member who leaves and returns has two memberships. A call with the same `since` replaces a membership.
        Raises `UnknownName` for a container that is not registered, `WallError` for the container of a character or
        the world, `InvalidId`, `InputError`.
        """
        return self._call(self._behind.admit, container, member, since=since, until=until)

    def dismiss(self, container: Container | str, member: str, *, until: Day | None = None) -> None:
        """End a membership after the game day `until`. Without `until`, remove it as if it had never existed."""
        self._call(self._behind.dismiss, container, member, until=until)

    def memberships(
        self, *, container: Container | str | None = None, member: str | None = None
    ) -> tuple[Membership, ...]:
        """All memberships, those in one container, or those of one personality."""
        return self._call(self._behind.memberships, container=container, member=member)

    def forget_container(self, container: Container | str) -> None:
        """Remove a container for good: its memories, its memberships, and the deliveries still on their way to it.

        Extensions that keep something of it elsewhere are told (see `earwitness.extensions`). If it is interrupted,
        call it again to finish. Raises `UnknownName`, and `WallError` for the container of a character or the world:
        those are forgotten with the character or the story.
        """
        self._call(self._behind.forget_container, container)

    def snapshot(self, path: str | Path) -> None:
        """Copy all stories to a new file, as they are at one moment, while they go on: to back them up, or to peek.

        The copy holds everything acknowledged before the call, and can be opened by itself. Raises `InputError` for a
        path that exists, and where ledger and store do not share one file that can be copied; and `StorageError`.
        """
        self._call(self._behind.snapshot, path)

    def reembed(self) -> int:
        """Make the vectors of all memories again with this instance's embedder; returns how many memories there are.

        For a store that refuses to open with `EmbedderMismatch`: call it on an instance that is not open, and open it
        afterwards. Nothing changes until every vector is made. Run again after an interruption, it goes on where it
        stopped. Raises `InputError` if the instance is open or its store cannot do that, and `StorageError`.
        """
        return self._call(self._behind.reembed)

    def health(self) -> dict[str, Health]:
        """The health of the `ledger` and the `store`. Raises `StorageError` if one of them cannot report it, such as a
        store that has not answered within `end.store_timeout`."""
        return self._call(self._behind.health)

    def invisible_ids(self) -> dict[str, tuple[str, ...]]:
        """Ids of stories and of their characters that have an invisible character, by story.

        `bob` and `bob` with an invisible character look the same and are two. New ids have none; older stories may.
        """
        return self._call(self._behind.invisible_ids)
