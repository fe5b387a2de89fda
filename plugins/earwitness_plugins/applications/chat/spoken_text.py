"""What of a model's answer a character says, while it is still coming.

Reasoning is not said, nor is the character's own name in front. Where the model goes on as somebody else, or with a
token of its chat template, it ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from earwitness.formats import as_said
from earwitness.invisible import IN_LINE
from earwitness.patterns import lazy_pattern

MOST = 20_000
"""Characters of one answer."""
LONGEST_TAG = 60
"""Characters at the end that are held back behind the beginning of a tag."""
TAGS = "<[&◁`~"
COLON = r"[:\uff1a\ufe55\ufe13]"
"""A colon, also a wide, a small or an upright one."""
BEFORE = rf"(?:[{IN_LINE}>*_~`#|+•·‣–—\-\[<]|[0-9]{{1,3}}[.)])*"
"""What may stand before a name at the beginning of a line: marks of lists, quotations, headings, brackets."""
MANNER = r"(?:\([^()\n]{0,60}\)|\[[^][\n]{0,60}\]|\*[^*\n]{1,60}\*)"
"""How somebody says it, between the name and the colon: `(whispering)`."""
BEHIND = r"[*_~`\]> \t]*"
_BREAKS = lazy_pattern(r"\r\n?|[\v\f\x85\u2028\u2029]")
_TEMPLATE = lazy_pattern(r"(?i)<[|\uff5c][\w▁ -]{1,40}[|\uff5c]>|<(?:start|end)_of_turn>|\[/?INST\]")
_OWN_TURN = lazy_pattern(r"(?i)\s*(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>)(?:assistant|model)\b\s*")
_END_OF_HEADER = lazy_pattern(r"(?i)<\|end_header_id\|>\s*")
_BEFORE = lazy_pattern(BEFORE)
_NO_COLON_YET = lazy_pattern(rf"{BEHIND}(?:[(\[*][^()\[\]*\n]{{0,60}}[)\]*]?)?{BEHIND}")


class SpokenText:
    """Takes an answer piece by piece."""

    def __init__(self, own: Iterable[str], others: Iterable[str]) -> None:
        """`own` are the names of whoever speaks, `others` those of everybody else."""
        mine, theirs = tuple(own), tuple(others)
        self._own, self._others = _own_opening(mine), _opening(theirs)
        self._names = tuple(each.casefold() for each in (*mine, *theirs) if each.strip())
        self._raw = ""
        self.shown = ""
        """What `add` and `rest` have returned so far."""
        self.ended = False
        """Whether the character has stopped speaking, whatever else may come."""

    def add(self, piece: str) -> str:
        """Take the next piece. Returns what can be shown now."""
        if self.ended:
            return ""
        self._raw = (self._raw + piece)[:MOST]
        said, is_over = self._cut()
        self.ended = is_over or len(self._raw) == MOST
        return self._new(self._sure(said))

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
        return self._cut()[0]

    def _cut(self) -> tuple[str, bool]:
        """The text up to where somebody else speaks, and whether somebody does."""
        own = as_said(_BREAKS.sub("\n", self._raw)).lstrip()
        if turn := _OWN_TURN.match(own):
            own = own[turn.end() :]
            own = _END_OF_HEADER.sub("", own, count=1) if _END_OF_HEADER.match(own) else own
        if self._own and (named := self._own.match(own)):
            own = own[named.end() :]
        found = [each for each in (self._others and self._others.search(own), _TEMPLATE.search(own)) if each]
        return own[: min((each.start() for each in found), default=None)].strip(), bool(found)

    def _sure(self, said: str) -> str:
        """The text without an end that may become a name or a tag."""
        if self.ended:
            return said
        tag = max(said.rfind(each, max(0, len(said) - LONGEST_TAG)) for each in TAGS)
        sure = said if tag < 0 else said[:tag].rstrip()
        before, _, line = sure.rpartition("\n")
        return before.rstrip() if self._may_open(line) else sure

    def _may_open(self, line: str) -> bool:
        """Whether a line that is still coming may become one of somebody's."""
        before = _BEFORE.match(line)
        begun = line[before.end() if before else 0 :].casefold()
        if begun.isdigit() and len(begun) < 4:
            return True  # it may become the number of a list
        known = (each for each in self._names if each.startswith(begun) or begun.startswith(each))
        return bool(line) and any(_NO_COLON_YET.fullmatch(begun[len(each) :]) is not None for each in known)

    def _new(self, said: str) -> str:
        """What comes after what was shown; nothing where what was shown has turned out not to be speech."""
        if not said.startswith(self.shown):
            return ""
        new, self.shown = said[len(self.shown) :], said
        return new


def _one_of(names: Iterable[str]) -> str:
    """A regular expression for one of these names, the longest first; empty for none."""
    known = sorted({re.escape(each) for each in names if each.strip()}, key=len, reverse=True)
    return f"(?:{'|'.join(known)})" if known else ""


def _own_opening(names: Iterable[str]) -> re.Pattern[str] | None:
    """How an answer of one of these begins: `Bob: `, `**Bob:** `, `[Bob]: `. A manner of speaking is left in it."""
    name = _one_of(names)
    opening = rf"(?i)[ \t]*[\[<]?[*_]{{0,2}}{name}[*_]{{0,2}}[\]>]?[ \t]*{COLON}[*_]{{0,2}}[ \t]*"
    return re.compile(opening) if name else None


def _opening(names: Iterable[str]) -> re.Pattern[str] | None:
    """How a line of one of these begins: `Kim: `, `- **Kim** (whispering): `, `<Kim> `, `### Kim`."""
    if not (name := _one_of(names)):
        return None
    bracketed = rf"<{name}>|\[{name}\]|\#[ \t]*{name}[ \t]*$"
    return re.compile(rf"(?im)^{BEFORE}(?:{name}{BEHIND}{MANNER}?{BEHIND}{COLON}|{bracketed})")
