"""Who has gone by what the others say: they are bid farewell, are spoken of as gone, or fall silent after a hint.

A hint is what somebody said last, if it spoke of going and was not sure enough by itself. What others say ends a
presence; it never begins one, and takes back no message that was heard.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, log, log1p
from types import MappingProxyType

from earwitness.records.message import Message
from earwitness.records.moment import Movement

from ..acts.leave_model import clues, probability
from ..acts.signs import Signs
from .message_case import MessageCase

HINTED_WITHIN = 6
"""Messages within which somebody's hint is remembered."""
UNHINTED = 0.03
"""How likely somebody is about to go who has not said so."""
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"farewell": 2.0, "sends_off": 1.5, "gone": 2.5, "talked_of": 0.3, "silence": 0.35}
)
"""What is added to the log odds of having gone; set by hand."""


def sent_off(case: MessageCase) -> Iterator[Movement]:
    """Those whom this message lets go, by somebody who stays."""
    own = case.signs_of(case.moment.message)
    spoken_of = bool(own.found) or bool(case.reading.named)
    for id in case.scene.near:
        if id == case.speaker.id or case.narrates(id) or not case.scene.may_fade(id):
            continue
        hint, since = _hint(case, id)
        if (spoken_of or hint > UNHINTED) and _gone(case, id, own, hint, since) >= case.confidences.leaving:
            yield Movement(character=id, kind="leave", evidence="was about to go, and the others go on without them")


def _gone(case: MessageCase, id: str, own: Signs, hint: float, since: int) -> float:
    """How likely they have gone with this message."""
    addressed, named = id in case.reading.addressed, id in case.reading.named
    told = {
        "farewell": float(addressed and (own.clean("farewell") > 0 or own.any("bids"))),
        "sends_off": float(addressed and own.clean("sends_off") > 0),
        "gone": float(own.clean("gone") > 0 and not addressed and hint > UNHINTED),
        "talked_of": float(named and not addressed and hint > UNHINTED),
        "silence": log1p(since) if hint > UNHINTED and not addressed else 0.0,
    }
    total = log(hint / (1 - hint)) + sum(WEIGHTS[each] * value for each, value in told.items())
    return 1 / (1 + exp(-total)) if any(told.values()) else 0


def _hint(case: MessageCase, id: str) -> tuple[float, int]:
    """How likely they were to go by what they said last, and how many others have spoken since."""
    recent: Sequence[Message] = case.moment.recent[-HINTED_WITHIN:]
    for since, message in enumerate(reversed(recent)):
        if message.speaker == id:
            signs = case.signs_of(message)
            hinted = probability(clues(signs, to_one=False, answers=False)) if _hints(signs) else 0.0
            unsure = UNHINTED < hinted < case.confidences.leaving  # who was sure enough to go went then
            return (hinted if unsure else UNHINTED), since
    return UNHINTED, 0


def _hints(signs: Signs) -> bool:
    return any(act in ("leaves", "stated", "perhaps") and "not" not in doubts for act, doubts in signs.found)
