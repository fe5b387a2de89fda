"""Who goes somewhere and speaks there has come, not left: `I step out of the pantry. "There you are."`."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness.patterns import lazy_pattern

from ..discretion.languages import is_english
from .movements import Move
from .stretches import Fragment

_GOES_OUT = lazy_pattern(
    r"""(?ix)\b(?:leav(?:es?|ing)|left|exits?|departs?|vanish\w*|disappear\w*|slam\w*|runs?|ran|flees?|fled|
    (?:storm|walk|march|stalk|stomp|run|rush|hurr|slip|sneak|creep|go|went|go(?:es|ing)|stride|strode|head)\w*\s+(?:\w+ly\s+)?(?:out|off|away)|
    out\s+(?:into|through|across|onto)|out\s+of\s+(?:the|this|his|her|my|their)\s+(?:\w+\s+)?
    (?:room|house|hall|tavern|inn|door|building|office|tent|shop|kitchen|bar|chat|call))\b"""
)
_EVIDENT = 25
"""As many characters of a sentence tell which one it is."""


def but_arrivals(moves: Sequence[Move], found: Sequence[Fragment], teller: str) -> tuple[Move, ...]:
    """Without the teller's own leavings before their first words: who goes somewhere and speaks there has come.

    Not so who `storms out`, or takes others along: they have left the rest. In other languages than English nobody is
    taken to have come.
    """
    first = next((at for at, piece in enumerate(found) if piece.kind == "spoken"), 0)
    opening = " ".join(" ".join(piece.text for piece in found[:first]).split())
    taken = {move.evidence for move in moves if move.id != teller}
    return tuple(
        move
        for move in moves
        if move.id != teller
        or move.kind != "leave"
        or move.evidence in taken
        or _GOES_OUT.search(move.evidence)
        or not opening
        or not is_english(move.evidence)
        or move.evidence[:_EVIDENT] not in opening
    )
