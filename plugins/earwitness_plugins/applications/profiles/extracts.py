"""A profile without a model: sentences from the memories, those that say most about the other one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from earwitness import Character
from earwitness.patterns import lazy_pattern
from earwitness.sentences import sentences

from .evidence import AboutSomebody, names_of
from .records import ProfileClaim

MOST, MOST_A_DAY = 12, 4
"""Claims of a profile, and of one game day."""
LONGEST = 240
"""Characters of a quotation."""
_OPINION = lazy_pattern(
    r"\b(?:trust|lov|lik|hat|fear|afraid|friend|enem|liar|lie[sd]?\b|betray|brave|coward|kind|cruel|promis|owe|thief|stole|steal"
    r"|secret|respect|despis|forgiv|sorry|thank|help|sav(?:ed|es)\b|hurt|angry|jealous|admir|miss(?:ed|es)?\b|honest|loyal"
    r"|vertrau|lieb|hass|freund|feind|lüg|verrat|fürcht|angst|confi|amour|aime|déteste|ami[es]?\b|ennemi|ment|trahi|peur"
    r"|quier|odi|amig|enemig|mient|traicion|miedo)",
    re.IGNORECASE,
)


def extracted(memories: Sequence[AboutSomebody], other: Character) -> tuple[ProfileClaim, ...]:
    """At most twelve quotations, and four of a day: what the character said of the other one before what others said of
    them, and that before what they said themselves; of these, what sounds like an opinion first."""
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names_of(other)))})(?!\w)", re.IGNORECASE)
    ranked = sorted(_quotations(memories, named), key=lambda each: (-each[0], -each[1].day))
    of_day: dict[float, int] = {}
    chosen: list[ProfileClaim] = []
    for _, memory, sentence in ranked:
        if len(chosen) < MOST and of_day.get(memory.day, 0) < MOST_A_DAY:
            of_day[memory.day] = of_day.get(memory.day, 0) + 1
            chosen.append(_claim(memory, sentence))
    return tuple(sorted(chosen, key=lambda each: each.day))


def _quotations(memories: Sequence[AboutSomebody], named: re.Pattern[str]) -> Iterator[tuple[int, AboutSomebody, str]]:
    """How much each sentence says, its memory, and itself: one of each memory."""
    for each in memories:
        weighed = [(_weight(each, said, named), said) for said in map(str.strip, sentences(each.text)) if said]
        best = max(weighed, key=lambda pair: pair[0], default=(0, ""))
        if best[0] > 0:
            yield best[0], each, best[1]


def _weight(memory: AboutSomebody, sentence: str, named: re.Pattern[str]) -> int:
    opinion = 3 if _OPINION.search(sentence) else 0
    if memory.is_theirs:
        return 1 + opinion
    return (4 if memory.is_own else 2) + opinion if named.search(sentence) else 0


def _claim(memory: AboutSomebody, sentence: str) -> ProfileClaim:
    quoted = sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 1]}…"
    text = f"{memory.speaker}: “{quoted}”" if memory.speaker else quoted
    day = memory.day
    return ProfileClaim(text=text, evidence=(memory.id,), since=day, day=day, unsayable=memory.recalled.unsayable)
