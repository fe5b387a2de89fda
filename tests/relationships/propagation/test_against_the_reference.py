"""The engine tells exactly whom an independent, simpler reading of the rules tells."""

from collections.abc import Collection, Sequence

from earwitness import Channel
from earwitness_relationships.graph import Relation
from earwitness_relationships.propagation import Adjacency, Seed, Spread, spread
from earwitness_relationships.rules import RuleBook
from earwitness_relationships.testing.leaks import LeakSuite
from earwitness_relationships.testing.reference_privacy import may_recall


class Listed:
    """A graph as a list of relations."""

    def __init__(self, relations: Sequence[Relation]) -> None:
        self._of: dict[str, list[Relation]] = {}
        for each in relations:
            self._of.setdefault(each.source, []).append(each)

    def relations_of(
        self, node: str, types: Collection[str] | None = None, min_weight: float = 0.0
    ) -> list[Relation]:
        found = self._of.get(node, ())
        return [each for each in found if (types is None or each.type in types) and each.weight >= min_weight]


class TestEngine(LeakSuite):
    cases = 2_000

    def spread(self, book: RuleBook, relations: Sequence[Relation], seed: Seed) -> Spread:
        return spread(Adjacency(book, Listed(relations)), seed)

    def readable(self, policy: str, learned: Channel, asked: Channel, there: Collection[str]) -> bool:
        return may_recall(policy, learned, asked, there)
