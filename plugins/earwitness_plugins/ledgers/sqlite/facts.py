"""The facts of a session's state, a row for each entry that notes some. They grow with the story, so that no snapshot
has them: each plan writes only what it changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import apsw
from pydantic import TypeAdapter

from earwitness.ids import derive
from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot
from earwitness.records.state import FactsOf, State

from ..text import as_json, value_as_json

FactRows: TypeAlias = Sequence[tuple[str, str]]
"""Entry key and facts as JSON, in the order of the state."""
FactsWritten: TypeAlias = tuple[str, str | None]
"""Entry key, and its facts as JSON; `None` = they are gone."""
NONE = ""
"""The version of a session without facts."""
_FACTS: TypeAdapter[dict[str, FactsOf]] = TypeAdapter(dict[str, FactsOf])
_PUT = (
    "INSERT INTO ledger_facts (session, key, facts) VALUES (?, ?, ?)"
    " ON CONFLICT (session, key) DO UPDATE SET facts = excluded.facts"
)


class FactsChange(NamedTuple):
    """What a plan does to the facts of its session."""

    before: str | None
    """The version of the facts that it changes; `None` if that is not known."""
    changes: Sequence[FactsWritten]
    """What is different after it."""
    whole: Mapping[str, FactsOf]
    """All facts after it, for where those before it are others."""

    @classmethod
    def of(cls, before: Snapshot | None, version: str | None, plan: Plan, after: Snapshot) -> FactsChange:
        """The change by a plan, from the facts that the session had `before` it. Raises `InputError` for what JSON
        cannot hold."""
        now = after.state.facts
        if before is None or before.decided != plan.sequence - 1 or not _leads_to(before.state, plan, now):
            return cls(None, (), now)
        return cls(version, [(key, _text(facts) if facts else None) for key, facts in plan.facts.items()], now)

    @property
    def version(self) -> str:
        """The version of the facts after it, if those before it are as they are thought to be."""
        return _version(self.before or NONE, self.changes)


def without(snapshot: Snapshot) -> str:
    """A snapshot as JSON, without the facts of its state."""
    return as_json(snapshot, exclude={"state": {"facts"}})


def joined(snapshot: Snapshot, facts: Mapping[str, FactsOf]) -> Snapshot:
    """A snapshot with these facts."""
    return snapshot.model_copy(update={"state": snapshot.state.model_copy(update={"facts": facts})})


def read(connection: apsw.Connection, session: int) -> FactRows:
    """The facts of a session, to be made by `made`."""
    rows = connection.execute("SELECT key, facts FROM ledger_facts WHERE session = ? ORDER BY number", (session,))
    return rows.fetchall()  # type: ignore[return-value]


def made(rows: FactRows) -> dict[str, FactsOf]:
    """The facts of these rows."""
    listed = ",".join(f"{value_as_json(key, 'a key')}:{facts}" for key, facts in rows)
    return _FACTS.validate_json(f"{{{listed}}}")


def change(connection: apsw.Connection, session: int, new: FactsChange) -> None:
    """Write what a plan changes; everything anew if the facts before it are not those that it is meant for."""
    version = connection.execute("SELECT facts FROM ledger_sessions WHERE number = ?", (session,)).get
    if version != new.before:
        connection.execute("DELETE FROM ledger_facts WHERE session = ?", (session,))
        put(connection, session, new.whole)
    elif new.changes:
        _write(connection, session, new.changes, new.version)


def put(connection: apsw.Connection, session: int, facts: Mapping[str, FactsOf]) -> None:
    """Write all facts of a session that has none. Raises `InputError` for what JSON cannot hold."""
    rows = [(key, _text(each)) for key, each in facts.items()]
    _write(connection, session, rows, _version(NONE, rows))


def _leads_to(before: State, plan: Plan, now: Mapping[str, FactsOf]) -> bool:
    noted = before.noting(plan.facts).facts
    return noted is now or noted == now


def _write(connection: apsw.Connection, session: int, changes: Sequence[FactsWritten], version: str) -> None:
    gone = [(session, key) for key, facts in changes if facts is None]
    connection.executemany("DELETE FROM ledger_facts WHERE session = ? AND key = ?", gone)
    connection.executemany(_PUT, [(session, key, facts) for key, facts in changes if facts is not None])
    connection.execute("UPDATE ledger_sessions SET facts = ? WHERE number = ?", (version, session))


def _version(before: str, changes: Iterable[FactsWritten]) -> str:
    """Equal versions are equal facts: it derives from all changes."""
    for key, facts in changes:
        before = derive("facts", before, key, facts)
    return before


def _text(facts: FactsOf) -> str:
    return value_as_json({name: list(each) for name, each in facts.items()}, "a fact of the state")
