"""`ew.conversation("telegram:42")`: what a chat assistant calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from earwitness.clock import now
from earwitness.errors import EarwitnessError
from earwitness.filters import equals
from earwitness.shared_documents import SharedDocuments
from earwitness_plugins.consolidation import Consolidator

from .bot import AssistantBot
from .context import context_of, tried
from .file import ConversationContent, ConversationFile
from .local_search import LocalSearch, searched_here
from .long_term import LongTermMemory
from .records import AssistantContext, AssistantMessage, ConversationClosing, check_clear, check_message, check_question
from .upload import ConversationUpload

Replay = Callable[..., Awaitable[tuple[tuple[str, ...], tuple[str, ...]]]]
"""Uploads the conversations whose upload had failed, `but` one; returns keys, and failures."""


class AssistantConversation:
    """One conversation. What was added is on this machine until the store has confirmed its upload."""

    def __init__(self, bot: AssistantBot, key: str, replay: Replay) -> None:
        self.key: str = key
        """The conversation's key."""
        self.file: ConversationFile = bot.file(key)
        """Where it is kept on this machine."""
        self._bot, self._replay = bot, replay
        self._long_term = LongTermMemory(bot, self.file)
        self._upload = ConversationUpload(bot, self.file, self._long_term)

    @property
    def consolidator(self) -> Consolidator | None:
        """What is worth remembering here; `None` = as the settings say."""
        return self._long_term.consolidator

    @consolidator.setter
    def consolidator(self, consolidator: Consolidator | None) -> None:
        self._long_term.consolidator = consolidator

    async def add(self, role: str, content: str) -> None:
        """Add a message; it is durable on return. No upload is waited for.

        Raises `InputError` for an unknown role, for what is not text, and for text that says nothing, and
        `StorageError` if it cannot be written here.
        """
        check_message(role, content)
        message = AssistantMessage(role=role, content=content, timestamp=now())
        await self._bot.claim()
        waiting = await asyncio.to_thread(self.file.append, message)
        if waiting > self._bot.settings.memory_window and self._bot.uploads.is_here:
            await self._long_term.consolidate_in_time()

    async def messages(self) -> tuple[AssistantMessage, ...]:
        """The messages on this machine, oldest first."""
        return tuple((await self._read())[1])

    async def facts(self) -> tuple[str, ...]:
        """The long-term memory here of this conversation, oldest first."""
        return (await self._read())[0].facts

    async def history(self) -> tuple[str, ...]:
        """What happened in the conversation, one entry for each stretch of it that was consolidated, oldest first."""
        return (await self._read())[0].history

    async def is_pending(self) -> bool:
        """Whether an upload failed, and is to be tried again."""
        return (await self._read())[0].is_pending

    async def context(self, query: str, *, limit: int = 10) -> AssistantContext:
        """What the bot should know: what the store finds, what it does not have yet, and the profile of the user.

        What it does not have yet are messages here, of all conversations, but for the newest ones of this one, which
        the bot has before it. If the store fails, all that is here is searched, the long-term memory too, and
        `failures` says why. Raises `InputError` for a query or limit that is none.
        """
        check_question(query, limit)
        uploads = self._bot.uploads
        hits, profile = await asyncio.gather(
            tried(uploads.search(query, limit=limit)), tried(self._bot.profile_of(uploads))
        )
        is_away = isinstance(hits, EarwitnessError)
        contents, unread = await self._bot.contents()
        search = self._local_search(uploads, is_away=is_away)
        here = await searched_here(contents, query, search, limit, self._bot.lines)
        return context_of(hits, profile, here.said, here.remembered, limit=limit, failures=unread)

    async def close(self, *, clear: bool = True) -> ConversationClosing:
        """Upload the conversation, and clear it here once the store has confirmed all of it, unless `clear` is false.

        What could not be uploaded is kept, and exactly that is tried again after the next upload that succeeds. If it
        was uploaded, but its consolidator raised, nothing is cleared, and `failure` says why. Raises `InputError` for
        another `clear` than true or false.
        """
        check_clear(clear)
        closing = await self._upload(clear=clear)
        if not closing.uploaded:
            return closing
        replayed, failures = await self._replay(but=self.key)
        return closing.model_copy(update={"replayed": replayed, "left_out": failures})

    async def retry(self) -> ConversationClosing:
        """Try again what could not be uploaded, as `close` was asked to. What was added since then stays."""
        return await self._upload(clear=None)

    async def forget(self) -> int:
        """Remove the conversation for good, here and from the store; returns how many documents that had of it.

        Raises `StorageError`; then nothing is removed here, and it can be called again.
        """
        async with self._upload.alone():
            removed = await self._bot.uploads.remove(equals("sessionId", f"session_{self.key}"))
            await asyncio.to_thread(self.file.delete)
            return removed

    def _local_search(self, uploads: SharedDocuments, *, is_away: bool) -> LocalSearch:
        settings = self._bot.settings
        return LocalSearch(
            container=uploads.container.name,
            key=self.key,
            window=settings.memory_window,
            is_away=is_away,
            with_facts=is_away or uploads.is_here,
        )

    async def _read(self) -> ConversationContent:
        await self._bot.claim()
        return await asyncio.to_thread(self.file.read)
