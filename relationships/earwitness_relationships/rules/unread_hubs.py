"""`hub_from` where nothing is read in the hub, so that everybody gets a copy all the same."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.loading.problems import Loc, Problem

from .edges import TO_EVERYBODY, RuleEdge
from .precedence import merged
from .records import Pantheon, RuleBook, Rules

ONLY = f"only what {' or '.join(TO_EVERYBODY)} tells is read in a hub"
CHOOSING = ("chance", "fan_out", "budget", "triage", "relation_types", "min_weight")
"""Options that choose among the listeners."""


def unread_hubs(book: RuleBook) -> Iterator[Problem]:
    """Each `hub_from` that does nothing for any of those for whom it holds."""
    for number, pantheon in enumerate(book.pantheons):
        loc: Loc = ("pantheons", number)
        yield from _of_levels(pantheon, loc)
        for at, each in enumerate(pantheon.relationships):
            if each.rules.hub_from is not None and each.rules.when != "conversation":
                here: Loc = (*loc, "relationships", at, "rules", "hub_from")
                yield Problem(here, f"hub_from does nothing in a relationship: {ONLY}.")


def is_read_in_hub(edge: RuleEdge) -> bool:
    """Whether what it tells is read in the hub, once the pantheon is as large as `hub_from` says."""
    tells_all = edge.relationship is None and any(each in TO_EVERYBODY for each in edge.tells)
    return tells_all and edge.options.when != "conversation" and _choosing(edge.options) is None


def _of_levels(pantheon: Pantheon, loc: Loc) -> Iterator[Problem]:
    tellers = [(at, each) for at, each in enumerate(pantheon.members) if each.role != "observer"]
    common = [merged(pantheon.rules, each.rules) for _, each in tellers if each.rules.hub_from is None]
    if pantheon.rules.hub_from is not None:
        yield from _of_level(pantheon, common or [pantheon.rules], (*loc, "rules"))
    for at, member in tellers:
        if member.rules.hub_from is not None:
            yield from _of_level(pantheon, [merged(pantheon.rules, member.rules)], (*loc, "members", at, "rules"))


def _of_level(pantheon: Pantheon, options: list[Rules], loc: Loc) -> Iterator[Problem]:
    if any(each.when == "conversation" for each in options):  # that is warned of by itself
        return
    whys = [_why(pantheon, each) for each in options]
    if all(whys):
        yield Problem((*loc, "hub_from"), f"hub_from does nothing: {whys[0]}.")


def _why(pantheon: Pantheon, options: Rules) -> str | None:
    """Why nothing that somebody with these options tells is read in the hub; `None` if something is."""
    if not any(getattr(options, name) for name in TO_EVERYBODY):
        to_own = pantheon.slug in (options.share_with or ())
        return f"{ONLY}" + (f". Say propagate_all in place of share_with: [{pantheon.slug}]" if to_own else "")
    choosing = _choosing(options)
    return choosing and f"with {choosing}, not all members are told alike, so each gets a copy"


def _choosing(options: Rules) -> str | None:
    """The first option that chooses among the listeners."""
    given = options.options
    return next((name for name in CHOOSING if name in given and given[name] != _NO_CHOICE.get(name)), None)


_NO_CHOICE = {"chance": 1}
