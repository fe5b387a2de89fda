"""Letters and marks in other shapes, such as full width, are read as the ordinary ones."""

from __future__ import annotations

from unicodedata import normalize


class _Plain(dict[int, str]):
    """One for one, so that what is read can be found again in what was written."""

    def __missing__(self, letter: int) -> str:
        found = normalize("NFKC", chr(letter))
        self[letter] = found if len(found) == 1 and found.isascii() else chr(letter)
        return self[letter]


def plain(text: str) -> str:
    """The text in plain ASCII where a character has one that means the same; as long as it was."""
    return text if text.isascii() else text.translate(_Plain())
