"""When a message tells somebody just what another told them, so that both tellings add up to one memory. Pure.

They do only where the two memories would read alike: the same words of the same speaker, on the same day, at the same
place, in the same channel and before the same personas, with nobody in disguise. The same words of somebody else are
a memory of their own: whose mother is it in `Mother has died.`? A question is no fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from earwitness import SharingEvent
from earwitness.formats import message_text_of
from earwitness.records.character import Cast
from earwitness.records.memory_types import MetaValue
from earwitness.records.message import Message
from earwitness.records.plan import Delivery

from .records import Telling

FULL_STOPS = ".!…。\uff01"
"""Signs at the end of a text that change nothing about it."""
FEWEST = 3
"""Words of a fact; `Yes.` and `Good night!` say nothing by themselves."""
_FILLERS = "alas oh ah aha hm hmm eh indeed sadly unfortunately fortunately luckily thankfully"
FILLERS = frozenset(_FILLERS.split())
"""Words that may be left out of a sentence, and it says the same."""
SAID = {"speaker": "speaker", "gameDay": "game_day", "location": "scene"}
"""Metadata → the field of the message."""
WHERE = {"contextType": "context", "channelId": "channel_id", "guildId": "guild_id", "personaId": "persona_id"}
"""Metadata → the field of the channel."""


def digest_of(text: str) -> str | None:
    """The same for the same words; `None` for what is too short to be a fact, or a question."""
    words = _words(text)
    if len(words) < FEWEST or "?" in text or "\uff1f" in text:
        return None
    return blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


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
        words = _words(text)
        same = (each for each in self._of.get(owner, ()) if _words(message_text_of(each.body)) == words)
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
    return is_same and _personas(earlier.metadata.get("participants", []), event.cast) == _personas(
        [*event.message.participants], event.cast
    )


def _said_alike(metadata: Mapping[str, MetaValue], message: Message) -> bool:
    """Whether both were said by the same speaker, when and where the other was."""
    is_same = all(metadata.get(name) == getattr(message, field) for name, field in SAID.items())
    return is_same and all(metadata.get(name) == getattr(message.channel, field) for name, field in WHERE.items())


def _personas(participants: MetaValue, cast: Cast) -> set[str]:
    """Those who may recall it because they were there: personas, and whoever the cast does not know."""
    there = [str(each) for each in participants] if isinstance(participants, list) else []
    return {id for id in there if id not in cast or cast[id].kind == "persona"}


def _words(text: str) -> list[str]:
    return text.strip().rstrip(FULL_STOPS).split()


def _without_fillers(text: str) -> list[str]:
    """The words of a text, without fillers and the commas around them."""
    left: list[str] = []
    for word in _words(text):
        if word.casefold().strip(",") not in FILLERS:
            left.append(word)
        elif left:
            left[-1] = left[-1].removesuffix(",")
    return left
