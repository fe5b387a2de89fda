"""What arrives on a later day is struck if the rule that carried it no longer tells the listener on that day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from earwitness import PlanEvent, Strike
from earwitness.carried_hubs import is_hub_memory
from earwitness.containers import pantheon_container
from earwitness.records.plan import Delivery

from ..compiled.carriers import EVERY_OPTION
from ..model import RelationshipsModel
from .hub_readers import HUB_DAYS, HubDays
from .lapsed import MessageRefusal, RulesOnArrival
from .personalities import Personalities
from .refusals import message_refusal
from .seeds import seed_of_settled


def arriving(event: PlanEvent) -> list[Delivery]:
    """What arrives with a plan of what rules of ours have told on an earlier day."""
    if event.plan.due_day is None:
        return []
    return [each for each in event.plan.deliveries if _arrives(each, event)]


async def struck_on_arrival(
    model: RelationshipsModel, event: PlanEvent, deliveries: Sequence[Delivery]
) -> tuple[Strike, ...]:
    """The strikes of what arrives today, by the rules, the graph and the flags of today. What arrives in hubs is noted.

    Raises `StorageError` while the graph is away: then it waits.
    """
    entry = event.plan.sequence if event.as_of is None else event.as_of
    picture = await model.picture_at(event, entry, anew=event.as_of is not None, surely=True)
    people, adjacency = Personalities(event.cast), model.adjacency(picture)
    refusal = _refusal(event, people)
    rules = {day: RulesOnArrival(adjacency, day, refusal) for day in {each.due for each in deliveries}}
    strikes = tuple(_strikes(deliveries, rules, people))
    gone = {each.delivery_id for each in strikes}
    if arrived := [each.due for each in deliveries if is_hub_memory(each) and each.id not in gone]:
        noted = HubDays.of(event.data.get(HUB_DAYS))
        event.data[HUB_DAYS] = noted.noting(picture.graph.version, arrived).note()
    return strikes


def _strikes(
    arriving: Sequence[Delivery], rules_of: Mapping[float, RulesOnArrival], people: Personalities
) -> Iterator[Strike]:
    for each in arriving:
        rule, rules = str(each.support.rule), rules_of[each.due]
        (teller,) = people.of([str(each.support.shared_from)])
        slug = rule.rpartition(":")[0]
        if each.container == pantheon_container(slug).name:
            why = rules.hub_lapsed(teller, slug, rule)
        else:
            why = rules.lapsed(teller, _listener(each, people), rule)
        if why is not None:
            yield Strike(delivery_id=each.id, reason=why)


def _listener(delivery: Delivery, people: Personalities) -> str:
    """The personality who is told, perhaps in the container that they share with a persona."""
    if delivery.beyond_session:
        return str(delivery.metadata.get("personalityId", delivery.owner))
    return people.personality.get(delivery.owner, delivery.owner)


def _arrives(delivery: Delivery, event: PlanEvent) -> bool:
    """Whether this was told by a rule of ours on an earlier day. What is told now was just asked about."""
    was_told = delivery.sequence != event.plan.sequence and delivery.is_active and delivery.due <= event.day
    return was_told and delivery.support.shared_from is not None and _is_by_rule(delivery)


def _is_by_rule(delivery: Delivery) -> bool:
    """Whether a rule of ours told it, and not a host by hand, who may call a telling what they like."""
    slug, _, option = str(delivery.support.rule).rpartition(":")
    return option in EVERY_OPTION and "hop" in delivery.metadata and delivery.metadata.get("pantheonId") == slug


def _refusal(event: PlanEvent, people: Personalities) -> MessageRefusal:
    """What carriers have against the message that arrives; nothing against what is not a message."""
    if event.plan.message is None:
        return lambda _: None
    seed = seed_of_settled(event.plan.message.as_tellable(), event.state, people)
    return lambda carrier: message_refusal(carrier, seed, "message")
