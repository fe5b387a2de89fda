"""An export of a message that hundreds heard keeps once what its deliveries share, and is taken in again exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from earwitness import Session
from earwitness.copies.plan_lines import FEW, SHARED, plan_line, read_plan
from earwitness.errors import StoryError
from earwitness.records.plan import Delivery, Plan

from .branched_stories import Begin, Memories, OpenApp, exported, shelves

CROWD = 40
"""More than are written whole."""
Lines = list[dict[str, Any]]


async def a_crowd(begin: Begin, size: int, **given: Any) -> Session:
    """Everybody hears a message; it is edited, and one of them leaves before the next."""
    cast = [f"c{number:03}" for number in range(size)]
    story = await begin(cast=cast, present=cast, **given)
    await story.say("c000", "Hear ye!", key="m1", audience=cast[1:])
    await story.edit("m1", "Hear, all of ye!")
    await story.leave("c001")
    await story.say("c002", "We do.", key="m2", audience=cast[3:])
    await story.settled()
    return story


def heard(lines: Lines, key: str = "m1") -> dict[str, Any]:
    """The plan of a message."""
    found: dict[str, Any] = next(line["plan"] for line in lines if line.get("plan", {}).get("key") == key)
    return found


async def test_an_export_grows_by_as_much_for_each_listener_however_many_there_are(begin: Begin) -> None:
    sizes = {}
    for listeners in (100, 300):
        story = await begin(f"s{listeners}", cast=[f"c{number:03}" for number in range(listeners)])
        await story.say("c000", "Hear ye!", key="m1", audience=story.cast.ids[1:])
        sizes[listeners] = sum(len(json.dumps(line)) for line in await exported(story)) / listeners
    assert sizes[300] <= sizes[100]


async def test_what_a_crowd_shares_stands_in_its_plan_once_and_its_names_stay_readable(begin: Begin) -> None:
    plan = heard(await exported(await a_crowd(begin, CROWD)))
    assert json.dumps(plan[SHARED]).count("Hear ye!") == 2  # the world's, and everybody's
    assert [names["participants"][3] for names in plan[SHARED]["lists"]] == ["c003"]
    assert "Hear ye!" not in json.dumps(plan["deliveries"])
    third = plan["deliveries"][3]
    assert (third["owner"], third["container"]) == ("c002", "s1-c002")
    assert "C000: Hear ye!" in plan[SHARED]["bodies"][third["body"]]
    assert plan[SHARED]["fields"][third["fields"]]["source"] == "m1"


@pytest.mark.parametrize("id", ["s1", "another"])
async def test_a_crowd_taken_in_is_the_same_memory_by_memory(
    begin: Begin, open_app: OpenApp, memories: Memories, id: str
) -> None:
    story = await a_crowd(begin, CROWD)
    lines = await exported(story)
    ew = await open_app()
    copy = await ew.import_session(lines, id=id)
    assert await shelves(memories, copy) == await shelves(memories, story)
    assert (copy.cast, copy.state) == (story.cast, story.state)
    if id == "s1":
        assert await exported(copy) == lines
    assert await exported(await ew.import_session(lines, id=id)) == await exported(copy)  # nothing new
    await copy.retract("m1")
    assert "Hear" not in json.dumps(await shelves(memories, copy))


def delivery(number: int, **more: Any) -> Delivery:
    owner = f"c{number:03}" if number else "world"
    metadata = {"type": "message", "participants": [f"c{each:03}" for each in range(CROWD)], "gameDay": 1}
    given = {"session": "s1", "sequence": 1, "source": "m1", "body": "Hear ye!", "due": 1, "metadata": metadata}
    given |= {"memory_id": f"{number:026}", "container": f"s1-{owner}", "owner": owner}
    return Delivery.model_validate({"support": {"learned_day": 1}, **given, **more})


@pytest.mark.parametrize(
    "differ",
    [
        lambda number: {},
        lambda number: {"support": {"learned_day": 1, "rule": f"heard by {number}", "trust": 1 / (number + 1)}},
        lambda number: {"body": f"They say: {number}"},
        lambda number: {"metadata": {"type": "message", "odd": number % 2 == 0, "words": ["a"] * number}},
        lambda number: {"status": "struck", "reason": f"guard {number}"} if number % 3 else {},
        lambda number: {"disguises": {"c001": f"the {number}th hood"}, "due": number / 4},
    ],
)
async def test_a_plan_comes_back_exactly_however_its_deliveries_differ(differ: Callable[[int], dict[str, Any]]) -> None:
    for size in (0, 1, FEW, FEW + 1, CROWD):
        deliveries = tuple(delivery(number, **differ(number)) for number in range(size))
        plan = Plan(session="s1", sequence=1, key="m1", deliveries=deliveries)
        line = json.loads(json.dumps(await plan_line(plan)))
        assert (SHARED in line) is (size > FEW)
        assert read_plan(line) == plan


async def test_a_crowd_exported_by_an_earlier_version_is_taken_in_as_ever(
    begin: Begin, open_app: OpenApp, memories: Memories
) -> None:
    story = await a_crowd(begin, CROWD)
    lines = await exported(story)
    head = {key: value for key, value in lines[0].items() if key != "records"}
    before = [{**head, "version": 5}, *map(whole, lines[1:])]
    assert all(SHARED not in line.get("plan", {}) for line in before)
    ew = await open_app()
    copy = await ew.import_session(before)
    assert await shelves(memories, copy) == await shelves(memories, story)
    assert await exported(copy) == lines
    assert await exported(await ew.import_session(lines)) == lines  # the same story in both forms


def whole(line: dict[str, Any]) -> dict[str, Any]:
    """The line as version 5 wrote it: with all fields of each delivery."""
    return {**line, "plan": read_plan(line["plan"]).model_dump(mode="json")} if "plan" in line else line


async def test_versions_before_know_that_they_cannot_read_it(begin: Begin) -> None:
    head = (await exported(await a_crowd(begin, 4)))[0]
    assert head["version"] > 5  # the newest that they read; of newer ones they say "Update Earwitness."
    assert head["records"] == 5


def put(path: str, value: Any) -> Callable[[Lines], None]:
    """Put a value into the plan of the message, at a path like `deliveries.0.owner`."""

    def craft(lines: Lines) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = heard(lines)
        for step in way:
            place = place[step]
        place[last] = value

    return craft


@pytest.mark.parametrize(
    ("craft", "said"),
    [
        (put("deliveries.3.body", 9), r"line 3: .*'c002' names bodies\[9\]"),
        (put("deliveries.3.fields", 99), r"line 3: .*names fields\[99\]"),
        (put("deliveries.3.lists", 7), r"line 3: .*names lists\[7\]"),
        (put("deliveries.3.body", -1), "line 3: .*it must be at least 0"),
        (put("deliveries.3.owner", "x-bob"), "'x-bob' was never in the cast"),
        (put("deliveries.3.container", "s2-c002"), "names container 's2-c002'"),
        (put("deliveries.3.text", "Hear ye!"), "line 3: .*text"),
        (put("deliveries.3", None), "line 3: not an exported line"),
        (put("deliveries.3.difference", {"support": {"trust": "much"}}), "line 3: .*trust"),
        (put("deliveries.3.difference", {"support": {"loud": True}}), "line 3: .*loud"),
        (put("deliveries.3.difference", {"metadata": {"odd": {"a": 1}}}), "line 3: .*odd"),
        (put("deliveries.3.difference", {"metadata": {"odd": float("nan")}}), "line 3: .*NaN"),
        (put("deliveries.3.difference", {"owner": "c001"}), "line 3: .*owner"),
        (put("shared.bodies.0", 7), "line 3: .*bodies"),
        (put("shared.bodies.0", "half a \ud83d pair"), "line 3: "),
        (put("shared.fields.0.sequence", 99), "not all of key 'm1' and session 's1'"),
        (put("shared.fields.0.support.trust", "much"), "line 3: .*trust"),
        (put("shared.fields.0", []), "line 3: .*fields"),
        (put("shared.lists.0.participants", [1]), "line 3: .*participants"),
        (put("shared.more", []), "line 3: .*more"),
        (put("shared", None), "line 3: not an exported line"),
        (lambda lines: lines[0].update(records=99), "line 1: version 99 of the export's records .*Update"),
        (lambda lines: lines[0].pop("records"), "line 1: version None of the export's records"),
        (lambda lines: lines[0].update(version=7), "line 1: version 7 of the export is not .* 3 to 6. Update"),
        (lambda lines: lines[0].update(version=True), "line 1: version True of the export"),
    ],
)
async def test_a_crowd_that_cannot_be_read_is_refused_before_anything_is_written(
    begin: Begin, open_app: OpenApp, craft: Callable[[Lines], Any], said: str
) -> None:
    lines = await exported(await a_crowd(begin, FEW + 4))
    craft(lines)
    ew = await open_app()
    with pytest.raises(StoryError, match=f"(?s){said}"):
        await ew.import_session(lines)
    assert await ew.sessions() == ()
