"""What is said in a whisper by its first words: `whispers to Bob: run!`, `Psst, Bob, …`, `Bob! Psst! …`."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

_WHISPERS = lazy_pattern(r"\W*(?:I\s+)?(?:\w+ly\s+)?whispers?\b", re.IGNORECASE)
_HISS = r"(?:p+s{2,}t+|h+s{2,}t+|(?-i:[Pp]st)(?=\W*[,.!…—–-]))\b"
_HISSES = lazy_pattern(
    rf"""\W*(?:(?:hey|oi|yo)\W+)?
    (?:(?!(?:he|she|they|it|we|no|not)\b)(?P<called>[^\W\d_]+)(?:\s*[!,.…—–]+\s*|\s+))? {_HISS}
    (?!["”»]|\s+(?:is|was|are|means?|sounds?|said|says|went|goes|me|him|her|them|at)\b)
    (?!\W*(?:every(?:one|body)|all|guys|folks|friends|people|gentlemen|ladies)\b) \W*""",
    re.IGNORECASE | re.VERBOSE,
)
_LETTERS = ("sst", "pst")
_NEAR = 40
"""A hiss stands within so many characters, if anything opens with it."""
_ENDS = lazy_pattern(r"[:;.!?,…—–\n]")
_DIRECTION_ENDS = lazy_pattern(r"[:.!?,\n]|\Z")
TOWARDS = r"\A\W*psst\W+"
"""Behind it stands who is called."""


def opening_whisper(text: str) -> tuple[str, str] | None:
    """The direction with which something said opens, or which a hiss stands for; and what is said."""
    if _WHISPERS.match(text):
        end = _DIRECTION_ENDS.search(text)
        return (text[: end.start()], text[end.end() :]) if end else (text, "")
    hiss = hissed(text)
    return (hiss, text) if hiss else None


def hissed(text: str) -> str | None:
    """The direction that a hiss stands for with which something said opens: `psst, Bob`; `None` if it does not."""
    begins = text[:_NEAR].lower()
    if not any(letters in begins for letters in _LETTERS) or (found := _HISSES.match(text)) is None:
        return None
    return f"psst, {found['called'] or _ENDS.split(text[found.end() :], maxsplit=1)[0]}"


def is_hiss(direction: str) -> bool:
    """Whether a direction is one that `hissed` made."""
    return direction.startswith("psst,")
