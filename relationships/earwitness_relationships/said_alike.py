"""Whether two messages say the same of one fact: in the same words of the same speaker, on the same day, at the same
place, in the same channel and before the same personas. Pure."""

from __future__ import annotations

import json
from hashlib import blake2b

from earwitness import SharingEvent
from earwitness.records.character import Cast
from earwitness.records.memory_types import MetaValue

FULL_STOPS = ".!…。\uff01"
"""Signs at the end of a text that change nothing about it."""
FEWEST = 3
"""Words of a fact; `Yes.` and `Good night!` say nothing by themselves."""
SAID = {"speaker": "speaker", "gameDay": "game_day", "location": "scene"}
"""Metadata → the field of the message."""
WHERE = {"contextType": "context", "channelId": "channel_id", "guildId": "guild_id", "personaId": "persona_id"}
"""Metadata → the field of the channel."""


def digest_of(text: str) -> str | None:
    """The same for the same words; `None` for what is too short to be a fact, or a question."""
    words = words_of(text)
    if len(words) < FEWEST or "?" in text or "\uff1f" in text:
        return None
    return blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def fact_id(event: SharingEvent, text: str, *more: str) -> str | None:
    """The same for all messages that tell the same fact in these words; `None` for what stands for itself: a question,
    what is too short, was edited, or was said in disguise. `more` is what must be the same, too."""
    said = event.message.message
    if said.revision or event.message.disguises or digest_of(said.content) is None:
        return None
    where = [getattr(said, field) for field in SAID.values()]
    where += [getattr(said.channel, field) for field in WHERE.values()]
    personas = sorted(personas_of([*event.message.participants], event.cast))
    whole = json.dumps([words_of(said.content), words_of(text), where, personas, more])
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest()


def personas_of(participants: MetaValue, cast: Cast) -> set[str]:
    """Those who may recall it because they were there: personas, and whoever the cast does not know."""
    there = [str(each) for each in participants] if isinstance(participants, list) else []
    return {id for id in there if id not in cast or cast[id].kind == "persona"}


def words_of(text: str) -> list[str]:
    """The words of a text, without the sign at its end."""
    return text.strip().rstrip(FULL_STOPS).split()
