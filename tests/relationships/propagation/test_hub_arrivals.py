"""What reads in a hub is told on, also where its day comes before the hub's memory is decided, or the store is away."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Session
from earwitness.errors import StorageError
from earwitness.testing.reference import MemoryStore

Opener = Callable[..., Awaitable[Earwitness]]
CAST = ["ares", "bia", "circe", "dike", "eos", "mortal"]
SECRET = "The river will rise on the tenth day."
RULES = """
olympus: {rules: {propagate_all: true, hub_from: FROM, delay: 1, max_hops: 9}, members: [ares, bia, circe]}
titans: {rules: {propagate_all: true, hub_from: FROM, delay: 2, max_hops: 9}, members: [circe, dike, eos]}
muses: {rules: {propagate_all: true, hub_from: FROM, max_hops: 9}, members: [eos, mortal]}
"""


class Store(MemoryStore):
    """A store that is away from time to time."""

    is_away = False

    async def put(self, *given: Any, **more: Any) -> Any:
        """Write memories, unless it is away."""
        if self.is_away:
            raise StorageError("the store is away")
        return await super().put(*given, **more)


@pytest.mark.parametrize("away", [(), (1,), (0, 1, 2, 3)], ids=["never", "as the day comes", "for days"])
async def test_a_day_that_comes_at_once_loses_nothing(open_app: Opener, tmp_path: Path, away: tuple[int, ...]) -> None:
    answers = []
    for hub_from in (99, 2):
        file = tmp_path / f"{hub_from}.yaml"
        file.write_text(RULES.replace("FROM", str(hub_from)))
        graph, store = {"name": "networkx", "path": str(tmp_path / f"{hub_from}.db")}, Store()
        ew = await open_app(relationships={"rules": str(file), "graph": graph}, store=store)
        story = await ew.session("s1", cast=CAST)
        store.is_away = 0 in away
        await story.say("ares", SECRET, audience=[])
        for turn, day in enumerate((2, 3, 5), 1):
            store.is_away = turn in away
            await story.change(game_day=day)
        store.is_away = False
        await story.change(game_day=9)
        await story.delivered()
        answers.append({who: await told(story, who) for who in CAST})
    assert answers[0] == answers[1]
    assert answers[1]["mortal"] == [("eos", 3, 4.0)]


async def told(story: Session, who: str) -> list[tuple[object, ...]]:
    turn = await story.turn(who, query=SECRET, in_prompt=[])
    found = [(each.memory.metadata, each.memory.learned_day) for each in turn.memories]
    return [(data.get("sharedFrom"), data.get("hop"), day) for data, day in found]
