"""Who the people in a chat are, across stories, for its header: what their names and lines do not say. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from earwitness.imports import ImportedCharacter
from earwitness.records.character import Character
from earwitness_plugins.applications.replay.roles import NARRATOR, character_id

from .chat_lines import LineWriter
from .story_messages import StoryMessage


def everything(messages: Iterable[StoryMessage], writer: LineWriter) -> tuple[ImportedCharacter, ...]:
    """Those of whom a new chat says too little by itself: other names count, too."""
    messages = list(messages)
    speakers = {each.speaker for each in messages}
    return tuple(each for id, each in _people(messages, writer) if not _is_plain(each, speaks=id in speakers))


def identities(messages: Iterable[StoryMessage], writer: LineWriter) -> tuple[ImportedCharacter, ...]:
    """Those who are somebody else across stories than a chat that came from elsewhere says."""
    return tuple(each for _, each in _people(messages, writer) if _has_ids(each))


def updated(
    said: Iterable[ImportedCharacter], cast: Iterable[ImportedCharacter]
) -> tuple[ImportedCharacter, ...] | None:
    """What a header says with this cast in it; `None` if it says all of that."""
    before = {each.name: each for each in said}
    after = {**before, **{each.name: each for each in cast}}
    return None if after == before else tuple(after.values())


def _people(messages: Iterable[StoryMessage], writer: LineWriter) -> Iterator[tuple[str, ImportedCharacter]]:
    """Id of everybody in these messages, and what is to be said of them, in the order of the cast."""
    ids = {id for each in messages for id in (each.speaker, *each.perceived_by, *(each.present or ()))}
    return ((id, _identity_of(writer.cast[id], writer.name(id))) for id in writer.cast.in_order(ids))


def _identity_of(member: Character, name: str) -> ImportedCharacter:
    usual = NARRATOR if member.kind == "narrator" else character_id(name)
    is_usual = re.fullmatch(rf"{re.escape(usual)}(_\d+)?", member.id)
    return ImportedCharacter(
        name=name,
        id="" if is_usual else member.id,
        aliases=member.aliases,
        kind=member.kind,
        user_id=member.user_id,
        persona_id=member.persona_id,
        personality_id="" if member.personality_id == member.id else member.personality_id,
    )


def _is_plain(identity: ImportedCharacter, *, speaks: bool) -> bool:
    """Whether a chat says all of it by itself. Its lines say of who speaks in them whether a user does."""
    heard = identity.model_copy(update={"kind": "character"}) if speaks or identity.kind == "narrator" else identity
    return heard == ImportedCharacter(name=identity.name)


def _has_ids(identity: ImportedCharacter) -> bool:
    own = bool(identity.id) and identity.kind != "narrator"
    return own or bool(identity.user_id or identity.persona_id or identity.personality_id)
