"""Questions about gossip that take their time, such as those to a language model: asked in the background.

What was answered is kept until the rule is asked again, which then finds all answers at hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import copy_context
from dataclasses import dataclass
from typing import TypeAlias

from earwitness import SharingAnswer, SharingEvent

from . import first_asked
from .question_context import NotAnsweredYet, QuestionContext

ANSWERS_LATER = "answers later: somebody is asked in the background"
ROUNDS = 3
"""After so many rounds in which the questions have changed each time, the rule asks at once."""
STRATEGIES = ("reteller:", "triage:")
"""What the keys of data begin with that strategies write."""
MOST = 256
"""So many rounds of questions are kept whose answers nobody has fetched."""
MOST_ANSWERED = 32
"""So many rounds are kept whose answers somebody has fetched."""
Answering: TypeAlias = Callable[[SharingEvent, QuestionContext], Coroutine[None, None, SharingAnswer]]
RoundKey: TypeAlias = tuple[str, ...]


class _LateQuestion:
    """A question that is asked once somebody awaits it: where another program's plan holds, nobody does."""

    def __init__(self, asking: Callable[[], Coroutine[None, None, SharingAnswer]]) -> None:
        self._asking, self._context = asking, copy_context()
        self._task: asyncio.Task[SharingAnswer] | None = None

    def __await__(self) -> Generator[object, None, SharingAnswer]:
        """The answer. Raises what a strategy has raised."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._asking(), context=self._context)
            self._task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._task.__await__()

    @property
    def is_done(self) -> bool:
        """Whether it was asked and is answered, or has failed."""
        return self._task is not None and self._task.done()

    def raise_failure(self) -> None:
        """Raise what a strategy has raised."""
        if self._task is not None:
            self._task.result()

    async def cancel(self) -> None:
        """Ask no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


@dataclass(frozen=True)
class _QuestionRound:
    """One round of questions."""

    asked: _LateQuestion
    event: SharingEvent
    """What was asked about, with the data that strategies write meanwhile."""
    context: QuestionContext
    number: int
    """How many rounds there were about this."""


class LaterQuestions:
    """The rounds of questions of one instance."""

    def __init__(self, answering: Answering, context: Callable[[SharingEvent], QuestionContext]) -> None:
        """`answering` answers about a message, and asks whom it must; `context` begins a round."""
        self._answering, self._context = answering, context
        self._rounds: dict[RoundKey, _QuestionRound] = {}
        self._answered: dict[RoundKey, _QuestionRound] = {}
        """The last rounds that were fetched: where another program's plan holds, they are fetched once more."""

    async def answer(self, event: SharingEvent) -> SharingAnswer:
        """The answer, if all that it needs is known; else one that comes later. Raises what a strategy has raised."""
        key = _key_of(event)
        if (before := self._rounds.get(key)) is not None and not before.asked.is_done:
            return _later(before.asked, event, before.context.told_first)
        before = self._rounds.pop(key, None) or self._answered.pop(key, None)
        context = self._context(event)
        context.may_wait = before is not None and before.number >= ROUNDS
        _take_over(before, event, context)
        if before is None:
            context.told_first = first_asked.told_first(event)
        try:
            answer = await self._answering(event, context)
        except NotAnsweredYet:
            event.data.changes.clear()  # what the rule keeps of this message, it keeps once it has told of it
            first_asked.keep(event, context.listeners)
            return _later(await self._begin(key, event, before, context.listeners), event, context.listeners)
        first_asked.forget(event)
        if before is not None:
            self._answered[key] = before
            for old in list(self._answered)[:-MOST_ANSWERED]:
                del self._answered[old]
        return answer

    async def _begin(
        self,
        key: RoundKey,
        event: SharingEvent,
        before: _QuestionRound | None,
        told_first: frozenset[str],
    ) -> _LateQuestion:
        """A question to ask in the background, from what an earlier round has found out."""
        event = event.model_copy(update={"data": event.data.copy()})
        context = self._context(event)
        _take_over(before, event, context)
        context.told_first = told_first
        question = _LateQuestion(lambda: self._answering(event, context))
        self._rounds[key] = _QuestionRound(question, event, context, 1 if before is None else before.number + 1)
        for old in list(self._rounds)[:-MOST]:
            await self._rounds.pop(old).asked.cancel()
        return question

    async def close(self) -> None:
        """Ask no more."""
        rounds, self._rounds = self._rounds, {}
        await asyncio.gather(*(each.asked.cancel() for each in rounds.values()))


def _take_over(done: _QuestionRound | None, event: SharingEvent, context: QuestionContext) -> None:
    """Take over what a round has found out, and what the strategies have written that it asked. Raises what it has
    raised."""
    if done is not None:
        done.asked.raise_failure()
        context.known |= done.context.known
        context.answers += done.context.answers
        context.told_first = done.context.told_first
        written = done.event.data.changes
        event.data.changes.update({key: written[key] for key in written if key.startswith(STRATEGIES)})


def _later(asked: _LateQuestion, event: SharingEvent, told_first: frozenset[str] | None) -> SharingAnswer:
    return SharingAnswer(later=asked, notes=(ANSWERS_LATER,), may_tell=first_asked.in_cast(told_first, event.cast))


def _key_of(event: SharingEvent) -> RoundKey:
    """The same for the same words of a message that have reached the same."""
    message = event.message.message
    said = message.key, str(message.revision), message.content, str(message.timestamp)
    return event.session, *said, *sorted(each.id for each in event.arrived)
