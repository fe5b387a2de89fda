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
_BEFORE_NAME = "the|my|our|old|young|dear|good|friend|brother|sister|sir|lord|lady|der|die|le|la|el|il|[oa]"
_NAME = rf"(?:\b(?:{_BEFORE_NAME})\s+){{0,3}}{_SIGN}"
_LISTED = rf"{_NAME}(?:\s*,\s*(?:and\s+)?{_NAME}|\s+(?:and|&)\s+{_NAME}){{0,12}}"
_AFTER_ME = rf"{_NAME}(?:(?:\s*,\s*{_NAME}){{0,12}},?\s+(?:and|&)\s+{_NAME}){{0,12}}"
_ME = r"(?:I|i|[Mm]e|[Mm]yself)\b(?!\.e)(?!['’]m\b|\s+(?:am|was)\b)"

_SUBJECTS = (
    lazy_pattern(rf"(?P<who>{_LISTED},?\s+(?:and|&)\s+{_ME})"),
    lazy_pattern(rf"(?P<who>\b{_ME}(?:\s*,\s*{_NAME}){{0,12}},?\s+(?:and|&)\s+{_AFTER_ME})"),
)
_OTHER_AND = r"(?:und|et|y|ed?)"
_OTHER_ME = r"(?:ich|moi|je|yo|io|eu)"
_OTHER_LISTED = rf"{_NAME}(?:\s*,\s*{_NAME}|\s+{_OTHER_AND}\s+{_NAME}){{0,12}}"
_OTHER_SUBJECTS = (
    lazy_pattern(rf"(?P<who>{_OTHER_LISTED}\s+{_OTHER_AND}\s+{_OTHER_ME})\b", re.IGNORECASE),
    lazy_pattern(rf"(?P<who>\b{_OTHER_ME}\s+{_OTHER_AND}\s+{_OTHER_LISTED})", re.IGNORECASE),
)
"""`Bob und ich`, `moi et Bob`, `Bob y yo`, `io e Bob`, `o Bob e eu`."""
_VOCATIVE = lazy_pattern(rf"\A{_NAME},\s+and\s")
_CLAUSE_BEGINS = lazy_pattern(
    r"""(?:\A|[.!?…;:,—–(\n]|\s-|\b(?:and|but|so|then|because|since|when|while|if|as|now|once|until|unless|though|although|
    after|before|where|why|how|what|shall|will|can|could|should|would|must|did|do|have|had|today|tonight|tomorrow|dass|weil|wenn|heute|gestern|morgen|dann|aber|donc|mais|hier|demain|hoy|ayer|mañana|pero|oggi|ieri|domani|hoje|ontem|
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
_I_DO = (
    r"(?:\b(?:I|we|let['’]s|ich|wir|je|nous|on|yo|nosotros|io|noi|eu|nós|suche|suchen|cerco|busco|procuro|vamos|andiamo|partons)\b|"
    r"\b(?:I|we|j)['’])"
)
_TOGETHER = (
    lazy_pattern(
        rf"""(?:\A|[.!?…;:,—–(\n]\s*|\b(?:und|and|et|y|e)\s+)(?:together\s+with|along\s+with|(?:zusammen|gemeinsam)\s+mit|ensemble\s+avec|avec|
        junto\s+con|juntos?\s+com|juntamente\s+com|insieme\s+(?:a|con))\s+(?P<who>{_OTHER_LISTED})(?=[^.!?;]{{0,80}}?{_I_DO})""",
        re.IGNORECASE | re.VERBOSE,
    ),
    lazy_pattern(
        rf"""{_I_DO}[^.!?;\ue000-\uf8ff]{{0,40}}?\b(?:together\s+with|(?:zusammen|gemeinsam)\s+mit|junto\s+con|juntamente\s+com|
        insieme\s+(?:a|con))\s+(?P<who>{_OTHER_LISTED})""",
        re.IGNORECASE | re.VERBOSE,
    ),
    lazy_pattern(rf"{_I_DO}[^.!?;\ue000-\uf8ff]{{0,40}}?\bmit\s+(?P<who>{_OTHER_LISTED})\s+zusammen\b", re.IGNORECASE),
    lazy_pattern(
        rf"""\b(?:I|we)(?:['’]ve|\s+have|\s+had)?\s+(?:\w+ly\s+)?(?:agreed|decided|arranged|sworn|swore|vowed|planned|made\s+a\s+(?:pact|plan|deal))\s+
        with\s+(?P<who>{_AFTER_ME})\s+(?:to\b|on\b|that\s+we\b)""",
        re.IGNORECASE | re.VERBOSE,
    ),
    lazy_pattern(
        rf"""\b(?:ich\s+habe?|habe?\s+ich|wir\s+haben|haben\s+wir|hab)\s+(?:\w+\s+){{0,2}}?mit\s+(?P<who>{_OTHER_LISTED})\s+(?:\w+\s+){{0,2}}?
        (?:vereinbart|beschlossen|abgemacht|ausgemacht|verabredet|geschworen|entschieden|geplant)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    lazy_pattern(
        rf"""(?:\bj['’]ai|\bnous\s+avons|\bon\s+a|\bhe|\bhemos|\bho|\babbiamo)\s+(?:convenu|décidé|juré|prévu|quedado|acordado|decidido|jurado|deciso|
        concordato|giurato)\s+(?:avec|con)\s+(?P<who>{_OTHER_LISTED})|\b(?:combinei|combinamos|acordei|decidi|jurei|acordé|decidí)\s+(?:com|con)\s+
        (?P<with>{_OTHER_LISTED})""",
        re.IGNORECASE | re.VERBOSE,
    ),
)
"""Together with whom the speaker does something: `Together with Bob I …`, `ich habe mit Bob vereinbart, …`."""
_NOT_SURE = lazy_pattern(
    rf"""\b(?:dream\w*|träum\w*|geträumt|rêv\w*|soñ\w*|sogn\w*|sonh\w*|imagin\w*|pretend\w*|wish\w*|whether)\b
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
    |(?:sind|waren|sommes|étions|somos|éramos|siamo|eravamo)\s+(?:\w+\s+){0,3}?(?:feind|freund|rival|geschwister|brüder|schwestern|verwandt|
        verheiratet|ennemi|ami|frère|s[œo]eur|enemig|amig|herman|nemic|amic|fratell|sorell|inimig|irmã)\w*
    |(?:hassen|kennen|lieben|mögen)\s+uns\b|nous\s+(?:détestons|connaissons|aimons|haïssons)\b|nos\s+(?:odiamos|conocemos|conhecemos)\b|
        ci\s+(?:odiamo|conosciamo)\b
    |(?:are|were|got)\s+(?:\w+\s+)??(?:apart|divided|estranged|separated)\b
    |(?:(?:are|can|could|did|do|had|have|were|will|would)?(?:n['’]t|\s*not)|never|hardly|barely|rarely|no\s+longer)\s+(?:\w+\s+){0,2}?
        (?:meet(?:ing)?|met|speak(?:ing)?|spoken?|talk(?:ed|ing)?)\b(?!\s+(?:about|at|h[ei][rm]|in\s+front|of|th[aeio]\w*|to|with|you)\b)
    |(?:are(?:\s+going\s+to)?|are\s+to|must|shall|should|will)\s+(?:\w+\s+)??meet(?:ing)?\b(?!\s+(?:h[ei][rm]|th[aeio]\w*|with|you)\b)
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
    for pattern in _OTHER_SUBJECTS:
        yield from (match["who"] for match in pattern.finditer(sentence) if _is_subject(match, sentence))
    for pattern in (*_WITH, *_TOGETHER):
        yield from (match[match.lastgroup or "who"] for match in pattern.finditer(sentence))


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
