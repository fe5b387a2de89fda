"""What of a model's answer a character says, while it is still coming.

Reasoning is not said, nor is the character's own name in front. Where the model goes on as somebody else, it ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from earwitness.formats import as_said

MOST = 20_000
"""Characters of one answer."""
LONGEST_TAG = 60
"""Characters at the end that are held back behind the beginning of a tag."""
TAGS = "<[&◁`~"


class SpokenText:
    """Takes an answer piece by piece."""

    def __init__(self, own: Iterable[str], others: Iterable[str]) -> None:
        """`own` are the names of whoever speaks, `others` those of everybody else."""
        mine, theirs = tuple(own), tuple(others)
        self._own, self._others = _opening(mine), _opening(theirs)
        self._openings = tuple(f"{each.casefold()}:" for each in (*mine, *theirs) if each.strip())
        self._raw = ""
        self.shown = ""
        """What `add` and `rest` have returned so far."""
        self.ended = False
        """Whether the character has stopped speaking, whatever else may come."""

    def add(self, piece: str) -> str:
        """Take the next piece. Returns what can be shown now."""
        if not self.ended:
            self._raw = (self._raw + piece.replace("\r", ""))[:MOST]
            self.ended = len(self._raw) == MOST or self._cut(as_said(self._raw))[1]
        return self._new(self._sure(self.text))

    def rest(self) -> str:
        """What was held back, at the end of the answer."""
        return self._new(self.text)

    @property
    def given(self) -> str:
        """The answer as the model gave it, as far as it was taken."""
        return self._raw

    @property
    def text(self) -> str:
        """All that the character has said."""
        return self._cut(as_said(self._raw))[0]

    def _cut(self, said: str) -> tuple[str, bool]:
        """The text up to where somebody else speaks, and whether somebody does."""
        own = said.lstrip()
        if self._own and (named := self._own.match(own)):
            own = own[named.end() :]
        other = self._others.search(own) if self._others else None
        return (own[: other.start()] if other else own).strip(), other is not None

    def _sure(self, said: str) -> str:
        """The text without an end that may become a name or a tag."""
        if self.ended:
            return said
        tag = max(said.rfind(each, max(0, len(said) - LONGEST_TAG)) for each in TAGS)
        sure = said if tag < 0 else said[:tag]
        before, _, line = sure.rpartition("\n")
        begun = line.strip(" \t*_").casefold()
        return before.rstrip() if begun and any(each.startswith(begun) for each in self._openings) else sure

    def _new(self, said: str) -> str:
        """What comes after what was shown; nothing where what was shown has turned out to be no speech."""
        if not said.startswith(self.shown):
            return ""
        new, self.shown = said[len(self.shown) :], said
        return new


def _opening(names: Iterable[str]) -> re.Pattern[str] | None:
    """How a line of one of these begins: `Bob: `, `**Bob:** `."""
    known = sorted({re.escape(each) for each in names if each.strip()}, key=len, reverse=True)
    return re.compile(rf"(?im)^[ \t]*[*_]{{0,2}}(?:{'|'.join(known)})[*_]{{0,2}}:[*_]{{0,2}}[ \t]*") if known else None
