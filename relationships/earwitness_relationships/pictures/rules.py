"""The picture of a rule book: who is in which pantheon, how they are related, and who tells whom what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..graph.records import Relation
from ..rules.edges import RuleEdge, edges
from ..rules.phrases import how, limited, what
from ..rules.records import Pantheon, RuleBook
from .records import Diagram, DiagramArrow, DiagramNode


def rules_picture(book: RuleBook, relations: Sequence[Relation] = (), title: str = "") -> Diagram:
    """The relationship graph with its rules. `relations` are those of the graph that have no rules of their own."""
    found = list(edges(book))
    arrows = [*_ways(found), *_related(book, relations, {(each.teller, each.listener) for each in found})]
    nodes = {node.id: node for node in _nodes(book, {each.listener for each in found if each.to_all})}
    for id in (end for each in arrows for end in (each.source, each.target)):
        nodes.setdefault(id, DiagramNode(id=id, label=id))
    return Diagram(title=title, nodes=tuple(nodes.values()), arrows=tuple(arrows))


def _nodes(book: RuleBook, audiences: set[str]) -> Iterator[DiagramNode]:
    known: set[str] = set()
    others = _others(book)
    for pantheon in book.pantheons:
        name = pantheon.name or pantheon.slug
        people = [each for each in _people(pantheon) if each not in known]
        known.update(people)
        leaders = {each.personality_id for each in pantheon.members if each.role == "leader"}
        labels = {id: f"{id}{others.get(id, '')}" for id in people}
        yield from (DiagramNode(id=id, label=labels[id], group=name, is_strong=id in leaders) for id in people)
        if pantheon.slug in audiences:
            yield DiagramNode(id=_all(pantheon.slug), label=f"all of {name}", group=name, is_strong=True)


def _others(book: RuleBook) -> dict[str, str]:
    """Who is in several pantheons → a line for those after the first, whose colour they have."""
    found: dict[str, list[str]] = {}
    for pantheon in book.pantheons:
        for id in dict.fromkeys(each.personality_id for each in pantheon.members):
            found.setdefault(id, []).append(pantheon.name or pantheon.slug)
    return {id: f"\nalso {', '.join(names[1:])}" for id, names in found.items() if len(names) > 1}


def _people(pantheon: Pantheon) -> Iterator[str]:
    members = [each.personality_id for each in pantheon.members]
    related = [id for each in pantheon.relationships for id in (each.source, each.target)]
    yield from dict.fromkeys([*members, *related])


def _ways(found: Sequence[RuleEdge]) -> Iterator[DiagramArrow]:
    for each in found:
        target = _all(each.listener) if each.to_all else each.listener
        said = [each.relationship.type] if each.relationship else []
        said += [f"{what(each)} ({how(each.options)})", *filter(None, [limited(each)])]
        yield DiagramArrow(source=each.teller, target=target, label="\n".join(said))


def _related(book: RuleBook, relations: Sequence[Relation], drawn: set[tuple[str, str]]) -> Iterator[DiagramArrow]:
    """Relations by which nothing is told."""
    own = [(each.source, each.target, each.type) for pantheon in book.pantheons for each in pantheon.relationships]
    every = dict.fromkeys([*own, *((each.source, each.target, each.type) for each in relations)])
    for source, target, type in every:
        if (source, target) not in drawn:
            yield DiagramArrow(source=source, target=target, label=type, style="related")


def _all(slug: str) -> str:
    return f"all members of {slug}"
