"""The picture of one fact: who learned it from whom on which day, as backstage's `who_knows` found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from earwitness.backstage.knowers import Knower, WhoKnows

from .records import Diagram, DiagramArrow, DiagramNode

UNKNOWN = "nothing found"


def knowledge_picture(found: WhoKnows, names: Mapping[str, str] | None = None) -> Diagram:
    """The days from left to right, each with those who learned it then; last come those who know nothing of it.

    `names` are the display names of characters.
    """
    called = dict(names or {})
    knowers = {id: each for id, each in found.knowers.items() if each.learned is not None}
    steps = {id: (_day(each), _hops(each, knowers)) for id, each in knowers.items()}
    columns = sorted(set(steps.values()))
    nodes = [_node(each, called, columns.index(steps[id])) for id, each in knowers.items()]
    others = [id for id in found.knowers if id not in knowers]
    nodes += [DiagramNode(id=id, label=called.get(id, id), group=UNKNOWN, column=len(columns)) for id in others]
    return Diagram(title=found.question, nodes=tuple(nodes), arrows=tuple(_arrows(knowers)))


def _hops(knower: Knower, knowers: Mapping[str, Knower]) -> int:
    """Through how many who learned it on the same day it came."""
    day, before = _day(knower), [knower.character]
    while (teller := _teller(knower, knowers)) and teller not in before and _day(knowers[teller]) == day:
        knower = knowers[teller]
        before.append(teller)
    return len(before) - 1


def _teller(knower: Knower, knowers: Mapping[str, Knower]) -> str | None:
    """Who told them, if it is somebody else who knows it."""
    learned = knower.learned
    teller = learned.teller if learned and learned.way != "news" else None  # news are about somebody, not from them
    return teller if teller in knowers and teller != knower.character else None


def _day(knower: Knower) -> float:
    """The day they learned it; what was known before the story comes first."""
    is_before = knower.since is None or (knower.learned is not None and knower.learned.way == "before")
    return float("-inf") if is_before else knower.since or 0.0


def _node(knower: Knower, names: Mapping[str, str], column: int) -> DiagramNode:
    name = names.get(knower.character, knower.character)
    day = _day(knower)
    group = "before the story" if day == float("-inf") else knower.calendar.show(day)
    said = knower.words(lambda id: names.get(id, id))
    is_source = knower.learned is not None and knower.learned.way in ("said", "before")
    return DiagramNode(id=knower.character, label=f"{name}\n{said}", group=group, is_strong=is_source, column=column)


def _arrows(knowers: Mapping[str, Knower]) -> Iterator[DiagramArrow]:
    for each in knowers.values():
        if each.learned and (teller := _teller(each, knowers)):
            yield DiagramArrow(source=teller, target=each.character, label=each.learned.way)
