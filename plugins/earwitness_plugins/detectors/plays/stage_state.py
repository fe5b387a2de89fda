"""Whom a phrase of a direction means: `Claudio`, `the Duke`, `two Lords`, `Soldiers`, `his train`, `a Messenger`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from earwitness.patterns import lazy_pattern

from ..text.names import fold
from . import vocabulary as words
from .dramatis_personae import CastEntry, DramatisPersonae, is_plural, tokens

_WORD = lazy_pattern(r"[^\W_]+")
_OWNED = lazy_pattern(r"['’]s?(?!\w)")
_OTHERS = lazy_pattern(r"\b(?:train|etc|others?|rest)\b", re.IGNORECASE)
_ONE_OF = lazy_pattern(r"\W*an?\b", re.IGNORECASE)
_THEIRS = lazy_pattern(r"\b(?:his|her|their)\b", re.IGNORECASE)
_TRAIN = lazy_pattern(r"\b(?:train|followers|attendants|retinue|company|lords)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StageState:
    """Who is on stage when a direction is read."""

    company: DramatisPersonae
    """All parts."""
    here: tuple[str, ...]
    """Ids of those on stage."""
    seen: frozenset[str]
    """Ids of those who have been on stage."""
    spoke: tuple[str, ...]
    """Ids of those who spoke, the last one first."""
    since: Mapping[str, int]
    """Id → the message with which they came."""

    def moved(self, id: str, *, here: bool) -> StageState:
        """The boards once somebody has come or gone."""
        others = tuple(other for other in self.here if other != id)
        return StageState(self.company, (*others, id) if here else others, self.seen | {id}, self.spoke, self.since)


def phrases(text: str) -> list[str]:
    """The noun phrases of a list, without what those in it wear, carry or do."""
    cut = (words.APART.split(phrase, maxsplit=1)[0] for phrase in words.SPLIT.split(words.RELATION.sub(" ", text)))
    return [phrase.strip() for phrase in cut if phrase.strip()]


def meant(text: str, boards: StageState, *, entering: bool) -> list[str]:
    """Ids of all whom a list means, each once, in order."""
    found: list[str] = []
    for phrase in phrases(text):
        found += [id for id in _one(phrase, text, boards, found, entering=entering) if id not in found]
    return found


def _one(phrase: str, text: str, boards: StageState, before: Sequence[str], *, entering: bool) -> list[str]:
    kinds = {word for word in tokens(phrase) if word in words.KINDS} | _vague(phrase)
    several = any(is_plural(word) for word in _WORD.findall(phrase))
    count = _count(phrase)
    pool = list(boards.here) if not entering else [id for id in boards.company.parts if id not in boards.here]
    if before and _TRAIN.search(phrase) and (train := _train(boards, before[-1], pool)):
        return train
    if _ordinal(phrase) or (not several and count <= 1):
        return _person(phrase, text, boards, pool, entering=entering)
    return _group(phrase, kinds, count, boards, pool, before)


def _person(phrase: str, text: str, boards: StageState, pool: Sequence[str], *, entering: bool) -> list[str]:
    """One person; of several alike, who is likelier to come or go now."""
    named, around = tokens(phrase), tokens(text)
    persons = [id for id, part in boards.company.parts.items() if not part.several]
    everywhere = _closest(boards.company.best(phrase, persons), around)
    inside = [part for part in everywhere if part.id in pool]
    if (
        everywhere
        and not inside
        and any(part.proper & named - words.KINDS or part.words <= named for part in everywhere)
    ):
        return []
    if not entering and _ONE_OF.match(phrase) and _group_here(named, boards):
        return []
    likely = inside or _closest(boards.company.best(phrase, [id for id in persons if id in pool]), around)
    likely = _numbered(likely, phrase, named, boards, pool)
    if not likely:
        return [] if entering else _of_the_group(named, boards)
    if entering:
        return [min(likely, key=lambda part: (part.id in boards.seen, part.number)).id]
    recent = {id: at for at, id in enumerate(boards.spoke)}
    return [min(likely, key=lambda part: (recent.get(part.id, len(recent)), part.number)).id]


def _closest(parts: Sequence[CastEntry], around: frozenset[str]) -> list[CastEntry]:
    """`Antipholus and Dromio of Ephesus`: what is said of one of them tells the other from his namesake."""
    most = max((len(part.proper & around) for part in parts), default=0)
    return [part for part in parts if len(part.proper & around) == most]


def _numbered(
    likely: list[CastEntry], phrase: str, named: frozenset[str], boards: StageState, pool: Sequence[str]
) -> list[CastEntry]:
    """`Third Servingman`: the third of those who are likely, or else of those of a kind."""
    wanted = _ordinal(phrase)
    if not wanted:
        return likely
    alike = {word for words_ in words.ALIKE if words_ & named for word in words_}
    kind = [part for id in pool if (part := boards.company.parts[id]).heads & alike]
    return [part for part in likely or kind if part.number == wanted] or likely


def _group_here(named: frozenset[str], boards: StageState) -> bool:
    parts = (boards.company.parts[id] for id in boards.here)
    return any(part.several and part.heads & named & words.KINDS for part in parts)


def _of_the_group(named: frozenset[str], boards: StageState) -> list[str]:
    """`Drawer exits`, where the cast has only `Drawers, Musicians`: they, if they spoke of late."""
    spoke = [boards.company.parts[id] for id in boards.spoke if id in boards.here]
    kinds = named & words.KINDS
    return [part.id for at, part in enumerate(spoke) if part.several and kinds and (at < 3 or part.heads & kinds)][:1]


def _group(
    phrase: str, kinds: Set[str], count: int, boards: StageState, pool: Sequence[str], before: Sequence[str]
) -> list[str]:
    """The group as one, where the cast has it; else as many of its members as are counted."""
    parts = [boards.company.parts[id] for id in pool]
    alike = {word for words_ in words.ALIKE if words_.intersection(kinds) for word in words_}
    named = {word for word in kinds if word not in words.ANYBODY}
    single: list[CastEntry] = []
    for wanted, listed in ((kinds, False), (named, True), (alike, False)):
        found = _belonging([part for part in parts if part.heads & wanted], phrase, before, boards)
        if groups := _most_exact([part for part in found if part.several and part.list <= listed], kinds):
            return groups
        single = single or [part for part in found if not part.several and not part.words & words.TITLES]
    if single and named:
        single.sort(key=lambda part: (part.id in boards.seen, part.number))
        return [part.id for part in (single[:count] if count else single)]
    if kinds & words.VAGUE or _THEIRS.search(phrase):
        return _most_exact(_belonging([part for part in parts if part.several], phrase, before, boards), kinds)
    return []


def _most_exact(groups: Sequence[CastEntry], kinds: Set[str]) -> list[str]:
    """`Soldiers` are the `Soldiers` of the cast list rather than its `Servants, Soldiers, Messengers`."""
    ranked = sorted(groups, key=lambda part: (part.list, not part.heads & set(kinds), part.anonymous, len(part.words)))
    return [part.id for part in ranked[:1]]


def _belonging(found: list[CastEntry], phrase: str, before: Sequence[str], boards: StageState) -> list[CastEntry]:
    """`Brutus and his army`: the soldiers of Brutus, not those of Cassius."""
    owners = tokens(_OWNED.sub("", phrase)) - words.KINDS
    for id in before:
        owners |= boards.company.parts[id].proper
    if mine := [part for part in found if not part.list and (part.proper - words.KINDS) & owners]:
        return mine
    named = {word for part in boards.company.parts.values() if not _is_of_a_kind(part) for word in part.proper}
    free = [part for part in found if not _is_of_a_kind(part) or not (part.proper - words.KINDS) & named]
    return free or found


def _is_of_a_kind(part: CastEntry) -> bool:
    return part.several or bool(part.number)


def _train(boards: StageState, owner: str, pool: Sequence[str]) -> list[str]:
    """Those who came, or went, together with somebody."""
    since = boards.since.get(owner)
    return [id for id in pool if since is not None and boards.since.get(id) == since and id != owner]


def _vague(phrase: str) -> set[str]:
    return {"train"} if _OTHERS.search(phrase) else set()


def _count(phrase: str) -> int:
    counts = [words.COUNTS[fold(word)] for word in _WORD.findall(phrase) if fold(word) in words.COUNTS]
    return max(counts, default=0)


def _ordinal(phrase: str) -> int:
    return next((words.ORDINALS[fold(word)] for word in _WORD.findall(phrase) if fold(word) in words.ORDINALS), 0)
