"""Direct messages that are passed on, though the rules say nothing of them."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.loading.problems import Problem

from .edges import RuleEdge, edges
from .records import RuleBook

WHY = (
    "{teller} passes direct messages on, too: their listeners recall them in direct messages of the same persona. "
    "Say exclude_private: true, or false if that is meant."
)


def confided(book: RuleBook) -> Iterator[Problem]:
    """Of each pantheon, the first who passes direct messages on where no level says whether to."""
    unsaid: dict[str, RuleEdge] = {}
    for each in edges(book):
        if each.tells and each.options.exclude_private is None:
            unsaid.setdefault(each.pantheon, each)
    for each in unsaid.values():
        yield Problem(each.loc, WHY.format(teller=each.teller))
