"""Whether what a speaker says stands in quotation marks in this story, so that a message without any is narration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from earwitness.patterns import lazy_pattern
from earwitness.records.moment import Moment

from ..discretion.inner_prose import is_mostly_inner
from ..text.names import Names
from ..text.narration import tells_who_speaks
from ..text.vocatives import addressed

_DIALOGUE = lazy_pattern(
    r"""["“«„「『] [^"”“»」』]{1,600}? [,.!?…—–。] ["”“»」』] | (?:^|[\s—–]) ['‘] [^'’‘\n]{2,300}? [,.!?…—–] ['’] (?!\w)
        | ^ [ \t]* [—–] [ \t]? \w""",
    re.VERBOSE | re.MULTILINE,
)
_MARKED = frozenset('*[({<_`~/"“«„「『—–')
_YOU = lazy_pattern(
    r"\b(?:you|your|yours|yourself|du|dich|dir|ihr|euch|tu|te|toi|vous|tú|usted|você|vocês|ты|тебя|тебе|вы|вас)\b|[你您]|あなた|君"
)
_OFTEN = 3
"""Others write so many times more often in quotation marks than plainly."""
_SPEAKERS = 2
"""So many others must speak in quotation marks before somebody who never has is taken to."""


def speaks_in_quotes(moment: Moment, names: Names) -> bool:
    """Whether this message would have quotation marks if anything were said in it.

    So it is for whoever tells of what they say, as novels do, and for others, where all others do, and it speaks to
    nobody; but not where people also write down what they say as it is.
    """
    text = moment.message.content
    if not _MARKED.isdisjoint(text) or not text[:1].isupper():
        return False
    if not any(map(_has_dialogue, [message.content for message in moment.recent])):
        return False  # as in most chats: how each of them writes need not be known
    own, others = _Habit(), dict[str, _Habit]()
    for message in moment.recent:
        if message.speaker in moment.cast and moment.cast[message.speaker].kind != "narrator":
            habit = own if message.speaker == moment.message.speaker else others.setdefault(message.speaker, _Habit())
            habit.note(message.content)
    quoting = [each for each in others.values() if each.quoted]
    if sum(each.quoted for each in quoting) < _OFTEN * sum(each.plain for each in others.values()):
        return False
    if own.told and own.quoted >= own.plain:
        return True
    if len(quoting) < _SPEAKERS or not any(each.told for each in quoting):
        return False
    is_persona = moment.cast[moment.message.speaker].kind == "persona"
    return not is_persona and _tells(text, own) and not addressed(text, names.find(text))


def _tells(text: str, own: _Habit) -> bool:
    """Whether a message without quotation marks tells something, where two others write with them.

    What tells of nothing that anybody could see is thought, also by who has spoken plainly before.
    """
    to_you = _YOU.search(text.casefold()) is not None
    if _written(text) == "inner":
        return bool(own.quoted) or not to_you
    return not (to_you or own.plain or own.told)


@dataclass(slots=True)
class _Habit:
    """How one character has written lately."""

    quoted: int = 0
    """Messages with dialogue in quotation marks."""
    told: int = 0
    """Those of them that also tell of what is done or how it is said."""
    plain: int = 0
    """Messages of plain words that are not thoughts."""

    def note(self, text: str) -> None:
        how = _written(text)
        self.quoted += how != "plain" and how != "inner"
        self.told += how == "told"
        self.plain += how == "plain"


@lru_cache(maxsize=512)
def _has_dialogue(text: str) -> bool:
    return _DIALOGUE.search(text) is not None


@lru_cache(maxsize=512)
def _written(text: str) -> Literal["quoted", "told", "plain", "inner"]:
    """How a message is written, as far as its quotation marks go."""
    if not _has_dialogue(text):
        whole = text[:1].isupper() and text.rstrip()[-1:] in ".!?…。"
        return "inner" if whole and is_mostly_inner(text) else "plain"
    return "told" if tells_who_speaks(_DIALOGUE.sub(" ", text)) else "quoted"
