"""The conformance suite of triages: the answer is about what was asked, quick, and always the same.

In a test file of your own:

    from earwitness_relationships.testing.triage import TriageSuite

    class TestMine(TriageSuite):
        def make_triage(self) -> Mine:
            return Mine()
"""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from earwitness import SettledMessage
from earwitness.records.message import Message, Participant
from earwitness.testing.samples import LONG_TEXTS, NOON, ODD_TEXTS
from earwitness.testing.suite import Capability, Report, Suite, adapted, case, check, soon, within_seconds

from ..propagation.records import Telling
from ..propagation.triage import Heard, Passing, Passings, Triage, TriageAnswer, TriageOfMany


class TriageSuite(Suite[Triage]):
    """Subclass it, and create your own triage in `make_triage`."""

    repeatable: Capability = True
    """The same question gets the same answer."""
    keeps_news: Capability = True
    """What is short, and the first thing that a listener is told on a day, is told."""
    seconds: float = 5.0
    """How long a hostile text of 24,000 characters may take; the rule waits as long."""

    def make_triage(self) -> Triage | Awaitable[Triage]:
        """Your own triage. The method may be `async`."""
        raise NotImplementedError(f"{type(self).__name__} must define make_triage().")

    def subject(self) -> AbstractAsyncContextManager[Triage]:
        """The triage."""
        return self._made()

    @asynccontextmanager
    async def _made(self) -> AsyncIterator[Triage]:
        triage = await soon(self.make_triage())
        yield triage
        if closes := getattr(triage, "close", None):
            await soon(closes())

    @case
    async def test_every_question_gets_an_answer(self, triage: Triage) -> None:
        """Ordinary, odd and crowded ones; the answer comes back from JSON unchanged, and `None` keeps it."""
        for asked in passings():
            answer = await soon(triage.triage(asked))
            assert answer is None or isinstance(answer, TriageAnswer), asked.text
            assert answer is None or TriageAnswer.model_validate_json(answer.model_dump_json()) == answer, asked.text

    @case
    async def test_it_merges_only_with_what_the_listener_was_told(self, triage: Triage) -> None:
        """And only where the same readers may recall both."""
        for asked in passings():
            answer = await soon(triage.triage(asked))
            if answer is not None and answer.decision == "merge":
                assert answer.memory in {each.memory for each in asked.heard if each.may_merge}, asked.text

    @case
    async def test_it_answers_no_empty_text(self, triage: Triage) -> None:
        """What is not worth telling is dropped."""
        for asked in passings():
            answer = await soon(triage.triage(asked))
            assert answer is None or answer.text is None or answer.text.strip(), asked.text

    @case
    async def test_the_first_short_news_of_a_day_is_told(self, triage: Triage) -> None:
        """A triage that lets nothing through is not a triage."""
        self.needs("keeps_news")
        answer = await soon(triage.triage(passing("The mill has burnt down.")))
        assert answer is None or answer.decision == "keep"

    @case
    async def test_the_same_question_gets_the_same_answer(self, triage: Triage) -> None:
        """A job that runs twice tells the same people."""
        self.needs("repeatable")
        for asked in passings():
            first, again = await soon(triage.triage(asked)), await soon(triage.triage(asked))
            assert _free(first) == _free(again), asked.text

    @case
    async def test_asked_about_several_listeners_it_answers_about_each(self, triage: Triage) -> None:
        """If it has `triage_all`: as many answers as there are listeners, and each is about its own."""
        if not isinstance(triage, TriageOfMany):
            return
        every = tuple(passings())
        answers = (await soon(triage.triage_all(Passings(passings=every)))).answers
        assert len(answers) == len(every)
        for asked, answer in zip(every, answers, strict=True):
            if answer is not None and answer.decision == "merge":
                assert answer.memory in {each.memory for each in asked.heard if each.may_merge}, asked.text

    @case
    async def test_no_text_takes_more_than_its_length(self, triage: Triage) -> None:
        """A text of 24,000 characters that is made to take long is judged within `seconds`."""
        for text in LONG_TEXTS:
            with within_seconds(self.seconds, text):
                await soon(triage.triage(passing(text, heard=(text, text[::-1]))))


def _free(answer: TriageAnswer | None) -> TriageAnswer:
    """What an answer says, whatever it cost."""
    return (answer or TriageAnswer()).model_copy(update={"usage": None, "notes": ()})


def passing(text: str, *, heard: tuple[str, ...] = (), may_merge: bool = True) -> Passing:
    """Ann would tell Ben what Zoe said; he has heard other things on that day."""
    message = Message(key="m9", sequence=9, speaker="zoe", content=text, game_day=1, scene="town", timestamp=NOON)
    parts = {"zoe": Participant(role="speaker", confidence=1), "ann": Participant(role="present", confidence=1)}
    return Passing(
        session="s1",
        listener="ben",
        day=1,
        tellings=(Telling(listener="ben", teller="ann", hop=1, day=1, rule="town:share_direct_interactions"),),
        text=text,
        message=SettledMessage(message=message, participants=parts),
        heard=tuple(
            Heard(memory=f"mem{number}", text=each, speaker="zoe", teller="ann", may_merge=may_merge)
            for number, each in enumerate(heard)
        ),
    )


def passings() -> Iterator[Passing]:
    """Ordinary, odd and crowded questions."""
    for text in ("The mill has burnt down.", *ODD_TEXTS):
        if text.strip():
            yield passing(text)
            yield passing(text, heard=(text, "The bridge is closed."))
            yield passing(text, heard=(text,), may_merge=False)
    yield passing("The mill has burnt down.", heard=tuple(f"House {number} has burnt down." for number in range(99)))


def check_triage(make: Callable[[], Triage | Awaitable[Triage]], **flags: Any) -> Report:
    """Run the suite without pytest. `make` is a class or a factory; flags are attributes of the suite.

    Raises one `ExceptionGroup` with every failure.
    """
    return check(adapted(TriageSuite, "make_triage", lambda folder: make(), flags))
