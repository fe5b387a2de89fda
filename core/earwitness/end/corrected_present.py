"""Where characters are now, after a message that others followed was edited, rerolled or retracted.

No later message is decided again. Somebody of whom nothing was said since is where the corrected message leaves them.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..engine import Engine
from ..live import Live
from ..records.journal import Revised
from ..records.message import Message
from ..records.state import State, Whereabouts
from .operations import operations
from .whereabouts import WhereaboutsById, moved_along


async def corrected_present(
    engine: Engine, live: Live, message: Message, before: State, corrected: WhereaboutsById
) -> Mapping[str, Whereabouts | None]:
    """The whereabouts that change in the present, by character id; `None` where the story no longer says anything.

    `before` is the state before the message, `corrected` are the whereabouts that the new text leaves everybody in.
    """
    now, then = live.snapshot.state, before.whereabouts
    left_in = {**then, **await _recorded(engine, live, message)}
    moved = {id for id, where in corrected.items() if where != then.get(id)}
    moved |= {id for id, where in left_in.items() if where != then.get(id)}
    found = {}
    for id in live.snapshot.cast.in_order(moved):
        untouched = now.whereabouts.get(id) == left_in.get(id)
        where = corrected.get(id)
        if untouched and ((where and where.here) or not _perceived_since(live, message, id)):
            found[id] = where
    if before.current_scene == now.current_scene:
        return found
    along = moved_along({id: where for id, where in found.items() if where}, now.current_scene, live.snapshot.decided)
    return {**found, **along}


async def _recorded(engine: Engine, live: Live, message: Message) -> Mapping[str, Whereabouts | None]:
    """The whereabouts that the message has brought about, with its earlier corrections."""
    ledger, session = engine.ledger, live.snapshot.id
    numbers = [message.sequence]
    if message.revision:
        since = await operations(engine, live, message.sequence, live.snapshot.decided)
        numbers += [each.sequence for each in since if _corrects(each.body, message.key)]
    plans = [await ledger.plan(session, number) for number in numbers]
    return {id: where for plan in plans if plan for id, where in plan.whereabouts.items()}


def _corrects(body: object, key: str) -> bool:
    return isinstance(body, Revised) and body.target == key


def _perceived_since(live: Live, message: Message, id: str) -> bool:
    """Whether the character has perceived a later message, and so was still there. True where that is not at hand."""
    recent = live.recent
    if not recent or recent[0].message.sequence > message.sequence:
        return True
    return any(each.message.sequence > message.sequence and id in each.participants for each in recent)
