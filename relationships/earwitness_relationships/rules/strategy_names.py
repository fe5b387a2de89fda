"""The names that rules may give as `retell`, `triage` and `spreading`: what settings name, and what is installed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from earwitness.errors import unknown
from earwitness.loading.problems import Loc, Problem
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec

from ..settings import RelationshipsSettings
from .records import RuleBook, Rules

VERBATIM, SUMMARY = "verbatim", "summary"
KINDS = {"retell": "reteller", "spreading": "spreading", "triage": "triage"}
"""Option → the kind of strategy that it names."""
CALLED = {"spreading": "spreading model"}
"""Kind → how errors call it, where that differs."""
WITHOUT_STRATEGY = {"reteller": (VERBATIM, SUMMARY)}
"""Kind → what an option may say without naming a strategy."""


def spec_of(strategies: Strategies, specs: Mapping[str, StrategySpec], kind: str, name: str) -> StrategySpec | str:
    """The strategy that a rule names: its settings or its name. Raises `UnknownName` that lists what may be named."""
    if name in specs:
        return specs[name]
    if name not in (known := _names(strategies, specs, kind)):
        raise unknown(CALLED.get(kind, kind), name, known)
    return name


def names_by_option(strategies: Strategies, table: RelationshipsSettings) -> Mapping[str, Collection[str]]:
    """Option → the names that it may give."""
    specs = {"reteller": table.retellers, "spreading": table.spreading, "triage": table.triages}
    return {option: _names(strategies, specs[kind], kind) for option, kind in KINDS.items()}


def unknown_strategies(book: RuleBook, known: Mapping[str, Collection[str]]) -> Iterator[Problem]:
    """Names that nothing has, with their places in the rule book. `known` are the names of each option."""
    for loc, rules in _levels(book):
        for option, names in known.items():
            name = getattr(rules, option)
            if name is not None and name not in names:
                yield Problem(
                    (*loc, "rules", option), f"{option}: {unknown(CALLED.get(option, KINDS[option]), name, names)}"
                )


def _names(strategies: Strategies, specs: Mapping[str, StrategySpec], kind: str) -> set[str]:
    return {*strategies.names(kind), *specs, *WITHOUT_STRATEGY.get(kind, ())}


def _levels(book: RuleBook) -> Iterator[tuple[Loc, Rules]]:
    for number, pantheon in enumerate(book.pantheons):
        here: Loc = ("pantheons", number)
        yield here, pantheon.rules
        yield from (((*here, "members", at), each.rules) for at, each in enumerate(pantheon.members))
        yield from (((*here, "relationships", at), each.rules) for at, each in enumerate(pantheon.relationships))
