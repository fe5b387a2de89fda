"""The jobs `consolidation` and `pruning`: what the tables `[consolidation]` and `[pruning]` say, in the background."""

from __future__ import annotations

from earwitness import Session, Settings
from earwitness.errors import PluginError
from earwitness.plugin_data import PluginData

from ..consolidation.pruner import StoryPruning
from ..consolidation.settings import ConsolidationSettings, PruningSettings
from ..consolidation.story import StoryConsolidation

SHARE = 0.02
"""Who holds many memories is looked at again once the number has changed by this share, so that a message does not cost
more the longer a story is."""


class Looks:
    """How much each character held on which day when it was last looked at, so that little is looked at again."""

    def __init__(self, *, by_day: bool, count: int | None) -> None:
        """`by_day` = another game day is worth a look; and so is the first memory beyond a `count`."""
        self._by_day, self._count = by_day, count
        self._seen: dict[tuple[str, str], tuple[int, float]] = {}

    async def worth_another(self, story: Session) -> list[str]:
        """Ids of the characters who hold other memories than last time, or since then the game day has changed."""
        return [id for id in story.cast.ids if self._is_worth_it(story, id, await _held(story, id))]

    async def note(self, story: Session, character: str) -> None:
        """There is nothing to do for this one now."""
        self._seen[story.id, character] = await _held(story, character), story.state.game_day

    def _is_worth_it(self, story: Session, character: str, total: int) -> bool:
        before, day = self._seen.get((story.id, character), (None, 0.0))
        if before is None or (self._by_day and day != story.state.game_day):
            return True
        is_beyond = self._count is not None and before <= self._count < total
        return is_beyond or abs(total - before) >= max(1, SHARE * before)


async def _held(story: Session, character: str) -> int:
    return (await story.backstage().inspect(character, limit=0)).total


class ConsolidationJob:
    """Sums up what the policy of `[consolidation]` wants, one summary at a time."""

    def __init__(self, *, settings: Settings) -> None:
        self._settings = settings.table(ConsolidationSettings)
        policy = self._settings.policy
        self._looks = Looks(by_day=policy.age is not None, count=policy.count)

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
        self._looks = Looks(by_day=self._settings.age is not None, count=self._settings.count)

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
