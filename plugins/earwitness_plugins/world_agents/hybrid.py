"""The World Agent `hybrid`: rules where the detector is sure of everybody, a model where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import isawaitable

from earwitness.calls import call
from earwitness.events import WorldAgentEvent, WorldAnswer
from earwitness.loading.end_settings import EndSettings
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.protocols import WorldAgent

from ..models.certainty import SURE, Certainty, Hybrid, Openable
from .language_model import LanguageModelWorldAgent
from .rules import RulesWorldAgent


class HybridWorldAgent(Hybrid[WorldAgent]):
    """Asks the second World Agent only about messages of which the detector is unsure who perceives them.

    Where the host says who perceives a message, nobody is unsure.

    Args:
        world_agents: the two of them; `None` = `rules`, then `language_model`.
        threshold: the detector is sure of a character whose probability is this or more, or one minus this or less.
    """

    def __init__(
        self,
        *,
        world_agents: Sequence[WorldAgent] | None = None,
        threshold: Certainty = SURE,
        end: EndSettings | None = None,
        settings: Settings,
        resources: Resources,
        strategies: Strategies,
    ) -> None:
        """Raises `SettingsError` for other than two agents; without any, also where there is no table `[model]`."""

        def made() -> tuple[WorldAgent, WorldAgent, Openable]:
            own = LanguageModelWorldAgent(end=end, settings=settings, resources=resources, strategies=strategies)
            return RulesWorldAgent(end=end), own, own

        super().__init__(world_agents, made, threshold, "world_agents")

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer | None:
        """The answer of one of the two, and why of that one."""
        message = event.moment.message
        unsure = {} if message.audience is not None else self.unsure_of(event.presence, message.speaker)
        agent = self._second if unsure else self._first
        answer = call(agent, "propose", event)
        found: WorldAnswer | None = await answer if isawaitable(answer) else answer
        if found is None:
            return None
        return found.model_copy(update={"notes": (self.reason(unsure), *found.notes)})
