"""The default detector: rules over names, forms of address, conventions of role play, comings and goings.

It reads the message's text (`reading`) and weighs it against the whereabouts that earlier messages left behind
(`judging`). Being talked about is not being there; a silent observer stays; whispers and thoughts reach whom they are
meant for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field

from earwitness.records.character import Character
from earwitness.records.moment import Moment, Presence

from .judging.case import Beliefs, Case
from .judging.direct import direct
from .judging.narration import narrated
from .judging.play import direction, is_play, line
from .judging.speech import said
from .reading.conventions import Conventions, Kind
from .reading.message import Reading, read
from .reading.movements import Stage
from .reading.names import Names
from .reading.scene import Scene
from .staging.company import Company


class RulesDetector:
    """Presence by rules, online, without a model. Pure: the same moment gives the same presence.

    A message is judged whole: where it mixes a whisper or a thought with open speech, only those get it who may
    perceive both.
    """

    def __init__(
        self,
        *,
        recent: Annotated[int, Field(ge=0)] = 6,
        beliefs: Beliefs | None = None,
        perception: Literal["segments", "whole"] = "segments",
        markup: Mapping[str, Kind] | None = None,
    ) -> None:
        """`recent` is within how many messages somebody who spoke counts as lively; `beliefs` are the probabilities.

        `perception` as core's setting of that name: judged `whole`, the narrowest piece of a message decides for all of
        it. `markup` are marks of one's own and what stands between them, as `{"{…}": "thought", "<<…>>": "ooc"}`.
        Raises `SettingsError` for marks without an ellipsis between their two ends.
        """
        self.recent = recent
        self.beliefs = beliefs or Beliefs()
        self.whole = perception == "whole"
        own = tuple((markup or {}).items())
        self._role_play, self._staged = Conventions(own=own), Conventions(staged=True, own=own)
        self._names = lru_cache(maxsize=64)(Names)
        self._company = lru_cache(maxsize=64)(Company)

    def detect(self, moment: Moment) -> Presence:
        """Who perceives the message, and who moves by it."""
        speaker = moment.cast[moment.message.speaker]
        names = self._names(moment.cast.members)
        company = self._company(moment.cast.members) if is_play(moment) else None
        conventions = self._staged if company else self._role_play
        reading = read(
            moment.message.content, speaker, names, _stage(moment, speaker), conventions=conventions, whole=self.whole
        )
        lately = moment.recent[-self.recent :] if self.recent else ()
        lively = frozenset(message.speaker for message in lately)
        case = Case(moment, speaker, reading, _scene(moment, speaker, reading), names, self.beliefs, lively, company)
        if company and moment.message.context != "dm":
            return direction(case, company) if speaker.kind == "narrator" else line(case, company)
        if speaker.kind == "narrator":
            return narrated(case)
        return direct(case) if moment.message.context == "dm" else said(case)


def _stage(moment: Moment, speaker: Character) -> Stage:
    """Whom pronouns can mean: those here, and who spoke last."""
    narrators = {member.id for member in moment.cast if member.kind == "narrator"}
    spoke = (message.speaker for message in reversed(moment.recent) if message.speaker not in narrators)
    here = tuple(sorted(id for id in moment.state.here if id in moment.cast))
    return Stage(teller=None if speaker.id in narrators else speaker.id, here=here, last=next(spoke, None))


def _scene(moment: Moment, speaker: Character, reading: Reading) -> Scene:
    """Speech is where its speaker is; narration where those are whom it names, or at a place it names."""
    if speaker.kind != "narrator":
        return Scene.around(moment, (speaker.id,))
    return Scene.around(moment, reading.named, _place_told(moment, reading))


def _place_told(moment: Moment, reading: Reading) -> str | None:
    """The place a narration is about. With nobody in the current scene, and nobody named, it goes on where it was."""
    told = [moment.message.content]
    if not moment.state.here and not reading.named:
        told += [message.content for message in reversed(moment.recent) if message.speaker == moment.message.speaker]
    return next((place for text in told if (place := Scene.place_told(moment, text))), None)
