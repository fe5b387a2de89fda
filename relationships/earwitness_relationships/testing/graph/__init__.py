"""The conformance suite of graph stores: every line of `GraphStore`'s contract.

In a test file of your own:

    from earwitness_relationships.testing.graph import GraphSuite

    class TestMyGraph(GraphSuite):
        def make_graph(self) -> MyGraph:
            return MyGraph(self.folder / "graph.db")

What your store cannot do, say with the reason: `persistent = "it is a graph in memory"`.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from earwitness.testing.suite import Report, adapted, check

# lets a failing assertion of the suite show its values, as in your own test files
if "pytest" in sys.modules:
    sys.modules["pytest"].register_assert_rewrite(
        *(f"{__name__}.{name}" for name in ("answers", "random_facts", "writes"))
    )

from ...graph.protocol import GraphStore
from .answers import GraphAnswers
from .random_facts import RandomFacts
from .writes import GraphWrites

__all__ = ["GraphSuite", "check_graph"]


class GraphSuite(GraphWrites, GraphAnswers, RandomFacts):
    """Subclass it, and create your own store in `make_graph`."""


def check_graph(make: Callable[[Path], GraphStore | Awaitable[GraphStore]], **flags: Any) -> Report:
    """Run the suite without pytest. `make` takes a fresh folder; flags are attributes of the suite.

    Raises one `ExceptionGroup` with every failure.
    """
    return check(adapted(GraphSuite, "make_graph", make, flags))
