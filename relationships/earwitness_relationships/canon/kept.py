"""What was kept of a bubble, as its story's journal and ledger have it; it falls with what it was kept from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from earwitness import Earwitness, Session
from earwitness.records.plan import Delivery

from ..bubble_mark import FACTS, mark_of


def reconciliations(story: Session, bubble: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The keys and facts of what was done with a bubble and not undone, the last first."""
    return [
        (key, fact)
        for key, noted in reversed(story.state.facts.items())
        for fact in noted.get(FACTS, ())
        if isinstance(fact, Mapping) and fact.get("reconciled") == bubble
    ]


async def kept_of(story: Session, ew: Earwitness, bubble: str) -> list[Delivery]:
    """What was kept of a bubble and has not been taken back. It is known without the bubble's session."""
    keys = [key for _, fact in reconciliations(story, bubble) for key in fact.get("keys", ())]
    found = await ew.engine.ledger.deliveries(story.id, sources=keys) if keys else ()
    return [each for each in found if each.is_kept]


async def corrected(bubble: Session, ew: Earwitness, target: str) -> None:
    """After an edit or a retraction in a bubble: what was kept of what is gone is retracted, too."""
    mark = mark_of(bubble.state)
    if mark is None or mark.bubble_of not in await ew.sessions():
        return
    story = await ew.open_session(mark.bubble_of)
    if mark.begun not in {None, await begun(story, ew)}:
        return
    origins = {each.source: str(each.metadata.get("reconciledFrom")) for each in await kept_of(story, ew, mark.bubble)}
    if not origins:
        return
    found = await ew.engine.ledger.deliveries(bubble.id, memory_ids=sorted({*origins.values()}))
    alive = {each.memory_id for each in found if each.is_kept}
    for key, origin in origins.items():
        if origin not in alive:
            await (await story.retract(key)).decided()


async def begun(story: Session, ew: Earwitness) -> str | None:
    """When a story began (ISO 8601)."""
    first = await ew.engine.ledger.entry(story.id, sequence=1)
    return None if first is None else first.timestamp
