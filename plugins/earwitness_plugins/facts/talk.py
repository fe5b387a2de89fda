"""From what somebody says to the facts about them, by rules alone. Pure functions; no model, no story."""

from __future__ import annotations

import re
from collections.abc import Iterator

from earwitness.patterns import lazy_pattern
from earwitness.sentences import sentences

from .records import SaidFact
from .talk_rules import RULES

MOST = 8
"""So many facts of one message are kept."""
LONGEST = 4_000
"""Characters of a message that are read: people do not introduce themselves in longer ones."""
_APART = lazy_pattern(
    r"```.*?(?:```|\Z)|`[^`]*`|^[ \t]*>[^\n]*|\*[^*]*\*|\([^()]*\)|\[[^][]*\]|<[^<>]*>", re.DOTALL | re.MULTILINE
)
"""Code, quoted lines, narration, asides, tags."""
_QUOTED = lazy_pattern(r"[\"“”„«»]([^\"“”„«»]*)(?:[\"“”„«»]|\Z)|‘([^‘’]*)’(?!\w)|(?<!\w)'([^']*)'(?!\w)")
_NO_FACT = lazy_pattern(
    r"\b(?:if|unless|would|wouldn|could|might|maybe|perhaps|wish|imagine|pretend|suppose|supposing|let[’']?s say"
    r"|as though|not|never|hardly|no longer|used to|without|joke|joking|kidding|lie|lying|role ?play|my character"
    r"|say|says|said|saying|tell|tells|told|wrote|dream|dreamt|dreamed|think|thinks|thought|believe|guess|was|were|will"
    r"|once|when I|wenn|falls|würde|wäre|hätte|könnte|vielleicht|nicht|nie|niemals|kein\w*|sagt\w*|stell dir vor"
    r"|angenommen|träum\w*|si|ne|pas|jamais|peut-être|imagine[zs]?|dit|no|nunca|quizás?"
    r"|tal vez|imagina|dice|dijo)\b|n[’']t\b",
    re.IGNORECASE,
)
"""What makes a sentence something else than plain speech: a condition, a denial, a wish, others' words, a past."""
_ONESELF = r"(?:I|my|call me|you can call|ich|mein|nennt?|je|j[’']|mon|me|mi|yo|vivo|tengo|estoy)\b"
_CLAUSE = lazy_pattern(
    rf"\s*[,;:–—]+\s*(?:and |but |und |aber |et |y )?(?={_ONESELF})|\s+(?:and|but|und|aber|et|y)\s+(?={_ONESELF})",
    re.IGNORECASE,
)
"""Where another thing begins that is said of oneself."""
_OPENING = lazy_pattern(
    r"^(?:(?i:hi|hello|hey|oh|well|so|yes|by the way|also|and|actually|nice to meet you|hallo|ja|übrigens|salut|bonjour"
    r"|hola|sí)(?: there)?(?:,? (?!I\b|My|Call|You|Ich|Mein|Nenn|Je?\b|Mon|Me|Mi|Yo|Vivo|Tengo)[A-ZÀ-Þ][\w-]*)?"
    r"\s*[,!:–—-]*\s+)+(?=\S)"
)
"""A greeting, with the name of whom it greets."""
_TAIL = lazy_pattern(
    r"\s*(?:[,;:–—].*|\s(?:and|but|because|since|so|though|although|too|with|last|this|now|right|for|und|aber|weil|et|mais|y|pero|porque)\b.*)?[\s.!…]*$",
    re.IGNORECASE | re.DOTALL,
)
_EMPTY_VALUES_TEXT = (
    "you it this that them him her us me these those here there one everything nothing all what how your "
    "his their dich euch sie ihn es das dies alles nichts toi ça cela tout te eso todo to"
)
_EMPTY_VALUES = frozenset(_EMPTY_VALUES_TEXT.split())
_TO_SOMEBODY_TEXT = (
    "i me my mine you your yours we us our mich mein meine dich dein deine euch uns moi mon ma toi tu mi ti"
)
_TO_SOMEBODY = frozenset(_TO_SOMEBODY_TEXT.split())
"""In the words of somebody else they mean another person."""
_NO_NAMES_TEXT = (
    "american british english german french spanish italian dutch swedish norwegian danish finnish polish "
    "russian ukrainian turkish greek chinese japanese korean indian mexican canadian australian irish "
    "scottish welsh austrian swiss portuguese brazilian european african asian catholic christian jewish "
    "muslim hindu buddhist republican democrat fine ok okay sorry sure back home done ready here there "
    "yes no god legion"
)
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())


def facts_in(text: str) -> tuple[SaidFact, ...]:
    """What the speaker of a text plainly says of themselves, each fact once, in the order it is said.

    Nothing of what is quoted, narrated, denied, asked, wished, or said under a condition.
    """
    found: dict[str, SaidFact] = {}
    for clause in _clauses(text[:LONGEST]):
        fact = _fact(clause)
        if fact is not None:
            found.setdefault(fact.id, fact)
    return tuple(found.values())[:MOST]


def _clauses(text: str) -> Iterator[str]:
    for sentence in sentences(spoken(text)):
        plain = _OPENING.sub("", sentence.strip())
        if plain.rstrip(" *_)").endswith(("?", "\uff1f")) or _NO_FACT.search(plain):
            continue
        yield from _CLAUSE.split(plain)


def spoken(text: str) -> str:
    """What the speaker says with their own voice: of a text that is quotes and narration, what is in the quotes; of any
    other, what is not."""
    rest = _APART.sub("\n", text)
    is_script = "*" in text and not re.search(r"\w", _QUOTED.sub("", rest))
    return _QUOTED.sub(lambda quote: f"\n{quote[1] or ''}\n" if is_script else " … ", rest)


def _fact(clause: str) -> SaidFact | None:
    said = clause.strip().rstrip(" .!…")
    for rule in RULES:
        found = rule.pattern.match(said) or rule.pattern.match(_TAIL.sub("", said, count=1))
        if found is not None and _says_something(rule.about, value := found["it"].strip(" .,'’-")):
            return SaidFact(
                about=rule.about, value=value, wording=rule.wording, now=rule.now, confidence=rule.confidence
            )
    return None


def _says_something(about: str, value: str) -> bool:
    words = value.casefold().split()
    is_no_name = about == "name" and (_NO_NAMES.intersection(words) or re.search(r"['’]s?$", value))
    return bool(words) and words[0] not in _EMPTY_VALUES and not is_no_name and not _TO_SOMEBODY.intersection(words)
