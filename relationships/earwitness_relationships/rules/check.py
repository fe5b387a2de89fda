"""Warnings about a rule file that can be read: what is probably not meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from earwitness import Record
from earwitness.loading.problems import Problem

from .confided import confided
from .file import RuleFile
from .floods import floods
from .idle import idle_rules
from .spread_by_models import spread_by_models
from .strangers import misspelt, strangers
from .strategy_names import unknown_strategies
from .summed_up import summed_up
from .unread_hubs import unread_hubs


class RuleWarning(Record):
    """Something in a rule file that is allowed, and probably not meant."""

    line: int
    """From 1."""
    column: int
    """From 1."""
    message: str
    """What is odd, and what to do."""


def warnings(
    file: RuleFile,
    cast: Collection[str] | None = None,
    *,
    has_direct_messages: bool = False,
    strategies: Mapping[str, Collection[str]] | None = None,
) -> tuple[RuleWarning, ...]:
    """Rules that can never fire, options that do nothing, names that nobody has, and circles that would flood.

    They are in the order of the file.

    `cast` are the personality ids of a story; without it, names are compared with those in the file itself. Of a story
    that `has_direct_messages`, rules are named that pass them on without saying so. `strategies` are the names that
    `retell`, `triage` and `spreading` may give; without them, these are not looked at.
    """
    found = [*idle_rules(file.book), *strangers(file.book, cast), *floods(file.book), *summed_up(file.book)]
    found += [*unread_hubs(file.book), *spread_by_models(file.book)]
    found += confided(file.book) if has_direct_messages else ()
    found += unknown_strategies(file.book, strategies or {})
    return _placed(file, found)


def misspelt_names(file: RuleFile, cast: Collection[str]) -> tuple[RuleWarning, ...]:
    """Names in a rule file that are probably misspelt, for a story with this cast. The file may name others, too."""
    return _placed(file, misspelt(file.book, cast))


def _placed(file: RuleFile, found: Iterable[Problem]) -> tuple[RuleWarning, ...]:
    placed = ((file.position_of(loc), message) for loc, message in found)
    return tuple(
        RuleWarning(line=at.line, column=at.column, message=message) for at, message in sorted(dict.fromkeys(placed))
    )
