"""Shouts: what is said so loud that walls do not keep it in. Where that is open, it is not shouted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from .stems import holds_any
from .stretches import Fragment

FEWEST_LETTERS = 3
"""`NO!` in capitals is short, and `OK!` says little of how loud it is; `HELP!` is shouted."""
_STEMS = ("shout", "yell", "scream", "bellow", "holler")
_VERB = rf"(?:{'|'.join(_STEMS)})(?:s|ed|ing)?"
_UNHEARD = (
    r"(?!\s+(?:inwardly|internally|inside|silently|mentally|in\s+(?:his|her|their|my)\s+(?:head|mind|thoughts|sleep)))"
)
_BREAK = r"(?:\A|[,;.!?—–-]|\b(?:and|then|but))\s*"


def is_shouted(found: Sequence[Fragment], own: Iterable[str] = ()) -> bool:
    """Whether what is spoken in a character's message is shouted: all of it in capitals, or so the action text says.

    `own` are the speaker's names: `"Help!" Alice screams.`
    """
    if any(_says_it_is_shouted(piece.text, own) for piece in found if piece.kind == "action"):
        return True
    spoken = [piece.text for piece in found if piece.kind == "spoken"]
    return bool(spoken) and "!" in "".join(spoken) and all(map(_is_in_capitals, spoken))


def _says_it_is_shouted(text: str, own: Iterable[str]) -> bool:
    """Most texts hold none of the verbs, which is quicker to see."""
    return holds_any(text, _STEMS) and _says_so(tuple(own)).search(text) is not None


@lru_cache(maxsize=256)
def _says_so(own: tuple[str, ...]) -> re.Pattern[str]:
    """The speaker, or nobody who is named, does it: `*yells*`, `she screamed`, not `*hears somebody scream*`."""
    subject = "|".join(("I", "he", "she", "they", *map(re.escape, own)))
    return re.compile(rf"{_BREAK}(?:(?:{subject})\s+)?(?:\w+ly\s+)?{_VERB}\b{_UNHEARD}", re.IGNORECASE)


def _is_in_capitals(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) >= FEWEST_LETTERS and all(letter.isupper() for letter in letters)
