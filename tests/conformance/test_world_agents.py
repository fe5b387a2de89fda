"""The World Agents we ship keep the contract, whatever a model says; and the suite finds planted mistakes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from earwitness import Knowledge, Participant, Settings, Update, WorldAgentEvent, WorldAnswer
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness.protocols import WorldAgent
from earwitness.testing.world_agent import WorldAgentSuite, check_world_agent
from earwitness_plugins.models.records import ModelReply, ModelRequest
from earwitness_plugins.world_agents.hybrid import HybridWorldAgent
from earwitness_plugins.world_agents.language_model import LanguageModelWorldAgent
from earwitness_plugins.world_agents.rules import RulesWorldAgent

SECRET = "Alice hid the moonstone beneath the beehive"
NAMES = ("alice", "bob", "charlie", "nomad", "Zoltan", "narrator", "alcie")


class Gossip:
    """A model without a server, which says too much of everybody wherever it is shown anything of the world."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        material = json.loads(request.messages[1].content.split("\n")[1])
        if not material.get("memories_of_the_world"):
            return ModelReply(text="{}")
        answer = {
            "actualParticipants": [{"name": name, "confidence": 1} for name in NAMES],
            "worldKnowledge": {name: ["w1", "w2", "w3", "w9", SECRET] for name in NAMES},
            "updates": [{"description": SECRET, "type": "character_update", "character": name} for name in NAMES],
        }
        return ModelReply(text=f"<think>{SECRET}</think> Sure! ```json\n{json.dumps(answer)}\n```")

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        yield await self.complete(request)


def asking(kind: type[LanguageModelWorldAgent] | type[HybridWorldAgent]) -> WorldAgent:
    strategies = Strategies()
    strategies.register("model", "gossip", Gossip)
    settings = Settings.of(
        model={"model": "loud", "name": "gossip", "budget_per_turn": {}}, end={"plugin_timeout": 120.0}
    )
    return kind(settings=settings, resources=Resources(), strategies=strategies)


class TestRules(WorldAgentSuite):
    def make_world_agent(self) -> WorldAgent:
        return RulesWorldAgent()


class TestLanguageModel(WorldAgentSuite):
    seconds = 30.0

    def make_world_agent(self) -> WorldAgent:
        return asking(LanguageModelWorldAgent)


class TestHybrid(WorldAgentSuite):
    seconds = 30.0

    def make_world_agent(self) -> WorldAgent:
        return asking(HybridWorldAgent)


class NamesEverybody:
    """Names the whole cast. Core admits only those who could have perceived the message."""

    def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        return WorldAnswer(participants=dict.fromkeys(event.cast.ids, Participant(role="present", confidence=1)))


class TestNamesEverybody(WorldAgentSuite):
    def make_world_agent(self) -> WorldAgent:
        return NamesEverybody()


class Strangers:
    """Answers for whoever is named."""

    def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        return WorldAnswer(participants={"Zoltan": Participant(role="present", confidence=1)})


class TellsAll:
    """Tells everybody all that the world holds, and makes news of it."""

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        hits = await event.world.search("")
        lines = tuple(Knowledge(text=each.memory.content, cites=(each.memory.id,)) for each in hits)
        return WorldAnswer(knowledge=dict.fromkeys(event.cast.ids, lines))


class Publishes:
    """Makes news of every message."""

    def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        return WorldAnswer(updates=(Update(description=event.moment.message.content or "…", audience="public"),))


class Deaf:
    """Only who is spoken to takes part."""

    def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        return WorldAnswer(participants={"alice": Participant(role="speaker", confidence=1)})


@pytest.mark.parametrize(
    ("made", "test"),
    [
        (Strangers, "test_only_the_cast_is_answered_for"),
        (TellsAll, "test_nobody_is_told_what_they_may_not_know"),
        (TellsAll, "test_no_secret_is_told_in_other_words"),
        (Publishes, "test_an_update_reaches_nobody_who_missed_the_message"),
        (Publishes, "test_nothing_comes_of_nothing"),
        (Deaf, "test_who_is_here_and_silent_takes_part"),
    ],
)
def test_a_planted_mistake_is_found(made: type[WorldAgent], test: str) -> None:
    with pytest.raises(ExceptionGroup) as found:
        check_world_agent(made)
    assert any(test in note for each in found.value.exceptions for note in each.__notes__)
