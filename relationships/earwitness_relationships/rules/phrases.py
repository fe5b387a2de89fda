"""Rules in a few words, for tables and pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .edges import RuleEdge, limits
from .records import Budget, Conditions, Rules
from .unread_hubs import is_read_in_hub

WHAT = {
    "share_direct_interactions": "what they live",
    "share_all_direct_user_interactions": "what they live with users",
    "gossip_about_others": "what they learn about others",
    "propagate_all": "what they live",
    "propagate_all_user_interactions": "what they live with users",
}
"""Option → what is told by it."""


def what(edge: RuleEdge) -> str:
    """`what they live, what they learn about others`."""
    return ", ".join(dict.fromkeys(WHAT[name] for name in edge.tells))


def how(rules: Rules) -> str:
    """`shared` or `witnessed`."""
    return "witnessed" if rules.manner == "witnessed" else "shared"


def limited(edge: RuleEdge) -> str:
    """`after 2 days, not from direct messages`. A `hub_from` that does nothing is left out."""
    unread = () if is_read_in_hub(edge) else ("hub_from",)
    given = {name: value for name, value in limits(edge.options).items() if name not in unread}
    found = (WORDS[name](value) for name, value in given.items() if name in WORDS)
    return ", ".join(words for words in found if words)


def own(rules: Rules) -> str:
    """The options of one level as they are written: `share_with: vaggie, as: intimate`."""
    return ", ".join(f"{'as' if name == 'manner' else name}: {_value(value)}" for name, value in rules.options.items())


def _days(days: float) -> str:
    return f"after {days:g} {'day' if days == 1 else 'days'}"


def _times(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _budget(budget: Budget) -> str:
    parts = [(budget.message, "a message"), (budget.listener_day, "a listener and day")]
    return ", ".join(f"at most {_times(most, 'telling')} {of}" for most, of in parts if most is not None)


def _conditions(conditions: Conditions) -> str:
    flags = [f"if {name} is {_value(value)}" for name, value in conditions.flags.items()]
    places = [f"only at {' or '.join(conditions.places)}"] if conditions.places else []
    return ", ".join([*flags, *places])


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case tuple():
            return " + ".join(map(str, value)) or "nobody"
        case Budget() | Conditions():
            return _budget(value) if isinstance(value, Budget) else _conditions(value)
        case float():
            return f"{value:g}"
    return str(value)


WORDS: dict[str, Callable[[Any], str]] = {
    "exclude_private": lambda on: "not from direct messages" if on else "",
    "only_about": lambda who: f"only about {', '.join(who) or 'nobody'}",
    "never_about": lambda who: f"never about {', '.join(who)}",
    "min_weight": lambda least: f"over relations of {least:g} or more",
    "max_hops": lambda most: f"at most {_times(most, 'hop')}",
    "decay": lambda factor: f"{factor:g} of it remains at each hop",
    "fan_out": lambda most: f"at most {_times(most, 'listener')}",
    "budget": _budget,
    "delay": _days,
    "chance": lambda odds: f"with a chance of {odds:g}",
    "reliability": lambda trust: f"believed at {trust:g}",
    "retell": lambda retelling: "as a summary" if retelling == "summary" else f"reworded by {retelling}",
    "triage": lambda name: f"as far as {name} finds worth it",
    "when": lambda _: "when the conversation is over",
    "conditions": _conditions,
    "hub_from": lambda least: f"through a hub from {least} members on",
    "spreading": lambda model: f"spread by {model}",
    "omniscient": lambda on: "whatever chance and limits say" if on else "",
}
"""Option → its value in words. The others say who is told."""
