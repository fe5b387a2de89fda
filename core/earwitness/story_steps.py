"""Steps of story files that installed packages add: `relate: {…}`, `bubble: vampire-au`.

An entry point in the group `earwitness.story_step` names a subclass of `PackageStep`; its name is that of the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import EntryPoint
from typing import ClassVar, Protocol

from .errors import StrategyError
from .loading.installed_packages import entry_points
from .records.base import Record
from .session import Session
from .time_limit import contained, reason

GROUP = "earwitness.story_step"


class StoryStage(Protocol):
    """Where a step is played."""

    @property
    def session(self) -> Session:
        """The story, or what an earlier step has begun in it."""
        ...

    @property
    def key(self) -> str:
        """The step's key: the same in every play. What a step reports under it is reported once."""
        ...

    def begin(self, session: Session) -> None:
        """Play the steps that follow in another session, such as a bubble, until `end`."""
        ...

    def end(self) -> None:
        """Play the steps that follow in the story itself again."""
        ...


class PackageStep(Record):
    """A step that a package adds. Its fields are what the step takes in a story file."""

    short: ClassVar[str | None] = None
    """The field that a bare value stands for, as in `bubble: vampire-au`; `None` if there is no short form."""
    table: ClassVar[str | None] = None
    """The settings table without which it cannot be played, such as `relationships`; `None` if it needs none."""

    @property
    def characters(self) -> tuple[str, ...]:
        """Ids that must be in the story's cast."""
        return ()

    def problem(self, before: Sequence[PackageStep]) -> str | None:
        """Why it cannot follow these steps of packages, in a sentence; `None` if it can.

        A story file is checked with it before anything is played."""
        return None

    async def play(self, stage: StoryStage) -> str:
        """Do it, and say in a sentence what was done. Playing a story again must change nothing: ask
        `stage.session.has(stage.key)`. Raises what the session raises."""
        raise NotImplementedError


def package_steps() -> dict[str, EntryPoint]:
    """Name → entry point of every step that installed packages add."""
    return {point.name: point for point in entry_points(group=GROUP)}


def load_step(name: str) -> type[PackageStep]:
    """The step with this name. Raises `StrategyError` if it cannot be loaded, or is none."""
    point = package_steps()[name]
    try:
        found = point.load()
    except BaseException as error:
        raise StrategyError(
            f"the story step {name!r} ({point.value}) cannot be loaded: {reason(contained(error))}."
        ) from error
    if not (isinstance(found, type) and issubclass(found, PackageStep)):
        raise StrategyError(f"the story step {name!r} ({point.value}) is not a subclass of PackageStep.")
    return found
