"""The conformance suite of retellers: words for every text, not too many, quick, and always the same.

In a test file of your own:

    from earwitness_relationships.testing.reteller import RetellerSuite

    class TestMine(RetellerSuite):
        def make_reteller(self) -> Mine:
            return Mine()
"""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from earwitness.testing.samples import LONG_TEXTS, ODD_TEXTS
from earwitness.testing.suite import Capability, Report, Suite, adapted, case, check, soon, within_seconds

from ..propagation.records import Telling
from ..propagation.retell import Reteller, Retelling, RetellingAnswer, RewordingReteller


class RetellerSuite(Suite[Reteller]):
    """Subclass it, and create your own reteller in `make_reteller`."""

    repeatable: Capability = True
    """The same text gets the same words."""
    longest: float = 3.0
    """How many times as long as what was heard a retelling may be; 500 characters are always allowed."""
    seconds: float = 5.0
    """How long a hostile text of 24,000 characters may take."""

    def make_reteller(self) -> Reteller | Awaitable[Reteller]:
        """Your own reteller. The method may be `async`."""
        raise NotImplementedError(f"{type(self).__name__} must define make_reteller().")

    def subject(self) -> AbstractAsyncContextManager[Reteller]:
        """The reteller."""
        return self._made()

    @asynccontextmanager
    async def _made(self) -> AsyncIterator[Reteller]:
        reteller = await soon(self.make_reteller())
        yield reteller
        if closes := getattr(reteller, "close", None):
            await soon(closes())

    @case
    async def test_every_text_gets_words(self, reteller: Reteller) -> None:
        """Ordinary and odd ones, at any hop; the words can be kept."""
        for text in texts():
            for hop in (1, 3):
                told = await soon(reteller.retell(text, telling(hop)))
                assert isinstance(told, str), text
                assert told.strip(), text
                told.encode()

    @case
    async def test_a_rumour_does_not_grow_without_end(self, reteller: Reteller) -> None:
        """What each hop made longer would fill every memory."""
        for text in (*texts(), *LONG_TEXTS):
            told = await soon(reteller.retell(text, telling()))
            assert len(told) <= max(500, self.longest * len(text)), text

    @case
    async def test_the_same_text_gets_the_same_words(self, reteller: Reteller) -> None:
        """A job that runs twice tells the same."""
        self.needs("repeatable")
        for text in texts():
            assert await soon(reteller.retell(text, telling())) == await soon(reteller.retell(text, telling())), text

    @case
    async def test_asked_once_for_several_listeners_it_has_words_for_all(self, reteller: Reteller) -> None:
        """If it has `reword`: an answer that comes back from JSON unchanged, and says nothing empty."""
        if not isinstance(reteller, RewordingReteller):
            return
        for text in texts():
            listeners = (telling(1, "ben"), telling(1, "cid"))
            answer = await soon(reteller.reword(Retelling(session="s1", message="m9", text=text, tellings=listeners)))
            assert answer is None or isinstance(answer, RetellingAnswer), text
            assert answer is None or RetellingAnswer.model_validate_json(answer.model_dump_json()) == answer, text
            assert answer is None or answer.text is None or answer.text.strip(), text

    @case
    async def test_no_text_takes_more_than_its_length(self, reteller: Reteller) -> None:
        """A text of 24,000 characters that is made to take long is reworded within `seconds`."""
        for text in LONG_TEXTS:
            with within_seconds(self.seconds, text):
                await soon(reteller.retell(text, telling()))


def telling(hop: int = 1, listener: str = "ben") -> Telling:
    """Ann tells a listener."""
    return Telling(listener=listener, teller="ann", hop=hop, day=1, rule="town:share_direct_interactions")


def texts() -> Iterator[str]:
    """Ordinary and odd ones."""
    yield "The mill has burnt down."
    yield from (text for text in ODD_TEXTS if text.strip())


def check_reteller(make: Callable[[], Reteller | Awaitable[Reteller]], **flags: Any) -> Report:
    """Run the suite without pytest. `make` is a class or a factory; flags are attributes of the suite.

    Raises one `ExceptionGroup` with every failure.
    """
    return check(adapted(RetellerSuite, "make_reteller", lambda folder: make(), flags))
