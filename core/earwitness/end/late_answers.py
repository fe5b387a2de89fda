"""Sharing rules that answer later: nobody who perceived a message waits for what they ask, such as a language model.

Such a rule counts as one that has not told anybody yet (`untold`). Once it can answer, an entry of its own is appended
to the journal, with which it is asked again. What is cut short is asked again with the next entry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar

import anyio
from pydantic import JsonValue

from ..background import Background
from ..errors import NotOpen
from ..events import SharingAnswer
from ..records.plan import Answer
from .untold import answers_later

_LATER: ContextVar[list[Awaitable[object]] | None] = ContextVar("later", default=None)
"""What rules that are asked just now wait for; `None` where nobody would ask them again, as in a preview."""


def noted_answers() -> list[Awaitable[object]] | None:
    """Where to note what a rule waits for; `None` = it has to answer at once."""
    return _LATER.get()


class LateAnswers:
    """What the sharing rules of one session wait for."""

    def __init__(
        self,
        background: Background,
        ask_again: Callable[[], Awaitable[None]],
        note: Callable[[Iterable[Answer]], Awaitable[None]],
    ) -> None:
        """`ask_again` appends an entry with which rules are asked again; `note` counts calls that no plan has."""
        self._background, self._ask_again, self._note = background, ask_again, note
        self._asked: list[Answer] = []
        """What was asked of models for rules that answer later, since one was first waited for."""
        self._recorded: list[Answer] = []
        """What plans have recorded since then."""
        self._awaited: dict[int, Awaitable[object]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @contextmanager
    def collected(self) -> Iterator[list[Awaitable[object]]]:
        """While an entry is decided: what rules wait for that answer later."""
        found: list[Awaitable[object]] = []
        token = _LATER.set(found)
        try:
            yield found
        finally:
            _LATER.reset(token)

    def follow(self, awaited: list[Awaitable[object]]) -> None:
        """Let the rules be asked again once each of these is done, whatever becomes of it."""
        for each in awaited:
            if id(each) not in self._awaited:
                self._awaited[id(each)] = each
                self._start(each)

    def recorded(self, answers: Iterable[Answer]) -> None:
        """A plan has these answers, or they are counted otherwise."""
        if self._tasks:
            self._recorded += [each for each in answers if each.usage is not None]

    async def resume(self, untold: Mapping[str, JsonValue]) -> None:
        """Ask rules again that were to answer later when the program ended."""
        if not self._tasks and answers_later(untold):
            await self._ask_again()

    async def done(self, timeout: float | None = None) -> None:
        """Wait at most so many seconds until nothing is waited for, and the rules have been asked again."""
        with anyio.move_on_after(timeout):
            while self._tasks:
                await asyncio.wait({*self._tasks})

    def _start(self, awaited: Awaitable[object]) -> None:
        async def follow() -> None:
            try:
                with suppress(Exception):  # the rule says so when it is asked again
                    answer = await awaited
                    asked = answer.consulted if isinstance(answer, SharingAnswer) else ()
                    self._asked += [each for each in asked if each.usage is not None and each not in self._asked]
            finally:
                del self._awaited[id(awaited)]
            await self._ask_again()
            if not self._awaited:  # where a retraction or an edit has come between, it is in no plan
                unused = [each for each in self._asked if each not in self._recorded]
                self._asked, self._recorded = [], []
                await self._note(unused)

        with suppress(NotOpen):  # it is closing: the rules are asked again when the story goes on
            task = self._background.start(follow, "a sharing rule that answers later", cancelled_on_close=True)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
