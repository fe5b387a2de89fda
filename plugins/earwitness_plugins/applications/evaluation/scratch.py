"""Tell scenes to an Earwitness in a temporary file, and read its containers afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from earwitness.app import Earwitness
from earwitness.backstage.knowers import Knower
from earwitness.ids import WORLD
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.records.character import Cast
from earwitness.records.memory import Hit, Memory
from earwitness.session import Session
from earwitness.turn import Turn
from earwitness_plugins.applications.replay.roles import Roles
from earwitness_plugins.importers.labelled import LabelledScene

from .detector_spec import DetectorSpec, make_detector
from .labels import PATH, host_word
from .scene_judge import Directions, visible_lines


@dataclass(frozen=True)
class ScratchInstance:
    """An open instance in a temporary file."""

    ew: Earwitness
    directions: Directions
    by_labels: bool = False
    """Whether who perceives a line is told by its labels."""

    async def tell(self, scene: LabelledScene, id: str) -> ScratchStory:
        """Tell a scene as a story of its own. Where the source notes a `day` with a line, it becomes the game day."""
        shown = [
            (index, line.model_copy(update={"text": text}))
            for index, line, text in visible_lines(scene, self.directions)
        ]
        scene = scene.model_copy(update={"lines": tuple(line for _, line in shown)})
        roles = Roles(scene, Cast())
        session = await self.ew.session(id, cast=roles.cast(), present=roles.there_at_first(scene))
        day, told = None, dict[int, str]()
        for index, line in shown:
            if line.notes.get("day", day) != day:
                day = line.notes["day"]
                await session.change(game_day=day, audience=[])
            if line.text.strip():
                told[index] = line.key or str(index)
                word = host_word(line, roles) if self.by_labels else {}
                await session.say(roles.speaker(line), line.text, key=told[index], **word)
        await session.settled()
        return ScratchStory(session, roles.by_name, told)


@dataclass(frozen=True)
class ScratchStory:
    """A scene that was told. Characters go by the names in the source."""

    session: Session
    ids: dict[str, str]
    """Name → character id."""
    told: Mapping[int, str]
    """Index of a line in the source → key of its message, in order. Lines without a text, or hidden, have none."""

    async def memories(self, name: str | None = None) -> Sequence[Memory]:
        """Everything in the container of a character, or of the world if `name` is `None`."""
        return (await self.session.backstage().inspect(self._owner(name))).memories

    async def search(self, name: str | None, query: str, limit: int) -> Sequence[Hit]:
        """Search the container of a character, or of the world if `name` is `None`."""
        return await self.session.backstage().search(self._owner(name), query, limit=limit)

    async def turn(self, name: str, before: int, limit: int) -> Turn:
        """Begin a turn of a character as just before a line, to recall at most `limit` memories."""
        key = next((key for index, key in self.told.items() if index >= before), None)
        return await self.session.turn(self.ids[name], before=key, memories=limit, token_budget=None)

    async def who_knows(self, fact: str) -> dict[str, Knower]:
        """Name → whether they know the fact, according to `backstage.who_knows`."""
        answer = await self.session.backstage().who_knows(fact)
        return {name: answer.knowers[id] for name, id in self.ids.items()}

    def _owner(self, name: str | None) -> str:
        return WORLD if name is None else self.ids[name]


@asynccontextmanager
async def scratch_instance(
    spec: DetectorSpec, settings: Settings, strategies: Strategies, seed: int, directions: Directions
) -> AsyncIterator[ScratchInstance]:
    """Open an Earwitness with this detector and without plugins. Raises as `make_detector`."""
    detector = make_detector(spec, strategies, seed, settings)
    with TemporaryDirectory(prefix="earwitness-") as folder:
        path = str(Path(folder) / "evaluation.db")
        own = settings.changed(path=path, detector=spec.strategy, end=spec.end, plugins=())
        async with Earwitness.open(settings=own, detector=detector) as ew:
            yield ScratchInstance(ew, directions, by_labels=spec.name == PATH)
