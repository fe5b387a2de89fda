"""END, step 2: ask the detector who perceives the message, and believe only what the cast bears out."""

from __future__ import annotations

from collections.abc import Collection
from unicodedata import normalize

from ..dispatch import Answered, ask
from ..engine import Engine
from ..errors import StrategyError
from ..records.character import Cast
from ..records.moment import Moment, Movement, Perceived, Presence, Segment
from ..records.plan import Answer


async def detect(engine: Engine, moment: Moment) -> tuple[Presence, Answer]:
    """Presence, fail closed: without a usable answer only the speaker perceives the message.

    Raises `StrategyError` for a failing detector if `strict`.
    """
    speaker = moment.message.speaker
    spec = engine.settings.detector
    name = f"detector:{spec.name if spec else 'none'}"
    detector = engine.detector
    if detector is None:
        return Presence.only(speaker), Answer(by=name)
    limit = engine.settings.end.detector_timeout
    shown = moment
    if moment.message.present is not None:
        shown = moment.model_copy(update={"message": moment.message.model_copy(update={"present": None})})
    answered = await ask(name, lambda: detector.detect(shown), Presence, limit)
    report = answered.reported(spec.settings if spec else {})
    presence, failure = believable(answered, moment)
    if presence is None and engine.settings.strict:
        raise StrategyError(f"{answered.by} failed: {failure}")
    return presence or Presence.only(speaker), report.model_copy(update={"failure": failure})


def believable(answered: Answered[Presence], moment: Moment) -> tuple[Presence | None, str | None]:
    """What of an answer the cast and the text bear out, `None` where it is of no use; and what was wrong with it."""
    if answered.value is None:
        return None, answered.failure or "no answer"
    if invented := made_up(answered.value, moment.message.content):
        return None, f"its segment {invented!r} is not in the message, or not in this order; ignored"
    presence, strangers = known_only(answered.value, moment.cast, moment.message.speaker)
    if moment.state.participants:
        presence = among(presence, moment.candidates)
    return presence, f"named {', '.join(strangers)}, who are not in the cast; ignored" if strangers else None


def known_only(presence: Presence, cast: Cast, speaker: str) -> tuple[Presence, list[str]]:
    """The presence without anybody unknown, with the speaker certain; and who was unknown."""
    strangers = [repr(id) for id in presence.characters if id not in cast]
    characters = {id: who for id, who in presence.characters.items() if id in cast}
    said = characters.get(speaker)
    evidence = said.evidence if said and said.evidence else ("said it",)
    characters[speaker] = Perceived(probability=1, role="speaker", evidence=evidence)
    movements = tuple(_guessed(move) for move in presence.movements if move.character in cast)
    segments = tuple(_known_audience(segment, cast) for segment in presence.segments)
    return Presence(characters=characters, movements=movements, segments=segments), strangers


def among(presence: Presence, candidates: Collection[str]) -> Presence:
    """The presence of these alone: the host does not count the others into the session."""
    characters = {id: who for id, who in presence.characters.items() if id in candidates}
    movements = tuple(move for move in presence.movements if move.character in candidates)
    return presence.model_copy(update={"characters": characters, "movements": movements})


def _guessed(move: Movement) -> Movement:
    """Nothing a detector says is the host's word."""
    return move.model_copy(update={"certain": False}) if move.certain else move


def made_up(presence: Presence, content: str) -> str | None:
    """The first segment's text that the message does not hold after those before it, blanks and breaks aside."""
    whole, begin = _without_blanks(content), 0
    for segment in presence.segments:
        text = _without_blanks(segment.text)
        if (found := whole.find(text, begin)) < 0:
            return segment.text
        begin = found + len(text)
    return None


def _without_blanks(text: str) -> str:
    """A detector may compose letters, or join pieces with a blank where the message has none, or more."""
    return "".join(normalize("NFC", text).split())


def _known_audience(segment: Segment, cast: Cast) -> Segment:
    if segment.audience is None:
        return segment
    return segment.model_copy(update={"audience": tuple(id for id in segment.audience if id in cast)})
