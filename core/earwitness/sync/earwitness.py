"""Written by scripts/generate_sync.py from the asynchronous `Earwitness`. To change it, change that: `make sync`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from ..app import Earwitness as AsyncEarwitness
from ..containers import Container, Membership
from ..engine import Engine
from ..loading.settings import Settings
from ..loading.strategies import LoadFailure, Strategies
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
        """Its parts, which are asynchronous."""
        return self._behind.engine

    @property
    def strategies(self) -> Strategies:
        """The strategies it can make."""
        return self._behind.strategies

    @property
    def failures(self) -> tuple[LoadFailure, ...]:
        """Plugins that could not be loaded."""
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
        """Wire an instance together; nothing is opened before `with` or `start`.

        `path` is the embedded file; `settings` a `Settings` or an `earwitness.toml`; `plugins` are instances of your
        own, named by their class; `changes` replace single settings (`detector="everyone"`, `strict=True`). A strategy
        may also be an instance, which is named by its class (`detector=LastTwo()`, `guards=["hours", MyGuard()]`).
        Raises `SettingsError`, `UnknownName`, `PluginError`.
        """
        return cls(AsyncEarwitness.open(path, settings=settings, plugins=plugins, **changes))

    @property
    def settings(self) -> Settings:
        """What it was told, with the defaults for everything else."""
        return self._behind.settings

    def session(
        self,
        id: str,
        *,
        cast: Iterable[Character | str] = (),
        state: Mapping[str, Any] | None = None,
        present: Iterable[str] = (),
    ) -> Session:
        """Begin a story, or take one up again: then new members of `cast` join it, and `state` is left as it is.

        `present` are those here when the story begins. Raises `InvalidId`, `InputError`, `ContainerCollision`.
        """
        return Session(self._call, self._call(self._behind.session, id, cast=cast, state=state, present=present))

    def sessions(self) -> tuple[str, ...]:
        """Ids of all stories, sorted, without those whose forgetting was cut short."""
        return self._call(self._behind.sessions)

    def open_session(self, id: str) -> Session:
        """A story that exists. Raises `UnknownName` that lists those there are."""
        return Session(self._call, self._call(self._behind.open_session, id))

    def forget(self, session: str) -> None:
        """Remove a story for good: memories, journal, everything. Raises `UnknownName`, `StorageError`.

        Cut short, it is finished by the next call that names the story.
        """
        self._call(self._behind.forget, session)

    def import_session(
        self, lines: Iterable[Mapping[str, Any]] | StoryExport, *, id: str | None = None, seen: Seen = unseen
    ) -> Session:
        """Take in what `backstage().export()` gave, under its own id or another. Raises `StoryError`, `InputError`.

        `StoryExport.read` checks the lines beforehand, without a store. `seen` is called with each number of entries
        written; where nothing is new, it is not.
        """
        return Session(self._call, self._call(self._behind.import_session, lines, id=id, seen=seen))

    def register(self, *containers: Container) -> None:
        """Claim containers that no session makes itself, such as `persona_container("p7", "alice")`; again is fine.

        Nobody may read one before being admitted. Raises `ContainerCollision` for a name that another owner has (then
        none was claimed), `InvalidId`, `UnknownName` for a session that does not exist, and `InputError`.
        """
        self._call(self._behind.register, *containers)

    def containers(
        self, *, session: str | None = None, kind: str | None = None, owner: str | None = None
    ) -> tuple[Container, ...]:
        """The containers that belong to no session, or those of one: all, or of a kind or an owner."""
        return self._call(self._behind.containers, session=session, kind=kind, owner=owner)

    def admit(
        self, container: Container | str, member: str, *, since: Day | None = None, until: Day | None = None
    ) -> Membership:
        """Let a personality read a container that is not its own, on these game days; both ends are included.

        Leaving and returning is two memberships; the same `since` again replaces one. Raises `UnknownName` for a
        container nobody registered, `WallError` for a character's or the world's, `InvalidId`, `InputError`.
        """
        return self._call(self._behind.admit, container, member, since=since, until=until)

    def dismiss(self, container: Container | str, member: str, *, until: Day | None = None) -> None:
        """End a membership with a game day; without one, as if it had never been."""
        self._call(self._behind.dismiss, container, member, until=until)

    def memberships(
        self, *, container: Container | str | None = None, member: str | None = None
    ) -> tuple[Membership, ...]:
        """Who may read which containers that are not their own: all, in one container, or of one personality."""
        return self._call(self._behind.memberships, container=container, member=member)

    def forget_container(self, container: Container | str) -> None:
        """Remove a container for good: its memories, its members, and what sessions were to bring there.

        Cut short, it is finished by calling it again. Raises `UnknownName`, and `WallError` for a character's or the
        world's: those are forgotten with the character or the story.
        """
        self._call(self._behind.forget_container, container)

    def health(self) -> dict[str, Health]:
        """How the `ledger` and the `store` are. Raises `StorageError` where one cannot say."""
        return self._call(self._behind.health)
