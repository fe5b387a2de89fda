"""Rules that can never fire, and options that change nothing."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.errors import did_you_mean
from earwitness.loading.problems import Loc, Problem

from .edges import TELLING, TO_EVERYBODY, TO_NAMED, edges, members_by_id, named_by, to_named
from .forms import BESIDE, spelled
from .precedence import effective
from .records import Pantheon, RuleBook, Rules

WEAKEST = 0.05
"""Below this strength nothing is passed on."""
NEVER = {
    "max_hops": "nothing is told at all",
    "chance": "no coin ever falls for it",
    "fan_out": "nobody is told",
}
"""Option → what it means where it is 0."""


def idle_rules(book: RuleBook) -> Iterator[Problem]:
    """Rules that can never fire, with their places in the rule book."""
    telling = {(each.pantheon, each.teller) for each in edges(book)}
    for number, pantheon in enumerate(book.pantheons):
        loc: Loc = ("pantheons", number)
        yield from _limits(pantheon.rules, (*loc, "rules"))
        yield from _of_pantheon(pantheon, (*loc, "rules"))
        yield from _of_members(pantheon, loc)
        yield from _of_relationships(pantheon, loc)
        yield from _silent(pantheon, telling, (*loc, "rules"))


def _limits(rules: Rules, loc: Loc) -> Iterator[Problem]:
    """Options whose values let nothing through."""
    for name, why in NEVER.items():
        if getattr(rules, name) == 0:
            yield Problem((*loc, name), f"{name} is 0: {why}.")
    if rules.decay is not None and rules.decay < WEAKEST:
        yield Problem((*loc, "decay"), f"decay {rules.decay:g} leaves less than {WEAKEST}, so nothing arrives.")
    if rules.budget is not None and 0 in (rules.budget.message, rules.budget.listener_day):
        yield Problem((*loc, "budget"), "a budget of 0 lets nothing through.")
    if rules.only_about and set(rules.only_about) <= set(rules.never_about or ()):
        yield Problem((*loc, "only_about"), "never_about excludes everybody in only_about, so nothing is told.")


def _of_pantheon(pantheon: Pantheon, loc: Loc) -> Iterator[Problem]:
    everybody = [name for name in TO_EVERYBODY if getattr(pantheon.rules, name)]
    if everybody and len({each.personality_id for each in pantheon.members}) < 2:
        few = "one member" if pantheon.members else "no members"
        why = f"{everybody[0]} reaches nobody: {pantheon.slug!r} has {few} here. Add members, here or at run time."
        yield Problem((*loc, everybody[0]), why)
    if not pantheon.members and not pantheon.relationships:
        guess = did_you_mean(pantheon.slug, (BESIDE[0], "pantheons"))
        why = f"{pantheon.slug!r} is read as a pantheon, and has no members here. Add members, here or at run time."
        yield Problem(loc[:-1], why + guess)
    option = _tells_nothing(pantheon)
    if option:
        why = f"nothing in {pantheon.slug!r} is told: no rule says what. Add one of {', '.join(TELLING)}."
        yield Problem((*loc, option), f"{spelled(option)} changes nothing, since {why}")


def _tells_nothing(pantheon: Pantheon) -> str | None:
    """The first option of the pantheon that changes nothing, because no level switches on anything that tells."""
    levels = [pantheon.rules, *(each.rules for each in pantheon.members)]
    levels += [each.rules for each in pantheon.relationships]
    if any(getattr(level, name) for level in levels for name in (*TELLING, "share_with")):
        return None
    return next((name for name in pantheon.rules.options if name not in TELLING), None)


def _of_members(pantheon: Pantheon, loc: Loc) -> Iterator[Problem]:
    for at, member in enumerate(pantheon.members):
        here: Loc = (*loc, "members", at)
        yield from _limits(member.rules, (*here, "rules"))
        on = [name for name in (*TELLING, "share_with") if getattr(member.rules, name)]
        if member.role == "observer" and on:
            who = member.personality_id
            yield Problem((*here, "rules", on[0]), f"{on[0]} never holds: {who!r} is an observer, who never tells.")
        elif member.rules.share_with and not to_named(
            effective(pantheon.rules, member.rules), pantheon.rules, member.rules
        ):
            why = "share_with names somebody, but what to share is switched off. Add share_direct_interactions."
            yield Problem((*here, "rules", "share_with"), why)
        if member.rules.share_with == (member.personality_id,):
            yield Problem((*here, "rules", "share_with"), f"{member.personality_id!r} shares only with themselves.")


def _of_relationships(pantheon: Pantheon, loc: Loc) -> Iterator[Problem]:
    members = members_by_id(pantheon)
    for at, each in enumerate(pantheon.relationships):
        here: Loc = (*loc, "relationships", at)
        yield from _limits(each.rules, (*here, "rules"))
        member = members.get(each.source)
        if each.rules.options and member is not None and member.role == "observer":
            yield Problem(here, f"its rules never hold: {each.source!r} is an observer, who never tells.")
        if each.rules.min_weight is not None and each.weight < each.rules.min_weight:
            why = f"min_weight {each.rules.min_weight:g} is above the weight {each.weight:g} of this relationship."
            yield Problem((*here, "rules", "min_weight"), why)


def _goes_by_the_graph(*levels: Rules) -> bool:
    """Whether relations of the graph name the listeners. It holds more of them than the file does."""
    return any(each.relation_types is not None or each.min_weight is not None for each in levels)


def _silent(pantheon: Pantheon, telling: set[tuple[str, str]], loc: Loc) -> Iterator[Problem]:
    """Members who tell nobody though a rule of the pantheon says that they share."""
    on = next((name for name in TO_NAMED if getattr(pantheon.rules, name)), None)
    if on is None:
        return
    silent = [
        each.personality_id
        for each in pantheon.members
        if each.role != "observer"
        and (pantheon.slug, each.personality_id) not in telling
        and not _goes_by_the_graph(pantheon.rules, each.rules)
        and not named_by(pantheon, each.personality_id, effective(pantheon.rules, each.rules))
    ]
    if silent or not pantheon.members:
        who = ", ".join(silent[:5]) + (f" and {len(silent) - 5} more" if len(silent) > 5 else "")
        tells = "tell" if len(silent) > 1 else "tells"
        said = f"{who or 'anybody'} {tells} nobody by {on}" if silent else f"{on} reaches nobody"
        yield Problem((*loc, on), f"{said}: no share_with, relation_types or relationship names a listener.")
