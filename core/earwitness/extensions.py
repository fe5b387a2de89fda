"""Extensions: what installed packages add to an open store, such as `ew.relationships`, and to a story, `story.canon`.

An entry point in the group `earwitness.extension` names a factory that takes the `Earwitness`, and one in the group
`earwitness.session_extension` a factory that takes the `Session` and its `Earwitness`. What a factory makes is an
attribute with the entry point's name. It is made when it is first asked for, once for each store or story. The
synchronous face has it too: there its coroutines are plain calls. A class that keeps something of containers beyond the
store may have a coroutine method `container_forgotten`, awaited with a `Container` that the host has forgotten.

One in the group `earwitness.revision` names a coroutine function that takes the same as a session extension, and what
was revised: a key, or the id of a memory. Where the package has noted facts under the entry point's name, it is awaited
after an edit, a reroll or a retraction, to make anew what rested on it.

One in the group `earwitness.arrival` names a coroutine function that takes the story and its `Earwitness`. Where the
package has noted facts under the entry point's name, it is awaited after a change of the game day, to pass on what has
arrived with it. It is also awaited after the first message or change since the story was opened again, or since it
failed.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Container
from importlib.metadata import EntryPoint
from typing import Any, ClassVar, Protocol, TypeVar

from .errors import EarwitnessError, PluginError, did_you_mean
from .loading.installed_packages import entry_point, entry_points
from .time_limit import contained, reason

REVISION, ARRIVAL = "earwitness.revision", "earwitness.arrival"
NOT_PASSED_ON = "story %r: %s could not pass on what has arrived with the day: %s"
NOT_REMADE = "story %r: %s could not make anew what rested on the revised text: %s"
_log = logging.getLogger("earwitness")


class Decidable(Protocol):
    """An outcome."""

    def decided(self) -> Awaitable[Any]:
        """Wait until it is decided."""
        ...


Revision = TypeVar("Revision", bound=Decidable)
Opened_co = TypeVar("Opened_co", covariant=True)


class Opener(Protocol[Opened_co]):
    """What opens stories: `Earwitness`, which the extensions of a story receive too."""

    def session(self, id: str) -> Awaitable[Opened_co]:
        """Open a story."""
        ...


class Extensible:
    """Base of what installed packages extend. It is asked for names that the class itself does not have."""

    _extension_group: ClassVar[str]
    """The entry point group of extensions to this class."""
    _extended: tuple[object, ...]
    """What their factories take."""
    _passed_on = False
    """Whether packages have passed on what had arrived by the last change of the day."""

    async def _followed_up(self, outcome: Revision, target: str) -> Revision:
        """The outcome of an edit, reroll or retraction, once packages have made anew what rested on it.

        What fails there is logged: the text was revised, and what rested on it is gone.
        """
        await self._let_follow(REVISION, NOT_REMADE, outcome, target)
        self._wake_jobs()
        return outcome

    async def _arrived(self, outcome: Revision, changes: Container[str] = ()) -> Revision:
        """The outcome of a message or change; of one of the game day, once packages have passed on what has arrived. So
        it is of the first after the story was opened, or after that has failed: something may be left to do."""
        if "game_day" in changes or not self._passed_on:
            self._passed_on = True
            self._passed_on = await self._let_follow(ARRIVAL, NOT_PASSED_ON, outcome)
        self._wake_jobs()
        return outcome

    def _wake_jobs(self) -> None:
        """Let jobs be done in the background, where there are any."""
        story: Any = self
        if story._engine.jobs:  # noqa: SLF001 - its own
            story.jobs.wake()

    async def _container_forgotten(self, container: object) -> None:
        """Let extensions forget what they keep of a container."""
        for point in entry_points(group=self._extension_group):
            if hasattr(point.load(), "container_forgotten"):
                await getattr(self, point.name).container_forgotten(container)

    async def _let_follow(self, group: str, failed: str, outcome: Decidable, *about: str) -> bool:
        """Whether nothing has failed."""
        story: Any = self
        succeeds = True
        for point in entry_points(group=group) if story.state.facts else ():
            if story.state.facts_of(point.name):
                try:
                    await outcome.decided()
                    await point.load()(*self._extended, *about)
                except BaseException as error:  # noqa: BLE001 - whatever third-party code raises is its failure
                    _log.warning(failed, story.id, point.name, reason(contained(error)))
                    succeeds = False
        return succeeds

    def __getattr__(self, name: str) -> Any:
        point = None if name.startswith("_") else entry_point(self._extension_group, name)
        if point is None:
            raise AttributeError(_unknown(self, name), name=name, obj=self)
        made = self.__dict__[name] = _made(point, self._extended)
        return made

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *extensions_of(self)})


def extensions_of(owner: object) -> tuple[str, ...]:
    """The names that installed packages add to a store or a story, sorted; none for anything else."""
    if not isinstance(owner, Extensible):
        return ()
    return tuple(sorted({point.name for point in entry_points(group=owner._extension_group)}))  # noqa: SLF001 - its own


def _made(point: EntryPoint, extended: tuple[object, ...]) -> Any:
    """What an extension's factory makes. Raises `PluginError` if it cannot be loaded or made."""
    try:
        return point.load()(*extended)
    except EarwitnessError:
        raise
    except BaseException as error:
        why = reason(contained(error))
        raise PluginError(f"the extension {point.name!r} ({point.value}) cannot be used: {why}.") from error


def _unknown(owner: Extensible, name: str) -> str:
    known = [] if name.startswith("_") else [each for each in dir(owner) if not each.startswith("_")]
    hint = did_you_mean(name, known)
    return f"{type(owner).__name__!r} object has no attribute {name!r}.{hint}"
