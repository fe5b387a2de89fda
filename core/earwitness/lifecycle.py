"""The lifecycle of everything that one instance is made of: opened with it, closed with it, whatever its kind."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import EarwitnessError, StrategyError, named
from .redaction import cause_of, scrub, without
from .strategy import Strategy
from .time_limit import contained, reason
from .wrapper import innermost


class Lifecycle:
    """Opens strategies and plugins in order, and closes them in reverse order. `open` and `close` are optional."""

    def __init__(self, parts: Iterable[Strategy[Any]]) -> None:
        """An instance that is listed twice is opened once, at its first place."""
        once: dict[int, Strategy[Any]] = {}
        for part in parts:
            once.setdefault(id(innermost(part.made)), part)
        self._parts = tuple(part for part in once.values() if _method(part, "open") or _method(part, "close"))
        self._opened: list[Strategy[Any]] = []

    async def open(self) -> None:
        """Open everything. When something fails, what was opened before it is closed again.

        Raises what it failed with if that is an `EarwitnessError`, and otherwise `StrategyError`.
        """
        try:
            for part in self._parts:
                with part.at_its_place():
                    await _call(part, "open", "opened")
                self._opened.append(part)
        except BaseException as error:
            await self.close(error)
            raise

    async def close_all(self) -> None:
        """As `close`, for parts that opened themselves."""
        self._opened = list(self._parts)
        await self.close()

    async def add(self, part: Strategy[Any]) -> Strategy[Any]:
        """Open one that was made later; it is closed with the others, before them. Raises as `open`."""
        with part.at_its_place():
            await _call(part, "open", "opened")
        self._opened.append(part)
        return part

    async def close(self, error: BaseException | None = None) -> None:
        """Close everything that was opened. Failures are raised, as `open` does, once the rest is closed.

        While an `error` is under way, they are notes on it.
        """
        failures = []
        while self._opened:
            try:
                await _call(self._opened.pop(), "close", "closed")
            except BaseException as failure:  # noqa: BLE001 - the others must be closed all the same
                failures.append(failure)
        if failures:
            _raise(error, failures)


async def closed(kind: str, made: Mapping[str, Any]) -> None:
    """Close strategies that were made when they were needed, by name, and may be needed again. Raises as `close`."""
    lifecycle = Lifecycle(Strategy(kind, name, each) for name, each in made.items())
    await lifecycle.close_all()


def _raise(error: BaseException | None, failures: list[BaseException]) -> None:
    """Raise a cancellation, or else the first failure unless an error is under way; the others are notes on it."""
    cancelled = next((each for each in failures if not isinstance(each, Exception)), None)
    first = cancelled or error or failures[0]
    for failure in failures:
        if failure is not first:
            first.add_note(named(failure))
    if first is not error:
        raise first


def _method(part: Strategy[Any], name: str) -> Any:
    """The instance's own method of this name; a class method such as `Earwitness.open` makes instances."""
    found = getattr(part.made, name, None)
    return found if callable(found) and not inspect.isclass(getattr(found, "__self__", None)) else None


async def _call(part: Strategy[Any], name: str, done: str) -> None:
    if (method := _method(part, name)) is None:
        return
    try:
        answer = method()
        if inspect.isawaitable(answer):
            await answer
    except EarwitnessError as error:
        scrub(error, part.quotable)
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a stranger's code raises
        secrets = part.quotable
        why = without(reason(contained(error)), secrets)
        raise StrategyError(f"{part.label} could not be {done}: {why}.") from cause_of(error, secrets)
