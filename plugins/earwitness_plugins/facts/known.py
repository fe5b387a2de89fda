"""The facts that the listeners of an exchange know already, or will know once somebody approves them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from pydantic import JsonValue

from earwitness import Session

from ..review import ReviewStatus
from .exchanges import HeardExchange
from .reconciliation import KnownFact, KnownFacts

MOST_SHOWN = 30
"""So many known facts a model is shown, the newest."""


_proposed: WeakKeyDictionary[Session, dict[str, Mapping[str, Sequence[KnownFact]]]] = WeakKeyDictionary()
"""Story → proposal id → character id → the facts that it holds for this character. A proposal stays as it is."""


async def known_facts(story: Session, exchange: HeardExchange) -> KnownFacts:
    """What each listener knows: in their container of this story, and what was proposed for them."""
    statuses = await story.review.statuses(kind="fact")
    held = await _held(story, statuses)
    found: dict[str, Sequence[KnownFact]] = {}
    for id in {id for line in exchange.lines for id in exchange.listeners(line)}:
        page = await story.backstage().inspect(id, filter='type = "fact"')
        kept = [KnownFact(each.content, each.metadata) for each in page.memories]
        found[id] = [*kept, *_for(id, held, statuses)]
    return found


async def _held(
    story: Session, statuses: Mapping[str, ReviewStatus]
) -> Mapping[str, Mapping[str, Sequence[KnownFact]]]:
    """Proposal id → what it holds for whom. Each proposal is read once."""
    held = _proposed.setdefault(story, {})
    for id in [id for id in held if id not in statuses]:
        del held[id]
    if new := [id for id in statuses if id not in held]:
        for each in await story.review.proposals(ids=new):
            facts: dict[str, list[KnownFact]] = {}
            for memory in each.proposal.memories:
                fact = KnownFact(memory.content, memory.metadata, is_open=True, grounds=memory.rests_on)
                for id in memory.knowers:
                    facts.setdefault(id, []).append(fact)
            held[each.id] = facts
    return held


def _for(
    listener: str,
    held: Mapping[str, Mapping[str, Sequence[KnownFact]]],
    statuses: Mapping[str, ReviewStatus],
) -> Iterator[KnownFact]:
    """What proposals hold for a listener; what has fallen may be proposed again."""
    for id, status in statuses.items():
        if status != "fallen":
            for fact in held.get(id, {}).get(listener, ()):
                yield replace(fact, is_open=False) if status == "approved" else fact


def shown_facts(exchange: HeardExchange, known: KnownFacts) -> list[JsonValue]:
    """The facts that a model is shown: those that all listeners know from the channel of the exchange."""
    listeners = {id for line in exchange.lines for id in exchange.listeners(line)}
    theirs = [
        {each.text: None for each in known.get(id, ()) if each.learned_in(exchange.channel) and not each.is_open}
        for id in sorted(listeners)
    ]
    shared = [text for text in theirs[0] if all(text in each for each in theirs)] if theirs else []
    return [{"label": f"f{number}", "text": text} for number, text in enumerate(shared[-MOST_SHOWN:], 1)]
