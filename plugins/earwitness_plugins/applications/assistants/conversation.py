"""`ew.conversation("telegram:42")`: what a chat assistant calls."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, asynccontextmanager, nullcontext, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from earwitness import Container, Earwitness, Memory
from earwitness.clock import now
from earwitness.containers import conversation_container
from earwitness.errors import EarwitnessError, NotOpen, PartialWrite, PluginError, StorageLocked, named
from earwitness.filters import equals
from earwitness.ids import check_shared_id
from earwitness.records.backends import ServiceProfile
from earwitness.shared_documents import SharedDocuments
from earwitness.words import coverage
from earwitness_plugins.consolidation import (
    Consolidation,
    ConsolidationSettings,
    ConsolidationTask,
    Consolidator,
    Remembered,
)
from earwitness_plugins.consolidation.story import consolidator as chosen_consolidator
from earwitness_plugins.consolidators.extractive import ExtractiveConsolidator

from .context import context_of, tried
from .documents import digest, documents
from .file import ConversationContent, ConversationFile, ConversationHead
from .folders import ConversationFolders, tag_of
from .records import AssistantContext, AssistantMessage, ConversationClosing, check_message, check_question
from .settings import AssistantSettings

_log = logging.getLogger("earwitness")
BATCH = 16
"""Documents in one put."""
LONGEST_ENTRY = 6_000
"""Characters that are remembered of one stretch of a conversation."""
PAUSE = 0.05
"""Seconds between two looks whether another upload is done."""


class AssistantConversations:
    """The conversations of a personal bot with one user. Call it with a key, such as `telegram:42`."""

    def __init__(self, ew: Earwitness) -> None:
        self._ew = ew
        self.settings: AssistantSettings = ew.settings.table(AssistantSettings)
        """The table `[supermemory]`."""
        self._open: dict[str, AssistantConversation] = {}
        self._has_claimed = False

    def __call__(self, key: str, *, consolidator: Consolidator | None = None) -> AssistantConversation:
        """The conversation with this key, with another consolidator if one is given. Raises `InvalidId`."""
        check_shared_id("conversation", key)
        found = self._open.get(key)
        if found is None:
            found = self._open[key] = AssistantConversation(self, key)
        if consolidator is not None:
            found.consolidator = consolidator
        return found

    @property
    def container(self) -> Container:
        """The container of all conversations of the bot's user."""
        return conversation_container(self.settings.container_tag)

    @property
    def folder(self) -> Path:
        """Where conversations are kept until their upload is confirmed. Raises `StorageError` for what is a file."""
        return self.folders.of(self.settings.container_tag)

    @property
    def folders(self) -> ConversationFolders:
        """The folders of all container tags. Raises as `folder`."""
        return ConversationFolders.of_settings(self._ew.settings)

    async def claim(self) -> None:
        """Take over, once, the files of earlier versions, which do not say whose they are: see `_claim`."""
        if not self._has_claimed:
            known = {each.name for each in await self._ew.containers(kind="conversation")}
            await self._claim(known)

    async def _claim(self, known: AbstractSet[str]) -> None:
        """They are ours only if of all containers of conversations, our own is `known`, and no other one."""
        if known == {self.container.name}:
            await asyncio.to_thread(self.folders.claim, self.settings.container_tag)
        self._has_claimed = True

    async def consolidator(self) -> Consolidator:
        """The consolidator of `[consolidation]` if nobody needs to be asked what it writes, else the extractive one."""
        if self._ew.settings.table(ConsolidationSettings).write == "auto":
            return await chosen_consolidator(self._ew)
        return ExtractiveConsolidator()

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Do something in the background, unless the instance is closing."""
        with suppress(NotOpen):
            self._ew.in_background(work, name)

    @property
    def upload_seconds(self) -> float:
        """How long an upload waits for another one of the same conversation."""
        return self._ew.settings.end.store_timeout

    @property
    def uploads(self) -> SharedDocuments:
        """Where conversations are uploaded to."""
        return SharedDocuments(self._ew, self.container)

    async def profile_of(self, uploads: SharedDocuments) -> ServiceProfile:
        """What the store's service has made out of the user, unless the settings say not to ask."""
        return await uploads.profile() if self.settings.profile else ServiceProfile()

    async def container_forgotten(self, container: Container) -> None:
        """Remove its conversations here, too, once a container was forgotten. Raises `StorageError`."""
        if container.kind != self.container.kind:
            return
        if container.name == self.container.name:
            others = {each.name for each in await self._ew.containers(kind="conversation")}
            await self._claim({*others, container.name})
        await asyncio.to_thread(self.folders.remove, tag_of(container))

    async def keys(self) -> tuple[str, ...]:
        """The keys of all conversations on this machine, sorted."""
        return tuple(sorted(each.key for each in (await self.heads())[0]))

    async def heads(self) -> tuple[list[ConversationHead], list[str]]:
        """The heads of all conversations on this machine, and why others cannot be read."""
        await self.claim()
        return await asyncio.to_thread(self.folders.heads, self.settings.container_tag)

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


class AssistantConversation:
    """One conversation. What was added is on this machine until the store has confirmed its upload."""

    def __init__(self, bot: AssistantConversations, key: str) -> None:
        self.key: str = key
        """The conversation's key."""
        self.consolidator: Consolidator | None = None
        """What is worth remembering here; `None` = as the settings say."""
        self._bot = bot
        self._file = ConversationFile(bot.folder, key, bot.settings.container_tag)
        self._consolidating = asyncio.Lock()

    async def add(self, role: str, content: str) -> None:
        """Add a message; it is durable on return. No upload is waited for.

        Raises `InputError` for an unknown role or what is no text, and `StorageError` if it cannot be written here.
        """
        check_message(role, content)
        message = AssistantMessage(role=role, content=content, timestamp=now())
        await self._bot.claim()
        waiting = await asyncio.to_thread(self._file.append, message)
        if waiting > self._bot.settings.memory_window and self._bot.uploads.is_here:
            try:
                await self._consolidate_in_time()
            except Exception as error:  # noqa: BLE001 - the message was added: it is tried again with the next one
                self._warn(error)

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
        """What the bot should know: what the store finds, and the profile of the user where its service makes one.

        If the store fails, what is remembered here of all conversations, and why it failed. Raises `InputError` for a
        query or limit that is none.
        """
        check_question(query, limit)
        uploads = self._bot.uploads
        hits, profile = await asyncio.gather(
            tried(uploads.search(query, limit=limit)), tried(self._bot.profile_of(uploads))
        )
        is_away = isinstance(hits, EarwitnessError)
        asks_here = is_away or uploads.is_here
        here, unread = await self._remembered_here(query, limit) if asks_here else ((), ())
        return context_of(hits, profile, here, limit=limit, failures=unread)

    async def close(self, *, clear: bool = True) -> ConversationClosing:
        """Upload the conversation, and clear it here once the store has confirmed all of it, unless `clear` is false.

        What could not be uploaded is kept, and exactly that is tried again after the next upload that succeeds. If it
        was uploaded, but its consolidator raised, nothing is cleared, and `failure` says why.
        """
        closing = await self._upload(clear=clear)
        if not closing.uploaded:
            return closing
        replayed, failures = await self._bot.replay(but=self.key)
        return closing.model_copy(update={"replayed": replayed, "left_out": failures})

    async def retry(self) -> ConversationClosing:
        """Try again what could not be uploaded, as `close` was asked to."""
        return await self._upload(clear=(await self._read())[0].clears)

    async def forget(self) -> int:
        """Remove the conversation for good, here and from the store; returns how many documents that had of it.

        Raises `StorageError`; then nothing is removed here, and it can be called again.
        """
        async with self._uploading():
            removed = await self._bot.uploads.remove(equals("sessionId", f"session_{self.key}"))
            await asyncio.to_thread(self._file.delete)
            return removed

    async def _upload(self, *, clear: bool) -> ConversationClosing:
        try:
            async with self._uploading():
                return await self._upload_alone(clear=clear)
        except StorageLocked:
            failure = f"another upload of conversation {self.key!r} is under way; close it again after that"
            return ConversationClosing(uploaded=False, cleared=False, failure=failure)

    async def _upload_alone(self, *, clear: bool) -> ConversationClosing:
        head, messages = await self._read()
        every = documents(self._bot.container.name, head, messages)
        failure = None
        confirmed = dict(head.confirmed)
        try:
            await self._put([each for each in every if confirmed.get(each.id) != digest(each)], confirmed)
        except EarwitnessError as error:
            failure = named(error)
        missing = sum(confirmed.get(each.id) != digest(each) for each in every)
        async with self._consolidating if clear and not missing else nullcontext():
            closing = ConversationClosing(uploaded=not missing, cleared=False, missing=missing, failure=failure)
            return await self._noted(closing, head, messages, confirmed, clear=clear)

    async def _noted(
        self,
        closing: ConversationClosing,
        head: ConversationHead,
        messages: Sequence[AssistantMessage],
        confirmed: dict[str, str],
        *,
        clear: bool,
    ) -> ConversationClosing:
        """Note what is confirmed. If that is all, consolidate and clear, unless `clear` is false."""
        failure = closing.failure if closing.missing else None
        cleared = clear and closing.uploaded and bool(messages)
        made, done = Consolidation(), 0
        if cleared:
            try:
                last = (await self._read())[0].last_consolidated  # meanwhile perhaps more
                seen = head.model_copy(update={"last_consolidated": max(last, head.last_consolidated)})
                made, done = await self._consolidated(seen, messages, len(messages))
            except Exception as error:  # noqa: BLE001 - whatever a consolidator raises: nothing is cleared
                cleared, failure = False, named(error)

        def after(now: ConversationHead, there: list[AssistantMessage]) -> ConversationContent:
            """What was added meanwhile stays, also what was begun anew because all was forgotten meanwhile."""
            if now.run != head.run:
                return now, there
            now = _remembering(now, made, done)
            if cleared:
                emptied = {"first": now.first + len(messages), "confirmed": {}, "is_pending": False, "clears": clear}
                return now.model_copy(update=emptied), there[len(messages) :]
            kept = {"confirmed": confirmed, "is_pending": bool(closing.missing or failure), "clears": clear}
            return now.model_copy(update=kept), there

        await asyncio.to_thread(self._file.change, after)
        return closing.model_copy(update={"cleared": cleared, "failure": failure})

    @asynccontextmanager
    async def _uploading(self) -> AsyncIterator[None]:
        """Nobody else uploads this conversation meanwhile, in whichever process. Raises `StorageLocked`."""
        await self._bot.claim()
        until = monotonic() + self._bot.upload_seconds
        while True:
            with ExitStack() as held:
                try:
                    held.enter_context(self._file.uploading())
                except StorageLocked:
                    if monotonic() > until:
                        raise
                else:
                    yield
                    return
            await asyncio.sleep(PAUSE)

    async def _put(self, left: Sequence[Memory], confirmed: dict[str, str]) -> None:
        """Upload documents in order, and note which the store has confirmed."""
        for begin in range(0, len(left), BATCH):
            batch = left[begin : begin + BATCH]
            try:
                await self._bot.uploads.put(batch)
            except PartialWrite as error:
                confirmed |= {each.id: digest(each) for each in batch if error.names(each.container, each.id)}
                raise
            confirmed |= {each.id: digest(each) for each in batch}

    async def _consolidate_in_time(self) -> None:
        """At once where that takes no time, else in the background: nobody waits for a model."""
        asked = self.consolidator or await self._bot.consolidator()
        if isinstance(asked, ExtractiveConsolidator):
            await self._consolidate_older()
        else:
            self._bot.start(self._consolidated_behind, f"consolidating {self.key}")

    async def _consolidated_behind(self) -> None:
        try:
            await self._consolidate_older()
        except Exception as error:  # noqa: BLE001 - whatever a consolidator raises: it is tried again with the next one
            self._warn(error)

    def _warn(self, error: BaseException) -> None:
        _log.warning("conversation %r could not be consolidated: %s", self.key, named(error))

    async def _consolidate_older(self) -> None:
        """Beyond `memory_window` messages that are not consolidated, consolidate all but the newest half of so many."""
        async with self._consolidating:
            head, messages = await self._read()
            window = self._bot.settings.memory_window
            if head.first + len(messages) - head.last_consolidated <= window:
                return
            made, done = await self._consolidated(head, messages, len(messages) - window // 2)

            def after(now: ConversationHead, there: list[AssistantMessage]) -> ConversationContent:
                """What was forgotten meanwhile is not remembered again."""
                return (_remembering(now, made, done) if now.run == head.run else now), there

            await asyncio.to_thread(self._file.change, after)

    async def _consolidated(
        self, head: ConversationHead, messages: Sequence[AssistantMessage], up_to: int
    ) -> tuple[Consolidation, int]:
        """What so many of the messages say, as far as it is new, and the number of the message after them."""
        new = messages[max(0, head.last_consolidated - head.first) : up_to]
        if not new:
            return Consolidation(), head.first + up_to
        task = ConsolidationTask(session=self.key, remembered=_remembered(new), known=head.facts, most=LONGEST_ENTRY)
        answer = (self.consolidator or await self._bot.consolidator()).consolidate(task)
        made = await answer if inspect.isawaitable(answer) else answer
        if not isinstance(made, Consolidation):
            raise PluginError(f"the consolidator answered {type(made).__name__}, expected Consolidation")
        return made, head.first + up_to

    async def _remembered_here(self, query: str, limit: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What all conversations remember here that shares a word with the query, best first; and failures."""
        found, failures = await self._bot.heads()
        facts = [fact for each in found for fact in (*each.facts, *each.history)]
        shares = {fact: coverage(query, fact) for fact in facts}
        best = sorted((fact for fact in shares if shares[fact]), key=lambda fact: -shares[fact])
        return tuple(best[:limit]), tuple(failures)

    async def _read(self) -> ConversationContent:
        await self._bot.claim()
        return await asyncio.to_thread(self._file.read)


def _remembered(messages: Sequence[AssistantMessage]) -> tuple[Remembered, ...]:
    """The messages as a consolidator is shown them: what the user says counts, the rest is context."""
    return tuple(
        Remembered(label=f"m{number}", text=each.content, speaker=each.role, weight=float(each.role == "user"))
        for number, each in enumerate(messages, 1)
    )


def _remembering(head: ConversationHead, made: Consolidation, done: int) -> ConversationHead:
    """The head with what was consolidated. What it holds already stays, whatever a consolidator says."""
    facts = tuple(dict.fromkeys((*head.facts, *made.memory_update)))
    history = (*head.history, made.history_entry) if made.history_entry.strip() else head.history
    last = max(head.last_consolidated, done)
    return head.model_copy(update={"facts": facts, "history": history, "last_consolidated": last})
