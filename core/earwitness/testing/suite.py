"""The base of the conformance suites: subclass one in a test file, or run it without pytest.

A test of a suite is an ordinary synchronous method, so that no plugin for asynchronous tests is needed. Each test makes
its own subject in its own folder, opens it, and closes it at the end.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar
from unittest import SkipTest

import anyio
import anyio.from_thread
import anyio.to_thread

from ..records.base import Record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
S = TypeVar("S", bound="Suite[Any]")

Capability = Literal[True] | str
"""`True`, or a sentence that says why not.

Tests of a missing capability are skipped with that sentence, never silently.
"""


class Suite(Generic[T]):
    """The base class of every suite. `StoreSuite`, `LedgerSuite` and `DetectorSuite` say which methods to implement."""

    folder: Path
    """A fresh folder for the running test. Its name is unique: use it as the name space of a remote service."""
    event_loop: str = "asyncio"
    """The anyio backend the tests run on."""
    examples: int = 25
    """The number of random examples for each property; use fewer for a slow service."""

    def subject(self) -> AbstractAsyncContextManager[T]:
        """The subject under test, opened on `self.folder`. Two calls in one test give two handles on the same data."""
        raise NotImplementedError

    def needs(self, capability: str) -> None:
        """Skip the running test, with the reason given, unless the subject has this capability."""
        reason = getattr(self, capability)
        if reason is not True:
            raise SkipTest(f"{type(self).__name__}.{capability}: {reason}")

    def run(self, test: Callable[[Any, T], Awaitable[None]]) -> None:
        """Run one test on its own subject."""
        __tracebackhide__ = True

        async def with_subject() -> None:
            __tracebackhide__ = True
            async with self.subject() as subject:
                await test(self, subject)

        with TemporaryDirectory(prefix="earwitness-") as folder, _properties_need_hypothesis():
            self.folder = Path(folder)
            anyio.run(with_subject, backend=self.event_loop)

    async def for_all(self, check: Callable[..., Coroutine[Any, Any, None]], *strategies: SearchStrategy[Any]) -> None:
        """Try the check with random values, `examples` times, on the open subject. Needs hypothesis."""
        from hypothesis import HealthCheck, given, settings
        from hypothesis.strategies import tuples

        # settings belong to a thread: read the project's profile here, before the examples move to their own
        checks = list(HealthCheck)
        profile = settings(
            max_examples=self.examples, deadline=None, suppress_health_check=checks, report_multiple_bugs=False
        )

        def example(values: tuple[object, ...]) -> None:
            anyio.from_thread.run(check, *values)

        await anyio.to_thread.run_sync(profile(given(tuples(*strategies))(example)))


@contextmanager
def _properties_need_hypothesis() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name and missing.name.partition(".")[0] == "hypothesis":
            raise SkipTest("random examples need hypothesis: pip install hypothesis") from None
        raise


def case(test: Callable[[S, T], Awaitable[None]]) -> Callable[[S], None]:
    """Make a test of a suite. It is written with the open subject as its argument; pytest calls it with none."""

    def run(self: S) -> None:
        __tracebackhide__ = True
        self.run(test)

    run.__name__, run.__qualname__, run.__module__ = test.__name__, test.__qualname__, test.__module__
    run.__doc__ = test.__doc__
    return run


class Opens(Protocol):
    """The part of a store or ledger that opens and closes it."""

    async def open(self) -> None:
        """Connect, create or migrate."""
        ...

    async def close(self) -> None:
        """Release everything."""
        ...


O = TypeVar("O", bound=Opens)  # noqa: E741


@asynccontextmanager
async def opened(made: O | Awaitable[O]) -> AsyncIterator[O]:
    """Open the object a factory made, and close it in any case."""
    subject = await soon(made)
    await subject.open()
    try:
        yield subject
    finally:
        await subject.close()


async def soon(value: T | Awaitable[T]) -> T:
    """The value, awaited if necessary."""
    return await value if inspect.isawaitable(value) else value


class Report(Record):
    """The result of a run without pytest; a failure raises instead."""

    passed: tuple[str, ...]
    """Names of the tests that passed."""
    skipped: dict[str, str]
    """Name of a test → why it was skipped."""


def check(suite: type[Suite[Any]]) -> Report:
    """Run every test of a suite, without pytest. Raises one `ExceptionGroup` with all failures, each with its name."""
    passed: list[str] = []
    skipped: dict[str, str] = {}
    failed: list[Exception] = []
    for name in (name for name in dir(suite) if name.startswith("test_")):
        try:
            getattr(suite(), name)()
            passed.append(name)
        except SkipTest as skip:
            skipped[name] = str(skip)
        except Exception as failure:  # noqa: BLE001 - whatever a test raises is its failure
            failure.add_note(f"in {suite.__name__}.{name}")
            failed.append(failure)
    if failed:
        raise ExceptionGroup(f"{len(failed)} of {len(passed) + len(failed)} tests of {suite.__name__} failed", failed)
    return Report(passed=tuple(passed), skipped=skipped)


def adapted(
    suite: type[Suite[Any]], maker: str, make: Callable[[Path], object], flags: Mapping[str, Any]
) -> type[Suite[Any]]:
    """A subclass of the suite that makes its subject with this function.

    Raises `TypeError` for a flag it does not have.
    """
    for flag in flags:
        if not hasattr(suite, flag):
            known = sorted(name for name in dir(suite) if not name.startswith(("_", "test_")))
            raise TypeError(f"{suite.__name__} has no {flag!r}. It has: {', '.join(known)}.")
    return type(suite.__name__, (suite,), {maker: lambda self: make(self.folder), **flags})


@contextmanager
def within_seconds(limit: float, text: str) -> Iterator[None]:
    """Assert that the code inside takes at most so long."""
    started = perf_counter()
    yield
    seconds = perf_counter() - started
    if seconds > limit:
        raise AssertionError(
            f"{text[:40]!r}…, {len(text):,} characters long, took {seconds:.1f} s; {limit:g} s at most"
        )
