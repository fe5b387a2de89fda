"""Which of several supports a memory shows. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from .formats import message_text_of
from .records.memory import STRENGTH
from .records.plan import Delivery


def shown(supports: Sequence[Delivery]) -> tuple[Delivery, Delivery, float]:
    """The support whose metadata a memory shows, the one whose text it shows, and the game day that was learned."""
    strongest, *_ = ranked = sorted(learned_first(supports), key=strength)
    longest = max(lengths := [text_length(each) for each in ranked])
    alike = [each for each, length in zip(ranked, lengths, strict=True) if length == longest]
    fullest = alike[0]
    learned = min(each.support.learned_day for each in alike)
    if fullest.support.how == strongest.support.how:
        strongest = fullest  # who told the most is shown as its teller
    return strongest, fullest, learned


def learned_first(supports: Sequence[Delivery]) -> Sequence[Delivery]:
    """Those of the message that was learned first: what one message says is never shown as said by another."""
    if not any(each.of_other for each in supports):
        return supports
    first = min(supports, key=lambda each: (each.support.learned_day, *strength(each)))
    return [each for each in supports if each.source == first.source]


def text_length(delivery: Delivery) -> int:
    """Characters of its text alone: what is learned on day 10 is no longer than what was learned on day 2."""
    return len(message_text_of(delivery.body) or delivery.body)


def strength(delivery: Delivery) -> tuple[int, float, int, float, str, str, str]:
    """Sort key: first hand before seen before told, then the earliest, the most trusted teller, the first teller."""
    support = delivery.support
    told = (-support.trust, support.shared_from or "", support.rule or "")
    with_entry = delivery.sequence if delivery.told_with is None else delivery.told_with
    return (STRENGTH.index(support.how), support.learned_day, with_entry, *told, delivery.id)
