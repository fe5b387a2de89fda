"""Carriers: one option of a pantheon's rules as it holds for some tellers, with everything that a walk asks of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from pydantic import JsonValue

from ..rules.records import Conditions, Rules
from .coins import threshold

Kind = Literal["direct", "user", "gossip"]
"""What a carrier tells: what its teller lived, the same if a user's persona took part, or what its teller learned."""
OPTIONS: dict[str, Kind] = {
    "share_direct_interactions": "direct",
    "share_all_direct_user_interactions": "user",
    "gossip_about_others": "gossip",
}
"""Options that tell those whom `share_with`, a relation or a relationship names."""
EVERYBODY: dict[str, Kind] = {"propagate_all": "direct", "propagate_all_user_interactions": "user"}
"""Options that tell all members."""
EVERY_OPTION = (*OPTIONS, *EVERYBODY)


@dataclass(frozen=True, slots=True)
class Carrier:
    """One option, with the limits under which it holds."""

    rule: str
    """`hazbin_hotel:gossip_about_others`: the pantheon's slug and the option."""
    pantheon: str
    """Slug of the pantheon."""
    kind: Kind
    how: Literal["shared", "witnessed"]
    max_hops: int
    gossip_hops: int | None
    """The most hops of gossip, if the rules say so."""
    decay: float
    delay: float
    trust: float
    retell: str
    when: str
    exclude_private: bool
    fan_out: int | None = None
    chance: bytes | None = None
    """Coins below it fall for the telling; `None` = no coin is thrown."""
    odds: float | None = None
    """The chance as a number; `None` = the rules name none."""
    per_message: int | None = None
    per_listener_day: int | None = None
    only_about: frozenset[str] | None = None
    never_about: frozenset[str] = frozenset()
    flags: tuple[tuple[str, str], ...] = ()
    """Flags of the state and the values they must have, as JSON."""
    places: tuple[str, ...] = ()
    """Places, one of which it must have been said at or within; empty = anywhere."""
    spreading: str | None = None
    triage: str | None = None
    hub: bool = False
    """Whether listeners read it in the hub of the pantheon."""
    confined_to: str | None = None
    """The user whose group it is, if a player made it; `None` = it is nobody's in particular."""
    since: float = -inf
    until: float = inf

    def holds_on(self, day: float) -> bool:
        """Whether the teller, the listener and what joins them are there on a game day."""
        return self.since <= day <= self.until

    def allows(self, flags: Mapping[str, JsonValue], place: str | None) -> bool:
        """Whether its conditions are met."""
        said_at = "" if place is None else f"{place}/"
        here = not self.places or any(said_at.startswith(f"{each}/") for each in self.places)
        return here and all(name in flags and _json(flags[name]) == value for name, value in self.flags)

    def within(self, since: float, until: float) -> Carrier:
        """The same carrier, only on these game days."""
        if since <= self.since and self.until <= until:
            return self
        return replace(self, since=max(self.since, since), until=min(self.until, until))

    def confined(self, user: str | None) -> Carrier:
        """The same carrier in the group that this player made; `None` = no player made it."""
        return self if user is None else replace(self, confined_to=user)

    @property
    def is_limited(self) -> bool:
        """Whether coins, a fan-out, a budget or a triage choose among the listeners."""
        limits = (self.chance, self.fan_out, self.per_message, self.per_listener_day, self.triage)
        return any(each is not None for each in limits)

    def unlimited(self) -> Carrier:
        """The same carrier for an omniscient listener, whatever chance, fan-out and budgets say."""
        return replace(self, fan_out=None, chance=None, odds=1.0, per_message=None, per_listener_day=None)


def carrier(slug: str, option: str, rules: Rules) -> Carrier:
    """The carrier of an option of effective rules."""
    budget, odds = rules.budget, rules.chance
    conditions = rules.conditions or Conditions()
    return Carrier(
        rule=f"{slug}:{option}",
        pantheon=slug,
        kind=OPTIONS.get(option) or EVERYBODY[option],
        how="witnessed" if rules.manner == "witnessed" else "shared",
        max_hops=1 if rules.max_hops is None else rules.max_hops,
        gossip_hops=rules.max_hops,
        decay=1.0 if rules.decay is None else rules.decay,
        delay=rules.delay or 0,
        trust=1.0 if rules.reliability is None else rules.reliability,
        retell=rules.retell or "verbatim",
        when=rules.when or "message",
        exclude_private=bool(rules.exclude_private),
        fan_out=rules.fan_out,
        chance=None if odds is None or odds >= 1 else threshold(odds),
        odds=odds,
        per_message=budget.message if budget else None,
        per_listener_day=budget.listener_day if budget else None,
        only_about=None if rules.only_about is None else frozenset(rules.only_about),
        never_about=frozenset(rules.never_about or ()),
        flags=tuple(sorted((name, _json(value)) for name, value in conditions.flags.items())),
        places=conditions.places,
        spreading=rules.spreading,
        triage=rules.triage,
    )


def carriers_of(slug: str, rules: Rules) -> dict[str, Carrier]:
    """Option → carrier, for the options that effective rules switch on."""
    return {option: carrier(slug, option, rules) for option in EVERY_OPTION if getattr(rules, option)}


def over(lower: Rules, higher: Rules) -> Rules:
    """The rules of a level with those of a higher one over them, option by option."""
    if not higher.model_fields_set:
        return lower
    chosen = {name: value for name, value in higher if value is not None}
    return lower.model_copy(update=chosen) if chosen else lower


def as_meant(level: Rules, rules: Rules) -> Rules:
    """The rules of a pantheon or member, or of the levels above them too, where `share_with` alone means: share direct
    interactions with them."""
    alone = bool(level.share_with) and not any(getattr(level, each) for each in EVERY_OPTION)
    if not alone or rules.share_direct_interactions is not None:
        return rules
    return rules.model_copy(update={"share_direct_interactions": True})


def _json(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)
