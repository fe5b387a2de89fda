"""What importers of labelled data return: scenes with labels, and questions with their answers.

`earwitness evaluate` scores strategies by these labels; what decides never sees them. A data set of your own comes in
by one importer: plain scenes will do where `audience` is all there is to say.
"""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from earwitness.imports import Imported, Scene, SceneLine
from earwitness.records.base import Record


class LabelledPiece(Record):
    """A piece of a line that others perceive than the line as a whole: a thought, a whisper, somebody's own words."""

    text: str
    """The piece, as it stands in the line."""
    audience: tuple[str, ...]
    """The label: names of those who perceive it, whoever says it included."""


class LabelledAct(Record):
    """Somebody begins or ends to be able to perceive."""

    who: str
    """Name, as in the roster."""
    act: Literal["arrives", "returns", "wakes", "leaves", "sleeps"]
    """What they do. `sleeps` and `wakes` are about all who are there and perceive nothing, such as people off-line."""

    @property
    def begins(self) -> bool:
        """Whether they can perceive from now on; if not, they no longer can."""
        return self.act in {"arrives", "returns", "wakes"}


class LabelledLine(SceneLine):
    """One line with its labels. Its `text` is as a host would tell it, including directions for its delivery."""

    plain: str | None = None
    """The text without those directions, where the source has both."""
    along: tuple[str, ...] = ()
    """Others who say it, where several speak as one."""
    narration: bool = False
    """Nobody says it: it describes the scene."""
    judged: bool = True
    """False where the source says that nobody can tell who perceives it."""
    aside: bool = False
    """Only its speaker hears the aside in it, whoever is present."""
    addressees: tuple[str, ...] | None = None
    """To whom it is said, where the source knows."""
    pieces: tuple[LabelledPiece, ...] = ()
    """Its pieces that have an audience of their own."""
    acts: tuple[LabelledAct, ...] = ()
    """Who comes and goes in it."""
    notes: dict[str, JsonValue] = {}
    """What a host would know about it; a detector sees it as the message's `metadata`."""

    @property
    def perceivers(self) -> tuple[str, ...] | None:
        """The label: its audience; where the source only says who is present, those. `None` = not scored."""
        return self.present if self.audience is None else self.audience


class LabelledScene(Scene):
    """A scene of a data set."""

    lines: tuple[LabelledLine, ...]
    """The lines in order; the position of a line is its index in the source."""
    dataset: str
    """Name of the data set."""
    name: str
    """Name of the scene in it."""
    group: str
    """Scenes of one group belong together, such as parts of one conversation, and are resampled together."""


class Question(Record):
    """A fact, and who knows it."""

    dataset: str
    """Name of the data set."""
    scene: str
    """Name of the scene it is about."""
    fact: str
    """The fact in words: a statement, or a question and its answer."""
    question: str | None = None
    """The question with which the fact begins; `None` = up to its first question mark."""
    character: str | None = None
    """For a yes-or-no question: the character it asks about."""
    knows: bool | None = None
    """The answer to a yes-or-no question."""
    roster: tuple[str, ...] = ()
    """For a list question: the characters it asks about."""
    knowers: tuple[str, ...] | None = None
    """Those in the roster who know it."""
    misled: tuple[str, ...] = ()
    """For a list question: those who were told otherwise."""
    heard_of: tuple[str, ...] = ()
    """For a list question: those who only heard that there is something to know."""


class Asked(Record):
    """A question whose answer is in known lines of a conversation, or a turn to which known lines matter."""

    dataset: str = ""
    """Name of the data set; `""` = the only one with such a scene."""
    scene: str
    """Name of the scene it is about."""
    text: str = ""
    """The question; `""` = the turn's own recall query."""
    evidence: tuple[str, ...]
    """Keys of the lines that hold the answer; of a turn, their indices; never empty."""
    category: str = ""
    """The source's kind of question."""
    character: str | None = None
    """Whose turn it is; `None` = everybody in the scene is asked the question."""
    before: int | None = None
    """Index of the line before which it is asked; `None` = after all of them."""


class Labelled(Imported):
    """A file of labelled data."""

    scenes: tuple[LabelledScene, ...] = ()
    """The scenes."""
    questions: tuple[Question, ...] = ()
    """Questions about who knows what."""
    asked: tuple[Asked, ...] = ()
    """Questions whose evidence is to be found."""


def as_labelled(scene: Scene, dataset: str) -> LabelledScene:
    """A scene from any importer, as a scene of the named data set."""
    if isinstance(scene, LabelledScene):
        return scene
    lines = tuple(LabelledLine(**dict(line), narration=line.speaker is None) for line in scene.lines)
    kept = {**dict(scene), "lines": lines}
    return LabelledScene(**kept, dataset=dataset, name=scene.id, group=scene.id)
