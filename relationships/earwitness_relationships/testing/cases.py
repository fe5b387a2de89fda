"""Random cases for the leak suite: a rule book, a graph, a conversation, a reader, and where and when the reader asks.

A case is made from its number alone, so that a complaint can be looked into by anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

from pydantic import JsonValue

from earwitness import Channel, Record
from earwitness.records.channel import Context

from ..graph.records import Relation
from ..propagation.models.spread import DEFAULT_MODELS
from ..propagation.records import Seed
from ..rules.records import Budget, Conditions, Member, Pantheon, RelationshipRule, RuleBook, Rules

T = TypeVar("T")
R = TypeVar("R", Pantheon, Member, RelationshipRule)

PEOPLE = ("ada", "ben", "cleo", "dan", "eve", "fay")
"""Whoever may be in a case."""
PERSONA = "ada"
"""The one of them who is a user's persona."""
SLUGS = ("bakers", "choir", "deities")
"""The pantheons."""
TYPES = ("friend", "rival", "mentor")
"""The types of relations."""
PLACES = ("tavern", "tavern/cellar", "market")
"""Where things are said."""
NO_RULES = Rules()
FURTHER = {"budget": 0.2, "retell": 0.2, "triage": 0.15, "spreading": 0.1}
"""Options that some cases have besides → how many of them."""
RETELLERS = ("verbatim", "summary", "in_capitals")
"""How tellings are worded: two ways that there are, and one that a suite brings."""
TRIAGES = ("only_early", "at_second_hand", "to_others")
"""What decides what is worth telling: `reference_texts` says how."""
CONTEXTS: tuple[Context, ...] = ("dm", "private_channel", "public_channel")
"""The kinds of channels."""


class HeardMessage(Record):
    """One message of a conversation, and where it was heard."""

    seed: Seed
    """Who said it, who perceived it, and what it is about."""
    channel: Channel
    """Where."""


class LeakCase(Record):
    """A rule book, a conversation under it, and a reader who asks."""

    number: int
    """The number it was made from."""
    book: RuleBook
    """The rules."""
    relations: tuple[Relation, ...]
    """The graph."""
    conversation: tuple[HeardMessage, ...]
    """What was said, in order."""
    reader: str
    """Who asks what they know."""
    asked: Channel
    """Where the answer will be heard."""
    day: float
    """The game day of the question."""


def case(number: int, messages: int = 3) -> LeakCase:
    """The case of this number, with at most so many messages."""
    random = Random(number)  # noqa: S311 - a case must be made the same again
    days = sorted(random.randint(1, 6) for _ in range(random.randint(1, messages)))
    return LeakCase(
        number=number,
        book=_book(random),
        relations=_relations(random),
        conversation=tuple(_heard(random, f"m{number}-{n}", day) for n, day in enumerate(days)),
        reader=random.choice(PEOPLE),
        asked=_channel(random),
        day=days[-1] + random.randint(0, 4),
    )


def further_case(number: int) -> LeakCase:
    """The case of this number; in half of them, rules also count what somebody hears on a day, reword, choose what is
    worth telling, or name a spreading model."""
    given, random = case(number), Random(f"further {number}")  # noqa: S311 - a case must be made the same again
    chosen = [name for name, likely in FURTHER.items() if random.random() < likely]
    if not chosen:
        return given
    pantheons = [_with_further(random, each, chosen) for each in given.book.pantheons]
    return given.model_copy(update={"book": given.book.model_copy(update={"pantheons": tuple(pantheons)})})


def _with_further(random: Random, pantheon: Pantheon, chosen: Sequence[str]) -> Pantheon:
    def with_more(holder: R) -> R:
        return holder.model_copy(update={"rules": _further_rules(random, holder.rules, chosen)})

    members = tuple(with_more(each) if random.random() < 0.3 else each for each in pantheon.members)
    edges = tuple(with_more(each) if random.random() < 0.5 else each for each in pantheon.relationships)
    given = with_more(pantheon) if random.random() < 0.8 else pantheon
    return given.model_copy(update={"members": members, "relationships": edges})


def _further_rules(random: Random, rules: Rules, chosen: Sequence[str]) -> Rules:
    options: dict[str, Any] = {
        "budget": Budget(listener_day=random.choice((0, 1, 1, 2))),
        "retell": random.choice(RETELLERS),
        "triage": random.choice(TRIAGES),
        "spreading": random.choice(DEFAULT_MODELS),
    }
    if rules.budget is not None:
        options["budget"] = rules.budget.model_copy(update={"listener_day": random.choice((0, 1))})
    return rules.model_copy(update={name: options[name] for name in chosen})


def said_again(number: int, heard: HeardMessage) -> tuple[HeardMessage, HeardMessage]:
    """The same words of the same speaker on the same day: at the same place to others, and perhaps elsewhere."""
    random = Random(f"{number} {heard.seed.key}")  # noqa: S311 - a case must be made the same again
    return _said_again(random, heard, heard.channel), _said_again(random, heard, _channel(random))


def _said_again(random: Random, heard: HeardMessage, channel: Channel) -> HeardMessage:
    there = random.sample(PEOPLE, random.randint(0, 3))
    direct = {**dict.fromkeys(there, "present"), heard.seed.speaker: "speaker"}
    fields = {"key": f"{heard.seed.key}-again", "direct": direct, "private": channel.context == "dm"}
    return HeardMessage.unchecked({"seed": heard.seed.model_copy(update=fields), "channel": channel})


def _book(random: Random) -> RuleBook:
    rare = random.choice((0.0, 0.0, 0.1, 0.3))
    return RuleBook(pantheons=tuple(_pantheon(random, slug, rare) for slug in SLUGS[: random.randint(1, 3)]))


def _pantheon(random: Random, slug: str, rare: float) -> Pantheon:
    edges = [_edge(random, rare) for _ in range(random.choice((0, 1, 2, 4, 6)))]
    return Pantheon(
        slug=slug,
        rules=_rules(random, 0.5, rare),
        members=tuple(_member(random, who, rare) for who in random.sample(PEOPLE, random.randint(0, 6))),
        relationships=tuple({(e.source, e.target): e for e in edges}.values()),
    )


def _member(random: Random, who: str, rare: float) -> Member:
    since = _sometimes(random, 0.15, random.randint(1, 4))
    return Member(
        personality_id=who,
        role=random.choice(("leader", "member", "member", "member", "observer")),
        rules=_rules(random, 0.35, rare) if random.random() < 0.5 else Rules(),
        since=since,
        until=_sometimes(random, 0.15, (since or 1) + random.randint(0, 6)),
    )


def _edge(random: Random, rare: float) -> RelationshipRule:
    source, target = random.sample(PEOPLE, 2)
    return RelationshipRule(
        source=source,
        target=target,
        type=random.choice(TYPES),
        weight=random.choice((0.2, 0.5, 1.0)),
        rules=_rules(random, 0.4, rare),
    )


def _relations(random: Random) -> tuple[Relation, ...]:
    """At most one between two of one type: a graph would join what overlaps."""
    found = [_relation(random) for _ in range(random.randint(0, 8))]
    return tuple({(each.source, each.target, each.type): each for each in found}.values())


def _relation(random: Random) -> Relation:
    source, target = random.sample(PEOPLE, 2)
    since = _sometimes(random, 0.3, random.randint(1, 5))
    return Relation(
        source=source,
        target=target,
        type=random.choice(TYPES),
        weight=random.choice((0.2, 0.5, 1.0)),
        since=since,
        until=_sometimes(random, 0.2, (since or 0) + random.randint(0, 5)),
    )


def _rules(random: Random, likely: float, rare: float) -> Rules:
    """Each option of the first table is set with the first probability, each of the second with the second."""
    chosen = [(name, value) for name, value in _usual(random).items() if random.random() < likely]
    chosen += [(name, value) for name, value in _unusual(random).items() if random.random() < rare]
    return NO_RULES.model_copy(update=dict(chosen))  # no need to check what is drawn here


def _usual(random: Random) -> dict[str, Any]:
    return {
        "share_direct_interactions": random.random() < 0.8,
        "share_all_direct_user_interactions": random.random() < 0.8,
        "gossip_about_others": random.random() < 0.8,
        "share_with": tuple(random.sample((*PEOPLE, SLUGS[0]), random.randint(0, 3))),
        "manner": random.choice(("gossip", "intimate", "witnessed")),
        "exclude_private": random.random() < 0.5,
        "max_hops": random.choice((0, 1, 2, 3, 3, 5)),
        "delay": random.choice((0, 0.5, 1, 2)),
        "decay": random.choice((1, 0.9, 0.5, 0.2)),
    }


def _unusual(random: Random) -> dict[str, Any]:
    """What is set in some books only: a book without caps is compared exactly."""
    return {
        "propagate_all": random.random() < 0.8,
        "propagate_all_user_interactions": random.random() < 0.8,
        "omniscient": random.random() < 0.7,
        "only_about": tuple(random.sample(PEOPLE, random.randint(1, 4))),
        "never_about": tuple(random.sample(PEOPLE, random.randint(0, 2))),
        "relation_types": tuple(random.sample(TYPES, random.randint(1, 2))),
        "min_weight": random.choice((0.0, 0.3, 0.6)),
        "when": random.choice(("message", "message", "conversation")),
        "conditions": _conditions(random),
        "reliability": random.choice((0.5, 1)),
        **(_caps(random) if random.random() < 0.3 else {}),
    }


def _caps(random: Random) -> dict[str, Any]:
    return {
        "chance": random.choice((0, 0.5, 0.9, 1)),
        "fan_out": random.choice((0, 1, 2, 3)),
        "budget": Budget(message=random.choice((0, 1, 2, 4))),
    }


def _conditions(random: Random) -> Conditions:
    flags: dict[str, JsonValue] = {"war": random.random() < 0.5} if random.random() < 0.5 else {}
    return Conditions(flags=flags, places=tuple(random.sample(PLACES, random.randint(0, 1))))


def _heard(random: Random, key: str, day: float) -> HeardMessage:
    there = random.sample(PEOPLE, random.randint(1, 4))
    roles = random.choices(("addressee", "present", "overhearing"), k=len(there) - 1)
    channel = _channel(random)
    seed = Seed(
        key=key,
        day=day,
        speaker=there[0],
        direct=dict(zip(there, ("speaker", *roles), strict=True)),
        users=tuple(each for each in there if each == PERSONA),
        about=tuple(random.sample(PEOPLE, random.choice((0, 0, 1, 1, 2)))),
        private=channel.context == "dm",
        flags={"war": random.random() < 0.5},
        place=random.choice(PLACES),
    )
    return HeardMessage(seed=seed, channel=channel)


def _channel(random: Random) -> Channel:
    return Channel(
        context=random.choice(CONTEXTS),
        channel_id=_one_of(random, ("1", "2")),
        guild_id=_one_of(random, ("inn", "court")),
        persona_id=_one_of(random, (PERSONA, "stranger")),
    )


def _one_of(random: Random, choices: Sequence[str]) -> str | None:
    return _sometimes(random, 0.6, random.choice(choices))


def _sometimes(random: Random, likely: float, value: T) -> T | None:
    return value if random.random() < likely else None
