"""Negations of English, German, French, Spanish and Italian, as far as words show them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from earwitness.patterns import lazy_pattern

_PLAIN_TEXT = (
    "not no cannot cant dont doesnt didnt isnt arent wasnt wont aint nicht kein keine keinen keinem keiner keines ne "
    "pas non"
)
PLAIN = frozenset(_PLAIN_TEXT.split())
"""Words of which one may stand for another: `I don't bake`, `Kim does not bake`."""
_OTHER_TEXT = (
    "never none neither nor nobody nothing nowhere without hardly barely scarcely rarely seldom nie niemals niemand "
    "nichts nirgends ohne weder kaum jamais rien personne sans ni aucun aucune nunca jamás nada nadie sin ninguno "
    "ninguna mai senza niente nessuno nessuna"
)
NEGATIONS = PLAIN | frozenset(_OTHER_TEXT.split())
_ANSWER = lazy_pattern(r"^\W*(?:no|nein|non|nope)\b\s*[,.!;:–—-]", re.IGNORECASE)
"""The answer to a question, which denies nothing of what follows."""
_NUMBER = lazy_pattern(r"\bno\.?\s*\d", re.IGNORECASE)
"""No. 7."""


def is_plain_negation(word: str) -> bool:
    """Whether another plain negation says the same as this word, in lower case."""
    return word in PLAIN or word.endswith("n't")


def without_answers(text: str) -> str:
    """A sentence without a `No,` at its beginning, and without numbers such as `No. 7`."""
    return _NUMBER.sub("", _ANSWER.sub("", text, count=1))


def is_negated(words: Iterable[str]) -> bool:
    """Whether one of the words, in lower case, is a negation."""
    return any(each in NEGATIONS or each.endswith("n't") or each.startswith("n'") for each in words)
