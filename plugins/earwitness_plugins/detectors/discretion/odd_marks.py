"""Marks that are nobody's convention, read as those that are: `~whispers to Bob~`, `:: to Bob ::`, `^he lies^`.

What opens with the manner of a whisper or a thought becomes a direction between asterisks, whatever the marks are; what
stands between marks for nothing else, or begins as only a thought does (`=I can't tell them=`), becomes a thought in
square brackets. The text stays as long as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from earwitness.patterns import lazy_pattern

_SETS_OFF = frozenset("~^|:<>\u203a»•=/-'‘@\u2039#%+\\Oo")
_DIRECTION = lazy_pattern(
    r"""(?: ^ | (?<=[\s"”]) ) (?P<open> [~|^>•=\u2039/-]{1,2} | ::+ | <(?!/?\w+>) | -{1,3} ) [ \t]?
        (?P<inner> [^\W\d_] [^\n~|^<>•=\u203a"“”:]{3,70}? )
        [ \t]? (?P<close> [~|^<>•=\u203a/]{1,2} | ::+ | -{1,3} ) (?= \s |
         [.,:"“] | \Z )""",
    re.VERBOSE | re.MULTILINE,
)
_THOUGHT = lazy_pattern(
    r"""(?: ^ | (?<=[\s"”]) ) (?: \^ (?=\S) [^\^\n]+ (?<=\S) \^ | \u2039 [^\u203a\n]+ \u203a |
         '' (?=\S) (?:(?!'')[^\n])+ '' | (?P<bars> \|\| | ~~ ) (?=\S) (?:(?!(?P=bars))[^\n])+ (?P=bars) ) (?! \w )""",
    re.VERBOSE | re.MULTILINE,
)
_TILDES = lazy_pattern(
    r"(?: ^ | (?<=[\s\"”*.!?]) ) ~ (?P<inner> [^\W\d_] [^~\n*\"“”]{6,200} (?<=\S) ) ~ (?= \s | \Z | [.,] )",
    re.VERBOSE | re.MULTILINE,
)
"""`~he smells like sawdust~`, which asterisks would set off elsewhere."""
_INNER = lazy_pattern(
    r"""(?: ^ [ \t]* | (?<=[.!?…"”»*] \s) ) (?P<mark> [~|%=+/\\-]{1,3} | ::+ ) [ \t]?
        (?P<inner> [^\W\d_] (?:(?!(?P=mark))[^\n"“”*])+ ) (?P=mark) (?= \s* (?: \Z | ["“«*\n(] | [A-Z] ) )""",
    re.VERBOSE | re.MULTILINE,
)
_BUBBLE = lazy_pattern(r"(?<![\w.])\.?[oO0°]{2,3}\((?P<inner>[^()\n]+)\)")
"""`oO(he lies)`: a bubble, as comics draw it."""
_SINGLE = lazy_pattern(
    r"""(?: ^ | (?<=["”] \s) ) ['‘] (?P<inner> [A-Z] [^"“”\n]*? [.!?…] ) ['’] (?= \s* (?: \Z | \n | ["“] ) )""",
    re.VERBOSE | re.MULTILINE,
)
"""Single quotes beside double ones, in which all is said."""
_DOUBLE = lazy_pattern(r"""["“]""")
_WORDS = 2
"""A thought has so many words at least."""


def as_usual(text: str, is_private: Callable[[str], bool], is_inner: Callable[[str], bool]) -> str:
    """The text with odd marks turned into usual ones.

    `is_private` says whether a direction narrows who is spoken to, `is_inner` whether words begin as only a thought
    does.
    """
    if _SETS_OFF.isdisjoint(text):
        return text
    text = _DIRECTION.sub(lambda found: _starred(found, is_private), text)
    text = _TILDES.sub(r"*\g<inner>*", text)
    text = _BUBBLE.sub(_set_apart, _THOUGHT.sub(_bracketed, text))
    for pattern in (_INNER, _SINGLE) if _DOUBLE.search(text) else (_INNER,):
        text = pattern.sub(lambda found: _set_apart(found) if is_inner(found["inner"]) else found[0], text)
    return text


def _starred(found: re.Match[str], is_private: Callable[[str], bool]) -> str:
    if not is_private(found["inner"]):
        return found[0]
    begin, end = found.start("inner") - found.start(), found.end("inner") - found.start()
    return "*" * begin + found["inner"] + "*" * (len(found[0]) - end)


def _set_apart(found: re.Match[str]) -> str:
    """In square brackets, blanks in place of what else is around it."""
    begin, end = found.start("inner") - found.start(), found.end("inner") - found.start()
    return " " * (begin - 1) + f"[{found['inner']}]" + " " * (len(found[0]) - end - 1)


def _bracketed(found: re.Match[str]) -> str:
    return found[0] if len(found[0].split()) < _WORDS else f"[{found[0][1:-1]}]"
