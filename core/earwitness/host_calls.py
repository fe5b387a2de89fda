"""What was asked of models for a session outside of its plans, by its host and by recalls: sums in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TypeAlias

from pydantic import JsonValue

from .engine import HOST_CALLS, Engine
from .errors import StorageError
from .live import Live
from .records.plan import Answer
from .records.usage import ModelCall, Spending, calls_of
from .unused_calls import UNUSED, UnusedCalls

AskedCalls: TypeAlias = tuple[str, Iterable[ModelCall]]
"""Who asked, and the calls."""


async def note_calls(engine: Engine, live: Live, by: str, calls: Iterable[ModelCall]) -> None:
    """Add somebody's calls to the sums of a session. Raises `StorageError`."""
    await _note(engine, live, [(by, calls)], engine.run)


async def note_answers(engine: Engine, live: Live, answers: Iterable[Answer], *, unused: bool = False) -> None:
    """Add what models were asked for these answers, which no plan has, to the sums of a session, in one write. Those
    that are `unused` were meant for a plan. Raises `StorageError`."""
    asked = [(each.by, calls_of(each.usage, each.seconds)) for each in answers if each.usage is not None]
    if asked:
        await _note(engine, live, asked, f"{engine.run}\n{UNUSED}" if unused else engine.run)


async def _note(engine: Engine, live: Live, asked: Iterable[AskedCalls], run: str) -> None:
    noted = live.stored.setdefault(HOST_CALLS, {})
    noted |= (changes := _with_calls(noted, asked, run))
    await engine.ledger.write_data(live.snapshot.id, HOST_CALLS, changes)


async def look_up_unused(engine: Engine, live: Live) -> None:
    """Read what other programs have noted of calls whose answers no plan has, where a budget counts them."""
    unused, session = UnusedCalls.shared(engine.resources), live.snapshot.id
    if unused.is_wanted:
        with suppress(StorageError):  # what is known counts
            unused.read(session, await engine.ledger.data(session, HOST_CALLS), engine.run)


def noted_by(noted: Mapping[str, JsonValue], by: str) -> Spending:
    """What was noted for one asker."""
    return sum((spending for asker, _, spending in sums(noted) if asker == by), Spending())


def sums(noted: Mapping[str, JsonValue]) -> Iterator[tuple[str, str, Spending]]:
    """Who asked, the model's name, and what a run of the program has spent."""
    for key, kept in noted.items():
        by, model, *_ = key.split("\n")
        yield by, model, Spending.model_validate(kept)


def _with_calls(noted: Mapping[str, JsonValue], asked: Iterable[AskedCalls], run: str) -> dict[str, JsonValue]:
    """The sums that change with more calls: who asked, the model's name and the run of the program, with line feeds
    between them, and `unused` at last where no plan has their answers → what the calls came to. Each run has sums of
    its own, so that two at once do not undo each other's.
    """
    changed: dict[str, JsonValue] = {}
    for by, call in ((by, call) for by, calls in asked for call in calls):
        key = f"{by}\n{call.model}\n{run}"
        before = changed.get(key, noted.get(key))
        spent = (Spending() if before is None else Spending.model_validate(before)) + Spending.of(call)
        changed[key] = spent.model_dump(mode="json")
    return changed
