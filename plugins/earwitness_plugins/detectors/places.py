"""The detector of places: whoever is where the speaker is perceives the message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from earwitness.records.moment import Moment, Movement, Perceived, Presence

from .inference.distance import within_earshot
from .rules import RulesDetector
from .text import THREAD_FROM
from .text.first_messages import on_thread
from .text.fragments import fragments
from .text.shouts import is_shouted
from .text.surroundings import Surroundings


class Places:
    """Whoever is in the same innermost place perceives a message, and nothing else counts but walls.

    Where everybody is follows the story's comings and goings, as `rules` reads them; that somebody whispers, thinks or
    is spoken to is not asked. For games that keep everybody's place. A shout is heard in the places that hold this one
    and in those it holds.
    """

    thread_from: ClassVar[int] = THREAD_FROM
    """Longer messages are judged on a thread."""
    on_thread = staticmethod(on_thread)
    """So are the first ones of a process."""

    def __init__(self, *, earshot: Annotated[int, Field(ge=0)] = 0) -> None:
        """`earshot` is over how many levels of places what is not shouted carries, as in `rules`."""
        self.earshot = earshot
        self._rules = RulesDetector(fading=False)

    def warm_up(self) -> None:
        """What it reads with is loaded before the first message."""
        self._rules.warm_up()

    def detect(self, moment: Moment) -> Presence:
        """Everybody near the speaker, and near those a narrator tells of; movements as `rules` reads them."""
        read = self._rules.detect(moment)
        scene = Surroundings.where_said(moment) if moment.placed else self._around(moment, read)
        speaker = Perceived(probability=1, role="speaker", evidence=("said it",))
        characters = {
            **dict(self._elsewhere(moment, scene)),
            **dict(_arriving(moment, scene, read.movements)),
            **dict(_near(scene)),
            moment.message.speaker: speaker,
        }
        return Presence(characters=characters, movements=read.movements)

    def _around(self, moment: Moment, read: Presence) -> Surroundings:
        centre = tuple(sorted(read.characters)) if _is_narrated(moment) else (moment.message.speaker,)
        return Surroundings.around(moment, centre)

    def _elsewhere(self, moment: Moment, scene: Surroundings) -> Iterator[tuple[str, Perceived]]:
        """Those who hear it in a place around this one, or within it."""
        names = moment.cast[moment.message.speaker].names
        shouted = not _is_narrated(moment) and is_shouted(fragments(moment.message.content, own=names), names)
        for id, place in within_earshot(scene, self.earshot, shouted=shouted).items():
            yield id, Perceived(probability=1, role="overhearing", evidence=(f"hears it in {place}",))


def _is_narrated(moment: Moment) -> bool:
    """A narrator stands outside the scene."""
    return moment.cast[moment.message.speaker].kind == "narrator"


def _near(scene: Surroundings) -> Iterator[tuple[str, Perceived]]:
    where = f"is in {scene.place}" if scene.place else "is here"
    return ((id, Perceived(probability=1, role="present", evidence=(where,))) for id in scene.near)


def _arriving(moment: Moment, scene: Surroundings, movements: tuple[Movement, ...]) -> Iterator[tuple[str, Perceived]]:
    """Those who come by this very message; narrators stand outside the scene."""
    for move in movements:
        arrives = move.kind == "enter" or (move.kind == "move" and move.place == scene.place)
        if arrives and moment.cast[move.character].kind != "narrator":
            yield move.character, Perceived(probability=1, role="present", evidence=(move.evidence,))
