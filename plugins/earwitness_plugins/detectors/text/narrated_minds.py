"""Whose mind a sentence of a narrator's is in: a narrator knows what everybody thinks, and tells it to all who read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from earwitness.patterns import lazy_pattern

from ..discretion import languages
from ..discretion.inner_prose import does_something
from .guards import guarded_pattern
from .names import Mention, Names

_MINDS = lazy_pattern(
    r"""\s+(?:(?:\w+ly|had|still|also|suddenly|now|never|at\s+once)\s+)*
    (?: (?:wonder(?:s|ed)|thought|thinks)(?!\s+(?:aloud|out)) | fear(?:s|ed)\s+that
      | hope[sd]\s+(?:that|nobody|no\s+one|he|she|they) | suspect(?:s|ed) | dread(?:s|ed)
      | wish(?:es|ed)\s+(?:that|he|she|they)
      | pray(?:s|ed)\s+(?:that|silently) | mused | reflected | told\s+(?:him|her)self
      | (?:saw|sees|noticed|notices|knew|knows|felt|feels|guessed|realis\w+|realiz\w+|understood|understands|
          remember(?:s|ed)|recalled|recogni[sz]ed|decided|counted)
        \s+(?:at\s+once\s+|now\s+|suddenly\s+)?(?:that|how|what|why|who|whose|where|whether)
      | felt\s+in\s+(?:his|her|their)\s+pocket
      | could\s+not\s+(?:make\s+sense|believe|understand|help\s+(?:thinking|wondering)) )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Behind the name of whoever alone knows what the sentence tells."""
_THOUGHT_TAG = lazy_pattern(r",\s+(?:thought|wondered|mused)\s+\Z|[,.!?]\s+\Z", re.IGNORECASE)
_TAGGED = lazy_pattern(
    r"\s+(?:thought|thinks|wondered|wonders|mused|told\s+(?:him|her)self)\s*(?:[.,;!?…]|\Z)", re.IGNORECASE
)
_TAGGED_BEFORE = lazy_pattern(
    r"[,!?…]\s+(?:thought|wondered|mused|reflected)\s+(?:(?:the|old|young|poor)\s+)*\Z", re.IGNORECASE
)
_CLOSES = lazy_pattern(r"\s*(?:[.,;!?…—–]|\Z)")
"""Where a tag ends: `Deaf as a cat, thought Bob.`"""
_TAGGED_BACK = lazy_pattern(r"[,.!?]\s+(?:he|she)\s+(?:thought|wondered|mused|told\s+(?:him|her)self)\b", re.IGNORECASE)
_INDIRECT = lazy_pattern(
    r"""\A (?!.*\byou\b) (?: .*\?\s*\Z | \W*(?:god|dear\s+god|oh|damn|of\s+course|good\s+god|heavens|no,|
        so\s+that\b|what\s+if|if\s+only|still\s+there|never\b) | .*\bI(?:['’](?:m|ll|d|ve))?\b | .*\bmy\b )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_PRONOUN = lazy_pattern(r"\W*(?:he|she|they|it|his|her|their)\b", re.IGNORECASE)
_SELF = r"(?:him|her|it|them)sel(?:f|ves)"
_CLAUSE = (
    r"(?:that|which|why|whether|if|how|what|who|whose|where|when|(?:s?he|they|it)['’]d|"
    r"(?:s?he|they|it)\s+(?:had|was|were|would|could))"
)
_THINKS = (
    r"(?:wonder(?:s|ed|ing)|think(?:s|ing)|thought|knew|knows|knowing|known|hop(?:es|ed|ing)|fear(?:s|ed|ing)|suspect(?:s|ed|ing)|"
    r"realis\w+|realiz\w+|belie(?:ves?|ved|ving)|remember(?:s|ed|ing)|decid(?:es|ed|ing)|guess(?:es|ed|ing)|understood|understands|"
    r"wish(?:es|ed|ing)|regret(?:s|ted|ting)|doubt(?:s|ed|ing)|imagin(?:es|ed|ing)|recall(?:s|ed|ing)|reckon(?:s|ed|ing)|"
    r"suppos(?:es|ed|ing)|f[ei]e?l(?:s|t))"
)
_LIVED = (
    r"(?:been|wanted|meant|known|seen|heard|counted|come|hoped|planned|loved|hated|expected|promised|practi[sc]ed|lied|taken|"
    r"hidden|kept|decided|spent|paid|read|told|met|lost|left|learned|made|done|found|put|forgotten|sworn)"
)
_PRIVATELY = guarded_pattern(
    rf"""
      \b{_THINKS} (?:,[^,.!?]{{1,40}},|\s+for\s+\w+\s+\w+)? \s+ (?:\w+ly\s+)? {_CLAUSE} \b
    | \b(?:thought|thinks|mused|wondered|reflected)\s*[,:] | \b(?:think(?:s|ing)|thought)\s+(?:of|about)\s
    | \b(?:kept|keeps|keeping)\s+(?:it|this|that|all\s+(?:this|that))\s+(?:all\s+)?to\s+{_SELF}
    | \b(?:what|which|that|as)\s+(?:[\w'’-]+\s+){{1,3}}?(?:did|does|could|would)(?:n['’]t|\s+not|\s+never)\s+
        (?:\w+\s+)?(?:know|see|guess|notice|reali[sz]e|hear|suspect|say|admit|tell|mention)\b
    | \b(?:never|not|n['’]t)\s+(?:\w+ly\s+)?(?:say|says|said|tell|tells|told|mention\w*|admit\w*|confess\w*)\s+
        (?:so|it|that|any\w*)\b
    | \bevery\s+(?:nerve|part|fib(?:re|er)|bone|inch|instinct|muscle)\s+(?:in|of)\s
    | \bwhat\s+(?:s?he|they|(?-i:[A-Z])[\w'’-]+)\s+(?:\w+ly\s+)?
        (?:wants?|wanted|needs?|needed|means?|meant|feels?|felt|hoped|thinks?|thought)\b
    | \b(?:secretly|inwardly|privately)\b | \bdeep\s+down\b
    | \bin\s+(?:his|her|their)\s+(?:own\s+)?(?:heart|mind|head|thoughts)\b
    | \b(?:told|tells|promis\w+|remind\w*|said|says)\s+(?:to\s+)?{_SELF}\b | \b(?:part|half)\s+of\s+(?:him|her|them)\b
    | \b(?:did|does)(?:n['’]t|\s+not)\s+(?:know|understand|want|trust|believe|like|love|need|care)\b
    | \b(?:his|her|their)\s+(?:own\s+)?(?:heart|stomach|mind|conscience|pulse|chest|soul)\b
    | \b(?:loved|hated|feared|envied|despised|longed|yearned|dreaded|pretended|pretends|pretending)\b
    | \bcount(?:s|ed|ing)\s+(?:how\s+many|to\s+\w+|the\s+(?:steps|exits|doors|guards))
    | (?:\A|[:*]\s*)\W*(?:s?he|they)(?:['’]d|\s+had)\s+(?:(?:not|never|always|already|once|only|just|also|long)\s+)*
        {_LIVED}\b
    | \bhad\b [^.!?]{{0,40}} \b(?:decided|planned|meant|hoped|resolved|sworn|promised)\b
    | [.,*!?]\s+(?:s?he|(?-i:[A-Z])[\w'’-]+)\s+
        (?:reali[sz]e[sd]|thinks|thought|knows|knew|decide[sd]|wonder(?:s|ed)|guesse[sd])\s*(?:[.,;]|\Z)
    | \A\W*(?:perhaps|maybe|surely|of\s+course|no\s+doubt|after\s+all)\b
    | [,;—–]\s*(?:surely|perhaps|maybe|after\s+all|no\s+doubt)\s*[.!?…]
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What tells of a mind, anywhere in a sentence of narration."""
_OF_ALL = lazy_pattern(
    r"\W*(?:every(?:one|body)|nobody|no\s+one|all|people|you|we|it|there|none|some|they\s+all|both|the\s+(?:whole\s+)?(?:room|crowd|town|village|party|group))\b",
    re.IGNORECASE,
)
"""What many know is in no one mind."""


def mind_of(
    sentence: str, names: Names, subject: tuple[str, ...], told_of: tuple[str, ...] = ()
) -> tuple[str, ...] | None:
    """Ids of those who alone know what a sentence tells, where `subject` began the sentence before, which was `told_of`
    these; `None` where it is in no mind. Where it is open whose mind it is, nobody knows it."""
    found = names.find(sentence)
    if told := _told_of(sentence, found, subject):
        return told
    cue = _PRIVATELY.search(sentence)
    if (cue is None and not languages.tells_thought(sentence)) or _OF_ALL.match(sentence):
        return None
    before = [each for each in found if not each.possessive and (cue is None or each.start < cue.start())]
    if before and (_opens(sentence, before[0]) or not _PRONOUN.match(sentence)):
        return (before[0].id,)
    return subject if len(subject) == 1 and len(told_of) < 2 else ()


def _opens(sentence: str, mention: Mention) -> bool:
    return not sentence[: mention.start].strip(" \t\n*_—–-")


def _told_of(sentence: str, found: Sequence[Mention], subject: tuple[str, ...]) -> tuple[str, ...]:
    """Whose mind the sentence is in, by the words that tell so; or of whom was told just before."""
    for mention in found:
        opens = not mention.possessive and not sentence[: mention.start].strip(" \t\n*_—–-")
        if opens and _MINDS.match(sentence, mention.end):
            return (mention.id,)
        before = sentence[: mention.start]
        if _THOUGHT_TAG.search(before) and _TAGGED.match(sentence, mention.end):
            return (mention.id,)
        if _TAGGED_BEFORE.search(before) and _CLOSES.match(sentence, mention.end):
            return (mention.id,)
    if len(subject) != 1:
        return ()
    if _TAGGED_BACK.search(sentence) or ((he := _PRONOUN.match(sentence)) and _MINDS.match(sentence, he.end())):
        return subject
    if not _is_of_others(found, subject) and _INDIRECT.search(sentence):
        return () if does_something(sentence) else subject
    return ()


def _is_of_others(found: Sequence[Mention], subject: tuple[str, ...]) -> bool:
    return bool(found) and found[0].start == 0 and found[0].id not in subject
