"""Which level decides an option: relationship, member, pantheon, defaults; the first of them that sets it.

| level        | where it is written                       | holds for                                      |
|--------------|-------------------------------------------|------------------------------------------------|
| relationship | `relationships: [{from, to, rules}]`      | what the one tells the other                   |
| member       | `members: [{id, rules}]`, `customRules`   | what the member tells anybody in the pantheon  |
| pantheon     | `rules`, `propagationRules`               | what all members tell each other               |
| default      | `DEFAULTS`                                | everybody                                      |

Each option is decided by itself: a member's `as` leaves the pantheon's `exclude_private` as it is. An option that holds
several values (`share_with`, `budget`, `conditions`) is one option: the nearest level replaces all of it. `false` is a
value, and wins over the `true` of a level further away; `null` and an option left out are not.

`omniscient` alone is about the listener: the listener as a member, else the pantheon.
"""

from __future__ import annotations

from typing import Literal

from .records import Budget, Conditions, Rules

RuleLevel = Literal["relationship", "member", "pantheon", "default"]

DEFAULTS = Rules(
    share_direct_interactions=False,
    share_all_direct_user_interactions=False,
    gossip_about_others=False,
    propagate_all=False,
    propagate_all_user_interactions=False,
    omniscient=False,
    share_with=(),
    manner="gossip",
    exclude_private=False,
    never_about=(),
    min_weight=0.0,
    max_hops=1,
    decay=1.0,
    budget=Budget(),
    delay=0.0,
    chance=1.0,
    reliability=1.0,
    retell="verbatim",
    when="message",
    conditions=Conditions(),
)
"""What holds where no level says anything. Options that are not set here limit nothing."""


def effective(pantheon: Rules, member: Rules | None = None, relationship: Rules | None = None) -> Rules:
    """The options in force, each from the nearest level that sets it."""
    return merged(DEFAULTS, pantheon, member, relationship)


def merged(*levels: Rules | None) -> Rules:
    """The options that any of these levels sets, each from the last that does."""
    options: dict[str, object] = {}
    for level in levels:
        options |= level.options if level else {}
    return Rules.unchecked({name: options.get(name) for name in Rules.model_fields})


def deciding_level(
    option: str, pantheon: Rules, member: Rules | None = None, relationship: Rules | None = None
) -> RuleLevel:
    """The level that decides an option."""
    levels: tuple[tuple[RuleLevel, Rules | None], ...] = (
        ("relationship", relationship),
        ("member", member),
        ("pantheon", pantheon),
    )
    return next((name for name, level in levels if level and getattr(level, option) is not None), "default")
