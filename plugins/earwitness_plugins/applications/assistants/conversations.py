"""`ew.conversation`: the conversations of a personal bot with one user."""

from __future__ import annotations

from functools import cached_property

from earwitness import Earwitness
from earwitness.errors import named
from earwitness.ids import check_shared_id
from earwitness_plugins.consolidation import Consolidator

from .bot import AssistantBot
from .conversation import AssistantConversation
from .review import ConversationReview


class AssistantConversations(AssistantBot):
    """The conversations of a personal bot with one user. Call it with a key, such as `telegram:42`."""

    def __init__(self, ew: Earwitness) -> None:
        super().__init__(ew)
        self._open: dict[str, AssistantConversation] = {}

    def __call__(self, key: str, *, consolidator: Consolidator | None = None) -> AssistantConversation:
        """The conversation with this key, with another consolidator if one is given. Raises `InvalidId`."""
        check_shared_id("conversation", key)
        found = self._open.get(key)
        if found is None:
            found = self._open[key] = AssistantConversation(self, key, self.replay)
        if consolidator is not None:
            found.consolidator = consolidator
        return found

    @cached_property
    def review(self) -> ConversationReview:
        """What a model would remember of all conversations, and what a person says to it."""
        return ConversationReview(self)

    async def replay(self, *, but: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Upload the conversations whose upload had failed; returns the keys of those that succeeded, and failures."""
        found, failures = await self.heads()
        uploaded = list[str]()
        for key in (each.key for each in found if each.is_pending and each.key != but):
            try:
                closing = await self(key).retry()
            except Exception as error:  # noqa: BLE001 - one that fails keeps no other from being uploaded
                failures.append(f"conversation {key!r}: {named(error)}")
                continue
            if closing.uploaded and closing.failure:
                failures.append(f"conversation {key!r}: {closing.failure}")
            elif closing.uploaded:
                uploaded.append(key)
        return tuple(uploaded), tuple(failures)
