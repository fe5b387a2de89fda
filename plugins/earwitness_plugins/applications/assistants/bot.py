"""A personal bot with one user: where its conversations are, on this machine and in the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import Any

from earwitness import Container, Earwitness
from earwitness.containers import conversation_container
from earwitness.errors import NotOpen
from earwitness.records.backends import ServiceProfile
from earwitness.shared_documents import SharedDocuments

from .file import ConversationContent, ConversationFile, ConversationHead
from .folders import ConversationFolders, KnownContents, tag_of
from .lines_here import LinesHere
from .settings import AssistantSettings


class AssistantBot:
    """What the conversations of a bot share."""

    def __init__(self, ew: Earwitness) -> None:
        self.ew: Earwitness = ew
        """The open instance."""
        self.settings: AssistantSettings = ew.settings.table(AssistantSettings)
        """The table `[supermemory]`."""
        self.lines: LinesHere = LinesHere()
        """What is searched on this machine."""
        self._has_claimed = False
        self._known = KnownContents()
        self._reading = asyncio.Lock()

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
        return ConversationFolders.of_settings(self.ew.settings)

    def file(self, key: str) -> ConversationFile:
        """The file of a conversation, there or not."""
        return ConversationFile(self.folder, key, self.settings.container_tag)

    async def claim(self) -> None:
        """Take over, once, the files of earlier versions, which do not say whose they are: see `_claim`."""
        if not self._has_claimed:
            known = {each.name for each in await self.ew.containers(kind="conversation")}
            await self._claim(known)

    async def _claim(self, known: AbstractSet[str]) -> None:
        """They are ours only if our own container is the only one of conversations that is `known`."""
        if known == {self.container.name}:
            await asyncio.to_thread(self.folders.claim, self.settings.container_tag)
        self._has_claimed = True

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Do something in the background, unless the instance is closing."""
        with suppress(NotOpen):
            self.ew.in_background(work, name)

    @property
    def upload_seconds(self) -> float:
        """How long an upload waits for another one of the same conversation."""
        return self.ew.settings.end.store_timeout

    @property
    def uploads(self) -> SharedDocuments:
        """Where conversations are uploaded to."""
        return SharedDocuments(self.ew, self.container)

    async def profile_of(self, uploads: SharedDocuments) -> ServiceProfile:
        """What the store's service has made out of the user, unless the settings say not to ask."""
        return await uploads.profile() if self.settings.profile else ServiceProfile()

    async def container_forgotten(self, container: Container) -> None:
        """Remove its conversations here, too, once a container was forgotten. Raises `StorageError`."""
        if container.kind != self.container.kind:
            return
        if container.name == self.container.name:
            others = {each.name for each in await self.ew.containers(kind="conversation")}
            await self._claim({*others, container.name})
        await asyncio.to_thread(self.folders.remove, tag_of(container))

    async def keys(self) -> tuple[str, ...]:
        """The keys of all conversations on this machine, sorted."""
        return tuple(sorted(each.key for each in (await self.heads())[0]))

    async def heads(self) -> tuple[list[ConversationHead], list[str]]:
        """The heads of all conversations on this machine, and why others cannot be read."""
        await self.claim()
        return await asyncio.to_thread(self.folders.heads, self.settings.container_tag)

    async def contents(self) -> tuple[list[ConversationContent], list[str]]:
        """All conversations on this machine, heads and messages; and why others cannot be read."""
        await self.claim()
        async with self._reading:
            return await asyncio.to_thread(self.folders.contents, self.settings.container_tag, self._known)
