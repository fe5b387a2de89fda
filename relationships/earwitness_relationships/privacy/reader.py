"""Where the reader of a read event is, and which persona is listening there. Pure."""

from __future__ import annotations

from earwitness import Cast, Character, ReadEvent
from earwitness.filters import EVERYTHING, Filter, In, Or
from earwitness.ids import PREFIXES

from ..bubble_mark import mark_of
from .place import PERMANENT, Place, missing


def place_of(event: ReadEvent) -> Place:
    """The place where somebody is about to speak, for the table of privacy."""
    channel = event.channel
    persona, alone = channel.persona_id, False
    if event.kind == "persona":
        sole = sole_persona(event.cast)
        persona = persona or sole
        alone = channel.context == "private_channel" and sole is not None and sole == _persona_of(event)
    there = () if persona is None else tuple(each.id for each in event.cast if each.persona_id == persona)
    return Place(_story_of(event), channel.context, channel.channel_id, channel.guild_id, persona, there, alone)


def _story_of(event: ReadEvent) -> str:
    """Whose unnamed channels are meant: in a bubble that reads the hubs of its story, those of the story."""
    mark = mark_of(event.state) if event.kind == "pantheon" else None
    return mark.story_of(event.session) if mark and mark.hubs else event.session


def sole_persona(cast: Cast) -> str | None:
    """The persona that alone plays this story; `None` if there are several, none, or one without a persona id."""
    played = {each.persona_id for each in cast if _is_played(each)}
    return played.pop() if len(played) == 1 else None


def users_facts(event: ReadEvent) -> Filter:
    """What may be read of the facts about a user: everything but what was learned in a direct message, which is read in
    direct messages of that user only."""
    if event.channel.context == "dm" and _spoken_to(event) == event.container.removeprefix(PREFIXES["user"]):
        return EVERYTHING
    return Or((PERMANENT, missing("contextType"), In("contextType", ("private_channel", "public_channel"))))


def _spoken_to(event: ReadEvent) -> str | None:
    """The user behind the persona of the channel; without a persona, the only user who takes part."""
    persona = event.channel.persona_id
    if persona is None:
        return event.users[0] if len(set(event.users)) == 1 else None
    return next((each.user_id for each in event.cast if each.persona_id == persona), None)


def _is_played(member: Character) -> bool:
    return member.kind == "persona" or member.user_id is not None or member.persona_id is not None


def _persona_of(event: ReadEvent) -> str:
    return event.container.removeprefix(PREFIXES["persona"]).removesuffix(f"-{event.personality}")
