"""END, step 4: sharing rules say who else learns of a message, from whom, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..consultation import Answered, items_of, record_of
from ..engine import Engine
from ..events import Share, SharingAnswer, SharingEvent
from ..formats import message_text_of
from ..plugin_data import PluginData
from ..protocols import SharingRule
from ..records.character import Cast
from ..records.message import SettledMessage
from ..records.plan import Answer, Delivery
from ..records.state import FactsOf
from ..records.stop import Stopped
from ..strategy import Strategy
from .active_deliveries import ActiveDeliveries, AsShownToRules
from .derivations import ProposedMemory, noted, proposed
from .disguises import SPEAK_AS
from .late_answers import noted_answers
from .proposals import strangers_named

NO_MEMORY = {"memory": None}


@dataclass(frozen=True, slots=True)
class Teller:
    """A character who knows of a message and could tell it."""

    text: str
    """The part of the message that they know and may pass on; empty if there is none."""
    since: float
    """The first game day on which they know it."""
    memory: str | None = None
    """Id of the memory in which they know it; `None` = their own copy of the message."""


@dataclass(frozen=True, slots=True)
class DueShare:
    """A share with the text that is told, and the day it arrives."""

    share: Share
    text: str
    due: float
    via: str | None = None
    """Id of the memory in which the teller knows it; `None` = the teller's own copy of the message."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """What the sharing rules answer for one message."""

    shares: tuple[DueShare, ...] = ()
    """Those whose teller knows the message, in the order of the rules."""
    derived: tuple[ProposedMemory, ...] = ()
    """Memories they propose."""
    facts: FactsOf = field(default_factory=dict)
    """What their packages note."""
    reports: tuple[Answer, ...] = ()
    """Who was asked, and what failed."""
    stops: tuple[Stopped, ...] = ()
    """Who is not told, and why; in a preview alone."""
    silent: tuple[str, ...] = ()
    """Labels of the rules that failed, or answer later."""
    later: tuple[str, ...] = ()
    """Labels of those that answer later."""
    may_tell: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Label of one that answers later → ids of those whom it may tell; without a label, anybody."""


async def shared(
    engine: Engine,
    event: SharingEvent,
    knowers: Mapping[str, Teller],
    data: Mapping[str, PluginData],
    standing: ActiveDeliveries,
    only: Collection[str] | None = None,
) -> Sharing:
    """What all rules, or `only` those of these labels, say about members of the cast. A failing rule adds nothing.

    `knowers` are those who know of the message already. Raises `StrategyError` for a failing rule if `strict`.
    """
    rules = [each for each in engine.sharing_rules if only is None or each.label in only]
    if not rules:
        return Sharing()
    later = None if event.ahead is not None else noted_answers()
    event = event.model_copy(update={"standing": AsShownToRules(standing), "may_answer_later": later is not None})
    answers = await asyncio.gather(*(_asked(engine, rule, event, data) for rule in rules))
    text = event.message.content
    found = await _supporting(standing, [share for answer in answers for share in _shares(answer)], event)
    given = [answer.value for answer in answers if answer.value is not None]
    if later is not None:
        later += [value.later for value in given if value.later is not None]
    return Sharing(
        tuple(tellings(found, knowers, text, event.day)),
        tuple(each for each in proposed(answers) if each[1].content or text),  # no hub keeps what may not be told
        noted(answers),
        (*(answer.reported() for answer in answers), *(each for value in given for each in value.consulted)),
        () if event.ahead is None else tuple(stop for value in given for stop in value.stops),
        tuple(answer.by for answer in answers if answer.value is None or answer.value.later is not None),
        tuple(answer.by for answer in answers if answer.value is not None and answer.value.later is not None),
        {
            each.by: each.value.may_tell
            for each in answers
            if each.value is not None and each.value.may_tell is not None
        },
    )


async def _supporting(standing: ActiveDeliveries, shares: Sequence[Share], event: SharingEvent) -> Sequence[Share]:
    """The shares, of which only those support a memory whose listener has it.

    An edited message supports no other, nor does one with somebody in disguise; and a memory with one gets no support.
    """
    if not (ids := [each.memory for each in shares if each.memory is not None]):
        return shares
    stands_alone = event.message.message.revision > 0 or event.message.disguises
    known = [] if stands_alone else await standing.memories(ids)
    masked = {each.memory_id for each in known if each.disguises or SPEAK_AS in each.metadata}
    held = {(each.owner, each.memory_id) for each in known if each.memory_id not in masked}
    return [
        each if each.memory is None or (each.character, each.memory) in held else each.model_copy(update=NO_MEMORY)
        for each in shares
    ]


def _shares(answer: Answered[SharingAnswer]) -> Iterable[Share]:
    return answer.value.shares if answer.value else ()


async def _asked(
    engine: Engine, rule: Strategy[SharingRule], event: SharingEvent, data: Mapping[str, PluginData]
) -> Answered[SharingAnswer]:
    return await engine.consultant.ask(rule, SharingRule.share, event, lambda raw: among_cast(raw, event.cast), data)


def among_cast(answer: object, cast: Cast) -> tuple[SharingAnswer | None, str | None]:
    """A rule's answer without shares to or from anybody unknown, and who was unknown; or the reason why it is none."""
    usable, failure = sharing_answer(answer)
    if usable is None:
        return None, failure
    named = [id for each in usable.shares for id in (each.character, each.shared_from) if id is not None]
    strangers = list(dict.fromkeys(id for id in named if id not in cast))
    kept = tuple(each for each in usable.shares if not {each.character, each.shared_from} & set(strangers))
    return usable.model_copy(update={"shares": kept}), strangers_named(strangers)


def sharing_answer(answer: object) -> tuple[SharingAnswer | None, str | None]:
    """A rule's answer as a record, from a record or a list of shares; or the reason why it is none."""
    if isinstance(answer, SharingAnswer) and answer.later is not None:
        return SharingAnswer(later=answer.later, may_tell=answer.may_tell), None
    if isinstance(answer, SharingAnswer):
        return record_of(answer, SharingAnswer)
    found, failure = items_of(answer if answer is not None else (), Share)
    return (None, failure) if found is None else (SharingAnswer(shares=tuple(found)), None)


def tellings(shares: Sequence[Share], knowers: Mapping[str, Teller], content: str, day: float) -> list[DueShare]:
    """The shares whose teller knows the message, each with its text: what the teller perceived, or was told in turn.

    Pure.

    Nobody tells a message before knowing it: a share is never due before its teller's own day. A share without a teller
    comes from the rule itself and carries `content`, all that may be passed on. A teller who perceived nothing tells
    nothing.
    """
    known = dict(knowers)
    tellings: dict[int, DueShare] = {}
    left = dict(enumerate(shares))
    while reached := [
        index for index, share in left.items() if share.shared_from is None or share.shared_from in known
    ]:
        for index in reached:
            tellings[index] = telling = _telling(left.pop(index), known, content, day)
            known.setdefault(telling.share.character, Teller(telling.text, telling.due, telling.share.memory))
    return [tellings[index] for index in sorted(tellings) if tellings[index].text]


def _telling(share: Share, known: Mapping[str, Teller], content: str, day: float) -> DueShare:
    teller = known[share.shared_from] if share.shared_from is not None else Teller(content, day)
    text = share.content if share.content is not None and teller.text else teller.text
    due = max(day, teller.since, day if share.due is None else share.due)
    return DueShare(share, text, due, teller.memory)


def tellers_of(reached: Sequence[Delivery], about: SettledMessage) -> dict[str, Teller]:
    """Those whom a message has reached, as its tellers. A participant tells no thoughts."""
    return {each.owner: Teller(_tellable(each, about), each.due, each.memory_id) for each in reached}


def _tellable(reached: Delivery, about: SettledMessage) -> str:
    if about.tellable and reached.owner in about.participants:
        return about.tellable_by(reached.owner)
    return message_text_of(reached.body)
