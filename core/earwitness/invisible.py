"""Characters that a reader does not see: controls, format characters, blanks, and what Unicode calls default-ignorable.

The table holds the categories Cc, Cf, Zs, Zl and Zp, `Default_Ignorable_Code_Point`, and letters that are drawn blank
(Unicode 16). It is written out because a walk through all of Unicode would take longer than the import of the package.
"""

from __future__ import annotations

from unicodedata import category

RANGES = (
    (0x00, 0x20),
    (0x7F, 0xA0),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D159, 0x1D159),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""First and last code point of each run."""
LINE_FEED = 0x0A


def _escaped(code: int) -> str:
    return f"\\U{code:08x}"


IN_LINE = "".join(
    f"{_escaped(first)}-{_escaped(last)}" for first, last in ((0x00, LINE_FEED - 1), (LINE_FEED + 1, 0x20), *RANGES[1:])
)
"""All of them but the line feed, for the inside of a regular expression's `[…]`."""
REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Embeddings, overrides and isolates, which show what follows in another order than it is written in (UAX #9)."""


def alters_display(character: str) -> bool:
    """Whether a terminal would obey it, or show what follows in another order."""
    return character in REORDERING or category(character) == "Cc"
