"""Who goes along with whoever leaves, and who is sent, by what is said: `Bob, with me!`, `Fetch the rope, Bob.`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from earwitness.sentences import sentences

from ..text.guards import guarded_pattern
from ..text.movements import Move, Referents
from ..text.names import Names
from ..text.stretches import Fragment
from ..text.vocatives import addressed

_WITH_ME = guarded_pattern(
    r"(?i)\b(?:(?:come|comes|coming|go|walk|ride|get|step)\s+(?:\w+\s+)?(?:with\s+(?:me|us)|along)|with\s+me\b|"
    r"follow\s+me|this\s+way|come\s+on|come\s+along|after\s+me|let['’]s\s+go|come\s+and\s+(?:help|see|look|give)|"
    r"komm\s+mit|kommst\s+(?:du\s+)?mit|mitkommen|viens|venez|ven\s+conmigo|vem\s+comigo|пойдём|идём|за\s+мной|"
    r"跟我来|跟我走|ついて来)"
)
_ORDERED = guarded_pattern(
    r"(?i)\b(?:go|run|fetch|get|bring|take|off\s+you\s+go|off\s+with\s+you|hurry|"
    r"up\s+you\s+go|away\s+with\s+you|see\s+to|find|ask|tell|look|check|leave|wait\s+outside)\b"
)


def called_along(found: Sequence[Fragment], moves: Sequence[Move], names: Names, stage: Referents) -> Iterator[Move]:
    """Whom the teller called to come along, where the teller leaves."""
    gone = {move.id for move in moves if move.kind == "leave"}
    if stage.teller not in gone:
        return
    for piece in found:
        if piece.kind == "spoken" and _WITH_ME.search(piece.text):
            for sentence in _near(piece.text):
                for id in addressed(sentence, names.find(sentence)):
                    if id not in gone:
                        gone.add(id)
                        yield Move(id, "leave", None, " ".join(sentence.split())[:60])


def sent(found: Sequence[Fragment], names: Names, stage: Referents) -> Referents:
    """The stage with whom the teller has just sent somewhere as the one whom `he` means; or whom a quote speaks to."""
    if stage.teller is None:
        quoted = [mention.id for piece in found if piece.kind == "quoted" for mention in names.find(piece.text)]
        return replace(stage, sent=quoted[-1]) if len(set(quoted)) == 1 else stage
    ordered = [
        id
        for piece in found
        if piece.kind == "spoken" and _ORDERED.search(piece.text)
        for sentence in _near(piece.text)
        for id in addressed(sentence, names.find(sentence))
    ]
    return replace(stage, sent=ordered[-1]) if ordered and ordered[-1] != stage.teller else stage


def _near(text: str) -> Iterator[str]:
    """The sentences in which somebody is called or sent, and the ones before them, where a name may stand alone."""
    before = ""
    for sentence in sentences(text):
        if _WITH_ME.search(sentence) or _ORDERED.search(sentence):
            yield f"{before} {sentence}" if len(before) < 30 else sentence
        before = sentence
