"""A story's facts of the graph as they were known when a message was said, from its journal. Pure.

What was noted later holds from then on: nobody acted by it before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, nextafter
from typing import NamedTuple

from earwitness import State
from earwitness.records.journal import Changed, Entry

from ..graph.records import Fact, Relation
from ..model import PACKAGE
from ..rules import graph_form as form


class NotedFacts(NamedTuple):
    """What one entry of the journal notes."""

    sequence: int
    """The entry's number."""
    day: float
    """The game day it was noted on."""
    facts: tuple[Fact, ...]
    """The facts."""


def noted_facts(journal: Iterable[Entry], state: State) -> tuple[NotedFacts, ...]:
    """The facts of the graph that still count, by the entry that noted them, in order."""
    found, day = [], State().game_day
    for entry in journal:
        if isinstance(entry.body, Changed):
            day = float(entry.body.changes.get("game_day", day))
        said = state.facts.get(entry.key, {}).get(PACKAGE, ())
        if said:
            facts = tuple(Fact.model_validate(each) for each in said)
            found.append(NotedFacts(entry.sequence, day, facts))
    return tuple(found)


def known_at(noted: Sequence[NotedFacts], sequence: float) -> tuple[Fact, ...]:
    """The facts as they were known when the message with this number was said; with a half more, after that entry."""
    before = [fact for each in noted if each.sequence < sequence for fact in each.facts]
    later = [moved for each in noted if each.sequence > sequence for moved in _later(each)]
    return (*before, *later)


def _later(noted: NotedFacts) -> Iterator[Fact]:
    """What an entry notes of relations, once its day is over. What it notes of pantheons counts for later messages."""
    for fact in noted.facts:
        relation = fact.relation
        if relation is None or _is_of_pantheons(relation):
            continue
        if moved := _from(fact.op, relation, noted.day):
            yield moved


def _is_of_pantheons(relation: Relation) -> bool:
    return relation.target == form.ROOT or relation.target.startswith(form.PREFIX) or "pantheon" in relation.attributes


def _from(op: str, relation: Relation, day: float) -> Fact | None:
    if op == "assert":
        since = max(nextafter(day, inf), -inf if relation.since is None else relation.since)
        if relation.until is not None and relation.until < since:
            return None
        return Fact(relation=relation.model_copy(update={"since": since}))
    until = max(day, relation.until or day) if op == "end" else day
    return Fact(op="end", relation=relation.model_copy(update={"since": None, "until": until}))


def numbers(journal: Iterable[Entry]) -> Mapping[str, int]:
    """Key → number of each entry."""
    return {entry.key: entry.sequence for entry in journal}
