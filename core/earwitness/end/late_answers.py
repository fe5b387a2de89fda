"""Sharing rules that answer later: nobody who perceived a message waits for what they ask, such as a language model.

Such a rule counts as one that has not told anybody yet (`untold`). Once it can answer, an entry of its own is appended
to the journal, with which it is asked again. What is cut short is asked again with the next entry.

Of several programs on one story, the one whose plan says that the rule answers later asks (`untold.ASKED_BY`), and has
a claim on that meanwhile, where the ledger has claims. The others ask once the claim is free and nothing was told.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar

import anyio
from pydantic import JsonValue

from ..background import Background
from ..engine import Engine
from ..errors import EarwitnessError, NotOpen, StorageError
from ..events import SharingAnswer
from ..records.plan import Answer
from .untold import run_asking, runs_asking

ASKING = "late:"
"""What the name of the job begins with that a program has claimed while its rules answer later."""
PAUSES = (0.05, 0.2, 1.0, 5.0)
"""Seconds before rules are asked again with one more entry, where another program has decided the last one."""
LOOK_AGAIN = 0.1
"""Seconds after which one who waits for another program looks again whether it still asks."""
_LATER: ContextVar[list[Awaitable[object]] | None] = ContextVar("later", default=None)
"""What rules that are asked just now wait for; `None` where nobody would ask them again, as in a preview."""


def noted_answers() -> list[Awaitable[object]] | None:
    """Where to note what a rule waits for; `None` = it has to answer at once."""
    return _LATER.get()


async def asked_elsewhere(engine: Engine, session: str, run: str | None) -> bool:
    """Whether another program, which still runs, asks a rule that answers later."""
    claims = engine.job_claims
    if claims is None or run is None or run == engine.run:
        return False
    with suppress(StorageError):  # rather two programs ask than none
        return await claims.is_job_claimed(session, f"{ASKING}{run}")
    return False


async def free_to_ask(engine: Engine, session: str, owners_of: Mapping[str, Sequence[str]]) -> list[str]:
    """Labels of the rules that no other program asks: see `untold`."""
    return [each for each, of in owners_of.items() if not await asked_elsewhere(engine, session, run_asking(of))]


class LateAnswers:
    """What the sharing rules of one session wait for."""

    def __init__(
        self,
        engine: Engine,
        session: str,
        background: Background,
        ask_again: Callable[[], Awaitable[bool]],
        note: Callable[[Iterable[Answer]], Awaitable[None]],
    ) -> None:
        """`ask_again` appends an entry with which rules are asked again, and answers whether this program has asked
        them; `note` counts calls that no plan has."""
        self._engine, self._session = engine, session
        self._background, self._ask_again, self._note = background, ask_again, note
        self._asked: list[Answer] = []
        """What was asked of models for rules that answer later, since one was first waited for."""
        self._recorded: list[Answer] = []
        """What plans have recorded since then."""
        self._awaited: dict[int, Awaitable[object]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._following = 0
        """How many of these are not told of yet."""
        self._claimed = 0
        """How many are relying on the claim."""
        self._may_be_left = True
        """Whether a program that has ended may have left rules that were to answer later."""

    @contextmanager
    def collected(self) -> Iterator[list[Awaitable[object]]]:
        """While an entry is decided: what rules wait for that answer later."""
        found: list[Awaitable[object]] = []
        token = _LATER.set(found)
        try:
            yield found
        finally:
            _LATER.reset(token)

    @asynccontextmanager
    async def claimed(self, awaited: list[Awaitable[object]]) -> AsyncIterator[None]:
        """While a plan is recorded that says what is waited for: no other program asks the same once it is."""
        if not awaited:
            yield
            return
        await self._claim()
        try:
            yield
        finally:
            await self._release()

    def follow(self, awaited: list[Awaitable[object]]) -> None:
        """Let the rules be asked again once each of these is done, whatever becomes of it. To be called while the plan
        is `claimed`."""
        for each in awaited:
            if id(each) not in self._awaited:
                self._awaited[id(each)] = each
                self._start(each)

    def not_kept(self, answers: Iterable[Answer]) -> list[Answer]:
        """Those of the answers of a plan that does not hold which no later plan may have."""
        return [each for each in answers if each not in self._asked]

    def recorded(self, answers: Iterable[Answer]) -> None:
        """A plan has these answers, or they are counted otherwise."""
        if self._tasks:
            self._recorded += [each for each in answers if each.usage is not None]

    async def resume(self, untold: Callable[[], Mapping[str, JsonValue]], timeout: float | None = None) -> None:
        """Wait at most so many seconds for rules that other programs ask. Then ask those again of which none has told,
        and those that were to answer later when this program ended before."""
        if self._tasks:
            return
        asking = runs_asking(untold())
        others = {each for each in asking if each is not None and each != self._engine.run}
        with anyio.move_on_after(timeout):
            for run in others:
                await self._wait_for(run)
            if asking and (self._may_be_left or others):
                await self._ask_again()
        self._may_be_left = False

    async def done(self, timeout: float | None = None) -> None:
        """Wait at most so many seconds until nothing is waited for, and the rules have been asked again."""
        with anyio.move_on_after(timeout):
            while self._tasks:
                await asyncio.wait({*self._tasks})

    def _start(self, awaited: Awaitable[object]) -> None:
        async def follow() -> None:
            try:
                await self._answered(awaited)
            finally:
                await self._release()

        with suppress(NotOpen):  # it is closing: the rules are asked again when the story goes on
            task = self._background.start(follow, "a sharing rule that answers later", cancelled_on_close=True)
            self._claimed += 1
            self._following += 1
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answered(self, awaited: Awaitable[object]) -> None:
        try:
            with suppress(Exception):  # the rule says so when it is asked again
                answer = await awaited
                asked = answer.consulted if isinstance(answer, SharingAnswer) else ()
                self._asked += [each for each in asked if each.usage is not None and each not in self._asked]
        finally:
            del self._awaited[id(awaited)]
        for pause in (*PAUSES, 0.0):
            if await self._ask_again():
                break
            await asyncio.sleep(pause)  # another program has decided the entry, and leaves the asking to this one
        self._following -= 1
        if not self._following:  # where a retraction or an edit has come between, it is in no plan
            unused = [each for each in self._asked if each not in self._recorded]
            self._asked, self._recorded = [], []
            await self._note(unused)

    # ── one program asks ────────────────────────────────────────────────────────────────────────────────────────────

    async def _claim(self) -> None:
        self._claimed += 1
        if self._claimed == 1 and (claims := self._engine.job_claims) is not None:
            with suppress(EarwitnessError):  # then another program may ask, too
                await claims.claim_job(self._session, f"{ASKING}{self._engine.run}")

    async def _release(self) -> None:
        self._claimed -= 1
        if self._claimed == 0 and (claims := self._engine.job_claims) is not None:
            with suppress(EarwitnessError):  # it expires
                await claims.release_job(self._session, f"{ASKING}{self._engine.run}")

    async def _wait_for(self, run: str) -> None:
        """Wait until another program asks no more. It claims nothing: a claim of a moment would stop a third one."""
        while await asked_elsewhere(self._engine, self._session, run):  # noqa: ASYNC110 - it is in another process
            await asyncio.sleep(LOOK_AGAIN)
