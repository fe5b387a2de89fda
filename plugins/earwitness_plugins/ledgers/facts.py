"""The facts of a session's state, which ledgers keep apart from its snapshot.

They grow with the story, so that each plan writes only what it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from pydantic import TypeAdapter

from earwitness.copies.json_text import as_json, value_as_json
from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot
from earwitness.records.state import FactsOf, State

FactsWritten: TypeAlias = tuple[str, str | None]
"""Entry key, and its facts as JSON; `None` = they are gone."""
_FACTS: TypeAdapter[dict[str, FactsOf]] = TypeAdapter(dict[str, FactsOf])


def without(snapshot: Snapshot) -> str:
    """A snapshot as JSON, without the facts of its state."""
    return as_json(snapshot, exclude={"state": {"facts"}})


def joined(snapshot: Snapshot, facts: Mapping[str, FactsOf]) -> Snapshot:
    """A snapshot with these facts."""
    return snapshot.model_copy(update={"state": snapshot.state.model_copy(update={"facts": facts})})


def made(rows: Iterable[tuple[str, str]]) -> dict[str, FactsOf]:
    """The facts of these entry keys and JSON, in their order."""
    listed = ",".join(f"{value_as_json(key, 'a key')}:{facts}" for key, facts in rows)
    return _FACTS.validate_json(f"{{{listed}}}")


def rows_of(facts: Mapping[str, FactsOf | None]) -> Sequence[FactsWritten]:
    """Facts as they are kept. Raises `InputError` for what JSON cannot hold."""
    return [(key, _text(each) if each else None) for key, each in facts.items()]


def changes(before: Snapshot | None, plan: Plan, after: Snapshot) -> Sequence[FactsWritten] | None:
    """What a plan changes in the facts that the session had `before` it; `None` where that does not lead to those
    `after` it, so that all are to be written anew. Raises `InputError` for what JSON cannot hold."""
    if before is None or before.decided != plan.sequence - 1 or not _leads_to(before.state, plan, after.state.facts):
        return None
    return rows_of(plan.facts)


def _leads_to(before: State, plan: Plan, now: Mapping[str, FactsOf]) -> bool:
    noted = before.noting(plan.facts).facts
    return noted is now or noted == now


def _text(facts: FactsOf) -> str:
    return value_as_json({name: list(each) for name, each in facts.items()}, "a fact of the state")
