"""An edit of what a hub was told days ago is told on, hop by hop, as if everybody had a copy."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from earwitness import Character, Earwitness, Memory, Session

Opener = Callable[..., Awaitable[Earwitness]]
CAST = ["ares", "bia", "circe", "dike", "eos", "mortal"]
SECRET = "The river will rise on the tenth day."
RULES = """
olympus:
  rules: {propagate_all: true, hub_from: FROM, delay: DELAY, max_hops: 2}
  members: [ares, bia, circe]
  relationships:
    - {from: circe, to: mortal, type: friend, rules: {gossip_about_others: true, delay: 1, max_hops: 9}}
titans:
  rules: {propagate_all: true, hub_from: FROM, delay: DELAY, max_hops: 9}
  members: [bia, dike, eos]
"""


@pytest.mark.parametrize("delay", [1, 2])
async def test_an_edit_after_an_arrival_goes_as_far_as_the_message_went(
    open_app: Opener, tmp_path: Path, delay: int
) -> None:
    answers = []
    for hub_from in (99, 2):
        file = tmp_path / f"{hub_from}.yaml"
        file.write_text(RULES.replace("FROM", str(hub_from)).replace("DELAY", str(delay)))
        graph = {"name": "networkx", "path": str(tmp_path / f"{hub_from}.db")}
        ew = await open_app(relationships={"rules": str(file), "graph": graph})
        story = await ew.session("s1", cast=[Character(each) for each in CAST])
        await story.say("ares", SECRET, audience=[], key="k")
        await story.delivered()
        for day in (2, 3, 7):
            await story.change(game_day=day)
            await story.delivered()
            await story.edit("k", f"{SECRET} So they say on day {day}.")
            await story.delivered()
            answers.append({who: await told(story, who) for who in CAST})
    copies, hubs = answers[:3], answers[3:]
    assert copies == hubs
    assert [each for each, _ in hubs[-1]["mortal"]] == ["circe"]


async def told(story: Session, who: str) -> list[tuple[object, ...]]:
    turn = await story.turn(who, query=SECRET, in_prompt=[])
    found = [(each.memory.metadata.get("sharedFrom"), each.memory) for each in turn.memories]
    return [(teller, (each.learned_day, words(each))) for teller, each in found]


def words(memory: Memory) -> str:
    return memory.text.partition("So they say")[2].partition(" GameDay")[0]
