"""Gossip by a model: who perceived a message does not wait for it, nor does the next turn; those who are told do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session, Settings
from earwitness_plugins.testing.model import ScriptedAnswer, ScriptedModel, ScriptedRequest

from ..scripted_models import asked

CAST = ("ann", "ben", "cid")
RULES = """
village:
  members: [ann, ben, cid]
  relationships:
    - {from: ann, to: ben, rules: {share_direct_interactions: true, max_hops: 2, retell: gossip, triage: worth}}
    - {from: ben, to: cid, rules: {share_direct_interactions: true, max_hops: 2, retell: gossip, triage: worth}}
"""
VILLAGE = """
village:
  members: [ann, ben]
  propagation_rules: {propagate_all: {to: all_members}, retell: gossip}
"""
NEWS = "Zoe bought two pigs on Friday."
Open = Callable[..., Awaitable[Session]]


class Gate:
    """A model that answers once it is opened."""

    def __init__(self) -> None:
        self.opened, self.began, self.asked = Event(), Event(), 0

    def __call__(self, request: ScriptedRequest) -> ScriptedAnswer:
        self.asked += 1
        self.began.set()
        self.opened.wait(20)
        shown = asked(request)
        if "listeners" in shown:
            verdicts = [{"label": each["label"], "verdict": "pass"} for each in shown["listeners"]]
            return ScriptedAnswer(json.dumps({"listeners": verdicts}))
        return ScriptedAnswer(json.dumps({"text": f"I hear: {shown['heard']}"}))


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.opened.set()


@pytest.fixture
async def opened(serve: Any, gate: Gate, tmp_path: Path) -> AsyncIterator[Open]:
    """A story whose people gossip by a model; each call opens it again."""
    model: ScriptedModel = serve(gate)
    (tmp_path / "rules.yaml").write_text(RULES)
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    named: dict[str, Any] = {"retellers": {"gossip": "language_model"}, "triages": {"worth": "language_model"}}
    table = {"rules": str(tmp_path / "rules.yaml"), "graph": graph, **named}
    settings = Settings.of(model=model.settings(retries=0, timeout=20.0), relationships=table, embedder="none")
    async with AsyncExitStack() as running:

        async def opened() -> Session:
            await running.aclose()
            ew = await running.enter_async_context(Earwitness.open(tmp_path / "s.db", settings=settings))
            return await ew.session("s1", cast=[*map(Character, CAST)])

        yield opened


async def heard(story: Session, character: str) -> list[str]:
    found = await story._engine.store.list(f"{story.id}-{character}")
    return [each.content.partition("Ann: ")[2].partition(" GameDay")[0] for each in found]


async def test_neither_who_perceived_it_nor_the_next_turn_waits(opened: Open, gate: Gate) -> None:
    story = await opened()
    outcome = await story.say("ann", NEWS, audience=[])
    key = (await outcome.settled()).message.key
    turn = await story.turn("ann", query="pigs", in_prompt=[])
    await (await story.say("ann", "Good night.", audience=["ben", "cid"])).settled()
    assert "pigs" in turn.text()
    assert not turn.pending  # she knows it
    turn = await story.turn("cid", query="pigs", in_prompt=[])
    assert turn.why_pending == {key: "who else is told of it is still being asked (sharing_rule:relationships)"}
    assert turn.pending == (key,)
    assert f"not waited for: {key} (who else is told" in str(turn)
    assert [await heard(story, id) for id in ("ben", "cid")] == [["Good night."], ["Good night."]]  # and no gossip yet
    gate.opened.set()
    await story.delivered()
    assert not (await story.turn("cid", query="pigs", in_prompt=[])).pending
    assert [set(await heard(story, id)) for id in ("ben", "cid")] == [
        {"Good night.", f"I hear: {NEWS}"},
        {"Good night.", f"I hear: I hear: {NEWS}"},
    ]


async def test_only_those_wait_who_may_be_told(opened: Open, gate: Gate) -> None:
    story = await opened()
    await story.join("stranger")
    outcome = await story.say("ann", NEWS, audience=[])
    key = (await outcome.settled()).message.key
    pending = {id: (await story.turn(id, query="pigs", in_prompt=[])).pending for id in (*CAST, "stranger")}
    assert pending == {"ann": (), "ben": (key,), "cid": (key,), "stranger": ()}
    again = await opened()
    assert (await again.turn("ben", query="pigs", in_prompt=[])).pending == (key,)
    assert not (await again.turn("stranger", query="pigs", in_prompt=[])).pending
    gate.opened.set()
    await again.delivered()


async def test_what_is_retracted_or_edited_meanwhile_is_not_told_as_it_was(opened: Open, gate: Gate) -> None:
    story = await opened()
    await story.say("ann", NEWS, key="pigs", audience=[])
    await story.say("ann", "The mill burns.", key="mill", audience=[])
    await story.settled()
    await story.retract("pigs")
    await story.edit("mill", "The mill is sold.")
    gate.opened.set()
    await story.delivered()
    assert await heard(story, "ben") == ["I hear: The mill is sold."]
    assert await heard(story, "cid") == ["I hear: I hear: The mill is sold."]


async def test_whoever_becomes_a_member_while_a_model_is_asked_is_not_told(
    opened: Open, gate: Gate, tmp_path: Path
) -> None:
    story = await opened()
    (tmp_path / "rules.yaml").write_text(VILLAGE)
    story = await opened()
    await story.say("ann", NEWS, key="pigs", audience=[])
    assert await asyncio.to_thread(gate.began.wait, 20)
    await story.relationships.pantheons.add_member("village", "cid")
    gate.opened.set()
    await story.delivered()
    assert await heard(story, "ben") == [f"I hear: {NEWS}"]
    assert await heard(story, "cid") == []
    await story.say("ann", "The mill burns.", audience=[])
    await story.delivered()
    assert await heard(story, "cid") == ["I hear: The mill burns."]


@pytest.mark.parametrize("joins", ["the rules", "the pantheon"])
async def test_after_a_new_start_the_memberships_of_when_it_was_said_count(
    opened: Open, gate: Gate, tmp_path: Path, joins: str
) -> None:
    story = await opened()
    (tmp_path / "rules.yaml").write_text(VILLAGE)
    story = await opened()
    await story.say("ann", NEWS, key="pigs", audience=[])
    assert await asyncio.to_thread(gate.began.wait, 20)
    if joins == "the pantheon":
        await story.relationships.pantheons.add_member("village", "cid")
    else:
        (tmp_path / "rules.yaml").write_text(VILLAGE.replace("[ann, ben]", "[ann, ben, cid]"))
    story = await opened()
    gate.opened.set()
    await story.delivered()
    assert await heard(story, "ben") == [f"I hear: {NEWS}"]
    assert await heard(story, "cid") == []
    await story.say("ann", "The mill burns.", audience=[])
    await story.delivered()
    assert await heard(story, "cid") == ["I hear: The mill burns."]
    rule = await story._engine.ledger.data("s1", "sharing_rule:relationships")
    assert not [name for name in rule if name.startswith("first asked:")]


@pytest.mark.parametrize("starts", [1, 2])
async def test_nor_does_whoever_joins_meanwhile_read_it_in_a_hub(
    opened: Open, gate: Gate, tmp_path: Path, starts: int
) -> None:
    (tmp_path / "rules.yaml").write_text(VILLAGE.replace("retell", "hub_from: 1, retell"))
    story = await opened()
    await story.say("ann", NEWS, key="pigs", audience=[])
    assert await asyncio.to_thread(gate.began.wait, 20)
    await story.relationships.pantheons.add_member("village", "cid")
    story = story if starts == 1 else await opened()
    gate.opened.set()
    await story.delivered()
    for text in ("", "The mill burns."):
        if text:
            await story.say("ann", text, audience=[])
            await story.delivered()
        turns = [await story.turn(id, query="pigs mill", in_prompt=[]) for id in ("ben", "cid")]
        told = [f"I hear: {NEWS}", *([f"I hear: {text}"] if text else [])]
        found = [{each.text.partition("Ann: ")[2] for each in turn.memories} for turn in turns]
        assert found == [{*told}, {*told[1:]}]


async def test_nor_is_anybody_told_who_has_left_by_then(opened: Open, gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(VILLAGE)
    story = await opened()
    await story.say("ann", NEWS, key="pigs", audience=[])
    assert await asyncio.to_thread(gate.began.wait, 20)
    (tmp_path / "rules.yaml").write_text(VILLAGE.replace("[ann, ben]", "[ann, cid]"))
    story = await opened()
    gate.opened.set()
    await story.delivered()
    assert [await heard(story, id) for id in ("ben", "cid")] == [[], []]


@pytest.mark.parametrize("edited", [False, True])
async def test_what_was_asked_in_vain_is_counted_once(opened: Open, gate: Gate, edited: bool) -> None:
    story = await opened()
    await (await story.say("ann", NEWS, key="pigs", audience=[])).settled()
    assert await asyncio.to_thread(gate.began.wait, 20)
    await (story.edit("pigs", "Zoe has sold two pigs.") if edited else story.retract("pigs"))
    gate.opened.set()
    await story.delivered()
    assert (await story.backstage().costs()).total.calls == gate.asked == (8 if edited else 4)


async def test_it_is_told_on_the_day_on_which_it_was_said(opened: Open, gate: Gate) -> None:
    story = await opened()
    await story.say("ann", NEWS, audience=[])
    await (await story.change(game_day=4)).settled()
    gate.opened.set()
    await story.delivered()
    told = (await story.backstage().inspect("cid")).memories
    assert [(each.metadata["gameDay"], each.metadata["learnedDay"]) for each in told] == [(1, 1)]


async def test_what_closing_cuts_short_is_asked_again_when_the_story_goes_on(opened: Open, gate: Gate) -> None:
    story = await opened()
    await (await story.say("ann", NEWS, audience=[])).settled()
    again = await opened()
    assert await heard(again, "ben") == []
    gate.opened.set()
    await again.delivered()
    assert await heard(again, "cid") == [f"I hear: I hear: {NEWS}"]


async def test_who_joined_meanwhile_is_told_nothing_of_it(opened: Open, gate: Gate) -> None:
    story = await opened()
    await (await story.say("ann", NEWS, audience=[])).settled()
    await story.forget("ben")
    await story.change(game_day=3)
    await story.join(Character("ben", name="Ben the Younger"))
    await story.settled()
    gate.opened.set()
    await story.delivered()
    assert await heard(story, "ben") == []


async def test_nor_by_a_hop_that_is_due_meanwhile(opened: Open, gate: Gate) -> None:
    story = await opened()
    await (await story.say("ann", NEWS, audience=[])).settled()
    await story.forget("cid")
    await story.change(game_day=3)
    await (await story.join(Character("cid", name="Cid the Younger"))).settled()
    gate.opened.set()
    await story.delivered()
    assert await heard(story, "ben") == [f"I hear: {NEWS}"]
    assert await heard(story, "cid") == []
