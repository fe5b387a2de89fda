"""Prose around dialogue: which of its sentences anybody there could see or hear, and which only one mind holds.

There is no tag to go by: `"Welcome." The fool. How could she tell him that the farm was sold?`. Fail closed: a sentence
that asks, judges, foresees, looks back or has no verb is taken for a thought, and so is what follows it, up to a plain
deed. Where the narration tells of its speaker as `he` or `she`, whatever says `I` is a thought.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from earwitness.patterns import lazy_pattern

from ..text.guards import guarded_pattern
from . import languages

SentenceSpan = tuple[int, int]
_GAP = lazy_pattern(r"""(?<=[.!?…])["'”’“»*_)\]]*\s+|\n+|(?<=[\u3002\uff01\uff1f])[”」』\uff09]*(?=[^\s”」』\uff09])""")
_ABBREVIATED = lazy_pattern(r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Lt|Sgt)\.\s*\Z")
_SAYS = (
    r"(?:sa(?:id|ys?)|ask(?:s|ed)?|repl(?:y|ies|ied)|answer(?:s|ed)?|cr(?:y|ies|ied)|call(?:s|ed)?|add(?:s|ed)?|whisper(?:s|ed)?|"
    r"murmur(?:s|ed)?|mutter(?:s|ed)?|shout(?:s|ed)?|laugh(?:s|ed)?|snap(?:s|ped)?|sigh(?:s|ed)?|tell|tells|told|li(?:es|ed)|go(?:es)?|"
    r"went|hiss(?:es|ed)?|yell(?:s|ed)?|continue[sd]?|beg(?:an|ins)|repeat(?:s|ed)?|announce[sd]?|insist(?:s|ed)?|promise[sd]?|"
    r"admit(?:s|ted)?|agree[sd]?|observe[sd]?|remark(?:s|ed)?|explain(?:s|ed)?|declare[sd]?|offer(?:s|ed)?|exclaim(?:s|ed)?)"
)
_SAYER = (
    r"(?:I|he|she|they|we|(?:the|my|his|her|their|old)\s+[\w'’-]+(?:\s+[\w'’-]+)?|"
    r"(?!(?:I|he|she|it|we|they|you|who|that|there|what)['’])(?-i:[A-Z])[\w'’.-]+(?:\s+(?-i:[A-Z])[\w'’-]+){0,3})"
)
_TAG = lazy_pattern(
    rf"\s*[,.—–-]?\s*(?:{_SAYER}\s+(?:\w+ly\s+)?(?:had\s+)?{_SAYS}|{_SAYS}\s+{_SAYER})\b", re.IGNORECASE
)
_TAG_GOES_ON = lazy_pattern(
    r"[,;—–]\s*(?:which|who|though|although|because|since|as\s+if|and|but|when|while)?\s*", re.IGNORECASE
)
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MENTAL = (
    r"(?:kn[eo]ws?|hate[sd]?|loathe[sd]?|despise[sd]?|love[sd]?|like[sd]|want(?:s|ed)?|need(?:s|ed)?|wish(?:es|ed)?|hope[sd]?|fear(?:s|ed)?|"
    r"dread(?:s|ed)?|feels?|felt|believe[sd]?|suspect(?:s|ed)?|reckon(?:s|ed)?|decide[sd]?|recogni[sz]e[sd]?|notice[sd]?|"
    r"remember(?:s|ed)?|recall(?:s|ed)?|forg[eo]ts?|understands?|understood|reali[sz]e[sd]?|guess(?:es|ed)?|suppose[sd]?|imagine[sd]?|"
    r"regret(?:s|ted)?|trust(?:s|ed)?|doubt(?:s|ed)?|env(?:y|ies|ied)|consider(?:s|ed)?|intend(?:s|ed)?|expect(?:s|ed)?|prefer(?:s|red)?|"
    r"wonder(?:s|ed)?|plan(?:s|ned)|resent(?:s|ed)?|pit(?:y|ies|ied)|blame[sd]?|assume[sd]?|conclude[sd]?|figure[sd]?|calculate[sd]?|"
    r"thinks?|thought|meant|mattered|deserve[sd]?|pray(?:s|ed)?|vow(?:s|ed)|resolve[sd]|mistrust\w*|distrust\w*|dreamt|dreamed|"
    r"pretend(?:s|ed|ing)?|seem(?:s|ed)|sense[sd])"
)
_MIND = guarded_pattern(rf"\b{_MENTAL}\b|\b(?:would|must|should|ought|might)\b", re.IGNORECASE)
_DEED = lazy_pattern(
    rf"""\W*(?:then\s+|and\s+)?{_SAYER}\s+(?:\w+ly\s+)?(?:go(?:es)?|went|left|leaves?|c[ao]mes?|r[au]ns?|walk\w*|enter\w*|step\w*|turn\w*|nod\w*|smil\w*|
    laugh\w*|look\w*|sits?|sat|stands?|stood|rises?|rose|takes?|took|gives?|gave|puts?|pulls?|pulled|push\w*|opens?|opened|close[sd]?|climb\w*|
    return\w*|hurr\w*|follow\w*|pick\w*|lifts?|lifted|hold[s]?|held|draws?|drew|points?|pointed|bow\w*|kneels?|knelt|shakes?|shook|wave[sd]?)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SPEECH_TAG = guarded_pattern(
    r"[,!?…]\s+(?:(?:I|he|she|[A-Z][\w'’-]+)\s+(?:say|said|tell|told|ask|asked|shout|shouted|answer|answered|reply|replied|agreed|call|"
    r"called|add|added|whisper|whispered)s?|"
    r"(?:says?|said|asks?|asked|shouts?|answers?|answered)\s+[A-Z])\b"
)
_NAMED = r"(?-i:[A-Z])[\w'’-]+"
_INNER = lazy_pattern(
    rf"""
      \b(?:faintest|slightest|least|foggiest)\s+(?:idea|notion|clue)\b | ,\s*maybe\b
    | \A\W*(?:just\s+like|exactly\s+like|same)\b
    | \?["'”’)\]]*\s*\Z | ![)\]]*\s*\Z
    | \A\W*(?:god|lord|christ|damn|oh|no|yes|of\s+course|good\s+riddance|best|better|as\s+if|if\s+only|perhaps|
        maybe|surely|typical|not\s+that|
        so|well|how|why|what|who|thank|let|never|curse|poor|fool|idiot|still|anyway|besides|apparently|obviously|clearly|probably|
        hardly|even\s+if|unless|nobody|no\s+one|everyone|everybody|one\s+day|tomorrow|soon|someday|strange|odd|funny|trust)\b
    | \b(?:would|could|must|might|should|ought|cannot|can|will|shall|may)(?:n['’]t)?\b | \b(?:ca|wo|sha)n['’]t\b
    | \bhad\s+(?:not\s+|never\s+|always\s+|already\s+|once\s+|just\s+|only\s+|also\s+|long\s+|no\s+)*(?:been|\w+ed|
        no|to|known|seen|done|gone|had|made|taken|
        given|broken|told|said|heard|lost|left|kept|come|become|brought|bought|sold|stolen|written|hidden|read|met|found|forgotten|
        thought|won|paid|sent|put|let|cut|set|spent|slept|run|drunk|eaten|sworn|chosen|fallen|begun|grown|known)\b
    | \bhadn['’]t\b | \b(?:has|have)\s+(?:always|never|not|been|known)\b | \b(?:has|have)n['’]t\b
    | \b{_MENTAL}\b
    | \b(?:he|she|it|they|I|we|you|that|there|who|what|nobody|everyone)['’](?:s|re|ll|m|d|ve)\b
    | \b(?:do|does|did|was|were|is|are)n['’]t\b | \b(?:do|does|did)\s+not\b | \b(?:was|were|is|are|am)\s+not\b
    | \b(?:no\s+(?:idea|memory|intention|doubt|desire|reason|choice|sense|wonder)|in\s+(?:my|his|her)\s+(?:mind|
        head|heart)|tired\s+of|
        sick\s+of|afraid\s+(?:of|that)|sure\s+(?:of|that)|certain\s+(?:of|that)|contempt|used\s+to|true\b|lies?\b|fault|secret(?:s|ly)?|inwardly)\b
    | \A\W*(?:it|that|this|these|those|there)\s+(?:was|were|is|are|made|meant|had)\b (?!\s+(?:raining|snowing|dark|
        cold|hot|warm|late|quiet|silent|
        midnight|morning|noon|night|a\s+(?:knock|crash|bang|noise|sound|pause|silence|scream|loud|thud|click|crack|murmur|laugh|cheer|moment)|silence|laughter|applause))
    | \b(?:was|were|is|are)\s+(?:\w+ly\s+)?(?:right|wrong|to\s+blame|guilty|innocent|in\s+love|jealous|mistaken|
        lying|bluffing|plotting|doomed)\b
    | \byou\b | \b(?:my|his|her|their)\s+(?:stomach|heart|pulse|blood|mind|guts?|insides|conscience)\b
    | \b(?:du|dich|dir|deine?[mnrs]?|euch|tú|usted|ustedes|toi|vous|votre|vos|você|vocês|ты|тебя|тебе|вы|вас|вам)\b
    | \A\W*Ihr\s+\w+t\b
    | [,;—–]\s*(?:I|he|she|they|{_NAMED})\s+(?:counted|noted|judged|guessed|observed\s+to|saw|reflected|mused)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FINITE = lazy_pattern(
    r"""\b(?:\w{2,}ed|was|were|is|are|am|has|had|did|does|do|[a-z]+(?<!s)s(?!\w)|
    went|came|took|gave|made|put|set|let|cut|shut|hit|sat|stood|ran|said|told|left|kept|held|fell|rose|threw|drew|grew|flew|knelt|bent|
    sent|spent|lent|built|burnt|lost|met|shot|shook|spoke|broke|woke|wore|tore|swore|bore|chose|froze|stole|drove|rode|wrote|ate|drank|
    sang|rang|sank|swam|began|found|wound|bound|brought|caught|taught|bought|fought|led|fed|read|spread|slid|hid|lit|bit|swung|hung|clung|
    flung|stuck|struck|dug|spun|won|slept|wept|swept|crept|leapt|leant|blew|threw|laid|paid|lay|hurt|burst|split|spat|sprang|stepped|beat)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_FIRST_PERSON = lazy_pattern(r"\A\W*(?:I|we|and\s+I|then\s+I)\s+(?:\w+ly\s+)?(?P<verb>[a-z]+)")
_PAST = (
    r"(?:went|came|took|gave|made|put|set|let|cut|shut|hit|sat|stood|ran|left|kept|held|fell|rose|threw|drew|knelt|bent|sent|spoke|"
    r"lent|built|shook|broke|wore|chose|rode|wrote|ate|drank|sang|rang|began|wound|brought|caught|led|fed|read|slid|swung|stuck|"
    r"struck|dug|spun|wept|swept|crept|leapt|leant|blew|laid|lay|spat|sprang|did|got|turned|looked|walked|\w{2,}ed)"
)
_PLAIN_DEED = lazy_pattern(
    rf"\W*(?:(?:and|then|but|so|now|slowly|quietly|finally|at\s+last|instead|without\s+a\s+word)\W+)*{_SAYER}\s+(?:\w+ly\s+|just\s+|only\s+|then\s+)?"
    rf"(?!{_MENTAL}\b)(?:{_PAST}|(?!is\b|has\b|was\b|does\b)[a-z]+s)\b",
    re.IGNORECASE,
)
"""What ends a thought: somebody does something."""
_NOT_PLAIN = guarded_pattern(
    r"\A\W*(?:so|but|now)\b|\b(?:not|never|n['’]t|no|lies?|lied|true|truth|secret\w*|inward\w*|fault|because|why|had|could|can|cannot|will|shall|heart|mind|stomach)\b",
    re.IGNORECASE,
)
"""With it, a sentence that begins with a deed tells more than that."""
_TELLS_SPEECH = guarded_pattern(
    rf"\b{_SAYER}\s+(?:\w+ly\s+)?{_SAYS}\b | [,.!?…]\s+{_SAYS}\s+{_SAYER}\s*(?:[.,;]|\Z)", re.IGNORECASE | re.VERBOSE
)
_OF_ONESELF = guarded_pattern(
    r"\b(?:I|my|mine|myself|we|our|ours|us|me|ich|mein\w*|mir|mich|wir|uns|unser\w*|je|moi|nous|nos|notre|mon|yo|mí|mis|nosotros|eu|meu|"
    r"minha|meus|minhas|nós|io|mio|mia|miei|noi|я|мне|меня|мой|моя|мы|нас|нам)\b|\bj['’]\w|[我俺僕私]",
    re.IGNORECASE,
)
_SPEAKS = lazy_pattern(
    r"(?:I|he|she|[A-Z][\w'’-]+)\s+(?:asks?|asked|shout(?:s|ed)?|call(?:s|ed)?|cries|cried)"
    r"(?:\s+(?:him|her|them|both|all|back|quietly|aloud)){0,2}\s*(?:[.,;]|\Z)"
)
"""The tag of what is asked or called before it: `Is it soundproof? Venla asked.`"""
_CALLS = lazy_pattern(r"[?!]\s*\Z")
_TRAILING = lazy_pattern(
    r",\s+(?:while\s+|all\s+the\s+while\s+|secretly\s+)?(?:hoping|praying(?=\s+(?:for|that)\b)|hating|loathing|dreading|wishing|wondering|fearing|thinking|"
    r"knowing|suspecting|despising|envying|regretting|pitying|cursing\s+(?:him|her|my)self)\b"
)
"""What goes on in the mind of whoever says it: `Gladly, he agreed, hating her.`"""
_FEW = 1
"""A remark of so many words, such as `Silence.`, is not a thought."""
_HAPPENS = lazy_pattern(
    r"\A\W*(?:a|an|the)?\s*(?:\w+\s+)?(?:pause|silence|knock|beat|laugh|nod|shrug|sigh|smile|grin|wink|crash|bang|thunder|laughter|applause|footsteps)\b",
    re.IGNORECASE,
)


def is_inner(sentence: str) -> bool:
    """Whether a sentence of narration tells only what is in a mind."""
    does = _DEED.match(sentence) or (_PLAIN_DEED.match(sentence) and not _NOT_PLAIN.search(sentence))
    if (does and not judges(sentence)) or tells_speech(sentence):
        return False
    if tells_of_mind(sentence):
        return True
    if _FIRST_PERSON.match(sentence):
        return False
    if sentence.rstrip()[-1:] in (":", ","):
        return False
    words = len(_WORD.findall(sentence))
    return words > _FEW and not (
        _FINITE.search(sentence) or _HAPPENS.match(sentence) or not languages.is_english(sentence)
    )


def tells_of_mind(sentence: str) -> bool:
    """Whether any words of a sentence tell what only a mind holds: `it was hers`, `would he come`, `he knows`."""
    return _INNER.search(sentence) is not None or languages.tells_thought(sentence)


def judges(sentence: str) -> bool:
    """Whether a sentence that may tell of a deed also says what somebody thinks or ought to do."""
    return _MIND.search(sentence) is not None or sentence.rstrip()[-1:] == "?"


def tells_speech(sentence: str) -> bool:
    """Whether a sentence tells what somebody says: `…, said Bob`."""
    return _SPEECH_TAG.search(sentence) is not None


def does_something(sentence: str) -> bool:
    """Whether a sentence begins by telling what somebody does."""
    return _PLAIN_DEED.match(sentence) is not None


def spans(text: str, *, after_quote: bool, is_told: Callable[[str], bool], third: bool = False) -> list[SentenceSpan]:
    """Offsets of the sentences that tell what is in a mind, neighbours joined; with what a tag's own clause adds.

    `is_told` says which sentences say how something is told, and to whom. `third` says that the narration tells of its
    speaker in the third person.
    """
    found: list[SentenceSpan] = []
    for start, end in sentences(text):
        first = after_quote and not text[:start].strip()
        tag = _TAG.match(text, start, end) if first else None
        begin = _behind_tag(text, tag.end(), end) if tag else start
        goes_on = bool(found) and found[-1][1] == begin
        sentence = text[begin:end]
        if not after_quote and _CALLS.search(sentence) and _SPEAKS.match(text, end):
            continue
        if begin == end or not (
            _INNER.search(sentence) if tag else _is_thought(sentence, third=third, goes_on=goes_on)
        ):
            if trailing := _TRAILING.search(text, begin, end):
                found.append((trailing.start(), end))
            continue
        if is_told(text[start:end]):
            continue
        if found and found[-1][1] == begin:
            found[-1] = (found[-1][0], end)
        else:
            found.append((begin, end))
    return found


def is_mostly_inner(text: str, *, third: bool = False) -> bool:
    """Whether a narration without any dialogue tells more of a mind than of all else, and of nothing said."""
    if _TELLS_SPEECH.search(text):
        return False
    inner = spans(text, after_quote=False, is_told=lambda sentence: False, third=third)
    told = list(sentences(text))
    held = sum(any(start <= at < end for start, end in inner) for at, _ in told)
    return 2 * held > len(told)


def _is_thought(sentence: str, *, third: bool, goes_on: bool) -> bool:
    if third and _OF_ONESELF.search(sentence):
        return True
    if goes_on and not _PLAIN_DEED.match(sentence) and not _SPEECH_TAG.search(sentence):
        return True
    return is_inner(sentence)


def _behind_tag(text: str, at: int, end: int) -> int:
    clause = _TAG_GOES_ON.search(text, at, end)
    return clause.start() if clause else end


def sentences(text: str) -> Iterator[SentenceSpan]:
    """Offsets of the sentences, with the gaps behind them."""
    cuts = [0]
    for gap in _GAP.finditer(text):
        if not _ABBREVIATED.search(text[cuts[-1] : gap.end()]):
            cuts.append(gap.end())
    if cuts[-1] < len(text):
        cuts.append(len(text))
    return ((start, end) for start, end in pairwise(cuts) if text[start:end].strip())
