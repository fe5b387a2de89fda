"""Who is spoken to, of those who perceive a message: from its reading, and from who held the floor before.

Nothing is read twice: the message is read already, and of those before it the rules keep whom they call by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from earwitness.patterns import lazy_pattern
from earwitness.records.moment import Presence
from earwitness.shared_values import chosen, having

from ..dialogue.clues import Situation
from ..dialogue.conversation import Conversation, SpokenLine
from ..dialogue.line_words import LineWords, Titles, with_forms
from ..dialogue.weights import likelihood
from ..text.bare_vocatives import called_plainly
from ..text.guards import guarded_pattern
from ..text.message_reading import spoken
from ..text.names import Names, lists
from ..text.vocatives import addressed
from .message_case import LinesRead, MessageCase

WITHIN = 8
"""So many messages before this one count."""
_ENOUGH = 0.5
_BEST = 0.2
_PERCEIVING = 0.3
_ALL = guarded_pattern(
    r"\b(?:all|each|any|every\s+one|the\s+(?:two|three|four|lot))\s+of\s+you\b|\byou\s+(?:all|three|four|lot|guys|people)\b|\by['’]?all\b|"
    r"(?:\A|[.!?,:;\"“*]\s*)(?:(?:hi|hello|hey|listen(?:\s+up)?|welcome|thanks|thank\s+you|good\s+(?:morning|day|evening|afternoon|night)|"
    r"(?:good)?bye|ok(?:ay)?|right|so|come\s+on|quiet|attention|well|now|sorry),?\s+)?"
    r"(?:every(?:one|body)|folks|guys|team|people|gentlemen|ladies|friends|comrades|lads|all)\s*(?:[,.!?:;—–\"”*]|\Z|and\s+gentlemen)|@(?:everyone|here|all)\b",
    re.IGNORECASE,
)
_BOTH = guarded_pattern(
    r"\b(?:both|the\s+two|the\s+pair|either)\s+of\s+you\b|\byou\s+(?:two|both|pair)\b", re.IGNORECASE
)
_TURNS_TO = guarded_pattern(
    r"\b(?:(?:turn|speak|talk|say|said|call|nod|smile|grin|glance|look|wink|wave|point|gesture|shout|yell|spoke|bow|glare|frown|stare)"
    r"(?:s|es|ed|ing)?\s+(?:\w+ly\s+|up\s+|back\s+|over\s+|round\s+|around\s+){0,2}(?:to|at|towards?)|"
    r"(?:ask|tell|told|greet|answer|thank|address|face|remind|assure|warn|order)(?:s|es|ed|ing)?)\s+",
    re.IGNORECASE,
)
_NOT_MEANT = guarded_pattern(
    r"\b(?:every(?:one|body)|any(?:one|body)|all(?:\s+of\s+(?:you|us))?|you\s+all)\s+(?:except|but|besides|save)\s+(?:for\s+)?|"
    r"\bnot\s+you\s*,\s*",
    re.IGNORECASE,
)
_NAME = 80
"""Within so many characters, the names of those who are turned to are looked for."""
_SECOND_PERSON = guarded_pattern(r"\b(?:you|your|yours|yourself|yourselves)\b", re.IGNORECASE)
_QUOTED = lazy_pattern(r"[\"“«„][^\"“”»]*[\"”»“]")
_REPLY = lazy_pattern(r"\A\s*>\s*(?P<text>[^\n]+)\n")
_QUOTED_LEAST = 8


def spoken_to(case: MessageCase, presence: Presence, lines: LinesRead, titles: Titles) -> tuple[str, ...]:
    """Ids of those who perceive it and are spoken to, the most certain first; the equally certain as in `presence`."""
    me, chances = case.speaker.id, presence.characters
    perceiving = chosen(chances, chances.values(), lambda who: who.probability >= _PERCEIVING)
    others = [id for id in perceiving if id != me]
    if not others:
        return ()
    meant = chosen(others, map(chances.__getitem__, others), lambda who: who.role == "addressee")
    certain = {id: chances[id].probability for id in meant}
    if case.speaker.kind == "narrator":
        found: Mapping[str, float] = _by_narrator(case, others)
    elif case.moment.message.context == "dm" or case.reading.confined:
        found = certain
    else:
        found = _openly(case, others, certain, lines, titles)
    return tuple(sorted(filter(found.__contains__, others), key=lambda id: -found[id])) if found else ()


def _by_narrator(case: MessageCase, others: Iterable[str]) -> dict[str, float]:
    """Narration speaks to nobody, but for a game master's `you`: to those it calls by name, else to everybody."""
    told = case.moment.message.content
    if not _SECOND_PERSON.search(told) or not _SECOND_PERSON.search(outside := _QUOTED.sub(" ", told)):
        return {}
    called = {*addressed(outside, case.names.find(outside)), *_heard_apart(case)}
    players = [id for id in others if not case.narrates(id)]
    return {id: 0.9 for id in players if id in called} or dict.fromkeys(players, 0.6)


def _heard_apart(case: MessageCase) -> Iterator[str]:
    return (id for part in case.reading.segments for id in part.audience or ())


def _openly(
    case: MessageCase, others: list[str], certain: Mapping[str, float], lines: LinesRead, titles: Titles
) -> dict[str, float]:
    content = case.moment.message.content
    if case.reading.named and (left_out := {*_left_out(content, case.names)}):
        others = [id for id in others if id not in left_out]
        certain = {id: chance for id, chance in certain.items() if id not in left_out}
    turned = {*_turned_to(case), *_quoted(case)} & set(others)
    if not case.reading.aloud:
        return {**certain, **dict.fromkeys(turned, 0.9)}
    turned |= {*case.reading.addressed} & set(others)
    called = frozenset((*certain, *turned)) or _called_plainly(case) & set(others)
    if called:
        return {id: certain.get(id, 0.9) for id in called}
    others = _seen(case, others)
    if not others:
        return {}
    if _ALL.search(content):
        return dict.fromkeys(others, 0.9)
    if len(others) == 1:
        return {others[0]: 0.95}
    weighed = _weighed(case, others, lines, titles)
    if _BOTH.search(content):
        return dict(sorted(weighed.items(), key=lambda each: -each[1])[:2])
    enough = {id: chance for id, chance in weighed.items() if chance >= _ENOUGH}
    best = max(weighed, key=weighed.__getitem__)
    return enough or ({best: weighed[best]} if weighed[best] >= _BEST else {})


def _weighed(case: MessageCase, others: Iterable[str], lines: LinesRead, titles: Titles) -> dict[str, float]:
    """How likely each is spoken to. Those of whom nothing is known but that they are here weigh the same."""
    situation = _situation(case, lines, titles)
    known, last = {line.speaker for line in situation.talk.before} | situation.talk.now.words.named, situation.last
    first = next((id for id in others if id not in known), None)
    silent = 0.0 if first is None else likelihood(situation.clues(first), "talk", last=first == last)
    found = dict.fromkeys(others, silent)
    found.update({id: likelihood(situation.clues(id), "talk", last=id == last) for id in known.intersection(found)})
    return found


def _situation(case: MessageCase, lines: LinesRead, titles: Titles) -> Situation:
    message, cast = case.moment.message, case.moment.cast.by_id
    words = with_forms(LineWords(named=frozenset(case.reading.named)), message.content, titled=titles.any)
    said = [
        SpokenLine(each.speaker, lines(each), 0, each.sequence)
        for each in reversed(case.moment.recent[-WITHIN:])
        if each.speaker in cast and cast[each.speaker].kind != "narrator"
    ]
    return Situation(Conversation(SpokenLine(case.speaker.id, words, 0, message.sequence), tuple(said)), titles)


def _called_plainly(case: MessageCase) -> frozenset[str]:
    """Those whom it calls by name without a comma. It is looked for only where somebody is named."""
    if not case.reading.named:
        return frozenset()
    said = spoken(case.moment.message.content, case.speaker)
    return frozenset(id for text in said for id in called_plainly(text, case.names.find(text)))


def _seen(case: MessageCase, others: list[str]) -> list[str]:
    """Without those who hide: nobody speaks to them, unless by name or from the same hiding place."""
    places = case.moment.whereabouts
    hiding = {*having(places, places.values(), "condition", ("hiding",))}
    return others if not hiding or case.speaker.id in hiding else [id for id in others if id not in hiding]


def _turned_to(case: MessageCase) -> Iterator[str]:
    """Those whom its action text has the speaker turn to: `*nods at Bob and Mia*`, `she asks Bob`; no talk of it."""
    content = case.moment.message.content
    if _TURNS_TO.search(content) is None:
        return
    for said in spoken(content, case.speaker):
        content = content.replace(said, " ") if said else content
    yield from _named_behind(_TURNS_TO, content, case.names)


def _left_out(content: str, names: Names) -> Iterator[str]:
    """Those who are named as not meant: `everyone except Bob`, `Not you, Bob.`."""
    return _named_behind(_NOT_MEANT, content, names)


def _named_behind(pattern: re.Pattern[str], text: str, names: Names) -> Iterator[str]:
    for found in pattern.finditer(text):
        near = text[found.end() : found.end() + _NAME]
        for group in lists(near, names.find(near))[:1]:
            yield from (each.id for each in group if not group[0].start and not each.possessive)


def _quoted(case: MessageCase) -> Iterator[str]:
    """Whoever said what a reply quotes above its own words."""
    reply = _REPLY.match(case.moment.message.content)
    text = reply["text"].strip() if reply else ""
    if len(text) >= _QUOTED_LEAST:
        said = (each for each in reversed(case.moment.recent) if text in each.content or each.content[:60] in text)
        yield from (each.speaker for each in list(said)[:1])
