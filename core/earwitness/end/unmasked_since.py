"""An unmasking is taken back: what was derived from memories under the real name, and told on, goes with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet

from ..formats import message_text_of
from ..patterns import lazy_pattern
from ..protocols import Ledger
from ..records.character import Cast
from ..records.memory_types import REPLACES
from ..records.plan import Delivery
from .replacements import is_replaced

SHORTEST = 3
"""Characters of a part of a name that is looked for."""
_WORD = lazy_pattern(r"\w+")


async def derived_since(
    ledger: Ledger, session: str, revealed: Sequence[Delivery], since: int, named: Sequence[str]
) -> list[Delivery]:
    """What rests on these memories, over any number of steps, and was written after the entry `since`: derived
    memories, and of what was told on in other words that in which a part of a name stands of those who are `named`."""
    said = {_text(each) for each in revealed}
    names = {word for each in named for word in _WORD.findall(each.casefold()) if len(word) >= SHORTEST}
    found: dict[str, Delivery] = {}
    asked: set[str] = set()
    while ids := {each.memory_id for each in (*revealed, *found.values())} - asked:
        asked |= ids
        resting = await ledger.deliveries(session, rests_on=sorted(ids))
        told = await ledger.deliveries(session, via=sorted(ids))
        late = [each for each in (*resting, *told) if each.sequence > since and each.is_kept]
        found |= {each.id: each for each in late if each.is_derived or _names(each, said, names)}
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


def names_of(cast: Cast, ids: Iterable[str]) -> list[str]:
    """By what these characters are called."""
    return [name for id in ids if id in cast for name in (id, cast[id].name, *cast[id].aliases)]


def _names(told: Delivery, said: Collection[str], names: AbstractSet[str]) -> bool:
    """Whether somebody is named in what was told in other words than it was said."""
    text = _text(told)
    return text not in said and not names.isdisjoint(_WORD.findall(text.casefold()))


def _text(delivery: Delivery) -> str:
    return message_text_of(delivery.body) or delivery.body
