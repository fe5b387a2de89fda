"""The conformance suite of World Agents: walls, silence, nonsense, time.

In a test file of your own:

    from earwitness.testing.world_agent import WorldAgentSuite

    class TestTownCrier(WorldAgentSuite):
        def make_world_agent(self) -> TownCrier:
            return TownCrier()
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..protocols import WorldAgent
from .cases.world_agent_answers import AgentProposals
from .suite import Report, adapted, check


class WorldAgentSuite(AgentProposals):
    """Subclass it, and create your own World Agent in `make_world_agent`."""


def check_world_agent(make: Callable[[], WorldAgent | Awaitable[WorldAgent]], **flags: Any) -> Report:
    """Run the suite without pytest. `make` is a class or a factory; flags are attributes of the suite.

    Raises one `ExceptionGroup` with every failure.
    """
    return check(adapted(WorldAgentSuite, "make_world_agent", lambda folder: make(), flags))
