"""What importers of labelled data answer: scenes that also say who was meant, and questions with their answers.

`earwitness evaluate` scores strategies by these labels; what decides never sees them. A data set of your own comes in
by one importer: plain scenes will do where `present` is all there is to say.
"""

from __future__ import annotations

from pydantic import JsonValue

from earwitness.importing import Imported, Scene, SceneLine
from earwitness.records.base import Record


class LabelledLine(SceneLine):
    """One line, and what is known of it. Its `text` is as a host would tell it, directions of its delivery included."""

    plain: str | None = None
    """The text without those directions, where the source has it so."""
    along: tuple[str, ...] = ()
    """Who else says it, where several speak as one."""
    narration: bool = False
    """It tells of the scene; nobody says it."""
    judged: bool = True
    """False where the source says that nobody can tell who perceives it."""
    aside: bool = False
    """Nobody but its speaker hears the aside in it; `present` then only says who is there."""
    addressees: tuple[str, ...] | None = None
    """Whom it is said to, where the source knows."""
    notes: dict[str, JsonValue] = {}
    """What a host would know of it: given to a detector as the message's `metadata`."""


class LabelledScene(Scene):
    """A scene of a data set."""

    lines: tuple[LabelledLine, ...]
    """In order; the place of a line is its index in the source."""
    dataset: str
    """Name of the data set."""
    name: str
    """Name of the scene in it."""
    group: str
    """Scenes of one group belong together (parts of one conversation), and are resampled together."""


class Question(Record):
    """A fact, and who knows it."""

    dataset: str
    """Name of the data set."""
    scene: str
    """Name of the scene that it is about."""
    fact: str
    """In words."""
    character: str | None = None
    """Of whom it is asked, for a question of yes and no."""
    knows: bool | None = None
    """The answer to that."""
    roster: tuple[str, ...] = ()
    """Of whom it is asked, for a list."""
    knowers: tuple[str, ...] | None = None
    """Those of them who know it."""


class Asked(Record):
    """A question whose answer stands in known lines of a conversation."""

    scene: str
    """Name of the scene it is about."""
    text: str
    """The question."""
    evidence: tuple[str, ...]
    """Keys of the lines that hold the answer; never empty."""
    category: str = ""
    """The source's kind of question."""


class Labelled(Imported):
    """A file of labelled data."""

    scenes: tuple[LabelledScene, ...] = ()
    """What was said."""
    questions: tuple[Question, ...] = ()
    """Who knows what."""
    asked: tuple[Asked, ...] = ()
    """What is to be found."""


def as_labelled(scene: Scene, dataset: str) -> LabelledScene:
    """A scene that may come from any importer, as one of the named data set."""
    if isinstance(scene, LabelledScene):
        return scene
    lines = tuple(LabelledLine(**dict(line), narration=line.speaker is None) for line in scene.lines)
    kept = {**dict(scene), "lines": lines}
    return LabelledScene(**kept, dataset=dataset, name=scene.id, group=scene.id)
