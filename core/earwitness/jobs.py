"""Jobs: what strategies do for a story in the background, once something was said or changed. Nothing waits for them.

They are done one after another, after what is decided. When the instance closes, they are cancelled; they go on with
the next message, also after the story was opened again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from .errors import NotOpen
from .plugin_data import PluginData
from .protocols import BackgroundJob
from .redaction import without
from .strategy import Strategy
from .time_limit import contained, reason

if TYPE_CHECKING:
    from .app import Earwitness
    from .session import Session

AT_MOST = 2.0
"""Seconds that a job lets recalls and decisions go first."""
NOT_DONE = "story %r: %s could not be done: %s"
_log = logging.getLogger("earwitness")


class Jobs:
    """The jobs of one story: `story.jobs`."""

    def __init__(self, story: Session, ew: Earwitness) -> None:
        self._story, self._engine = story, ew.engine
        self._background = ew._background  # noqa: SLF001 - its own
        self._work: asyncio.Task[None] | None = None
        self._again = False
        self._failed: dict[str, str] = {}

    @property
    def failures(self) -> tuple[str, ...]:
        """Jobs that failed when they were last done, and why. They are tried again with the next message."""
        return tuple(f"{job}: {why}" for job, why in self._failed.items())

    def wake(self) -> None:
        """Let all jobs be done, in the background; once more if they are being done."""
        if not self._engine.jobs:
            return
        self._again = True
        if self._work is None or self._work.done():
            with suppress(NotOpen):  # it is closing: they go on when the story is opened again
                self._work = self._background.start(self._run, f"jobs of {self._story.id}", cancelled_on_close=True)

    async def done(self, limit: float | None = None) -> bool:
        """Wait at most `limit` seconds until no job has anything left to do; returns whether that was achieved."""
        self.wake()
        if self._work is None:
            return True
        finished, _ = await asyncio.wait({self._work}, timeout=limit)
        return bool(finished)

    async def _run(self) -> None:
        while self._again:
            self._again = False
            for job in self._engine.jobs:
                await self._do(job)

    async def _do(self, job: Strategy[BackgroundJob]) -> None:
        """Do a job until nothing is left of it. What goes wrong is kept, and logged."""
        try:
            async with self._claimed(job) as is_needed:
                while is_needed and await self._step(job):
                    pass
        except Exception as error:  # noqa: BLE001 - whatever third-party code raises is its failure
            self._failed[job.label] = why = without(reason(contained(error)), job.secrets)
            _log.warning(NOT_DONE, self._story.id, job.label, why)
        else:
            self._failed.pop(job.label, None)

    async def _step(self, job: Strategy[BackgroundJob]) -> bool:
        """One step of a job, whose data are durable before the next one. Whether something is left."""
        await self._engine.foreground.over(AT_MOST)
        stored = self._stored(job)
        data = PluginData(stored)
        is_left = await job.made.run(self._story, data)
        await self._keep(job.label, stored, data.changes)
        return is_left is True

    @asynccontextmanager
    async def _claimed(self, job: Strategy[BackgroundJob]) -> AsyncIterator[bool]:
        """While this process alone does a job, if the ledger has claims, with what others have kept of it: whether
        there is anything to do."""
        session, claims, has_work = self._story.id, self._engine.job_claims, getattr(job.made, "has_work", None)
        if has_work is not None and not await has_work(self._story, PluginData(self._stored(job))):
            yield False
            return
        try:
            if claims is not None:
                await claims.claim_job(session, job.label)
            stored = self._stored(job)
            stored.update(await self._engine.ledger.data(session, job.label))
            yield True
        finally:
            if claims is not None:
                await claims.release_job(session, job.label)

    def _stored(self, job: Strategy[BackgroundJob]) -> dict[str, JsonValue]:
        return self._story._live.stored.setdefault(job.label, {})  # noqa: SLF001 - its own

    async def _keep(self, label: str, stored: dict[str, Any], changes: Mapping[str, Any]) -> None:
        if changes:
            await self._engine.ledger.write_data(self._story.id, label, changes)
            stored |= changes
