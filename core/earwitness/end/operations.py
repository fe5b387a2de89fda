"""The entries with which somebody took something back: edits, rerolls, retractions, and the forgetting of characters.

They are few among the entries of a story, so those that were read stay in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..engine import Engine
from ..live import Live, Operations
from ..records.journal import Body, Changed, Entry, Retracted, Revised


async def operations(engine: Engine, live: Live, after: int, up_to: int) -> Sequence[Entry]:
    """Those after an entry and up to another one, in sequence order."""
    known = live.operations
    if known is None or after < known.after:
        earlier = await _read(engine, live, after, up_to if known is None else known.after)
        known = Operations(after, up_to, earlier) if known is None else known.before(after, earlier)
    if up_to > known.up_to:
        known = known.followed_by(await _read(engine, live, known.up_to, up_to), up_to)
    live.operations = known
    return [each for each in known.entries if after < each.sequence <= up_to]


async def _read(engine: Engine, live: Live, after: int, up_to: int) -> Sequence[Entry]:
    found = await engine.ledger.entries(live.snapshot.id, after=after, up_to=up_to)
    return [each for each in found if _takes_back(each.body)]


def _takes_back(body: Body) -> bool:
    return isinstance(body, Revised | Retracted) or (isinstance(body, Changed) and bool(body.leaves_cast))
