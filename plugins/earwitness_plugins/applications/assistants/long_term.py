"""What a conversation leaves in the long-term memory here: by rules at once, by a model as `[consolidation]` allows.

The sentences that the extractive consolidator keeps are the user's own: nobody needs to approve them. What a model says
waits for a person, unless the settings say otherwise.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from earwitness.errors import InputError, PluginError, StorageLocked, named
from earwitness.validation.records import as_kept
from earwitness_plugins.consolidation import (
    Consolidation,
    ConsolidationSettings,
    ConsolidationTask,
    Consolidator,
    Remembered,
)
from earwitness_plugins.consolidation.story import consolidator as chosen_consolidator
from earwitness_plugins.consolidators.extractive import ExtractiveConsolidator

from .alone import alone
from .bot import AssistantBot
from .file import ConversationContent, ConversationFile, ConversationHead
from .proposals import ConsolidatedStretch, proposal_of, submitted, waiting_lines, with_lines
from .records import AssistantMessage

_log = logging.getLogger("earwitness")
LONGEST_ENTRY = 6_000
"""Characters that are remembered of one stretch of a conversation."""


class LongTermMemory:
    """Consolidates one conversation. Nothing that is remembered is taken out, whatever a consolidator says."""

    def __init__(self, bot: AssistantBot, file: ConversationFile) -> None:
        self._bot, self._file = bot, file
        self._settings: ConsolidationSettings = bot.ew.settings.table(ConsolidationSettings)
        self.consolidator: Consolidator | None = None
        """One that was handed over; `None` = as the settings say."""

    async def consolidate_in_time(self) -> None:
        """Beyond the window, at once where that takes no time, else in the background: nobody waits for a model.

        What fails is logged, and tried again with the next message.
        """
        if self._asks_rules:
            await self._consolidate_or_log()
        else:
            self._bot.start(self._consolidate_or_log, f"consolidating {self._file.key}")

    def alone(self, seconds: float | None = None) -> AbstractAsyncContextManager[None]:
        """Nobody else consolidates this conversation meanwhile, in whichever process. Raises `StorageLocked`."""
        return alone(self._file.consolidating, self._bot.upload_seconds if seconds is None else seconds)

    async def stretch(
        self, head: ConversationHead, messages: Sequence[AssistantMessage], up_to: int
    ) -> ConsolidatedStretch:
        """What so many of the messages say, as far as it is new. Raises whatever a consolidator raises."""
        first, after = max(head.last_consolidated, head.first), head.first + up_to
        new = messages[first - head.first : up_to]
        if not new:
            return ConsolidatedStretch(first=after, after=after)
        asked, task = await self._consolidator(), _task(head, new)
        made = await _asked(asked, task)
        if not self._is_proposed(asked, made):
            return ConsolidatedStretch(first=first, after=after, written=made)
        write, by = self._settings.write, self._name_of(asked)
        written = Consolidation() if write == "auto" else ExtractiveConsolidator().consolidate(task)
        stretch = ConsolidatedStretch(first=first, after=after, written=written, write=write)
        return stretch.model_copy(update={"proposal": proposal_of(head, new, stretch, made, by)})

    def remembering(self, head: ConversationHead, stretch: ConsolidatedStretch) -> ConversationHead:
        """The head with what was consolidated; as it is if another process has consolidated that meanwhile."""
        if head.last_consolidated >= stretch.after:
            return head
        head = with_lines(head, stretch.written).model_copy(update={"last_consolidated": stretch.after})
        if stretch.proposal is None:
            return head
        return submitted(head, stretch.proposal, self._bot.container.name, stretch.write)

    async def _consolidate_or_log(self) -> None:
        try:
            await self._consolidate_older()
        except StorageLocked:  # another one is at it
            return
        except Exception as error:  # noqa: BLE001 - whatever a consolidator raises
            _log.warning("conversation %r could not be consolidated: %s", self._file.key, named(error))

    async def _consolidate_older(self) -> None:
        """Beyond `memory_window` messages that are not consolidated, consolidate all but the newest half of so many."""
        async with self.alone(0):
            head, messages = await asyncio.to_thread(self._file.read)
            window = self._bot.settings.memory_window
            if head.first + len(messages) - head.last_consolidated <= window:
                return
            stretch = await self.stretch(head, messages, len(messages) - window // 2)

            def after(now: ConversationHead, there: list[AssistantMessage]) -> ConversationContent:
                """What was forgotten meanwhile is not remembered again."""
                return (self.remembering(now, stretch) if now.run == head.run else now), there

            await asyncio.to_thread(self._file.change, after)

    @property
    def _asks_rules(self) -> bool:
        """Whether the extractive consolidator is asked. With `write = "off"` it alone is: another may ask a model."""
        is_chosen = self.consolidator is None and self._settings.strategy.name == "extractive"
        return is_chosen or self._settings.write == "off"

    async def _consolidator(self) -> Consolidator:
        """The one that was handed over, or that of the settings."""
        if self._asks_rules:
            return ExtractiveConsolidator()
        return self.consolidator or await chosen_consolidator(self._bot.ew)

    def _is_proposed(self, asked: Consolidator, made: Consolidation) -> bool:
        """Whether a person is to approve it: a model's words. Of one's own consolidator, those for which it has asked a
        model."""
        if asked is self.consolidator:
            return made.usage is not None
        return not isinstance(asked, ExtractiveConsolidator)

    def _name_of(self, asked: Consolidator) -> str:
        name = type(asked).__name__ if asked is self.consolidator else self._settings.strategy.name
        return f"consolidator:{name}"


async def _asked(consolidator: Consolidator, task: ConsolidationTask) -> Consolidation:
    """Its answer. Raises `PluginError` for what is none."""
    answer: Any = consolidator.consolidate(task)
    made = await answer if inspect.isawaitable(answer) else answer
    if not isinstance(made, Consolidation):
        raise PluginError(f"the consolidator answered {type(made).__name__}, expected Consolidation")
    try:
        return as_kept(made)
    except InputError as error:
        raise PluginError(f"the consolidator's answer cannot be used: {error}") from error


def _task(head: ConversationHead, messages: Sequence[AssistantMessage]) -> ConsolidationTask:
    """The messages as a consolidator is shown them: what the user says counts, the rest is context."""
    remembered = tuple(
        Remembered(label=f"m{number}", text=each.content, speaker=each.role, weight=float(each.role == "user"))
        for number, each in enumerate(messages, 1)
    )
    known = (*head.facts, *waiting_lines(head))
    return ConsolidationTask(session=head.key, remembered=remembered, known=known, most=LONGEST_ENTRY)
