"""The World Agent `language_model`: asks a model about each message, once, and believes of the answer what it may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field, JsonValue

from earwitness.errors import EarwitnessError, StorageError
from earwitness.events import WorldAgentEvent, WorldAnswer
from earwitness.loading.end_settings import EndSettings
from earwitness.loading.quantities import Count, Positive
from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.records.plan import Delivery
from earwitness.records.update import Knowledge

from ..models.accounts import Account
from ..models.client import ModelClient
from ..models.prompts import fenced
from ..models.rules_floor import answered_by_rules, model_limit
from ..models.scene import noted, scene, shortened
from .model_answer import BelievedAnswer, WorldProposal
from .private_terms import WorldKnown
from .rules import RulesWorldAgent

MOST_ASKED_ABOUT = 24
"""Of so many characters, the likeliest listeners, is known what the world may remind them of."""


class LanguageModelWorldAgent:
    """Participants, reminders and updates as a model sees them, on top of what the rules say.

    The rules tell the news as ever. The model says who took part, which older updates matter to whom now, and what the
    message changed; without a detector, which knows what is whispered, it names nobody. Where it gives no answer that
    can be used, the rules' answer stands; `notes` say why.

    Args:
        most: how many lines a character is told with one message.
        memories: how many memories of the world a model is shown.
        model: another model than that of `[model]`.
        timeout: seconds for all calls of a message together; `None` = four fifths of `end.plugin_timeout`.
    """

    def __init__(
        self,
        *,
        most: Count = 8,
        memories: Annotated[int, Field(ge=0, le=100)] = 12,
        model: str | None = None,
        timeout: Positive | None = None,
        end: EndSettings | None = None,
        settings: Settings,
        resources: Resources,
        strategies: Strategies,
    ) -> None:
        """Raises `SettingsError` without the table `[model]`."""
        self.most, self.memories, self.model = most, memories, model
        self._limit = model_limit(timeout, (end or settings.end).plugin_timeout)
        self._client = ModelClient.shared(settings, resources, strategies)
        self._rules = RulesWorldAgent(most=most, end=end)
        self._is_detected = settings.detector is not None

    async def open(self) -> None:
        """Raises `SettingsError` without the client or a key."""
        await self._client.open()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        """What the rules say, and what a model adds to it."""
        ruled = await self._rules.propose(event)
        account = self._client.account(
            event.session, "world_agent:language_model", turn=event.moment.message.key, data=event.data
        )
        try:
            return await self._asked(event, ruled, account)
        except EarwitnessError as failure:
            return answered_by_rules(ruled, failure, account)

    async def _asked(self, event: WorldAgentEvent, ruled: WorldAnswer, account: Account) -> WorldAnswer:
        prompt = self._client.prompt("world_agent")
        world = await self._world(event, account.notes)
        messages = prompt.messages(material=fenced(_material(event, world)))
        answer = await self._client.structured(
            account, messages, WorldProposal, prompt=prompt, limit=self._limit, model=self.model
        )
        judged = BelievedAnswer(event.moment, event.presence, world)
        participants = judged.participants(answer.participants) if self._is_detected else None
        reminded = judged.knowledge(answer.knowledge)
        updates = judged.updates(answer.updates)
        kept = [f"metadata: {key} = {value}" for key, value in answer.metadata.items() if isinstance(value, str)]
        return ruled.model_copy(
            update={
                "participants": participants,
                "knowledge": self._together(ruled.knowledge, reminded),
                "updates": (*ruled.updates, *(each for each in updates if not _is_told(each.description, ruled))),
                "version": prompt.label,
                "usage": account.usage,
                "notes": noted((*account.notes, *judged.notes, *kept)),
            }
        )

    def _together(
        self, news: Mapping[str, tuple[Knowledge, ...]], reminded: Mapping[str, tuple[Knowledge, ...]]
    ) -> dict[str, tuple[Knowledge, ...]]:
        """The news, and what a model adds to it as long as there is room."""
        together = {}
        for id in dict.fromkeys((*news, *reminded)):
            lines = news.get(id, ())
            told = {cited for line in lines for cited in line.cites}
            more = [line for line in reminded.get(id, ()) if not told & {*line.cites}]
            together[id] = (*lines, *more[: max(0, self.most - len(lines))])
        return together

    # ── what the world holds ────────────────────────────────────────────────────────────────────────────────────────

    async def _world(self, event: WorldAgentEvent, notes: list[str]) -> WorldKnown:
        """The updates that the likeliest listeners may know and that the message is about, and who may know them."""
        updates: dict[str, Delivery] = {}
        known: dict[str, frozenset[str]] = {}
        copies: dict[str, str] = {}
        for id in _likeliest(event):
            theirs = await event.world.updates(id)
            heard = await event.world.messages(id, event.moment.recent)
            updates |= {each.memory_id: each for each in theirs}
            copies |= {each.source: each.memory_id for each in heard}
            known[id] = frozenset(each.memory_id for each in (*theirs, *heard))
        chosen = await self._relevant(event, updates, notes)
        return WorldKnown({f"w{number}": each for number, each in enumerate(chosen, 1)}, known, copies, updates)

    async def _relevant(
        self, event: WorldAgentEvent, updates: Mapping[str, Delivery], notes: list[str]
    ) -> Sequence[Delivery]:
        """Those of the updates that a search of the world finds, best first; without a search, the newest."""
        if not updates or not self.memories:
            return ()
        query = "\n".join(shortened(each.content) for each in (*event.moment.recent[-1:], event.moment.message))
        try:
            hits = await event.world.search(query, limit=4 * self.memories)
        except StorageError as away:
            notes.append(f"the world could not be searched, so the newest updates were shown: {away}")
            return list(updates.values())[-self.memories :]
        found = [updates[hit.memory.id] for hit in hits if hit.memory.id in updates]
        return found[: self.memories]


def _likeliest(event: WorldAgentEvent) -> list[str]:
    """Ids of the speaker and the likeliest listeners, narrators aside."""
    believed, cast = event.presence.characters, event.cast
    order = sorted(
        (id for id in cast.ids if id not in cast.narrators and id in event.moment.candidates),
        key=lambda id: -believed[id].probability if id in believed else 0.0,
    )
    return list(dict.fromkeys((event.moment.message.speaker, *order)))[:MOST_ASKED_ABOUT]


def _material(event: WorldAgentEvent, world: WorldKnown) -> JsonValue:
    believed: dict[str, JsonValue] = {
        id: {"probability": round(each.probability, 2), "role": each.role}
        for id, each in event.presence.characters.items()
    }
    memories: list[JsonValue] = [_remembered(label, world) for label in world.shown]
    return {**scene(event.moment), "presence_by_rules": believed, "memories_of_the_world": memories}


def _remembered(label: str, world: WorldKnown) -> JsonValue:
    memory = world.shown[label]
    known_to: list[JsonValue] = [*world.known_to(memory.memory_id)]
    return {"label": label, "text": " ".join(memory.body.splitlines()), "known_to": known_to}


def _is_told(description: str, ruled: WorldAnswer) -> bool:
    return any(each.description.casefold() == description.casefold() for each in ruled.updates)
