"""`ew.conversation.review`: what a model would remember of the conversations, and what a person says to it.

Each conversation keeps its proposals in its own file, so that what is consolidated, what is proposed of it and what is
cleared change together, and all of it goes when the conversation is forgotten. This is one queue over all of them, with
the words of `story.review`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import get_args

from earwitness.backstage.roles import Permission, permit
from earwitness.errors import InputError, quoted
from earwitness.validation.arguments import text, texts
from earwitness_plugins.review import Reviewed, ReviewStatus
from earwitness_plugins.review.lookup import check_choice, check_role, check_words, meant, unknown_proposal

from .bot import AssistantBot
from .file import ConversationContent, ConversationHead
from .proposals import approved, of_id, rejected
from .records import AssistantMessage

_log = logging.getLogger("earwitness")


class ConversationReview:
    """The proposals of all conversations of a bot. `acting` acts as somebody else than the author."""

    def __init__(self, bot: AssistantBot, role: str = "author") -> None:
        self._bot, self._role = bot, role

    def acting(self, *, role: str) -> ConversationReview:
        """The same on behalf of somebody, whose permissions are those of backstage. Raises `UnknownName`."""
        return ConversationReview(self._bot, check_role(role))

    async def waiting(self, *, kind: str | None = None, about: str | None = None) -> tuple[Reviewed, ...]:
        """What waits for a decision, oldest first: of one kind, or of the conversation with the key `about`.

        Raises `NotPermitted`, `InputError`.
        """
        check_choice(kind, about)
        found = await self.proposals(status="waiting", kind=kind)
        return tuple(each for each in found if about is None or about in each.proposal.about)

    async def proposals(
        self, *, status: ReviewStatus | None = None, kind: str | None = None, ids: Iterable[str] | None = None
    ) -> tuple[Reviewed, ...]:
        """All proposals, oldest first; or those of one status, of one kind, or with these ids.

        A conversation whose file cannot be read is left out, and logged. Raises `NotPermitted`, `InputError`.
        """
        self._permit("read", "see what waits for review")
        if status is not None and status not in get_args(ReviewStatus):
            raise InputError(f"status {quoted(status)} must be one of {', '.join(get_args(ReviewStatus))}.")
        check_choice(kind)
        only = None if ids is None else frozenset(texts("ids", ids))
        found = [each for head in await self._heads() for each in head.proposals]
        wanted = [each for each in found if status in {None, each.status} and kind in {None, each.proposal.kind}]
        return tuple(sorted((each for each in wanted if only is None or each.id in only), key=lambda each: each.time))

    async def statuses(self, *, kind: str | None = None) -> dict[str, ReviewStatus]:
        """Proposal id → what became of it, oldest first; those of one kind. Raises `NotPermitted`."""
        return {each.id: each.status for each in await self.proposals(kind=kind)}

    async def get(self, id: str) -> Reviewed:
        """A proposal by its id, or by the beginning of one. Raises `UnknownName`, `NotPermitted`."""
        every = {each.id: each for each in await self.proposals()}
        if (found := meant(id, every)) is not None:
            return every[found]
        waiting = [each.id for each in every.values() if each.status == "waiting"]
        raise unknown_proposal(id, f"the conversations of {self._bot.container.name!r}", waiting)

    async def approve(self, id: str, *, content: str | None = None) -> Reviewed:
        """Remember what a proposal says; or other words, one thing a line, if `content` is given. Durable on return.

        Approving twice writes once. What was rejected may be approved after all. Raises `UnknownName`, `NotPermitted`,
        and `InputError` if the conversation was forgotten meanwhile, and for content that is not text or empty.
        """
        self._permit("edit", "approve what was proposed")
        check_words(content)
        return await self._decide(id, partial(approved, by=self._role, content=content))

    async def reject(self, id: str, reason: str = "") -> Reviewed:
        """Reject a proposal, for good; if it was approved, what it alone had written is taken out again. Durable on
        return.

        Raises `UnknownName`, `NotPermitted`, and `InputError` if the conversation was forgotten meanwhile, and for a
        reason that is not text.
        """
        self._permit("edit", "reject what was proposed")
        return await self._decide(id, partial(rejected, by=self._role, reason=text("reason", reason)))

    async def _decide(self, id: str, decision: Callable[[ConversationHead, str], ConversationHead]) -> Reviewed:
        found = await self.get(id)
        (key,) = found.proposal.about
        file, done = self._bot.file(key), list[Reviewed]()

        def decided(head: ConversationHead, messages: list[AssistantMessage]) -> ConversationContent:
            head = decision(head, found.id)
            done.append(of_id(head, found.id))
            return head, messages

        await asyncio.to_thread(file.change, decided)
        return done[0]

    async def _heads(self) -> list[ConversationHead]:
        found, problems = await self._bot.heads()
        for each in problems:
            _log.warning("what waits for review in a conversation cannot be shown: %s", each)
        return found

    def _permit(self, needed: Permission, what: str) -> None:
        permit(self._role, needed, what)
