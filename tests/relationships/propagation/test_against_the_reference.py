"""The engine tells exactly whom an independent, simpler reading of the rules tells."""

from collections.abc import Collection, Sequence

from earwitness import Channel
from earwitness_relationships.graph import Fact, Relation
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.propagation import Adjacency, Seed, Spread, spread
from earwitness_relationships.rules import RuleBook
from earwitness_relationships.testing.leaks import LeakSuite
from earwitness_relationships.testing.reference_privacy import may_recall


class TestEngine(LeakSuite):
    cases = 400

    def spread(self, book: RuleBook, relations: Sequence[Relation], seed: Seed) -> Spread:
        return spread(Adjacency(book, GraphView.of(Fact(relation=each) for each in relations)), seed)

    def readable(self, policy: str, learned: Channel, asked: Channel, there: Collection[str]) -> bool:
        return may_recall(policy, learned, asked, there)
