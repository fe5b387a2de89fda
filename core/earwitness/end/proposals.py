"""END, step 3: the World Agent and the plugins propose, together, each with a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..dispatch import Answered, ask
from ..engine import Engine
from ..errors import StrategyError
from ..hooks import MessageAnswer, MessageEvent, PluginData
from ..protocols import WorldAnswer, WorldView
from ..records.moment import Moment, Presence
from ..records.plan import Answer
from ..records.update import Knowledge, Update


@dataclass(frozen=True, slots=True)
class Proposals:
    """Everything that was proposed for one message, and who was asked."""

    agent: WorldAnswer
    plugins: Sequence[tuple[str, MessageAnswer]]
    reports: tuple[Answer, ...]

    @property
    def updates(self) -> tuple[Update, ...]:
        """The agent's updates, then the plugins', in order."""
        return (*self.agent.updates, *(update for _, answer in self.plugins for update in answer.updates))

    def knowledge(self, character: str) -> list[Knowledge]:
        """Everything proposed for one character, each line once."""
        lines = [*self.agent.knowledge.get(character, ())]
        for _, answer in self.plugins:
            lines += answer.knowledge.get(character, ())
        return list(dict.fromkeys(lines))

    @property
    def degraded(self) -> bool:
        """Somebody who was asked did not answer in time, or failed."""
        return any(report.failure for report in self.reports)


async def propose(
    engine: Engine, session: str, moment: Moment, presence: Presence, unsure: Sequence[str], world: WorldView,
    data: Mapping[str, PluginData],
) -> Proposals:  # fmt: skip
    """Ask the agent and all plugins at once. Raises `PluginError` or `StrategyError` for a failure if `strict`."""
    agent: Answered[WorldAnswer]
    answers: Sequence[Answered[MessageAnswer]] = ()
    asked_agent = _ask_agent(engine, moment, presence, world)
    if engine.plugins.asks("on_message"):
        event = MessageEvent(
            session=session, cast=moment.cast, data=PluginData({}), moment=moment, presence=presence,
            unsure=tuple(unsure),
        )  # fmt: skip
        limit = engine.settings.end.plugin_timeout
        asked = engine.plugins.ask("on_message", event, MessageAnswer, limit=limit, data=data)
        agent, answers = await asyncio.gather(asked_agent, asked)
    else:
        agent = await asked_agent
    answered = [(answer.by, answer.value) for answer in answers if answer.value is not None]
    reports = (*(each.reported() for each in answers),)
    if engine.world_agent is not None:
        spec = engine.settings.world_agent
        reports = (agent.reported(spec.settings if spec else {}), *reports)
    return Proposals(agent.value or WorldAnswer(), answered, reports)


async def _ask_agent(engine: Engine, moment: Moment, presence: Presence, world: WorldView) -> Answered[WorldAnswer]:
    agent, spec = engine.world_agent, engine.settings.world_agent
    name = f"world_agent:{spec.name if spec else 'none'}"
    if agent is None:
        return Answered(name, None, 0.0)
    limit = engine.settings.end.plugin_timeout
    answered = await ask(name, lambda: agent.propose(moment, presence, world), WorldAnswer, limit)
    if answered.failure and engine.settings.strict:
        raise StrategyError(f"{name} failed: {answered.failure}")
    return answered
