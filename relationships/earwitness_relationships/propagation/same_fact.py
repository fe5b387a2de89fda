"""When two messages tell the same fact, so that their tellers add up to one memory. Pure, and rather too careful.

The same words count as the same fact if they were said by the same speaker on the same day. By others they do so only
where they are English enough to know that nothing in them means something else there (no `I`, no `here`, no `today`),
and on another day only where they speak of the past (`was`, `has`). A question is no fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from earwitness import Channel
from earwitness.formats import message_text_of
from earwitness.records.memory_types import MetaValue
from earwitness.records.message import Message
from earwitness.records.plan import Delivery

ROUND_WORDS = ".,;:!…\"“”„«»'‘’`*_~()[]。\uff0c\uff01、「」"
"""Signs round words that change nothing about them."""
FEWEST = 3
"""Words of a fact; `Yes.` and `Good night!` say nothing by themselves."""
_POINTING = """
    i i'm i've i'd i'll me my mine myself we we're we've we'll us our ours
    you you're you've you'll your yours he him his she her hers it its it's they them their theirs
    this that these those here there now then today tonight tomorrow yesterday ago soon
    just still already again next last who what when where why how
"""
POINTING = frozenset(_POINTING.split())
"""English words whose meaning depends on who says them, when, where, and after what."""
_PAST = "was were had has have did been wasn't weren't hadn't hasn't haven't didn't"
PAST = frozenset(_PAST.split())
"""English words that speak of the past: what was so stays so."""
ENGLISH = frozenset({"the", "and", "with", "been", "were", "had"})
"""Words of which an English sentence mostly has one, and few others have any."""
WHERE = {"contextType": "context", "channelId": "channel_id", "guildId": "guild_id", "personaId": "persona_id"}
"""Metadata → the field of the channel."""


def digest_of(text: str) -> str | None:
    """The same for the same words; `None` for what is too short to be a fact, or a question."""
    words = _words(text)
    if len(words) < FEWEST or "?" in text or "\uff1f" in text:
        return None
    return blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class AlreadyTold:
    """What everybody was told in other messages, to find the same in it."""

    def __init__(self, message: Message, told: Iterable[Delivery]) -> None:
        """`told` are deliveries of other messages, by due day."""
        self._message = message
        self._of: dict[str, list[Delivery]] = {}
        for each in told:
            self._of.setdefault(each.owner, []).append(each)

    def memory(self, owner: str, text: str) -> str | None:
        """Id of the memory in which somebody was told the same first; `None` if they were not."""
        found = (each.memory_id for each in self._of.get(owner, ()) if _is_same(text, self._message, each))
        return next(found, None)


def recalled_alike(told: Delivery, channel: Channel) -> bool:
    """Whether what was told may become one memory with what is said in a channel: the same readers may recall both."""
    is_telling = told.part == "message" and told.support.shared_from is not None
    return is_telling and not told.disguises and _same_place(told.metadata, channel)


def _is_same(text: str, message: Message, told: Delivery) -> bool:
    if not recalled_alike(told, message.channel):
        return False
    if _words(message_text_of(told.body)) != (words := _words(text)):
        return False
    on_same_day = told.metadata.get("gameDay") == message.game_day
    if on_same_day and told.metadata.get("speaker") == message.speaker:
        return True
    return _says_it_for_itself(words) and (on_same_day or bool(PAST.intersection(words)))


def _same_place(metadata: Mapping[str, MetaValue], channel: Channel) -> bool:
    """Whether both were said in the same channel, so that who may recall the one may recall the other."""
    return all(metadata.get(name) == getattr(channel, field) for name, field in WHERE.items())


def _says_it_for_itself(words: list[str]) -> bool:
    found = set(words)
    return not found & POINTING and bool(found & ENGLISH)


def _words(text: str) -> list[str]:
    stripped = (each.strip(ROUND_WORDS) for each in text.casefold().replace("\u2019", "'").split())
    return [each for each in stripped if each]
