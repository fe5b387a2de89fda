"""The copies of a message for a crowd: made one by one when somebody looks at them, and kept together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from earwitness import Moment, Presence, Session, slices
from earwitness.copies.plan_text import WrittenPlan, plan_json, plan_of
from earwitness.ids import MemoryIds
from earwitness.records.crowd import CrowdCopies, each_once
from earwitness.records.many import AlikeRecords, Many, joined
from earwitness.records.memory import Support
from earwitness.records.moment import Movement, Perceived
from earwitness.records.plan import Delivery, Plan

Begin = Callable[..., Awaitable[Session]]


def movement(character: str) -> Movement:
    return Movement(character=character, kind="enter")


def delivery(owner: str, **changes: object) -> Delivery:
    ids = MemoryIds("s1", "s1")
    values: dict[str, object] = {
        "session": "s1",
        "sequence": 1,
        "memory_id": ids.of("#1", 0, f"s1-{owner}", "message"),
        "container": f"s1-{owner}",
        "owner": owner,
        "source": "#1",
        "body": "Alice: hello",
        "support": Support(learned_day=1),
        "due": 1,
    }
    return Delivery.model_validate({**values, **changes})


class EachForReasons:
    """A detector that has another reason for each who is here."""

    def detect(self, moment: Moment) -> Presence:
        here = {id: Perceived(probability=1, role="present", evidence=(id,)) for id in moment.state.here}
        return Presence(characters=here)


async def test_other_tasks_run_while_a_message_to_very_many_is_decided(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "SLICE", 0.0)
    monkeypatch.setattr(slices, "PIECE", 1)
    cast = [f"listener-{number:04}" for number in range(1_000)]
    story = await begin(cast=cast, detector=EachForReasons())
    told = await story.say("listener-0000", "The bells ring at midnight.", present=cast)
    decided = asyncio.create_task(told.decided())
    beats = 0
    while not decided.done():
        await asyncio.sleep(0)
        beats += 1
    assert beats > len(cast)
    assert len((await told.settled()).participants) == 1_000


async def test_the_copies_of_a_crowd_are_made_when_somebody_looks_at_them(begin: Begin) -> None:
    cast = [f"listener-{number:04}" for number in range(1_000)]
    story = await begin(cast=cast, detector="everyone")
    told = await story.say("listener-0007", "The bells ring at midnight.", present=cast)
    decided = await told.decided()
    own = [each for each in decided.deliveries if each.owner == "listener-0500"]
    assert [each.container for each in own] == [f"{story.id}-listener-0500"]
    assert len({each.memory_id for each in decided.deliveries}) == len(decided.deliveries) == 1_001
    assert len(decided.movements) == 1_000
    away = await story.say("listener-0001", "Only we two are here.", present=["listener-0002"])
    assert len((await away.decided()).movements) == 998
    back = await (await story.say("listener-0001", "Welcome back.", present=cast)).decided()
    assert {each.kind for each in back.movements} == {"enter"}
    assert {each.character for each in back.movements} == {*cast} - {"listener-0001", "listener-0002"}
    await story.delivered()
    assert len((await story.backstage().inspect("listener-0999")).memories) == 2


def test_records_that_are_made_when_looked_at_equal_those_that_are_made() -> None:
    many = Many([(movement("ann"),), AlikeRecords(["bob", "cid"], movement), ()])
    made = tuple(map(movement, ["ann", "bob", "cid"]))
    assert (many, made, len(many)) == (made, many, 3)
    assert (many[0], many[2], many[-1], many[1:]) == (made[0], made[2], made[2], made[1:])
    assert many != made[:2]
    with pytest.raises(IndexError):
        many[3]
    assert joined(many, made[:1]) == (*made, made[0])


def test_a_crowd_has_the_copies_that_would_be_made_one_by_one() -> None:
    owners = [f"listener-{number}" for number in range(5)]
    crowd = CrowdCopies(delivery("listener-3"), owners, MemoryIds("s1", "s1"))
    assert crowd == tuple(map(delivery, owners))
    assert crowd.to("s1-listener-4") == delivery("listener-4")
    assert crowd.to("s1-somebody") is crowd.to("s2-listener-4") is None


def test_a_copy_that_a_crowd_has_is_left_out_and_another_way_to_know_it_is_not() -> None:
    crowd = CrowdCopies(delivery("a"), ["a", "b"], MemoryIds("s1", "s1"))
    told = delivery("b", support=Support(how="shared", shared_from="a", learned_day=1))
    found = each_once(Many([(delivery("w"),), crowd, (delivery("b"), told)]))
    assert [*found] == [delivery("w"), delivery("a"), delivery("b"), told]


def test_a_plan_about_thousands_is_read_back_as_it_was_written() -> None:
    names = [f"listener-{number:04}" for number in range(1_000)]
    present = Perceived(probability=1, role="present", evidence=("here",))
    odd = {"listener-0500": Perceived(probability=0.5, role="overhearing", evidence=("behind the door",))}
    plan = Plan(session="s1", sequence=3, key="#3", state={"last_perceivers": names, "quest": "a\nb"}).model_copy(
        update={
            "presence": {**dict.fromkeys(names, present), **odd},
            "movements": Many([(movement("zoe"),), AlikeRecords(names[:-2], movement)]),
            "news_seen": dict.fromkeys(names, 2),
            "whereabouts": dict.fromkeys(names[3:]),
        }
    )
    text = WrittenPlan.of(plan).plan
    assert plan_of(text) == plan
    assert list(plan_of(text).presence) == names
    assert Plan.model_validate_json(plan_json(text)) == plan_of(text)
    assert Plan.model_validate_json(plan.model_dump_json()) == plan
    assert text.count("listener-0007") == 1
