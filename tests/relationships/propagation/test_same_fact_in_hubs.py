"""What is said twice in the same words is one memory, also for those who read it in a hub or were told of a persona."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness

Opener = Callable[..., Awaitable[Earwitness]]
FACT = "The mill has burnt down."
KIM = Character("kim", kind="persona", user_id="u1", persona_id="p1")
RULES = """
village:
  rules: {propagate_all: true, hub_from: FROM}
  members: [ann, ben, dan, eve, fay]
"""


def village(open_app: Opener, folder: Path, hub_from: int) -> Awaitable[Earwitness]:
    (folder / f"{hub_from}.yaml").write_text(RULES.replace("FROM", str(hub_from)))
    graph = {"name": "networkx", "path": str(folder / f"{hub_from}.db")}
    return open_app(relationships={"canon": "personal", "rules": str(folder / f"{hub_from}.yaml"), "graph": graph})


async def known(story: Any) -> dict[str, list[tuple[object, object]]]:
    await story.delivered()
    found = {}
    for who in ("ann", "ben", "dan", "eve", "fay"):
        turn = await story.turn(who, query=FACT, in_prompt=[])
        data = [each.memory.metadata for each in turn.memories if "mill" in each.text]
        found[who] = sorted((str(one.get("interactionType")), str(one.get("sharedFrom"))) for one in data)
    return found


async def test_who_reads_both_in_a_hub_reads_it_once_and_who_heard_one_of_them_the_other(
    open_app: Opener, tmp_path: Path
) -> None:
    answers = []
    for hub_from in (99, 2):
        ew = await village(open_app, tmp_path, hub_from)
        story = await ew.session(f"s{hub_from}", cast=["ann", "ben", "dan", "eve", "fay", KIM])
        await story.say("kim", FACT, key="m1", audience=["ann", "fay"])
        await story.say("kim", "The mill has burnt down!", key="m2", audience=["ben", "fay"])
        answers.append([await known(story)])
        for key in ("m1", "m2"):
            await story.retract(key)
            answers[-1].append(await known(story))
    assert answers[0] == answers[1]
    both, second, none = answers[1]
    assert [both[who] for who in ("dan", "eve")] == [[("shared", "ann")]] * 2
    assert both["ann"] == [("direct", "None"), ("shared", "ben")]
    assert both["ben"] == [("direct", "None"), ("shared", "ann")]
    assert second["dan"] == [("shared", "ben")]
    assert not any(none.values())


@pytest.mark.parametrize(
    "given",
    [
        {"content": "The mill has burnt to the ground."},
        {"channel": Channel(context="dm", channel_id="private", persona_id="p1")},
        {"speaker": "ann", "audience": []},
        {"speak_as": "Hooded Stranger"},
    ],
    ids=lambda each: next(iter(each)),
)
async def test_what_is_another_fact_stays_apart_in_a_hub(open_app: Opener, tmp_path: Path, given: Any) -> None:
    answers = []
    for hub_from in (99, 2):
        ew = await village(open_app, tmp_path, hub_from)
        story = await ew.session(f"s{hub_from}", cast=["ann", "ben", "dan", "eve", "fay", KIM])
        await story.say("kim", FACT, audience=["ann"])
        await story.say(**{"speaker": "kim", "content": FACT, "audience": ["ben"], **given})
        answers.append(await known(story))
    assert answers[0] == answers[1]
    assert len(answers[1]["dan"]) == (1 if "channel" in given else 2)


@pytest.mark.parametrize("hub_from", [99, 2], ids=["copies", "hub"])
async def test_what_somebody_was_told_twice_of_a_persona_is_one_memory_with_both_tellers(
    open_app: Opener, tmp_path: Path, hub_from: int
) -> None:
    ew = await village(open_app, tmp_path, hub_from)
    story: Any = await ew.session("s1", cast=["ann", "ben", "dan", "eve", "fay", KIM])
    await story.say("kim", FACT, key="m1", audience=["ann"])
    await story.say("kim", "The mill has burnt down!", key="m2", audience=["ben"])
    await story.delivered()
    (memory,) = await ew.engine.store.list("persona-p1-dan")
    explained = await story.backstage().explain(memory.id)
    assert sorted(each.shared_from for each in explained.supports) == ["ann", "ben"]
    await story.retract("m1")
    await story.delivered()
    (left,) = await ew.engine.store.list("persona-p1-dan")
    assert left.metadata["sharedFrom"] == "ben"
    await story.retract("m2")
    await story.delivered()
    assert await ew.engine.store.list("persona-p1-dan") == []
