"""A graph that is away costs no message a time limit, and loses nothing: what arrived is told on once it is back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, MessageAnswer, Update
from earwitness.errors import StorageError
from earwitness_relationships.graph import away
from earwitness_relationships.graph.away import BackOff
from earwitness_relationships.model import RelationshipsModel

RULES = """
village:
  members: [ann, ben, cid]
  relationships:
    - {from: ann, to: ben, rules: {share_direct_interactions: true, delay: 1, max_hops: 3}}
    - {from: ben, to: cid, rules: {gossip_about_others: true}}
"""
HUB = """
village:
  members: [ann, ben, cid]
  rules: {propagate_all: true, hub_from: 1}
"""
FED = """
feeds: {item_acquired: OWNS}
pantheons:
  - slug: village
    members: [ann, ben, cid]
"""


def test_the_pause_grows_and_ends() -> None:
    now = [0.0]
    off = BackOff(lambda: now[0])
    off.check()
    off.failed(StorageError("no route to host"))
    with pytest.raises(StorageError, match="no route to host"):
        off.check()
    now[0] = 0.6
    off.check()
    off.failed(StorageError("no route to host"))
    now[0] = 1.2
    with pytest.raises(StorageError, match="asked again in"):
        off.check()
    now[0] = 1.7
    off.check()
    off.answered()
    off.failed(StorageError("no route to host"))
    now[0] = 2.3
    off.check()


class Counting:
    """The story's graph store, which counts how often it is asked for its version, and may be away."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self.asked = 0
        self.is_away = False

    async def version(self) -> int:
        self.asked += 1
        if self.is_away:
            raise StorageError("no route to host")
        return int(await self._graph.version())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


async def opened(
    open_app: Any, tmp_path: Path, rules: str = RULES, **more: Any
) -> tuple[Any, RelationshipsModel, Counting]:
    (tmp_path / "rules.yaml").write_text(rules)
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    table = {"rules": str(tmp_path / "rules.yaml"), "graph": graph}
    ew: Earwitness = await open_app(relationships=table, strict=False, **more)
    story = await ew.session("s1", cast=[*map(Character, ["ann", "ben", "cid"])])
    model = ew.resources.get(RelationshipsModel, "relationships", lambda: pytest.fail("it is not shared"))
    counting = Counting(model.graph)
    model.graph = counting
    return story, model, counting


async def knowing(story: Any) -> list[str]:
    await story.delivered()
    return [id for id in ("ben", "cid") if (await story.backstage().inspect(id)).memories]


async def test_while_it_is_away_it_is_not_asked_with_every_message(
    open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path
) -> None:
    story, _, graph = await opened(open_app, tmp_path)
    graph.is_away, graph.asked = True, 0
    away_pause = away.FIRST_PAUSE
    away.FIRST_PAUSE = 600.0
    try:
        for number in range(5):
            outcome = await story.say("ann", f"It snows, {number}.", audience=[])
            assert "no route to host" in str((await outcome.settled()).failures)
    finally:
        away.FIRST_PAUSE = away_pause
    assert graph.asked == 1


async def test_what_arrived_meanwhile_is_told_on_once_it_is_back(
    open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(away, "FIRST_PAUSE", 0.0)
    story, _, graph = await opened(open_app, tmp_path)
    await story.say("ann", "It snows.", audience=[])
    await story.delivered()
    graph.is_away = True
    await story.change(game_day=3)
    assert await knowing(story) == []
    graph.is_away = False
    await story.change(flags={"thaw": True})
    assert await knowing(story) == ["ben", "cid"]


async def test_a_store_that_is_a_round_trip_away_is_asked_now_and_then(
    open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path
) -> None:
    story, model, graph = await opened(open_app, tmp_path)
    model._poll = 600.0
    await story.say("ann", "It snows.", audience=[])
    await story.delivered()
    graph.asked = 0
    for number in range(3):
        await story.say("ann", f"It snows, {number}.", audience=[])
    await story.delivered()
    assert graph.asked == 0
    before = (await model.view()).version
    await story._app.relationships.relate("ann", "cid", "KNOWS")
    assert (await model.view()).version > before


async def test_what_was_said_meanwhile_is_told_once_it_is_back(
    open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(away, "FIRST_PAUSE", 0.0)
    story, _, graph = await opened(open_app, tmp_path)
    graph.is_away = True
    await story.say("ann", "It snows.", audience=[])
    await story.change(game_day=3)
    assert await knowing(story) == []
    graph.is_away = False
    await story.change(game_day=story.state.game_day)
    assert await knowing(story) == []
    await story.change(game_day=4)
    assert await knowing(story) == ["ben", "cid"]
    (memory,) = (await story.backstage().inspect("ben")).memories
    assert (memory.game_day, memory.learned_day) == (1, 4)


async def test_the_readers_of_a_hub_learn_it_then_too(
    open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(away, "FIRST_PAUSE", 0.0)
    story, _, graph = await opened(open_app, tmp_path, HUB)
    graph.is_away = True
    await story.say("ann", "It snows.", audience=[])
    await story.change(game_day=3)
    await story.settled()
    graph.is_away = False
    await story.change(flags={"thaw": True})
    await story.delivered()
    found = (await story.turn("cid", query="snows", in_prompt=[])).memories
    assert [(each.text, each.memory.learned_day) for each in found] == [("Ann: It snows.", 3)]


class Finder:
    """Whoever speaks finds a key."""

    def on_message(self, event: Any) -> Any:
        return MessageAnswer(updates=[Update(description="A find", character="ann", **FOUND)])


FOUND: Any = {"type": "character_update", "update_type": "item_acquired", "metadata": {"item": "key"}}


async def test_what_it_changed_is_in_the_graph_then(
    open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(away, "FIRST_PAUSE", 0.0)
    story, model, graph = await opened(open_app, tmp_path, FED, plugins=[Finder()])
    graph.is_away = True
    await story.say("ann", "A key!", audience=[], key="m1")
    await story.settled()
    graph.is_away = False
    await story.change(flags={"thaw": True})
    await story.settled()
    owned = (await model.picture("s1", story.state)).graph.relations_of("ann", types=["OWNS"])
    assert [each.target for each in owned] == ["key"]
    await story.retract("m1")
    await story.settled()
    assert not story.state.facts_of("relationships")
