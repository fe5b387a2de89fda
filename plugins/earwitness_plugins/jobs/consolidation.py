"""The jobs `consolidation` and `pruning`: what the tables `[consolidation]` and `[pruning]` say, in the background."""

from __future__ import annotations

from earwitness import Session, Settings
from earwitness.errors import PluginError
from earwitness.plugin_data import PluginData

from ..consolidation.pruner import StoryPruning
from ..consolidation.settings import ConsolidationSettings, PruningSettings
from ..consolidation.story import StoryConsolidation


class Looks:
    """How much each character held on which day when it was last looked at, so that little is looked at again."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple[int, float]] = {}

    async def worth_another(self, story: Session) -> list[str]:
        """Ids of the characters who hold other memories than last time, or since then the game day has changed."""
        found = []
        for id in story.cast.ids:
            total, day = (await story.backstage().inspect(id, limit=0)).total, story.state.game_day
            if self._seen.get((story.id, id)) != (total, day):
                found.append(id)
        return found

    async def note(self, story: Session, character: str) -> None:
        """There is nothing to do for this one now."""
        total = (await story.backstage().inspect(character, limit=0)).total
        self._seen[story.id, character] = total, story.state.game_day


class ConsolidationJob:
    """Sums up what the policy of `[consolidation]` wants, one summary at a time."""

    def __init__(self, *, settings: Settings) -> None:
        self._settings = settings.table(ConsolidationSettings)
        self._looks = Looks()

    async def has_work(self, story: Session, data: PluginData) -> bool:
        """Whether there is a policy."""
        return self._settings.policy.is_set and self._settings.write != "off"

    async def run(self, story: Session, data: PluginData) -> bool:
        """One summary; whether there may be another. Raises `PluginError` if there could be none."""
        settings = self._settings
        consolidate: StoryConsolidation = story.consolidate
        for id in await self._looks.worth_another(story):
            steps = await consolidate(id, policy=settings.policy, limit=1)
            if failures := [each.failure for each in steps if each.failure]:
                await self._looks.note(story, id)
                raise PluginError(f"the memories of {id!r} could not be summed up: {failures[0]}")
            if steps:
                return True
            await self._looks.note(story, id)
        return False


class PruningJob:
    """Forgets what `[pruning]` wants."""

    def __init__(self, *, settings: Settings) -> None:
        self._settings = settings.table(PruningSettings)
        self._looks = Looks()

    async def has_work(self, story: Session, data: PluginData) -> bool:
        """Whether there is a policy."""
        return self._settings.write != "off" and (self._settings.age, self._settings.count) != (None, None)

    async def run(self, story: Session, data: PluginData) -> bool:
        """All that is due; nothing is left then."""
        prune: StoryPruning = story.prune
        for id in await self._looks.worth_another(story):
            await prune(id)
            await self._looks.note(story, id)
        return False
