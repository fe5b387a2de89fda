"""What a model is shown, and what it draws, stays with those who heard it: in part, in time, and past guards."""

from __future__ import annotations

from typing import Any

import pytest

from earwitness import PlanEvent, ReadEvent, Strike
from earwitness.backstage.backstage import Backstage
from earwitness.filters import EVERYTHING, Filter

from .conftest import FactModel
from .fact_stories import BAKER, BREAD, KIM, begun, beyond, facts


async def test_what_is_edited_while_it_is_read_is_read_again(
    begin: Any, model: FactModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.says(BAKER)
    story = await begun(await begin({}))
    grounds, edits = Backstage.grounds, ["Never mind what I do."]

    async def edited_first(self: Backstage, *names: str) -> dict[str, str | None]:
        if edits and names:
            await (await story.edit("k", edits.pop())).settled()
        return await grounds(self, *names)

    monkeypatch.setattr(Backstage, "grounds", edited_first)
    await story.say("kim", BREAD, key="k", audience=["alice"])
    assert await facts(story, "alice") == []
    assert [each["text"] for shown in model.shown for each in shown["messages"]] == ["Never mind what I do."]


async def test_whoever_heard_only_a_part_keeps_no_more_than_that_part(begin: Any, model: FactModel) -> None:
    model.says(
        BAKER, {**BAKER, "about": "home", "value": "Rome", "text": "Kim lives in Rome.", "quote": "I live in Rome"}
    )
    story = await begun(await begin({}))
    await story.say("kim", '"I live in Rome." *whispers to Bob* "But I bake for a living, as a baker does."', key="k")
    held = {id: await facts(story, id) for id in ("alice", "bob", "charlie")}
    assert held == {
        "alice": ["Kim lives in Rome."],
        "bob": ["Kim is a baker.", "Kim lives in Rome."],
        "charlie": held["alice"],
    }
    told = {tuple(sorted(each["id"] for each in shown["cast"])): shown["messages"][0]["text"] for shown in model.shown}
    assert ["bake" in text for who, text in told.items() if "alice" in who] == [False]
    assert ["bake" in text for who, text in told.items() if "bob" in who] == [True]


async def test_a_model_is_shown_only_known_facts_that_all_listeners_know(begin: Any, model: FactModel) -> None:
    model.says(BAKER)
    story = await begun(await begin({}))
    for audience in (["bob"], ["alice", "bob"], ["bob"]):
        await story.say("kim", BREAD if audience == ["bob"] else "Good evening to you both.", audience=audience)
        assert await story.jobs.done(limit=20)
    known = [[each["text"] for each in shown["known_facts"]] for shown in model.shown]
    assert known == [[], [], ["Kim is a baker."]]


class Deaf:
    """A guard that lets Bob have no message."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> list[Strike]:
        found = [each for each in event.plan.deliveries if each.owner == "bob" and each.part == "message"]
        return [Strike(delivery_id=each.id, reason="deaf") for each in found]


@pytest.mark.parametrize("write", ["auto", "review"])
async def test_of_a_user_it_goes_to_those_whom_no_guard_keeps_from_it(begin: Any, model: FactModel, write: str) -> None:
    model.says(BAKER)
    ew = await begin({"scope": "user", "write": write}, guards=[Deaf()])
    story = await ew.session("s1", cast=[KIM, "alice", "bob"], present=["kim", "alice", "bob"])
    await story.say("kim", BREAD)
    await story.jobs.done(limit=20)
    for each in await story.review.waiting():
        await story.review.approve(each.id)
    found = ["persona-p1-alice", "persona-p1-bob", "user-u1"]
    assert [each for each in found if await beyond(story, each)] == ["persona-p1-alice"]
    assert [await facts(story, id) for id in ("alice", "bob")] == [[], []]
