"""When a message tells somebody just what another told them, so that both tellings add up to one memory. Pure.

They do only where the two memories would read alike: the same words of the same speaker, on the same day, at the same
place, in the same channel and before the same personas, with nobody in disguise. The same words of somebody else are
a memory of their own: whose mother is it in `Mother has died.`? A question is not a fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from earwitness import SharingEvent
from earwitness.formats import message_text_of
from earwitness.records.memory_types import MetaValue
from earwitness.records.message import Message
from earwitness.records.plan import Delivery

from ..said_alike import SAID, WHERE, personas_of, words_of
from .records import Telling

_FILLERS = "alas oh ah aha hm hmm eh indeed sadly unfortunately fortunately luckily thankfully"
FILLERS = frozenset(_FILLERS.split())
"""Words that may be left out of a sentence, and it says the same."""


def says_the_same(one: str, other: str) -> bool:
    """Whether two texts are the same word for word, but for words such as `alas`."""
    return _without_fillers(one) == _without_fillers(other)


class EarlierTellings:
    """What everybody was told in other messages, to find the same in it."""

    def __init__(self, event: SharingEvent, earlier: Iterable[Delivery]) -> None:
        """`told` are deliveries of other messages, by due day."""
        self._event = event
        self._of: dict[str, list[Delivery]] = {}
        for each in earlier:
            self._of.setdefault(each.owner, []).append(each)

    def memory(self, owner: str, text: str, telling: Telling) -> str | None:
        """Id of the memory in which somebody was told the same first; `None` if they were not."""
        words = words_of(text)
        same = (each for each in self._of.get(owner, ()) if words_of(message_text_of(each.body)) == words)
        return next((each.memory_id for each in same if read_alike(each, telling, self._event)), None)


def read_alike(earlier: Delivery, telling: Telling, event: SharingEvent) -> bool:
    """Whether a memory of what was told and one of this telling differ in their words and tellers at most."""
    if earlier.part != "message" or earlier.support.shared_from is None or earlier.support.how != telling.how:
        return False
    if earlier.disguises or "speakAs" in earlier.metadata or event.message.disguises:
        return False
    is_same = (
        _said_alike(earlier.metadata, event.message.message) and earlier.metadata.get("pantheonId") == telling.pantheon
    )
    return is_same and personas_of(earlier.metadata.get("participants", []), event.cast) == personas_of(
        [*event.message.participants], event.cast
    )


def _said_alike(metadata: Mapping[str, MetaValue], message: Message) -> bool:
    """Whether both were said by the same speaker, when and where the other was."""
    is_same = all(metadata.get(name) == getattr(message, field) for name, field in SAID.items())
    return is_same and all(metadata.get(name) == getattr(message.channel, field) for name, field in WHERE.items())


def _without_fillers(text: str) -> list[str]:
    """The words of a text, without fillers and the commas around them."""
    left: list[str] = []
    for word in words_of(text):
        if word.casefold().strip(",") not in FILLERS:
            left.append(word)
        elif left:
            left[-1] = left[-1].removesuffix(",")
    return left
