"""Claims of processes on sessions and jobs: the extras `ClaimingLedger` and `JobClaimingLedger`, if it has them."""

# ruff: noqa: S101
from __future__ import annotations

from contextlib import suppress
from unittest import SkipTest

import anyio

from ...errors import UnknownName
from ...extras import ClaimingLedger, JobClaimingLedger
from ...protocols import Ledger
from ..samples import plan
from ..suite import case
from .ledger_base import LedgerCases

A_MOMENT = 0.3
"""Seconds in which a claim that is free would have been given."""
LONG = 60.0
"""Seconds after which somebody waits in vain."""


class LedgerClaims(LedgerCases):
    """Of several processes, one at a time decides the entries of a session."""

    @case
    async def test_a_session_is_claimed_by_one_process_at_a_time(self, ledger: Ledger) -> None:
        """Another one waits until it is released. The same one may claim it again, and other sessions are free."""
        self.needs("shared")
        mine = self._claiming(ledger)
        await self.story(ledger)
        await self.story(ledger, "s2")
        async with self.subject() as other:
            yours = self._claiming(other)
            assert await mine.claim("s1", 1)
            assert await mine.claim("s1", 1)
            assert await yours.claim("s2", 1)
            assert not await _gets(yours)
            await mine.release("s1")
            with anyio.fail_after(LONG):
                assert await yours.claim("s1", 1)
            assert not await _gets(mine)

    @case
    async def test_who_waits_is_told_what_was_decided_meanwhile(self, ledger: Ledger) -> None:
        """Then nobody is asked again, although the claim is not released yet. The next entry has to wait."""
        self.needs("shared")
        mine = self._claiming(ledger)
        await self.story(ledger)
        async with self.subject() as other:
            yours, answers = self._claiming(other), list[bool]()
            assert await mine.claim("s1", 1)

            async def wait() -> None:
                answers.append(await yours.claim("s1", 1))

            with anyio.fail_after(LONG):
                async with anyio.create_task_group() as group:
                    group.start_soon(wait)
                    await anyio.sleep(A_MOMENT)
                    await self.recorded(ledger, plan(1))
            assert answers == [False]
            assert not await _gets(yours, 2)

    @case
    async def test_many_who_claim_at_once_get_it_in_turn(self, ledger: Ledger) -> None:
        """There is never more than one who has it."""
        self.needs("shared")
        self._claiming(ledger)
        await self.story(ledger)
        having, turns = 0, 0

        async def decide(handle: ClaimingLedger) -> None:
            nonlocal having, turns
            assert await handle.claim("s1", 1)
            having, turns = having + 1, turns + 1
            assert having == 1
            await anyio.sleep(0.01)
            having -= 1
            await handle.release("s1")

        async with self.subject() as one, self.subject() as other, self.subject() as third:
            with anyio.fail_after(LONG):
                async with anyio.create_task_group() as group:
                    for handle in (ledger, one, other, third):
                        group.start_soon(decide, self._claiming(handle))
        assert turns == 4

    @case
    async def test_a_closed_ledger_leaves_no_claim_behind(self, ledger: Ledger) -> None:
        """Nor does one claim what there is not."""
        self.needs("shared")
        mine = self._claiming(ledger)
        await self.story(ledger)
        async with self.subject() as other:
            assert await self._claiming(other).claim("s1", 1)
        with anyio.fail_after(LONG):
            assert await mine.claim("s1", 1)
        with suppress(UnknownName):
            await mine.claim("nobody", 1)
            raise AssertionError("claim() took a session that nobody created")
        await mine.release("nobody")

    @case
    async def test_a_forgotten_session_keeps_nobody_waiting(self, ledger: Ledger) -> None:
        """Whoever waits for it is told that it is gone, and a new one of its name is free."""
        self.needs("shared")
        mine = self._claiming(ledger)
        await self.story(ledger)
        async with self.subject() as other:
            assert await self._claiming(other).claim("s1", 1)
            await ledger.forget("s1")
            with suppress(UnknownName):
                await mine.claim("s1", 1)
                raise AssertionError("claim() took a session that was forgotten")
            await self.story(ledger)
            with anyio.fail_after(LONG):
                assert await mine.claim("s1", 1)

    @case
    async def test_a_job_of_a_session_is_claimed_by_one_process_at_a_time(self, ledger: Ledger) -> None:
        """Another job, another session and deciding are free meanwhile. Released, or closed, it is free again."""
        self.needs("shared")
        mine = self._claiming_jobs(ledger)
        await self.story(ledger)
        await self.story(ledger, "s2")
        async with self.subject() as other:
            yours = self._claiming_jobs(other)
            with anyio.fail_after(LONG):
                for session, job in (("s1", "job:a"), ("s1", "job:b"), ("s2", "job:a")):
                    await (mine if job == "job:a" and session == "s1" else yours).claim_job(session, job)
            with anyio.move_on_after(A_MOMENT):
                await yours.claim_job("s1", "job:a")
                raise AssertionError("claim_job() gave two processes the same job")
            for asked, session, job in ((mine, "s1", "job:a"), (yours, "s1", "job:a"), (mine, "s2", "job:a")):
                assert await asked.is_job_claimed(session, job), "is_job_claimed() does not see a claim"
            assert not await mine.is_job_claimed("s2", "job:b")
            assert not await mine.is_job_claimed("nobody", "job:a")
            if isinstance(other, ClaimingLedger):
                assert await other.claim("s1", 1)
            await mine.release_job("s1", "job:a")
            await mine.release_job("s1", "job:never claimed")
            with anyio.fail_after(LONG):
                await yours.claim_job("s1", "job:a")
        with anyio.fail_after(LONG):
            await mine.claim_job("s1", "job:a")
        with suppress(UnknownName):
            await mine.claim_job("nobody", "job:a")
            raise AssertionError("claim_job() took a session that nobody created")

    def _claiming_jobs(self, ledger: Ledger) -> JobClaimingLedger:
        if not isinstance(ledger, JobClaimingLedger):
            raise SkipTest("the ledger has no claims on jobs: two processes may do one at the same moment")
        return ledger

    def _claiming(self, ledger: Ledger) -> ClaimingLedger:
        if not isinstance(ledger, ClaimingLedger):
            raise SkipTest("the ledger has no claims: of two processes that decide one entry, the first to record wins")
        return ledger


async def _gets(ledger: ClaimingLedger, sequence: int = 1) -> bool:
    """Whether the claim is given at once."""
    with anyio.move_on_after(A_MOMENT):
        return await ledger.claim("s1", sequence)
    return False
