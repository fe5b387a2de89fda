"""The picture of one message: who learned it from whom on which day, and where it stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from earwitness.records.state import day_text

from ..propagation.records import Spread, Telling
from .records import Diagram, DiagramArrow, DiagramNode


def spread_picture(
    spread: Spread,
    *,
    title: str = "",
    names: Mapping[str, str] | None = None,
    day: float | None = None,
    unit: str = "day",
    perceived: Iterable[str] = (),
) -> Diagram:
    """The days from left to right, each with those who learn it then; dashed arrows lead to those who do not.

    `names` are the display names of personalities. `day` is the day on which it was said, and `unit` the calendar's
    word for one. `perceived` are those who perceived it; who tells it on is among them anyway.
    """
    called = dict(names or {})
    first = _first(spread.tellings)
    days = sorted({each.day for each in first.values()})
    tellers = [each.teller for each in spread.tellings] + [each.teller for each in spread.stops if each.teller]
    there = dict.fromkeys([*perceived, *tellers])
    nodes = {id: _knower(id, called, day, unit) for id in there if id not in first}
    nodes |= {id: _learner(each, called, unit, 1 + days.index(each.day)) for id, each in first.items()}
    stopped = [*_stopped(spread, first)]
    for arrow in stopped:
        why = "" if arrow.source else f"\n{arrow.label}"  # nobody was about to tell them
        label = f"{called.get(arrow.target, arrow.target)}\nis not told{why}"
        nodes.setdefault(
            arrow.target, DiagramNode(id=arrow.target, label=label, group="not told", column=1 + len(days))
        )
    ways = [*_ways(spread.tellings), *(each for each in stopped if each.source)]
    return Diagram(title=title, nodes=tuple(nodes.values()), arrows=tuple(ways))


def _first(tellings: Sequence[Telling]) -> dict[str, Telling]:
    """How each listener first learned it."""
    first: dict[str, Telling] = {}
    for each in tellings:
        if each.listener not in first or each.day < first[each.listener].day:
            first[each.listener] = each
    return first


def _knower(id: str, names: Mapping[str, str], day: float | None, unit: str) -> DiagramNode:
    when = "" if day is None else f", {unit} {day_text(day)}"
    return DiagramNode(
        id=id, label=f"{names.get(id, id)}\nperceived it{when}", group="perceived it", is_strong=True, column=0
    )


def _learner(telling: Telling, names: Mapping[str, str], unit: str, column: int) -> DiagramNode:
    when = f"{unit} {day_text(telling.day)}"
    name = names.get(telling.listener, telling.listener)
    return DiagramNode(id=telling.listener, label=f"{name}\n{telling.how}, {when}", group=when, column=column)


def _ways(tellings: Sequence[Telling]) -> Iterator[DiagramArrow]:
    for each in tellings:
        trust = "" if each.trust == 1 else f"\nbelieved at {each.trust:g}"
        yield DiagramArrow(source=each.teller, target=each.listener, label=f"{each.rule}{trust}")


def _stopped(spread: Spread, tellings: Mapping[str, Telling]) -> Iterator[DiagramArrow]:
    """The ways that it did not go to those who never learn it."""
    why: dict[tuple[str, str], list[str]] = {}
    for each in spread.stops:
        if each.listener not in tellings:
            why.setdefault((each.teller, each.listener), []).append(each.why)
    for (teller, listener), reasons in why.items():
        label = "\n".join(dict.fromkeys(reasons))
        yield DiagramArrow(source=teller, target=listener, label=label, style="stopped")
