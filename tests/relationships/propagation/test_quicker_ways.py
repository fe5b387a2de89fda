"""Gossip takes the quickest way, though a slower one was on its way before; and a preview foresees the same."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from earwitness import Character, Earwitness

RULES = """
village:
  members: [ann, ben, cid, dan]
  relationships:
    - {from: ann, to: ben, type: friend, rules: {share_direct_interactions: true, delay: 1, max_hops: 5}}
    - {from: ann, to: cid, type: friend, rules: {share_direct_interactions: true, delay: 5, max_hops: 5}}
    - {from: ben, to: cid, type: friend, rules: {gossip_about_others: true, delay: 1, max_hops: 5}}
    - {from: cid, to: dan, type: friend, rules: {gossip_about_others: true, delay: 1, max_hops: 5}}
"""
DAYS = {"ann": 1, "ben": 2, "cid": 3, "dan": 4}


async def test_who_will_hear_of_it_late_may_hear_of_it_sooner_from_somebody_else(
    open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path
) -> None:
    (tmp_path / "rules.yaml").write_text(RULES)
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    ew = await open_app(relationships={"rules": str(tmp_path / "rules.yaml"), "graph": graph})
    story: Any = await ew.session("s1", cast=[*map(Character, DAYS), Character("sam", kind="persona", user_id="u1")])
    foreseen = await story.backstage().preview("sam", "It snows.", audience=["ann"], days=9)
    assert "cid: would learn it on day 3 (was told by ben" in str(foreseen)
    await story.say("sam", "It snows.", audience=["ann"])
    for day in range(2, 9):
        await story.change(game_day=day)
    await story.delivered()
    for who, day in DAYS.items():
        memories = (await story.backstage().inspect(who)).memories
        assert [each.metadata["learnedDay"] for each in memories] == [day]
