"""Options that do nothing where a conversation is told as one summary."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.loading.problems import Problem

from .edges import RuleEdge, edges
from .records import RuleBook

WHY = {
    "hub_from": "hub_from does nothing with when: conversation: each listener of {teller} gets a copy of the summary. "
    "Leave it out, or say when: message.",
    "spreading": "spreading and when: conversation do not go together: {teller} tells nobody. Leave one of them out.",
}


def summed_up(book: RuleBook) -> Iterator[Problem]:
    """Of each pantheon, the first who tells by `when: conversation` and has options that do nothing there."""
    found: dict[tuple[str, str], RuleEdge] = {}
    for each in edges(book):
        if each.tells and each.options.when == "conversation":
            for option in WHY.keys() & each.options.options.keys():
                found.setdefault((each.pantheon, option), each)
    for (_, option), each in sorted(found.items()):
        yield Problem(each.loc, WHY[option].format(teller=each.teller))
