"""The facts that the listeners of an exchange know already, or will know once somebody approves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from earwitness import Session

from ..review import Reviewed
from .exchanges import HeardExchange
from .reconciliation import KnownFact, KnownFacts

MOST_SHOWN = 30
"""So many known facts a model is shown, the newest."""


async def known_facts(story: Session, exchange: HeardExchange) -> KnownFacts:
    """What each listener knows: in their container of this story, and what was proposed for them."""
    proposed = await story.review.proposals()
    found: dict[str, Sequence[KnownFact]] = {}
    for id in {id for line in exchange.lines for id in exchange.listeners(line)}:
        page = await story.backstage().inspect(id, filter='type = "fact"')
        kept = [KnownFact(each.content, each.metadata) for each in page.memories]
        found[id] = [*kept, *(fact for each in proposed for fact in _for(id, each))]
    return found


def _for(listener: str, reviewed: Reviewed) -> Iterator[KnownFact]:
    """What a proposal holds for a listener; what has fallen may be proposed again."""
    if reviewed.proposal.kind != "fact" or reviewed.status == "fallen":
        return
    for each in reviewed.proposal.memories:
        if listener in each.knowers:
            is_open = reviewed.status != "approved"
            yield KnownFact(each.content, each.metadata, is_open=is_open, grounds=each.rests_on)


def shown_facts(exchange: HeardExchange, known: KnownFacts) -> list[JsonValue]:
    """The facts that a model is shown: those that all listeners know from the channel of the exchange."""
    listeners = {id for line in exchange.lines for id in exchange.listeners(line)}
    theirs = [
        {each.text: None for each in known.get(id, ()) if each.learned_in(exchange.channel) and not each.is_open}
        for id in sorted(listeners)
    ]
    shared = [text for text in theirs[0] if all(text in each for each in theirs)] if theirs else []
    return [{"label": f"f{number}", "text": text} for number, text in enumerate(shared[-MOST_SHOWN:], 1)]
