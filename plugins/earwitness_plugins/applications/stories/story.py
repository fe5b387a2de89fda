"""The contents of a story file: the cast, what was there before the story, and the steps in order."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from earwitness.records.base import Record
from earwitness.records.character import Cast, as_cast

from .members import StoryMember, StoryPreparation
from .steps import ForgetStep, JoinStep, RememberStep, SayStep, StoryStep


class Story(Record):
    """A story that can be played."""

    story: str
    """The session's id."""
    title: str = ""
    """Title for the audience."""
    cast: Annotated[tuple[StoryMember, ...], Field(min_length=1)]
    """The characters."""
    state: dict[str, Any] = {}
    """The state at the beginning."""
    present: tuple[str, ...] | None = None
    """Ids of those in the first scene; `None` leaves that to the messages."""
    prepare: StoryPreparation = StoryPreparation()
    """What was there before the story."""
    steps: tuple[StoryStep, ...]
    """The steps, in order."""

    def people(self) -> Cast:
        """The cast as a record."""
        return as_cast(member.character() for member in self.cast)

    def everybody(self) -> Cast:
        """The cast with everybody who joins it."""
        joins = (step for step in self.steps if isinstance(step, JoinStep))
        return self.people().joined(member.character() for step in joins for member in step.members)

    def forgettings(self) -> dict[str, str]:
        """Key of each step that forgets somebody → who it is."""
        forgets = ((number, step) for number, step in enumerate(self.steps, 1) if isinstance(step, ForgetStep))
        return {self.key(number): step.character for number, step in forgets}

    def key(self, number: int) -> str:
        """The key of a step (from 1). It is the same in every play, so that playing twice changes nothing."""
        step = self.steps[number - 1]
        return (step.key if isinstance(step, SayStep | RememberStep) else None) or f"{self.story}:{number}"
