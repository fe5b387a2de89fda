"""Who has gone by what the others say: bid farewell, sent away, spoken of as gone. Silence has a file of its own.

A hint is what somebody said last, if it spoke of going and was not sure enough by itself. What others say ends a
presence; it never begins one, and takes back no message that was heard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import exp, log
from types import MappingProxyType

from earwitness.patterns import lazy_pattern
from earwitness.records.message import Message
from earwitness.records.moment import Movement

from ..acts.leave_model import clues, probability
from ..acts.signs import Signs
from .message_case import MessageCase

HINTED_WITHIN = 6
"""Messages within which somebody's hint is remembered."""
SILENT = 3
"""How many others have spoken since somebody did before it is believed that they are gone."""
UNHINTED = 0.03
"""How likely somebody is about to go who has not said so."""
NOT_MEANT = lazy_pattern(
    r"\b(?:lie[sd]?|lying|claim(?:s|ed|ing)?|pretend\w*|jok(?:es?|ed|ing)|kidding|jk|teas(?:es|ed|ing)|bluff(?:s|ed|ing)?|"
    r"invent(?:s|ed)|think(?:s|ing)?|thought|wonder(?:s|ed|ing)?|imagin(?:es|ed|ing)|dream(?:s|ed|t)?|remember(?:s|ed|ing)?|"
    r"fib(?:s|bed)?|whisper(?:s|ed|ing)?|suppos(?:es?|ed)|guess(?:es|ed)?|"
    r"lügt|log|behauptet\w*|scherzt\w*|denkt|dachte|träumt\w*|ment(?:it|ait|e|ia|ía|iu|ió)|prétend\w*|plaisant\w*|pense|"
    r"pensa|pensó|pensou|finge|fingi\w*|bromea\w*|brinca\w*|sonha\w*|sueña|rêve|"
    r"л[жг]\w+|соврал\w*|врёт|врет|пошутил\w*|шутит|притвор\w+|думает|подумал\w*)\b|嘘|冗談|と思|谎|骗|开玩笑|心想",
    re.IGNORECASE,
)
"""Words of lying, joking and thinking: what stands beside them is not told as it is."""
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "farewell": 2.0,
        "sends_off": 1.5,
        "orders": 3.0,
        "away": 3.2,
        "replied": 1.2,
        "gone": 0.9,
        "talked_of": 0.15,
    }
)
"""What is added to the log odds of having gone; set by hand: labelled scenes hold too few answers."""


def sent_off(case: MessageCase) -> Iterator[Movement]:
    """Those whom this message lets go, by somebody who stays."""
    own = case.signs_of(case.moment.message)
    spoken_of = bool(own.found or own.away or case.reading.named)
    hinting = {message.speaker for message in case.moment.recent[-HINTED_WITHIN:]}
    for id in case.scene.near if spoken_of else [id for id in case.scene.near if id in hinting]:
        if id == case.speaker.id or case.narrates(id) or case.scene.condition(id) == "hiding":
            continue
        hint, since = _hint(case, id)
        if (spoken_of or hint > UNHINTED) and _gone(case, id, own, hint, since) >= case.confidences.leaving:
            yield Movement(character=id, kind="leave", evidence="was about to go, and the others go on without them")


def _gone(case: MessageCase, id: str, own: Signs, hint: float, since: int | None) -> float:
    """How likely they have gone with this message."""
    told = _told(case, id, own, since)
    if hint > UNHINTED and case.scene.may_fade(id):
        told |= _after_hint(case, id, own, since or 0)
    if not any(told.values()):
        return 0
    total = log(hint / (1 - hint)) + sum(WEIGHTS[each] * value for each, value in told.items())
    return 1 / (1 + exp(-total))


def _told(case: MessageCase, id: str, own: Signs, since: int | None) -> dict[str, float]:
    """What is said to them, or of them: who has just spoken is not asleep."""
    to_them = float(id in case.reading.addressed or id in own.parted)
    return {
        "farewell": to_them * own.bids(),
        "sends_off": to_them * (own.clean("sends_off") > 0),
        "orders": to_them * (own.clean("orders") > 0),
        "away": float(id in own.away and (since is None or since >= SILENT) and _vouched(case, id)),
    }


def _vouched(case: MessageCase, id: str) -> bool:
    """Whether what is told of somebody is said openly and earnestly, and the host has not said that they are here."""
    aside = case.reading.confined is not None or NOT_MEANT.search(case.moment.message.content) is not None
    return not aside and case.scene.may_fade(id)


def _after_hint(case: MessageCase, id: str, own: Signs, since: int) -> dict[str, float]:
    """What the others make of somebody who seemed about to go."""
    addressed = id in case.reading.addressed
    wished = own.clean("sends_off") > 0 or own.clean("orders") > 0
    return {
        "replied": float(since == 0 and not case.reading.addressed and wished),
        "gone": float(own.clean("gone") > 0 and not addressed),
        "talked_of": float(id in case.reading.named and not addressed),
    }


def _hint(case: MessageCase, id: str) -> tuple[float, int | None]:
    """How likely they were to go by what they said last, and how many others have spoken since; `None` for many."""
    recent: Sequence[Message] = case.moment.recent[-HINTED_WITHIN:]
    for since, message in enumerate(reversed(recent)):
        if message.speaker == id:
            signs = case.signs_of(message)
            hinted = probability(clues(signs, to_one=False, answers=False)) if _hints(signs) else 0.0
            unsure = UNHINTED < hinted < case.confidences.leaving  # who was sure enough to go went then
            return (hinted if unsure else UNHINTED), since
    return UNHINTED, None


def _hints(signs: Signs) -> bool:
    return any(
        act in ("leaves", "stated", "perhaps", "duty", "until", "device") and "not" not in doubts
        for act, doubts in signs.found
    )
