"""Dialogue after dashes, read as in quotes: `—Pasa —dijo Ana. No sabe nada, pensó.`, `— Bonsoir, dit Anne.`."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

_DASHES = frozenset("—–―")
_LINE = lazy_pattern(r"^[ \t]*[—–―][ \t]?(?=\S)[^\n]*\n?", re.MULTILINE)
_TOLD = lazy_pattern(
    r"""(?P<dash> [ \t,] [—–―] [ \t]? (?=[a-zà-öø-ÿа-яё]) ) | (?<=[,.!?…]) (?P<gap> [ \t] ) (?=
        (?:(?:he|she|I|they)[ ])?(?:said|says|asked|asks|replied|answered|whispered|murmured|muttered|cried|called|
        added|
        dit|dis|fit|répondit|demanda|murmura|chuchota|souffla|cria|ajouta|reprit|сказал\w*|спросил\w*|ответил\w*|прошептал\w*|шепнул\w*|
        disse|perguntou|respondeu|sussurrou|dijo|preguntó|respondió|susurró|chiese|rispose|sussurrò)\b )""",
    re.VERBOSE,
)
_SAID_ON = lazy_pattern(r"[ \t.,;:][ \t]?[—–―][ \t]?(?=\S)")


def as_quotes(text: str) -> str:
    """The text with quotation marks where dashes begin or end what is said; as long as it was."""
    if _DASHES.isdisjoint(text) or '"' in text or "“" in text or not _LINE.search(text):
        return text
    return _LINE.sub(_quoted, text)


def _quoted(found: re.Match[str]) -> str:
    line, at, says = found[0], len(found[0]) - len(found[0].lstrip()) + 1, True
    letters = list(line)
    letters[at - 1] = "“"
    while (cut := (_TOLD if says else _SAID_ON).search(line, at)) is not None:
        letters[cut.start() if says else cut.end() - 1] = "”" if says else "“"
        at, says = cut.end(), not says
    if says and letters[-1] == "\n":
        letters[-1] = "”"
    return "".join(letters)
