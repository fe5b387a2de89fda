"""Private exchanges: whoever answers a whisper is taken to answer in one, until somebody speaks up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from earwitness.patterns import lazy_pattern
from earwitness.records.message import Message

from ..discretion import languages
from ..text.message_reading import Reading
from ..text.privacy import Confinement
from .message_case import MessageCase

_SPEAKS_UP = lazy_pattern(
    r"""\b(?:stop(?:s|ped)?|no\s+longer|quits?)\s+whisper\w*
    | \b(?:aloud|out\s+loud|loud(?:ly|er)?|openly|at\s+large|announc\w+|declar\w+|proclaim\w+|exclaim\w*|shout\w*|
        yell\w*|bellow\w*|holler\w*|call(?:s|ed|ing)\s+(?:out|over|across)|cr(?:y|ies|ied|ying)\s+out|
        rais(?:es|ed|ing)\s+(?:his|her|their|my)\s+(?:voice|glass|cup|mug|hand)|
        clear(?:s|ed|ing)\s+(?:his|her|their|my)\s+throat|straighten\w*|st(?:ands?|ood)\s+up|gets?\s+up|got\s+up|
        rises|rose|jumps?\s+up|lean(?:s|ed|ing)?\s+back|sits?\s+back|sat\s+back|
        (?:turn|look|fac|address|wav|smil|grin|nod)\w*\s+(?:back\s+|round\s+|over\s+)?(?:to|at|towards?)\s+
            (?:the\s+(?:others|room|table|rest|group|crowd|guests|company)|every(?:one|body)|all)|
        laugh(?:s|ed|ing)?\s+(?:out\s+)?loud)\b
    | \b(?:to|at)\s+(?:all\s+of\s+(?:them|you|us)|every(?:one|body)|
        the\s+(?:whole\s+)?(?:room|table|others|crowd|group|company|party))\b
    | (?:\A|[.!?…"“]\s*)(?:hey|listen|so|right|well|okay|ok|attention|friends|everyone|everybody|all|gentlemen|ladies|
        folks|guys|people)[\s,]+(?:everyone|everybody|all|gentlemen|ladies|folks|guys|friends|people|
        you\s+(?:all|two|lot|guys))\b
    | (?:\A|[.!?…"“]\s*)(?:everyone|everybody|friends|gentlemen|ladies|folks|guys)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_TOWARDS = lazy_pattern(r"\b(?:to|at|towards?|for|facing|with)\s+(?:the\s+|old\s+|young\s+|dear\s+)?\Z", re.IGNORECASE)
_LEAST = 0.5
"""Only who is more likely than not to be here is kept out of something."""


def among_themselves(case: MessageCase) -> MessageCase:
    """The case of a message that goes on a private exchange: for nobody but those who were in it."""
    partners = _partners(case)
    if not partners:
        return case
    reading = case.reading
    kept = tuple(replace(each, audience=partners) if each.audience is None else each for each in reading.segments)
    own = Confinement("whisper", partners)
    return replace(case, reading=replace(reading, confined=reading.confined or own, segments=kept, aloud=False))


def _partners(case: MessageCase) -> tuple[str, ...]:
    """Ids of those with whom the speaker has just been whispering."""
    moment, me = case.moment, case.speaker.id
    inside = moment.state.last_perceivers
    if me not in inside or len(inside) < 2 or not moment.recent or _speaks_up(case.reading):
        return ()
    last = moment.recent[-1]
    if last.speaker == me or last.speaker not in case.scene.near or not _is_unguided(last, case):
        return ()
    outside = [id for id in case.scene.near if id not in inside and not case.narrates(id)]
    if not outside or not all(_was_kept_out(case, id, last) for id in outside) or _tells_others(case, outside):
        return ()
    return tuple(id for id in case.scene.near if id in inside and id != me)


def _is_unguided(last: Message, case: MessageCase) -> bool:
    """Whether a character's message reached only some of those here by its own words, and not by the host's."""
    channel = case.moment.channel
    return last.audience is None and last.present is None and last.channel == channel and not case.moment.placed


def _was_kept_out(case: MessageCase, id: str, last: Message) -> bool:
    """Whether somebody was here already when something was said that did not reach them."""
    return case.scene.places[id].since < last.sequence and case.fading.get(id, 1) >= _LEAST


def _speaks_up(reading: Reading) -> bool:
    """Whether the message is private by itself, is shouted, moves somebody, or is said over a call."""
    return bool(reading.confined or reading.shouted or reading.moves or reading.call)


def _tells_others(case: MessageCase, outside: list[str]) -> bool:
    """Whether the text says that it is for others, too."""
    text = case.moment.message.content
    if _SPEAKS_UP.search(text) or languages.is_open(text) or not set(outside).isdisjoint(case.reading.addressed):
        return True
    return any(id in outside for id in _turned_to(case, text))


def _turned_to(case: MessageCase, text: str) -> Iterator[str]:
    """`lifts her cup to Bob`, `… she told Bob`."""
    for mention in case.names.find(text):
        if _TOWARDS.search(text[max(0, mention.start - 24) : mention.start]):
            yield mention.id
