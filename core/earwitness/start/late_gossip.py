"""Gossip that a recall does not wait for: a sharing rule has yet to answer about a message, as when it asks a model."""

from __future__ import annotations

from ..end.untold import answers_later, may_be_told
from ..engine import Engine
from ..live import Live
from ..records.prose import joined

WAITS = "who else is told of it is still being asked ({by})"


async def late_gossip(engine: Engine, live: Live, character: str) -> dict[str, str]:
    """Key of a message of which the character may yet be told → why that is not told yet. Raises `StorageError`."""
    if not (asked := answers_later(live.untold)):
        return {}
    messages = await engine.ledger.messages(live.snapshot.id, keys=[*asked])
    perceived = {each.message.key for each in messages if each.retracted or character in each.participants}
    there = {each.message.key for each in messages} - perceived
    waits = {
        key: [label for label, owners in asked[key].items() if may_be_told(owners, character)]
        for key in asked
        if key in there
    }
    return {key: WAITS.format(by=joined(labels)) for key, labels in waits.items() if labels}
