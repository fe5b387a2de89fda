"""Who may come to know a message, through whom, at which hop and on which day: written again, simply and slowly.

The engine compiles rules and counts microseconds. This is for comparison with the text of the rules, line by line. The
leak suite and the oracle tests compare the two.

Where the text leaves a choice, this is the reading taken here:

1. A teller's offer to a listener stands under three levels, option by option: the relationship between the two, if one
   has rules; the teller as a member; the pantheon.
2. `share_direct_interactions`, `share_all_direct_user_interactions` and `gossip_about_others` reach whom `share_with`
   names, or, where the rules of a relationship say one of them, its target. A relationship whose own rules say none
   of them tells nobody by itself; its other options hold for its target, whichever rule names that one.
3. `share_with` of a member or a pantheon whose own rules switch on nothing that tells means
   `share_direct_interactions`, unless that is set at some level.
4. `relation_types` and `min_weight` ask for a relation from teller to listener that holds on the day of telling. Where
   `share_with` is not set, they name the neighbours over such relations.
5. Tellers are members on the day they tell, and no observers; who has a relationship with rules need not be a member.
   `propagate_all` reaches the members of that day.
6. Whoever is told at hop n tells on at hop n + 1 if a rule of theirs says `gossip_about_others` (as far as a `max_hops`
   that is set for it), or if the rule that told them has `max_hops` above n. Where several told them at once, the
   farthest counts. They tell on the day they learn it, by that day's memberships and relations.
7. What somebody heard at first hand is gossip if another said it and it mentions somebody who did not perceive it.
8. Whether a listener is `omniscient` is said by their membership, else by the pantheon.
9. Days count before hops: the first telling to arrive counts, and others of the same day and hop add up with it.
10. A message from a direct message stays private, however often it is told.
11. A rule with a spreading model tells nobody by itself: the model says who tells whom. It tells what the teller lived
    to somebody whom the rule offers it on that day, on any day on which the teller knows it.
12. `budget.listener_day` counts messages: of this one, somebody may be told as often as rules say.
13. What takes days arrives only if one of the rules by which it was told still tells this listener on that day, with
    what that day's options say of the message. Nothing else is asked again.

`testing.reference_privacy` is the same for what may be read where.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby

from ..propagation.records import Seed, Telling
from ..rules.records import RuleBook, Rules
from .reference_rules import GOSSIP, Offer, RulesAsWritten, levels_of

HeardBefore = Callable[[str, float], int]
"""Listener and game day → how many other messages they are told on that day."""
MIN_STRENGTH = 0.05
"""Below this strength nothing is passed on."""
USERS_ONLY = ("share_all_direct_user_interactions", "propagate_all_user_interactions")
"""The options that tell only what a user's persona takes part in."""
FIRST_HAND = ("speaker", "addressee", "present")
"""The roles of a direct interaction."""


def nothing_before(listener: str, day: float) -> int:
    """Nobody was told anything else."""
    return 0


@dataclass(frozen=True)
class Knowing:
    """How somebody came to know a message."""

    who: str
    """Who knows it."""
    hop: int
    """0 = at first hand."""
    day: float
    """The game day they learn it."""
    strength: float = 1.0
    """What is left of it."""
    reach: int = 0
    """The largest `max_hops` of the rules that told them; 0 at first hand."""
    tellers: tuple[str, ...] = ()
    """Who told them, in the order of their ids."""


def stopped(offer: Offer, seed: Seed, teller: Knowing) -> str | None:
    """Why this teller may not tell this message by this rule, whatever coins and caps say; `None` = they may."""
    reasons = {
        "knows it already": offer.listener in seed.direct or offer.listener in seed.heard,
        "too weak": strength_after(offer, teller) < MIN_STRENGTH,
        "this rule does not tell it": not passing(offer, seed, teller),
    }
    return next((reason for reason, holds in reasons.items() if holds), None) or uncarried(offer.options, seed)


def uncarried(options: Rules, seed: Seed) -> str | None:
    """What the options have against this message, whoever tells it."""
    about = {seed.speaker, *seed.about}
    reasons = {
        "from a direct message": seed.private and bool(options.exclude_private),
        "about nobody in only_about": options.only_about is not None and not about & set(options.only_about),
        "about somebody in never_about": bool({*about, *seed.perhaps_about} & set(options.never_about or ())),
        "the conditions do not hold": not _conditions_hold(options, seed),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def arrives(rules: RulesAsWritten, offer: Offer, seed: Seed, teller: Knowing) -> bool:
    """Whether what is told by this rule still stands on the day it arrives."""
    day = arrival_day(offer, teller)
    return day == teller.day or _lasts(rules, offer, seed, day, passing(offer, seed, teller))


def _lasts(rules: RulesAsWritten, offer: Offer, seed: Seed, day: float, names: Set[str]) -> bool:
    """Whether one of these rules tells the listener of the message on a day."""
    then = (each for each in rules.offers(offer.teller, day) if each.listener == offer.listener)
    same = (each for each in then if each.pantheon == offer.pantheon and each.names & names)
    return any(uncarried(each.options, seed) is None for each in same)


def _standing(rules: RulesAsWritten, seed: Seed, teller: Knowing, heard: HeardBefore) -> Iterator[Offer]:
    """The offers by which a teller tells somebody, of those that name no model."""
    for offer in rules.offers(teller.who, teller.day):
        if offer.options.spreading is not None or stopped(offer, seed, teller) is not None:
            continue
        if arrives(rules, offer, seed, teller) and not _has_enough(offer, arrival_day(offer, teller), heard):
            yield offer


def _has_enough(offer: Offer, day: float, heard: HeardBefore) -> bool:
    """Whether the listener was told as many other messages on a day as the rule allows."""
    most = None if offer.options.budget is None else offer.options.budget.listener_day
    return most is not None and not offer.certain and heard(offer.listener, day) >= most


def arrival_day(offer: Offer, teller: Knowing) -> float:
    """The day on which the listener learns it."""
    return teller.day + (offer.options.delay or 0.0)


def strength_after(offer: Offer, teller: Knowing) -> float:
    """What is left after this hop."""
    return teller.strength * (1.0 if offer.options.decay is None else offer.options.decay)


def passing(offer: Offer, seed: Seed, teller: Knowing) -> set[str]:
    """The options by which this teller passes on this message."""
    hops, gossip = offer.options.max_hops, {*offer.names & {GOSSIP}}
    lived = {name for name in offer.names - gossip if seed.users or name not in USERS_ONLY}
    if teller.hop > 0:
        gossips = gossip if hops is None or teller.hop < hops else set[str]()
        return gossips | (lived | gossip if teller.reach > teller.hop else set())
    at_first_hand = hops != 0 and seed.direct.get(offer.teller) in FIRST_HAND
    about_others = hops != 0 and _is_about_a_third(seed, offer.teller)
    return (lived if at_first_hand else set()) | (gossip if about_others else set())


def _is_about_a_third(seed: Seed, teller: str) -> bool:
    return teller != seed.speaker and bool(set(seed.about) - set(seed.direct))


def _conditions_hold(options: Rules, seed: Seed) -> bool:
    if (asked := options.conditions) is None:
        return True
    flags = all(name in seed.flags and seed.flags[name] == value for name, value in asked.flags.items())
    within = (f"{seed.place or ''}/".startswith(f"{place.rstrip('/')}/") for place in asked.places)
    return flags and (not asked.places or any(within))


def falls(key: str, teller: str, listener: str, rule: str, chance: float) -> bool:
    """Whether the coin of this message, teller, listener and rule falls for telling."""
    digest = blake2b("\x1f".join((key, teller, listener, rule)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64 < chance


# --- who is reached, when nothing caps it ----------------------------------------------------------------------------


def has_caps(book: RuleBook) -> bool:
    """Whether coins, fan-outs or budgets of messages decide about some telling, so that `reached` says only who could
    be told."""
    levels = [level for pantheon in book.pantheons for level in levels_of(pantheon)]
    return any(
        each.chance not in (None, 1.0) or each.fan_out is not None or _message_budget(each) is not None
        for each in levels
    )


def reached(rules: RulesAsWritten, seed: Seed, heard: HeardBefore = nothing_before) -> dict[str, Knowing]:
    """Everybody who is told, breadth first by day and hop, if every coin falls for telling and no cap is reached.

    Without those whom spreading models tell.
    """
    known = {who: Knowing(who, 0, seed.day) for who in seed.direct}
    waves: dict[tuple[float, int], list[tuple[Offer, Knowing]]] = {}
    agenda: list[tuple[float, int]] = []

    def tell(teller: Knowing) -> None:
        for offer in _standing(rules, seed, teller, heard):
            if offer.listener not in known:
                when = (arrival_day(offer, teller), teller.hop + 1)
                if when not in waves:
                    heapq.heappush(agenda, when)
                waves.setdefault(when, []).append((offer, teller))

    for each in list(known.values()):
        tell(each)
    while agenda:
        when = heapq.heappop(agenda)
        now_known = _wave_known(when, [each for each in waves.pop(when) if each[0].listener not in known])
        known |= now_known
        for each in now_known.values():
            tell(each)
    return {who: each for who, each in known.items() if each.hop > 0}


def _wave_known(when: tuple[float, int], wave: Sequence[tuple[Offer, Knowing]]) -> dict[str, Knowing]:
    """What those know who are told on one day at one hop."""
    listeners = sorted({offer.listener for offer, _ in wave})
    return {each: _knowing(each, when, [way for way in wave if way[0].listener == each]) for each in listeners}


def _knowing(who: str, when: tuple[float, int], ways: Sequence[tuple[Offer, Knowing]]) -> Knowing:
    return Knowing(
        who=who,
        hop=when[1],
        day=when[0],
        strength=max(strength_after(offer, teller) for offer, teller in ways),
        reach=max(1 if offer.options.max_hops is None else offer.options.max_hops for offer, _ in ways),
        tellers=tuple(sorted({teller.who for _, teller in ways})),
    )


def by_hop(known: Mapping[str, Knowing]) -> dict[int, list[str]]:
    """Who is reached at each hop."""
    hops: dict[int, list[str]] = {}
    for who, each in sorted(known.items()):
        hops.setdefault(each.hop, []).append(who)
    return hops


# --- whether what an engine says may be -------------------------------------------------------------------------------


def unjustified(
    rules: RulesAsWritten, seed: Seed, tellings: Sequence[Telling], heard: HeardBefore = nothing_before
) -> list[str]:
    """A complaint for each telling that no chain of rules allows, and for each cap that was passed. Empty = no leak."""
    known = {who: Knowing(who, 0, seed.day) for who in seed.direct}
    complaints: list[str] = []
    allowed: list[tuple[Telling, list[Offer]]] = []
    for when, group in groupby(sorted(tellings, key=_when), key=_when):
        wave = [(telling, _ways(rules, seed, known.get(telling.teller), telling, heard)) for telling in group]
        complaints += [f"no rule allows {telling}" for telling, ways in wave if not ways]
        complaints += [f"knew it already: {telling}" for telling, _ in wave if telling.listener in known]
        found = [(offer, known[telling.teller]) for telling, ways in wave for offer in ways]
        known = _as_strong(_wave_known(when, found), [telling for telling, ways in wave if ways]) | known
        allowed += wave
    return [
        *complaints,
        *_over(allowed, "listeners of one teller", lambda options: options.fan_out, by_teller=True),
        *_over(allowed, "listeners of one message", _message_budget, by_teller=False),
    ]


def _as_strong(now_known: Mapping[str, Knowing], tellings: Sequence[Telling]) -> dict[str, Knowing]:
    """As strong as they were told: a stronger way may be one that a cap has closed."""
    strengths = {
        who: max(telling.strength for telling in tellings if telling.listener == who and telling.teller in each.tellers)
        for who, each in now_known.items()
    }
    return {who: replace(each, strength=strengths[who]) for who, each in now_known.items()}


def _when(telling: Telling) -> tuple[float, int]:
    return telling.day, telling.hop


def _ways(
    rules: RulesAsWritten, seed: Seed, teller: Knowing | None, telling: Telling, heard: HeardBefore
) -> list[Offer]:
    """The offers by which this teller tells this listener at this hop and on this day, if one of them is as told."""
    if teller is None or teller.hop + 1 != telling.hop:
        return []
    ways = [
        offer
        for offer in _standing(rules, seed, teller, heard)
        if offer.listener == telling.listener and abs(arrival_day(offer, teller) - telling.day) < 1e-9
    ]
    ways += _by_models(rules, seed, teller, telling)
    return ways if any(_is_offered(seed, offer, teller, telling) for offer in ways) else []


def _by_models(rules: RulesAsWritten, seed: Seed, teller: Knowing, telling: Telling) -> list[Offer]:
    """The offers by which a model may let this teller tell this listener: from the day on which the teller knows it."""
    found = []
    for delay in sorted({level.delay or 0.0 for each in rules.book.pantheons for level in levels_of(each)} | {0.0}):
        then = replace(teller, day=telling.day - delay, hop=0, reach=0)
        if then.day < teller.day:
            continue
        found += [
            offer
            for offer in rules.offers(teller.who, then.day)
            if offer.listener == telling.listener
            and offer.options.spreading is not None
            and (offer.options.delay or 0.0) == delay
            and _is_lived(offer, seed)
            and uncarried(offer.options, seed) is None
            and strength_after(offer, then) >= MIN_STRENGTH
            and telling.listener not in seed.direct
            and _lasts(rules, offer, seed, telling.day, {*offer.names - {GOSSIP}})
        ]
    return found


def _is_lived(offer: Offer, seed: Seed) -> bool:
    return any(seed.users or name not in USERS_ONLY for name in offer.names - {GOSSIP})


def _is_offered(seed: Seed, offer: Offer, teller: Knowing, telling: Telling) -> bool:
    how = "witnessed" if offer.options.manner == "witnessed" else "shared"
    weakened = abs(telling.strength - strength_after(offer, teller)) < 1e-9
    as_said = telling.retell == (offer.options.retell or "verbatim") and telling.triage == offer.options.triage
    by_model = offer.options.spreading is not None
    return telling.how == how and weakened and as_said and (by_model or offer.certain or _falls(seed, offer, telling))


def _falls(seed: Seed, offer: Offer, telling: Telling) -> bool:
    chance = offer.options.chance
    return chance is None or falls(seed.key, telling.teller, telling.listener, telling.rule, chance)


def _message_budget(options: Rules) -> int | None:
    return None if options.budget is None else options.budget.message


def _over(
    allowed: Sequence[tuple[Telling, list[Offer]]], what: str, cap: Callable[[Rules], int | None], *, by_teller: bool
) -> list[str]:
    """A complaint for each group of tellings that holds more listeners than every rule in it allows."""
    groups: dict[str, dict[str, int]] = {}
    for telling, ways in allowed:
        caps = [cap(offer.options) for offer in ways if not offer.certain and offer.options.spreading is None]
        if ways and len(caps) == len(ways) and all(each is not None for each in caps):
            most = max(each for each in caps if each is not None)
            groups.setdefault(telling.teller if by_teller else "", {})[telling.listener] = most
    return [f"more {what} than {max(g.values())}: {sorted(g)}" for g in groups.values() if len(g) > max(g.values())]
