"""The upload of one conversation: what the store has not confirmed, and what is cleared here once it has."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial

from earwitness import Memory
from earwitness.errors import EarwitnessError, PartialWrite, StorageError, StorageLocked, named
from earwitness.records.prose import counted
from earwitness.refusals import MemoryAddress, RefusedMemory, put_taken

from .alone import alone
from .bot import AssistantBot
from .documents import digest, documents
from .file import ConversationContent, ConversationFile, ConversationHead
from .long_term import LongTermMemory
from .proposals import ConsolidatedStretch
from .records import AssistantMessage, ConversationClosing

BATCH = 16
"""Documents in one put."""


class ConversationUpload:
    """Uploads one conversation. Nothing is cleared here before the store has confirmed all of it."""

    def __init__(self, bot: AssistantBot, file: ConversationFile, long_term: LongTermMemory) -> None:
        self._bot, self._file, self._long_term = bot, file, long_term

    async def __call__(self, *, clear: bool | None) -> ConversationClosing:
        """Upload what the store has not confirmed; then clear the conversation here, unless `clear` is false.

        With `None`, only what was closed before, and as it was closed: what was added since stays.
        """
        await self._bot.claim()
        if not (await asyncio.to_thread(self._file.read))[1]:  # nothing is left here, nor a file made of it
            return ConversationClosing(uploaded=True, cleared=clear is not False)
        try:
            async with self.alone():
                return await self._uploaded(clear=clear)
        except StorageLocked:
            failure = f"another upload of conversation {self._file.key!r} is under way; close it again after that"
            return ConversationClosing(uploaded=False, cleared=False, failure=failure)

    def alone(self) -> AbstractAsyncContextManager[None]:
        """Nobody else uploads this conversation meanwhile, in whichever process. Raises `StorageLocked`."""
        return alone(self._file.uploading, self._bot.upload_seconds)

    async def _uploaded(self, *, clear: bool | None) -> ConversationClosing:
        head, there = await asyncio.to_thread(self._file.read)
        messages = there[: _waiting(head, len(there))] if clear is None else there
        clear = head.clears if clear is None else clear
        if not messages:
            return ConversationClosing(uploaded=True, cleared=clear and not there)
        every = documents(self._bot.container.name, head, messages)
        failure = None
        confirmed = dict(head.confirmed)
        try:
            await self._put([each for each in every if confirmed.get(each.id) != digest(each)], confirmed)
        except EarwitnessError as error:
            failure = named(error)
        missing = sum(confirmed.get(each.id) != digest(each) for each in every)
        closing = ConversationClosing(uploaded=not missing, cleared=False, missing=missing, failure=failure)
        noted = partial(self._noted, closing, head, messages, confirmed, clear=clear)
        if missing or not clear:
            return await noted()
        try:
            async with self._long_term.alone():
                return await noted(await self._consolidated(head, messages))
        except Exception as error:  # noqa: BLE001 - whatever a consolidator raises: nothing is cleared
            return await noted(failure=named(error))

    async def _put(self, left: Sequence[Memory], confirmed: dict[str, str]) -> None:
        """Upload documents in order, and note which the store has confirmed. What it refuses holds up no other."""

        def confirm(written: Sequence[Memory]) -> None:
            confirmed.update({each.id: digest(each) for each in written})

        refused: dict[MemoryAddress, RefusedMemory] = {}
        for begin in range(0, len(left), BATCH):
            batch = left[begin : begin + BATCH]
            try:
                refused |= await put_taken(self._bot.uploads.put, batch, confirm)
            except PartialWrite as error:
                confirm([each for each in batch if error.names(each.container, each.id)])
                raise
        for _, why in refused.values():
            raise StorageError(f"the store refuses {counted(len(refused), 'document')} for good: {why}")

    async def _noted(
        self,
        closing: ConversationClosing,
        head: ConversationHead,
        messages: Sequence[AssistantMessage],
        confirmed: dict[str, str],
        stretch: ConsolidatedStretch | None = None,
        *,
        clear: bool,
        failure: str | None = None,
    ) -> ConversationClosing:
        """Note what is confirmed; with a `stretch` that is consolidated, clear."""
        failure = closing.failure if closing.missing else failure

        def after(now: ConversationHead, there: list[AssistantMessage]) -> ConversationContent:
            """What was added meanwhile stays, also what was begun anew because all was forgotten meanwhile."""
            if now.run != head.run:
                return now, there
            if stretch is not None:
                now = self._long_term.remembering(now, stretch)
                emptied = {"first": now.first + len(messages), "confirmed": {}, "is_pending": False, "clears": clear}
                return now.model_copy(update=emptied), there[len(messages) :]
            kept = {"confirmed": confirmed, "is_pending": bool(closing.missing or failure), "clears": clear}
            return now.model_copy(update={**kept, "closed": head.first + len(messages)}), there

        await asyncio.to_thread(self._file.change, after)
        return closing.model_copy(update={"cleared": stretch is not None, "failure": failure})

    async def _consolidated(self, head: ConversationHead, messages: Sequence[AssistantMessage]) -> ConsolidatedStretch:
        """What the messages say that is not consolidated: meanwhile perhaps more of them are."""
        now = (await asyncio.to_thread(self._file.read))[0]
        return await self._long_term.stretch(now if now.run == head.run else head, messages, len(messages))


def _waiting(head: ConversationHead, count: int) -> int:
    """How many of so many messages were closed, but not uploaded. Files of earlier versions do not say which."""
    if not head.is_pending:
        return 0
    return max(head.closed - head.first, 0) or count
