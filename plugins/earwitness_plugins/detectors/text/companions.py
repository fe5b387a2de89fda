"""Whom a speaker counts in as acting with them: `Bob and I agreed`, `we set out with Bob`, `Bob is here with us`.

Only sure cases count. Each name is written as one sign first, so that the patterns need not know the names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from earwitness.patterns import lazy_pattern
from earwitness.sentences import sentences

from .names import Mention

_FIRST_SIGN, _SIGNS = 0xE000, 6000
_WINDOW = 60
_SIGN = "[\ue000-\uf8ff]"
_NAME = rf"(?:(?:the|my|our|old|young|dear|good|friend|brother|sister|sir|lord|lady)\s+){{0,3}}{_SIGN}"
_LISTED = rf"{_NAME}(?:\s*,\s*(?:and\s+)?{_NAME}|\s+(?:and|&)\s+{_NAME}){{0,12}}"
_AFTER_ME = rf"{_NAME}(?:(?:\s*,\s*{_NAME}){{0,12}},?\s+(?:and|&)\s+{_NAME}){{0,12}}"
_ME = r"(?:I|i|[Mm]e|[Mm]yself)\b(?!\.e)(?!['’]m\b|\s+(?:am|was)\b)"

_SUBJECTS = (
    lazy_pattern(rf"(?P<who>{_LISTED},?\s+(?:and|&)\s+{_ME})"),
    lazy_pattern(rf"(?P<who>\b{_ME}(?:\s*,\s*{_NAME}){{0,12}},?\s+(?:and|&)\s+{_AFTER_ME})"),
)
_VOCATIVE = lazy_pattern(rf"\A{_NAME},\s+and\s")
_CLAUSE_BEGINS = lazy_pattern(
    r"""(?:\A|[.!?…;:,—–(\n]|\s-|\b(?:and|but|so|then|because|since|when|while|if|as|now|once|until|unless|though|although|
    after|before|where|why|how|what|shall|will|can|could|should|would|must|did|do|have|had|today|tonight|tomorrow|
    yesterday|ago|night|morning|evening|together|perhaps|maybe|both|just|well|yes|no|oh|we|us|I\s+(?:think|believe|hope|guess|suppose|say)))
    [\s"“'‘]*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_APART = "you|he|she|they|who|but|talk|speak|meet|deal|fight|war|trade|bargain|argue|quarrel|angry|do|done"
_BETWEEN = rf"(?:(?!\b(?:{_APART})\b)[^.,;:!?…])"
_ACTS = r"""(?:agreed?|decided?|swore|vow(?:ed)?|planned|went|go|going|gone|came|come|coming|travel\w*|rode|ride|riding|
    walk\w*|march\w*|sail\w*|set\s+(?:out|off)|s[ia]t|sitting|stand|stood|standing|stay\w*|work\w*|
    hunt\w*|search\w*|return\w*|arrived?|climb\w*)"""
_WITH = (
    lazy_pattern(
        rf"\b(?:we(?:['’]\w+)?|let['’]s|let\s+us)\s+{_BETWEEN}{{0,30}}?\b{_ACTS}\b{_BETWEEN}{{0,40}}?\bwith\s+(?P<who>{_AFTER_ME})",
        re.IGNORECASE | re.VERBOSE,
    ),
    lazy_pattern(
        rf"\b(?:we\s+are|we['’]re)\s+(?:(?:all|both|here|back|together)\s+)+with\s+(?P<who>{_AFTER_ME})", re.IGNORECASE
    ),
    lazy_pattern(
        rf"""(?P<who>{_LISTED})\s+(?:is|are|was|were|stands?|comes?|goes|go|travels?|rides?|walks?)\s+
        (?:(?:here|still|also|coming|going|all|both)\s+)*with\s+(?:us|me)\b(?!\s+(?:in\s+(?:spirit|thought|mind)|on\b))""",
        re.IGNORECASE | re.VERBOSE,
    ),
    lazy_pattern(
        rf"\bwith\s+(?:us|me)\s+(?:is|are|was|were|comes?|stands?|goes|go)\s+(?P<who>{_AFTER_ME})", re.IGNORECASE
    ),
    lazy_pattern(rf"\b(?:all|both|two|three|four|five|six)\s+of\s+us\s*[:—–-]\s*(?P<who>{_AFTER_ME})", re.IGNORECASE),
)
_NOT_SURE = lazy_pattern(
    rf"""\b(?:dream\w*|imagin\w*|pretend\w*|wish\w*|whether)\b
    |\bif\s+{_SIGN}\s+(?:is|are|was|were|comes?|goes|go)\s
    |\b(?:(?:is|are|was|were|has|had|been)\s+(?:\w+\s+)?(?:dead|gone|away|missing|elsewhere)|n['’]t\s+here|not\s+here)\b
    |\bbefore\s+(?:he|she|they)\s+(?:left|went|died)\b
    |\b(?:by\s+letter|over\s+the\s+(?:phone|radio)|on\s+the\s+phone)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_ACTING = lazy_pattern(
    r"""\s*(?:(?:both|all|just|never|really|always|also|only|have|had|used\s+to)\s+)*(?:
    (?:are|were|be|been|became|become|remain)\s+(?:\w+\s+){0,3}?(?:enem(?:y|ies)|rivals?|friends?|strangers|brothers|sisters|
        siblings|cousins|twins|family|related|married|engaged|divorced|lovers|different|opposites|alike|equals|neighbou?rs)\b
    |(?:hate|despise|loathe|dislike|distrust|fear|know|knew|love|like|miss|missed|avoid)d?\s+(?:each\s+other|one\s+another)\b
    |(?:broke|break|fell|fall|split|part|parted|separated|lost|lose|grew|drifted|quarrell?ed)\b)""",
    re.IGNORECASE | re.VERBOSE,
)


def companions(text: str, mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Ids of those whom the spoken text counts in as acting with its speaker, in order, each once."""
    if not mentions:
        return ()
    line, meant = signed(text, mentions)
    found = (who for sentence in sentences(line) if not _NOT_SURE.search(sentence) for who in _counted(sentence))
    return tuple(dict.fromkeys(id for who in found for sign in who for id in meant.get(sign, ())))


def _counted(sentence: str) -> Iterator[str]:
    """The stretches that name somebody who acts with the speaker."""
    for pattern in _SUBJECTS:
        yield from (match["who"] for match in pattern.finditer(sentence) if _is_subject(match, sentence))
    for pattern in _WITH:
        yield from (match["who"] for match in pattern.finditer(sentence))


def _is_subject(match: re.Match[str], sentence: str) -> bool:
    """It opens a clause, and the clause tells of something they do: `I hate Bob and I go` tells of nobody else."""
    begins = _CLAUSE_BEGINS.search(sentence[max(0, match.start() - _WINDOW) : match.start()])
    return bool(begins) and not _VOCATIVE.match(match["who"]) and not _NO_ACTING.match(sentence, match.end())


def signed(text: str, mentions: Sequence[Mention]) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The text with one sign for each name, and whom each sign means; owners (`Bob's`) keep their words."""
    spans: dict[tuple[int, int], tuple[str, ...]] = {}
    for mention in mentions[:_SIGNS]:
        if not mention.possessive:
            span = mention.start, mention.end
            spans[span] = (*spans.get(span, ()), mention.id)
    pieces, behind, meant = [], 0, {}
    for number, ((start, end), ids) in enumerate(spans.items()):
        sign = chr(_FIRST_SIGN + number)
        meant[sign] = ids
        pieces += [text[behind:start], sign]
        behind = end
    return "".join((*pieces, text[behind:])), meant
