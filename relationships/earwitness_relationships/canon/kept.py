"""What was kept of a bubble, as its story's journal and ledger have it.

It falls with what it was kept from, and is undone even after the bubble's session was forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from earwitness import Earwitness, Session
from earwitness.errors import InputError
from earwitness.records.journal import Derived
from earwitness.records.plan import Delivery

from ..bubble_mark import FACTS, mark_of

ORIGIN = "reconciledFrom"
"""Metadata: id of the memory of the bubble that it was kept from."""


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


@dataclass(frozen=True)
class KeptBefore:
    """What earlier reconciliations of a story's bubbles have kept."""

    identities: Mapping[tuple[str, str], str]
    """Container and text in lower case → the identity of what says it there."""
    origins: frozenset[tuple[str, str]]
    """Container, and id of the memory of a bubble that was kept there."""

    def may_support(self, container: str, text: str, memory: str) -> bool:
        """Whether a memory of a bubble says once more what was kept of another, of the same bubble or another."""
        return (container, text.casefold()) in self.identities and (container, memory) not in self.origins


async def kept_before(story: Session, ew: Earwitness, bubbles: Iterable[str]) -> KeptBefore:
    """What earlier reconciliations of these bubbles have kept and what has not been taken back."""
    identities: dict[tuple[str, str], str] = {}
    found = [each for bubble in bubbles for each in await kept_of(story, ew, bubble)]
    for each in found:
        entry = await ew.engine.ledger.entry(story.id, key=each.source)
        if entry is not None and isinstance(entry.body, Derived) and entry.body.derivation.identity is not None:
            identities[each.container, each.body.casefold()] = entry.body.derivation.identity
    return KeptBefore(identities, frozenset((each.container, str(each.metadata.get(ORIGIN))) for each in found))


async def number_kept(story: Session, ew: Earwitness, bubble: str) -> int:
    """How many memories were kept of a bubble and have not been taken back."""
    return len({each.memory_id for each in await kept_of(story, ew, bubble)})


async def corrected(bubble: Session, ew: Earwitness, target: str) -> None:
    """After an edit or a retraction in a bubble: what was kept of what is gone is retracted, too."""
    mark = mark_of(bubble.state)
    if mark is None or mark.bubble_of not in await ew.sessions():
        return
    story = await ew.open_session(mark.bubble_of)
    if mark.begun not in {None, await begun(story, ew)}:
        return
    origins = {each.source: str(each.metadata.get(ORIGIN)) for each in await kept_of(story, ew, mark.bubble)}
    if not origins:
        return
    found = await ew.engine.ledger.deliveries(bubble.id, memory_ids=sorted({*origins.values()}))
    gone = {each.memory_id for each in found} - {each.memory_id for each in found if each.is_kept}
    for key, origin in origins.items():
        if origin in gone:  # what was kept of an earlier bubble of this name is not in its ledger
            await (await story.retract(key)).decided()


async def take_back(story: Session, ew: Earwitness, keys: Sequence[str]) -> tuple[str, ...]:
    """Retract what was kept under these keys. Returns what it said, unless another reconciliation still says it."""
    ledger, taken = ew.engine.ledger, {*keys}
    found = [each for each in (await ledger.deliveries(story.id, sources=keys) if keys else ()) if each.is_kept]
    for each in keys:
        if await story.has(each):
            await story.retract(each)
    said = {each.memory_id: each.body for each in found}
    supports = await ledger.deliveries(story.id, memory_ids=[*said]) if said else ()
    stands = {each.memory_id for each in supports if each.is_kept and each.source not in taken}
    return tuple(body for id, body in said.items() if id not in stands)


async def put_back(ew: Earwitness, replaced: Iterable[Sequence[str]]) -> PutBack:
    """Restore what was replaced, by session and id."""
    known = set(await ew.sessions())
    found = PutBack([], [], [])
    for session, memory in replaced:
        if session not in known:
            found.stays.append(memory)
            continue
        story = await ew.open_session(session)
        held = await ew.engine.ledger.deliveries(session, memory_ids=[memory])
        if any(each.is_kept or each.status == "archived" for each in held):
            await story.restore(memory)
            found.restored.append(memory)
        else:
            found.retracted.append(memory)
    return found


class PutBack(NamedTuple):
    """What becomes of memories that had been replaced: ids."""

    restored: list[str]
    """What is recalled again."""
    stays: list[str]
    """What is not: its story is gone."""
    retracted: list[str]
    """What is not: it was retracted since."""


async def refuse_inherited(story: Session, ew: Earwitness, bubble: str, key: str) -> None:
    """Raise `InputError` for what the story that this one branched off has done: it is not this one's to undo."""
    found, entry = await ew.engine.ledger.load(story.id), await ew.engine.ledger.entry(story.id, key=key)
    if found and entry and found.forked_at is not None and entry.sequence <= found.forked_at:
        raise InputError(f"bubble {bubble!r} was reconciled by story {found.parent!r}: undo it there.")


async def begun(story: Session, ew: Earwitness) -> str | None:
    """When a story began (ISO 8601)."""
    first = await ew.engine.ledger.entry(story.id, sequence=1)
    return None if first is None else first.timestamp
