"""What somebody reads in a hub counts as what they are told: for triages, and for what summaries may add on a day."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Earwitness, Session

Opener = Callable[..., Awaitable[Earwitness]]
CAST = ["ann", "ben", "cyd", "dan"]
LOBBY = Channel(context="public_channel", channel_id="lobby")
RULES = """
all:
  members: [ann, ben, cyd]
  rules: {propagate_all: true, delay: DELAY, hub_from: FROM}
pair:
  members: [dan, cyd]
  relationships:
    - {from: dan, to: cyd, rules: {share_direct_interactions: true, delay: DELAY, OPTIONS}}
"""


@pytest.fixture(params=[99, 2], ids=["copies", "hub"])
def opened(request: pytest.FixtureRequest, open_app: Opener, tmp_path: Path) -> Callable[..., Awaitable[Session]]:
    async def opened(options: str, delay: int = 0, **given: Any) -> Session:
        rules = RULES.replace("FROM", str(request.param)).replace("OPTIONS", options).replace("DELAY", str(delay))
        (tmp_path / "r.yaml").write_text(rules)
        ew = await open_app(relationships={"rules": str(tmp_path / "r.yaml"), **given})
        return await ew.session("s", cast=CAST)

    return opened


async def known(story: Session) -> list[str]:
    """What Cyd recalls."""
    await story.delivered()
    turn = await story.turn("cyd", query="mill cow", in_prompt=[], memories=20)
    return sorted(word for each in turn.memories for word in ("mill", "cow", "dog") if word in each.text)


TWO_A_DAY = {"triages": {"two": {"name": "novelty", "most": 2}}}


@pytest.mark.parametrize("delay", [0, 2])
async def test_a_triage_counts_what_is_read_in_a_hub(opened: Any, delay: int) -> None:
    story = await opened("triage: two", delay, **TWO_A_DAY)
    await story.say("ben", "The mill has burnt down.", audience=[], key="mill")
    await story.say("ann", "The cow is ill.", audience=[], key="cow")
    await story.say("dan", "The dog is away.", audience=[], key="dog")
    await story.change(game_day=5)
    assert await known(story) == ["cow", "mill"]
    await story.say("dan", "The dog is back.", audience=[])
    await story.change(game_day=9)
    assert await known(story) == ["cow", "dog", "mill"]


@pytest.mark.parametrize("change", ["retract", "edit"])
async def test_what_a_hub_has_lost_counts_no_more(opened: Any, change: str) -> None:
    story = await opened("triage: two", **TWO_A_DAY)
    for key, text in (("mill", "The mill has burnt down."), ("cow", "The cow is ill.")):
        await story.say("ben", text, audience=[], key=key)
    await story.delivered()
    await (story.retract("cow") if change == "retract" else story.edit("cow", "The cow is well."))
    await story.say("dan", "The dog is away.", audience=[])
    assert await known(story) == (["dog", "mill"] if change == "retract" else ["cow", "mill"])


async def test_who_was_no_member_has_not_read_it(opened: Any) -> None:
    story = await opened("triage: two", **TWO_A_DAY)
    await story.relationships.pantheons.remove_member("all", "cyd")
    for key, text in (("mill", "The mill has burnt down."), ("cow", "The cow is ill.")):
        await story.say("ben", text, audience=[], key=key)
    await story.say("dan", "The dog is away.", audience=[])
    assert await known(story) == ["dog"]


@pytest.mark.parametrize("delay", [0, 2])
async def test_a_summary_counts_what_is_read_in_a_hub(opened: Any, delay: int) -> None:
    story = await opened("when: conversation, budget: {listener_day: 1}", delay)
    await story.say("ben", "The mill has burnt down.", audience=[], key="mill")
    await story.say("dan", "The dog is away.", audience=[], channel=LOBBY)
    await story.delivered()
    await story.close_conversation("lobby")
    await story.change(game_day=5)
    assert await known(story) == ["mill"]
    await story.say("dan", "The dog is back.", audience=[], channel=LOBBY)
    await story.close_conversation("lobby")
    await story.change(game_day=9)
    assert await known(story) == ["dog", "mill"]
