"""The facts of a session's state in the file: a row for each entry that notes some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw

from earwitness.ids import derive
from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot
from earwitness.records.state import FactsOf

from ..facts import FactsWritten, changes, made, rows_of

NONE = ""
"""The version of a session without facts."""
_PUT = (
    "INSERT INTO ledger_facts (session, key, facts) VALUES (?, ?, ?)"
    " ON CONFLICT (session, key) DO UPDATE SET facts = excluded.facts"
)
_COPY = (
    "INSERT INTO ledger_facts (session, key, facts)"
    " SELECT ?, key, facts FROM ledger_facts WHERE session = ? ORDER BY number"
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
        found = changes(before, plan, after)
        return cls(None if found is None else version, found or (), after.state.facts)

    @property
    def version(self) -> str | None:
        """The version of the facts after it, if those before it are as they are thought to be; `None` if that is not
        known."""
        return None if self.before is None else _version(self.before, self.changes)


def read(connection: apsw.Connection, session: int) -> dict[str, FactsOf]:
    """The facts of a session, in their order."""
    rows = connection.execute("SELECT key, facts FROM ledger_facts WHERE session = ? ORDER BY number", (session,))
    return made((str(key), str(facts)) for key, facts in rows)


def change(connection: apsw.Connection, session: int, new: FactsChange) -> None:
    """Write what a plan changes; everything anew if the facts before it are not those that it is meant for."""
    version = str(connection.execute("SELECT facts FROM ledger_sessions WHERE number = ?", (session,)).get)
    if version != new.before:
        connection.execute("DELETE FROM ledger_facts WHERE session = ?", (session,))
        put(connection, session, new.whole)
    elif new.changes:
        _write(connection, session, new.changes, _version(version, new.changes))


def put(connection: apsw.Connection, session: int, facts: Mapping[str, FactsOf]) -> None:
    """Write all facts of a session that has none. Raises `InputError` for what JSON cannot hold."""
    rows = rows_of(facts)
    _write(connection, session, rows, _version(NONE, rows))


def copy(connection: apsw.Connection, session: int, new: int) -> None:
    """Give a session that has no facts those of another one."""
    connection.execute(_COPY, (new, session))
    version = connection.execute("SELECT facts FROM ledger_sessions WHERE number = ?", (session,)).get
    connection.execute("UPDATE ledger_sessions SET facts = ? WHERE number = ?", (version, new))


def _write(connection: apsw.Connection, session: int, changed: Sequence[FactsWritten], version: str) -> None:
    gone = [(session, key) for key, facts in changed if facts is None]
    connection.executemany("DELETE FROM ledger_facts WHERE session = ? AND key = ?", gone)
    connection.executemany(_PUT, [(session, key, facts) for key, facts in changed if facts is not None])
    connection.execute("UPDATE ledger_sessions SET facts = ? WHERE number = ?", (version, session))


def _version(before: str, changed: Iterable[FactsWritten]) -> str:
    """Equal versions are equal facts: it derives from all changes."""
    for key, facts in changed:
        before = derive("facts", before, key, facts)
    return before
