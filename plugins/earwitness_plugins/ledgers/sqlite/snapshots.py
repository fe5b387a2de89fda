"""When a session's snapshot is written. That of a large cast is long: it is written now and then, not with each plan.

What `load` gives is the last one written, and the plans since, folded; and the facts, which are kept apart (`facts`).
"""

from __future__ import annotations

from functools import reduce

import apsw

from earwitness.copies.plan_text import plan_of
from earwitness.records.plan import Plan
from earwitness.records.read_only import read_only
from earwitness.records.snapshot import Snapshot

from ...sqlite.blobs import inflated
from ..facts import joined
from . import facts, layers, plans, sessions
from .sessions import Written

SMALL = 128
"""The largest cast whose snapshot is written with each plan."""
MOST_PLANS = 64
"""The most plans that `load` folds."""


def is_due(before: Snapshot | None, plan: Plan, after: Snapshot) -> bool:
    """Whether to write the snapshot with this plan: it must be written wherever folding would not give it."""
    if len(after.cast) <= SMALL or before is None or before.decided != plan.sequence - 1:
        return True
    if plan.cast is not None or plan.sequence % min(2 * len(after.cast) // SMALL, MOST_PLANS) == 0:
        return True
    return before.after(plan) != after


def load(
    connection: apsw.Connection, session: str, known: tuple[Written | None, Snapshot] | None = None
) -> tuple[Written, Snapshot] | None:
    """A session's row, and the session as of the last entry whose plan is recorded. Facts that are `known` already are
    not read again."""
    if (row := sessions.load(connection, session)) is None:
        return None
    bare = without_facts(connection, session, row)
    if known is not None and known[0] is not None and known[0].facts == row.facts:
        return row, joined(bare, known[1].state.facts)
    noted = read_only(facts.read(connection, row.number))  # strategies are shown them: sealed here, on a thread
    return row, joined(bare, noted)


def without_facts(connection: apsw.Connection, session: str, row: Written) -> Snapshot:
    """The session as of the last entry whose plan is recorded, without its facts."""
    written = Snapshot.model_validate_json(row.snapshot)
    return joined(reduce(Snapshot.after, plans_since(connection, session, written.decided, row.settled), written), {})


def plans_since(connection: apsw.Connection, session: str, decided: int, settled: int) -> list[Plan]:
    """The plans after one entry and up to another, without their deliveries."""
    if decided == settled or (seen := layers.view(connection, session)) is None:
        return []
    return [plan_of(inflated(plan)) for _, plan in plans.between(connection, seen, decided, settled)]
