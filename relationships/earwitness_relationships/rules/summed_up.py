"""Options that do nothing where a conversation is told as one summary."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.loading.problems import Problem

from .edges import RuleEdge, edges
from .records import RuleBook, Rules

WHY = (
    "when: conversation tells a summary, for which {options} {do} nothing: {teller} tells it as shared, believed in "
    "full, to everybody whom the rules name. Leave {them} out, or say when: message."
)


def summed_up(book: RuleBook) -> Iterator[Problem]:
    """Of each pantheon, the first who tells by `when: conversation` and has options that do nothing there."""
    found: dict[tuple[str, tuple[str, ...]], RuleEdge] = {}
    for each in edges(book):
        idle = tuple(_idle(each.options)) if each.tells and each.options.when == "conversation" else ()
        if idle:
            found.setdefault((each.pantheon, idle), each)
    for (_, idle), each in found.items():
        many = len(idle) > 1
        words = {"do": "do" if many else "does", "them": "them" if many else "it"}
        yield Problem(each.loc, WHY.format(options=" and ".join(idle), teller=each.teller, **words))


def _idle(options: Rules) -> Iterator[str]:
    if options.manner == "witnessed":
        yield "as: witnessed"
    if options.reliability not in {None, 1}:
        yield "reliability"
    if options.triage is not None:
        yield "triage"
    if options.budget is not None and options.budget.listener_day is not None:
        yield "budget.listener_day"
