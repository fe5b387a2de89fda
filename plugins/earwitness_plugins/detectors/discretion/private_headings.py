"""Chat logs that say above a message for whom alone it is: `**DM ann / bob**`, `[private chat with Bob]`, `PM to Bob`.

Only the first line counts, and only where it holds nothing but that and names.
"""

from __future__ import annotations

import re
from itertools import pairwise

from earwitness.patterns import lazy_pattern

from ..text.names import Names

_PRIVATE = (
    r"(?:dms?|pms?|(?:direct|private)\s+(?:messages?|chat|channel|thread|dm)|"
    r"privat(?:chat|nachricht)|chat\s+priv(?:ado|é)|mensaje\s+(?:privado|directo)|mensagem\s+privada|message\s+privé|"
    r"\u043b\u0438\u0447\u043a[\u0430\u0435\u0443]|私信|個別チャット)(?!\w)"
)
_HEADING = lazy_pattern(rf"[\W_]{{0,8}}{_PRIVATE}(?P<who>[^\n]{{1,80}})\n", re.IGNORECASE)
_ABOVE = lazy_pattern(
    rf"[\W_]{{0,4}}(?:[\[(]\s*{_PRIVATE}(?P<who>[^\])\n]{{1,60}})[\])]|@(?P<called>[^\s:,]+)\s+\(?(?:whisper|dm|pm)s?\)?\s*:|"
    r"to\s+(?P<only>[^:,\n]{1,40})\s+only\s*:)",
    re.IGNORECASE,
)
"""The same before a message, in its line: `(PM Bob) …`, `@bob whisper: …`, `to Bob only: …`."""
_UNNAMED = lazy_pattern(
    rf"[\W_]{{0,8}}{_PRIVATE}[\W_]*\n\s*\S|[^\w\n*_\[(]{{0,4}}(?:\*{{1,2}}|[_\[(]){_PRIVATE}(?:\*{{1,2}}|[_\])])\s*\S",
    re.IGNORECASE,
)
"""A heading that says of nobody whom it is for."""
_BETWEEN = lazy_pattern(
    r"[\s\W_]*(?:to|with|from|between|and|und|an|mit|von|y|con|a|para|com|e|et|avec|à|\u0441|\u0438|für|zwischen|entre)?[\s\W_]*",
    re.IGNORECASE,
)


def private_heading(text: str, names: Names) -> tuple[str, ...] | None:
    """Ids of those whom a heading names that says that a message is private; `None` without such a heading."""
    if _UNNAMED.match(text):
        return ()
    found = _HEADING.match(text) or _ABOVE.match(text)
    if found is None:
        return None
    who = found[found.lastgroup or 0]
    mentions = names.find(who)
    edges = [(0, 0), *((each.start, each.end) for each in mentions), (len(who), len(who))]
    gaps = (who[end:start] for (_, end), (start, _) in pairwise(edges))
    if not mentions or not all(_BETWEEN.fullmatch(gap) for gap in gaps):
        return None
    return tuple(dict.fromkeys(each.id for each in mentions))
