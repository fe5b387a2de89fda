"""Does what is private stay private? Pieces of messages that have an audience of their own. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

from earwitness_plugins.importers.labelled import LabelledLine, LabelledPiece, LabelledScene

from .run import PrivatePieces
from .scene_judge import JudgedMessage

MUCH = 0.5
"""Who perceives an unbroken run of this share of a piece perceives the piece."""


def privacy(scene: LabelledScene, answers: Iterable[JudgedMessage]) -> PrivatePieces:
    """The counts of one scene."""
    counts: Counter[str] = Counter()
    for judged in answers:
        line = scene.lines[judged.index]
        for piece in line.pieces:
            leaked, missed = _wrongs(piece, judged, {*scene.roster})
            counts.update(pieces=1, leaked=leaked, missed=missed)
        if _is_alone(line, scene):
            counts.update(alone=1, alone_leaked=bool(judged.perceivers - {*judged.speakers}))
    return PrivatePieces.model_validate(dict(counts))


def _is_alone(line: LabelledLine, scene: LabelledScene) -> bool:
    return not line.aside and line.perceivers is not None and {*line.perceivers} == {line.speaker} != {*scene.roster}


def _wrongs(piece: LabelledPiece, judged: JudgedMessage, roster: set[str]) -> tuple[bool, bool]:
    """Whether it leaked, and whether somebody missed it. Whoever says the message knows all of it."""
    heard = {name for name, text in judged.heard.items() if perceives(text, piece.text)} & roster - {*judged.speakers}
    wanted = {*piece.audience} - {*judged.speakers}
    return bool(heard - wanted), bool(wanted - heard)


def perceives(heard: str, piece: str) -> bool:
    """Whether a text holds much of a piece, in one run."""
    piece = piece.strip()
    if not heard or not piece or piece in heard:
        return bool(heard)
    run = SequenceMatcher(None, heard, piece, autojunk=False).find_longest_match()
    return run.size >= MUCH * len(piece)
