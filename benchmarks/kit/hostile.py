"""Texts that were made to take long: one thing over and over, and words that no tokenizer has met."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping

REPEATED = {
    "a long answer in which some come and go": (
        '"The ferry is sold," said Alice.\n\nBob left the room.\n\n"He must not hear of it," said Charlie.\n\n'
        'Bob came back in.\n\n"Is it cold out there?" asked Alice.\n\n'
    ),
    "prose": "Bob picks up the sword and tells Alice that it is hers. ",
    "names": "Bob x ",
    "names and their goings": "Bob left. ",
    "thoughts": '"Fool," I thought. ',
    "brackets": "([",
    "marks": "\"'*([{.,;:!?-_~`<>/|@#$%^&+= ",
    "placeholders": "###SUPERMEMORY###",
    "lines": "a\n",
    "one word": "x",
    "accents": "a\u0301\u0302\u0303\u0315 ",
    "ligatures": "\ufdfa",
    "expanding words": "\ufdfa ",
    "capitals": "\u0130",
    "emoji": "\U0001f5e1\ufe0f\U0001f469\u200d\U0001f466 ",
    "Thai": "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22",
    "Hindi": "\u0915\u094d\u0937\u093f ",
    "mixed scripts": "a\u0430\u6f22\ufdfa\U0001f5e1",
    "unassigned": "\u0378\U000e0fff ",
}
"""Name → what is repeated."""
LETTERS = {
    "Latin": range(ord("a"), ord("z") + 1),
    "Cyrillic": range(0x430, 0x450),
    "Arabic forms": range(0xFB50, 0xFDF2),
    "letters of all scripts": [code for code in range(0x80, 0x30000) if unicodedata.category(chr(code))[0] in "LMN"],
}
"""Name → the letters that words are drawn from."""
SOLID = {"Chinese": range(0x4E00, 0xA000), "Korean": range(0xAC00, 0xD7A4)}
"""Name → the characters that one long run is drawn from."""


def texts(size: int) -> Mapping[str, str]:
    """Name → a text of `size` bytes in UTF-8, or a little less."""
    chance = random.Random(7)
    made = {name: unit * (size // len(unit)) for name, unit in REPEATED.items()}
    made |= {name: _words(chance, list(map(chr, codes)), size) for name, codes in LETTERS.items()}
    made |= {name: "".join(chance.choices(list(map(chr, codes)), k=size)) for name, codes in SOLID.items()}
    return {name: text.encode()[:size].decode(errors="ignore") for name, text in made.items()}


def _words(chance: random.Random, letters: list[str], size: int) -> str:
    return " ".join("".join(chance.choices(letters, k=6)) for _ in range(size // 7))
