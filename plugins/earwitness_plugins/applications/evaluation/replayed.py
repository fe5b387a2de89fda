"""Scenes told to a real Earwitness in a file of its own that is thrown away: what the containers hold afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from earwitness.app import Earwitness
from earwitness.containers import character_container, world_container
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.records.character import Cast
from earwitness.records.memory import Hit
from earwitness.session import Session
from earwitness_plugins.applications.replay.roles import Roles
from earwitness_plugins.importers.labelled import LabelledScene

from .choosing import Choice, made
from .online import Directions, told


@dataclass(frozen=True)
class Stage:
    """An open instance, for scenes to be told to."""

    ew: Earwitness
    directions: Directions

    async def tell(self, scene: LabelledScene, id: str) -> Story:
        """Tell a scene as a story of its own. A line's `day`, where the source notes one, is its game day."""
        shown = [(index, line.model_copy(update={"text": text})) for index, line, text in told(scene, self.directions)]
        scene = scene.model_copy(update={"lines": tuple(line for _, line in shown)})
        roles = Roles(scene, Cast())
        session = await self.ew.session(id, cast=roles.cast())
        day = None
        for index, line in shown:
            if line.notes.get("day", day) != day:
                day = line.notes["day"]
                await session.change(game_day=day, audience=[])
            if line.text.strip():
                await session.say(roles.speaker(line), line.text, key=line.key or str(index))
        await session.settled()
        return Story(self.ew, session, roles.by_name)


@dataclass(frozen=True)
class Story:
    """A scene that was told. Names are as the source writes them."""

    ew: Earwitness
    session: Session
    ids: dict[str, str]
    """Name → character id."""

    async def texts(self, name: str | None = None) -> list[str]:
        """What the container of a character holds, or with `None` the world's."""
        return [memory.content for memory in await self.ew.engine.store.list(self._container(name))]

    async def search(self, name: str | None, query: str, limit: int) -> Sequence[Hit]:
        """Search one container; with `None` the world's."""
        return await self.ew.engine.store.search(self._container(name), query, limit=limit)

    async def who_knows(self, fact: str) -> set[str]:
        """Those of whom backstage says that they know it."""
        answer = await self.session.backstage().who_knows(fact)
        names = {id: name for name, id in self.ids.items()}
        return {names[id] for id, knower in answer.knowers.items() if knower.knows and id in names}

    def _container(self, name: str | None) -> str:
        session = self.session.id
        return (world_container(session) if name is None else character_container(session, self.ids[name])).name


@asynccontextmanager
async def stage(
    choice: Choice, settings: Settings, strategies: Strategies, seed: int, directions: Directions
) -> AsyncIterator[Stage]:
    """An Earwitness with this detector and nobody's plugins. Raises as `choosing.made`."""
    detector = made(choice, strategies, seed)
    with TemporaryDirectory(prefix="earwitness-") as folder:
        own = settings.changed(
            path=str(Path(folder) / "evaluation.db"), detector=choice.spec, end=choice.end, plugins=()
        )  # fmt: skip
        async with Earwitness.open(settings=own, strategies={"detector": detector}) as ew:
            yield Stage(ew, directions)
