"""Observers learn what was done, for how long, and how much was found. Where nobody listens, nothing is done for them.

Strategies and plugins are observed where they are asked. Ledger, store and embedder are put into a wrapper that times
their methods; without observers they are used as they are.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sized
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from time import perf_counter
from typing import Any, TypeVar

from .errors import named
from .events import SharingAnswer, StrikeAnswer
from .protocols import Embedder, Ledger, Observer, Store
from .records.moment import Presence
from .records.observation import Observation
from .records.plan import Plan
from .records.snapshot import Snapshot
from .redaction import without
from .strategy import Strategy
from .wrapper import Wrapper, wrapped_by, wrapper_of

T = TypeVar("T")
OnEnd = Callable[[object, BaseException | None], None]
"""Tells what a call has answered, or raised."""
WRAPPED: Mapping[str, type] = {"ledger": Ledger, "store": Store, "embedder": Embedder}
"""The kinds that are wrapped, and their protocols."""


class Observers:
    """The observers of one instance. One that raises, or is far too slow, is switched off, and named in `failures`."""

    def __init__(self, listening: Iterable[Strategy[Observer]] = (), *, limit: float = 10.0) -> None:
        """`limit` is in seconds: who takes longer for one observation is switched off."""
        self._listening = tuple(listening)
        self._limit = limit
        self.failures: tuple[str, ...] = ()
        """Those that were switched off, and why."""

    def __bool__(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listening)

    def tell(self, observation: Observation) -> None:
        """Tell everybody. Nothing that an observer raises goes further."""
        for each in self._listening:
            started = perf_counter()
            failure = _failure(each.made, observation)
            if failure is None and (seconds := perf_counter() - started) > self._limit:
                failure = f"`observe` took {seconds:.1f} s, and the story waited for it"
            if failure is not None:
                self._switch_off(each, failure)

    def _switch_off(self, observer: Strategy[Observer], failure: str) -> None:
        self._listening = tuple(each for each in self._listening if each is not observer)
        why = without(failure, observer.secrets)
        self.failures = (*self.failures, f"{observer.label}: {why}; it was switched off")


def _failure(observer: Any, observation: Observation) -> str | None:
    """What went wrong in the observer, if anything did."""
    try:
        answer = observer.observe(observation)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - it must not break what it observes
        return named(error)
    if not inspect.isawaitable(answer):
        return None
    getattr(answer, "close", lambda: None)()
    return "`observe` is async and nobody waits for it. Write it plainly"


def count_of(value: object) -> int | None:
    """How many an answer holds: memories, hits, texts, deliveries, listeners; `None` where nothing can be counted."""
    match value:
        case Plan(deliveries=found) | SharingAnswer(shares=found) | StrikeAnswer(strikes=found):
            return len(found)
        case Presence(characters=found):
            return len(found)
        case Sized() if not isinstance(value, str | bytes):
            return len(value)
    return None


def observed(part: Strategy[T], observers: Observers) -> T:
    """The ledger, store or embedder in a wrapper that tells of every call; as it is, where nobody listens.

    Every attribute of what is wrapped is found on the wrapper, optional capabilities included.
    """
    made: Any = part.made
    if not observers or made is None:
        return part.made

    def timed(name: str, found: Any) -> Callable[..., Any] | None:
        method = _ObservedMethod(part, name, found, observers)
        return method.timed() if method.is_timed else None

    wrapped: T = wrapper_of(made, timed)
    return wrapped


@dataclass(frozen=True)
class _ObservedMethod:
    """One method of what is wrapped."""

    part: Strategy[Any]
    name: str
    found: Any
    observers: Observers

    @property
    def is_timed(self) -> bool:
        """Whether it is a method of the kind's protocol, or one that is awaited."""
        return self._declared is not None or inspect.iscoroutinefunction(self.found)

    def timed(self) -> Callable[..., Any]:
        """A method that does the same and tells of it."""
        return self._awaited() if inspect.iscoroutinefunction(self.found) else self._plain()

    def _awaited(self) -> Callable[..., Any]:
        @wraps(self.found)
        async def timed(wrapper: Wrapper, /, *given: Any, **by_name: Any) -> Any:
            on_end = self._on_end(given, by_name)
            return await _awaited(lambda: getattr(wrapped_by(wrapper), self.name)(*given, **by_name), on_end)

        return timed

    def _plain(self) -> Callable[..., Any]:
        """For a method that may answer at once, or with something to await."""

        def timed(wrapper: Wrapper, /, *given: Any, **by_name: Any) -> Any:
            on_end = self._on_end(given, by_name)
            try:
                answer = getattr(wrapped_by(wrapper), self.name)(*given, **by_name)
            except BaseException as error:
                on_end(None, error)
                raise
            if inspect.isawaitable(answer):
                return _awaited(lambda: answer, on_end)
            on_end(answer, None)
            return answer

        return timed

    def _on_end(self, given: tuple[Any, ...], by_name: Mapping[str, Any]) -> OnEnd:
        return partial(self._tell, perf_counter(), given, by_name)

    def _tell(
        self,
        started: float,
        given: tuple[Any, ...],
        by_name: Mapping[str, Any],
        answer: object,
        error: BaseException | None,
    ) -> None:
        seconds = perf_counter() - started
        arguments = self._arguments(given, by_name)
        count = count_of(answer)
        if count is None and error is None:
            count = next((found for each in arguments.values() if (found := count_of(each)) is not None), None)
        self.observers.tell(
            Observation(
                kind=self.part.kind,
                name=self.part.name,
                method=self.name,
                session=_session_of(arguments),
                container=_text(arguments.get("container")),
                seconds=seconds,
                count=count,
                failure=None if error is None else without(named(error), self.part.quotable),
            )
        )

    def _arguments(self, given: tuple[Any, ...], by_name: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            return self._signature.bind(None, *given, **by_name).arguments
        except TypeError:  # the call has failed by this, and says so itself
            return {}

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self._declared or self.found)

    @property
    def _declared(self) -> Any:
        """The method in the kind's protocol, where it is one of that."""
        declared = vars(WRAPPED[self.part.kind]).get(self.name)
        return declared if inspect.isfunction(declared) else None


async def _awaited(call: Callable[[], Awaitable[T]], on_end: OnEnd) -> T:
    try:
        answer = await call()
    except BaseException as error:
        on_end(None, error)
        raise
    on_end(answer, None)
    return answer


def _session_of(arguments: Mapping[str, object]) -> str | None:
    for each in arguments.values():
        if isinstance(each, Plan | Snapshot):
            return each.session if isinstance(each, Plan) else each.id
    return _text(arguments.get("session"))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
