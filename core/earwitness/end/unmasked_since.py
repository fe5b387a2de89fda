"""An unmasking is taken back: what was derived from memories under the real name, and told on, goes with it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..formats import message_text_of
from ..patterns import lazy_pattern
from ..protocols import Ledger
from ..records.memory_types import REPLACES
from ..records.plan import Delivery
from .replacements import is_replaced

_WORD = lazy_pattern(r"\w+")


async def derived_since(ledger: Ledger, session: str, revealed: Sequence[Delivery], since: int) -> list[Delivery]:
    """What rests on these memories, over any number of steps, and was written after the entry `since`: derived
    memories, and what was told on in other words than it was said.

    No search shows that words do not name somebody: names are inflected, shortened, written without spaces or in other
    letters. So only what was told word for word stays, or with words left out.
    """
    said = {(each.source, _words(each)) for each in revealed}
    found: dict[str, Delivery] = {}
    asked: set[str] = set()
    while ids := {each.memory_id for each in (*revealed, *found.values())} - asked:
        asked |= ids
        resting = await ledger.deliveries(session, rests_on=sorted(ids))
        told = await ledger.deliveries(session, via=sorted(ids))
        late = [each for each in (*resting, *told) if each.sequence > since and each.is_kept]
        found |= {each.id: each for each in late if each.is_derived or not _as_said(each, said)}
    return list(found.values())


async def back_in_recall(
    ledger: Ledger, session: str, renewed: Sequence[Delivery], gone: Sequence[Delivery]
) -> set[str]:
    """Ids of the renewed memories that only summaries among those `gone` have kept out of recall."""
    away = {each.memory_id for each in renewed if is_replaced(each)}
    away &= {id for each in gone if each.metadata.get(REPLACES) for id in each.rests_on}
    if not away:
        return set()
    ids = {each.id for each in gone}
    others = await ledger.deliveries(session, rests_on=sorted(away))
    held = [each for each in others if each.is_kept and each.id not in ids and each.metadata.get(REPLACES)]
    return away - {id for each in held for id in each.rests_on}


def in_recall(delivery: Delivery) -> Delivery:
    """The delivery, out of the archive."""
    return delivery.model_copy(update={"status": "pending", "reason": None})


def _as_said(told: Delivery, said: Collection[tuple[str, tuple[str, ...]]]) -> bool:
    """Whether something was told as it was `said` (source, words), in the same order, with no word of the teller's."""
    words = _words(told)
    return any(source == told.source and _stand_in(words, each) for source, each in said)


def _stand_in(words: tuple[str, ...], text: tuple[str, ...]) -> bool:
    left = iter(text)
    return all(word in left for word in words)


def _words(delivery: Delivery) -> tuple[str, ...]:
    return tuple(_WORD.findall(message_text_of(delivery.body) or delivery.body))
