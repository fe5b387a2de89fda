"""A preview as the spread of one message, and as its picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from earwitness import Cast
from earwitness.backstage.preview import Preview
from earwitness.ids import WORLD
from earwitness.records.plan import Delivery

from ..pictures import Diagram, spread_picture
from ..propagation.records import Spread, Stop, Telling


def spread_of(found: Preview) -> Spread:
    """The tellings and stops of a preview. Ids are those of characters."""
    sharing = [each for each in found.deliveries if each.is_active and each.owner not in {WORLD, *found.participants}]
    hops = _hops(sharing)
    return Spread(
        tellings=tuple(_telling(each, hops[each.owner], found.message.speaker) for each in sharing),
        stops=tuple(
            Stop(listener=each.character, teller=each.shared_from or "", rule=each.rule, why=each.reason)
            for each in found.stops
        ),
    )


def preview_picture(found: Preview, cast: Cast) -> Diagram:
    """Who would learn it from whom on which day, and who would not and why."""
    names = {member.id: member.name for member in cast}
    said = f"{names.get(found.message.speaker, found.message.speaker)}: {found.message.content}"
    when: dict[str, Any] = {"day": found.message.game_day, "unit": found.calendar.unit}
    return spread_picture(spread_of(found), title=said[:80], names=names, perceived=found.participants, **when)


def _telling(delivery: Delivery, hop: int, speaker: str) -> Telling:
    support = delivery.support
    return Telling(
        listener=delivery.owner,
        teller=support.shared_from or speaker,
        hop=hop,
        day=support.learned_day,
        rule=support.rule or "",
        how="witnessed" if support.how == "witnessed" else "shared",
        trust=support.trust,
    )


def _hops(sharing: Sequence[Delivery]) -> Mapping[str, int]:
    """Listener → how many tellings away it is from those who perceive the message."""
    tellers = {each.owner: each.support.shared_from for each in reversed(sharing)}
    return {listener: _hop(listener, tellers) for listener in tellers}


def _hop(listener: str, tellers: Mapping[str, str | None]) -> int:
    hop, teller = 1, tellers[listener]
    while teller is not None and teller in tellers and hop <= len(tellers):
        hop, teller = hop + 1, tellers[teller]
    return hop
