"""Whether a text can match a pattern at all, by the stems of its words: far quicker than trying the pattern."""

from __future__ import annotations

from collections.abc import Iterable


def holds_any(text: str, stems: Iterable[str]) -> bool:
    """Whether a text holds one of the stems, which are in small letters. Letters compare as `re.IGNORECASE` has them.

    Every alternative of the pattern must hold one of the stems.
    """
    folded = text.casefold().replace("\u0131", "i")
    return any(map(folded.__contains__, stems))
