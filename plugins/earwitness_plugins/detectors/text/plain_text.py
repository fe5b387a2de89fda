"""Letters and marks in other shapes, such as full width, are read as the ordinary ones; entities as what they show."""

from __future__ import annotations

import re
from collections.abc import Collection
from unicodedata import category, normalize

from earwitness.patterns import lazy_pattern

_QUOTES = frozenset("「」『』｢｣﹁﹂﹃﹄„\u201a〝〞〟")
"""Of the category of brackets, but for what is said."""
_ENTITY = lazy_pattern(r"&(?:#(\d{1,7}|x[0-9a-f]{1,6})|([a-z]{2,8}));", re.IGNORECASE)
_NAMED = {
    **dict.fromkeys(("lbrack", "lsqb"), "["),
    **dict.fromkeys(("rbrack", "rsqb"), "]"),
    **dict.fromkeys(("lbrace", "lcub"), "{"),
    **dict.fromkeys(("rbrace", "rcub"), "}"),
    **dict.fromkeys(("ast", "midast"), "*"),
    "lpar": "(",
    "rpar": ")",
    "lowbar": "_",
    "quot": '"',
    "apos": "'",
    "grave": "`",
    "ldquo": "“",
    "rdquo": "”",
    "lsquo": "‘",
    "rsquo": "’",
    "laquo": "«",
    "raquo": "»",
    "lang": "⟨",
    "rang": "⟩",
}
"""The entities of what sets a stretch apart."""


class _Plain(dict[int, str]):
    """One for one, so that what is read can be found again in what was written."""

    def __missing__(self, letter: int) -> str:
        found = normalize("NFKC", chr(letter))
        self[letter] = found if len(found) == 1 and found.isascii() else _bracket(chr(letter))
        return self[letter]


def plain(text: str, keep: Collection[str] = ()) -> str:
    """The text in plain ASCII where a character has one that means the same; as long as it was.

    Brackets of all other shapes are square ones, but for those to `keep`.
    """
    if text.isascii():
        return text
    if not any(letter in text for letter in keep):
        return text.translate(_Plain())
    return text.translate(_Plain((ord(letter), letter) for letter in keep))


def odd_brackets(marks: str) -> frozenset[str]:
    """The brackets among marks of one's own that are not to be taken for square ones."""
    return frozenset(letter for letter in marks if _bracket(letter) != letter and not letter.isascii())


def shown(text: str) -> str:
    """The text with the entities of marks as the reader sees them: `&#91;` is a bracket."""
    return _ENTITY.sub(_decoded, text) if "&" in text else text


def _bracket(letter: str) -> str:
    """`⟦…⟧` and its like: what opens or shuts is a square bracket, quotation marks apart."""
    if letter in _QUOTES:
        return letter
    return {"Ps": "[", "Pe": "]"}.get(category(letter), letter)


def _decoded(entity: re.Match[str]) -> str:
    number, name = entity.groups()
    if name:
        return _NAMED.get(name.lower(), entity[0])
    code = int(number[1:], 16) if number[0] in "xX" else int(number)
    letter = chr(min(code, _LAST))
    return letter if category(letter)[0] == "P" else entity[0]


_LAST = 0x10FFFF
