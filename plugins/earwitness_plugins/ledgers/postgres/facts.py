"""The facts of a session's state in the database: a row for each entry that notes some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot
from earwitness.records.state import FactsOf

from ...postgres import Connection
from ..facts import FactsWritten, changes, rows_of

_TAKE = "DELETE FROM earwitness.fact WHERE session = %s AND key = ANY(%s)"
_EMPTY = "DELETE FROM earwitness.fact WHERE session = %s"
_PUT = """INSERT INTO earwitness.fact (session, key, facts)
SELECT %s, key, facts::json FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS n (key, facts, place) ORDER BY place
ON CONFLICT (session, key) DO UPDATE SET facts = excluded.facts"""


class PlanFacts(NamedTuple):
    """What a plan does to the facts of its session."""

    before: int | None
    """The version of the snapshot that it changes; `None` if that is not known."""
    changes: Sequence[FactsWritten]
    """What is different after it."""
    whole: Mapping[str, FactsOf]
    """All facts after it, for where the snapshot before it is another."""

    @classmethod
    def of(cls, before: tuple[int, Snapshot] | None, plan: Plan, after: Snapshot) -> PlanFacts:
        """The change by a plan of a session, from its snapshot `before` it. Raises `InputError` for what JSON cannot
        hold."""
        version, known = before or (None, None)
        found = changes(known, plan, after)
        return cls(None if found is None else version, found or (), after.state.facts)


async def change(connection: Connection, session: str, version: int, new: PlanFacts) -> None:
    """Write what a plan changes; everything anew if the snapshot before it is not the one that it is meant for."""
    if version == new.before:
        await _write(connection, session, new.changes)
        return
    await connection.execute(_EMPTY, (session,))
    await put(connection, session, new.whole)


async def put(connection: Connection, session: str, facts: Mapping[str, FactsOf]) -> None:
    """Write facts that a session does not have. Raises `InputError` for what JSON cannot hold."""
    await _write(connection, session, rows_of(facts))


async def _write(connection: Connection, session: str, changed: Sequence[FactsWritten]) -> None:
    if gone := [key for key, facts in changed if facts is None]:
        await connection.execute(_TAKE, (session, gone))
    if kept := [(key, facts) for key, facts in changed if facts is not None]:
        keys, texts = zip(*kept, strict=True)
        await connection.execute(_PUT, (session, list(keys), list(texts)))
