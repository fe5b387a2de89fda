"""The cast of a story as rules know it: by personality id. And whom a text mentions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from earwitness import Cast, Channel, SettledMessage

from .names_in_texts import NamesInTexts
from .walk import AT_FIRST_HAND


class Personalities:
    """A cast by personality."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        """Everybody."""
        self.personality = {each.id: each.personality_id for each in cast}
        """Character id → personality id."""
        self.users = frozenset(each.personality_id for each in cast if each.kind == "persona" or each.user_id)
        """Personality ids of the users' personas."""
        self._user = {each.personality_id: each.user_id or "" for each in cast if each.personality_id in self.users}

    @cached_property
    def characters(self) -> dict[str, str]:
        """Personality id → id of the first character with it."""
        return {each.personality_id: each.id for each in reversed(self.cast.members)}

    @cached_property
    def _names(self) -> NamesInTexts:
        return NamesInTexts((name, each.personality_id) for each in self.cast for name in each.names)

    def mentioned(self, text: str) -> tuple[str, ...]:
        """Personality ids of those whom a text calls by name."""
        return self._names.certain(text)

    def perhaps_mentioned(self, text: str) -> tuple[str, ...]:
        """Personality ids of those whom a text may call by name: for walls, where a false hit only withholds."""
        return self._names.possible(text)

    def of(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The personalities of characters."""
        return tuple(dict.fromkeys(self.personality.get(id, id) for id in ids))

    def users_in(self, message: SettledMessage) -> tuple[str, ...]:
        """The users' personas who take part in a message."""
        parts = message.participants.items()
        return tuple(id for id in self.of(id for id, part in parts if part.role in AT_FIRST_HAND) if id in self.users)

    def users_of(self, personalities: Iterable[str], channel: Channel) -> tuple[str, ...]:
        """Ids of the users whose personas are among these, or whose channel it is; `""` for a persona of whom no user
        is known."""
        found = [self._user[each] for each in personalities if each in self._user]
        if channel.persona_id is not None:
            played = [each.user_id or "" for each in self.cast if each.persona_id == channel.persona_id]
            found += played or [""]
        return tuple(dict.fromkeys(found))
