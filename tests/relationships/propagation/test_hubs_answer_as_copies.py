"""A host that imports, forks, notes, retracts or does not wait finds the same with hubs as with copies."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Event, PlanEvent, Session, Strike
from earwitness.filters import EVERYTHING
from earwitness.records.state import IF_RETRACTED, WHEN_RETRACTED, State

Opener = Callable[..., Awaitable[Earwitness]]
Do = Callable[[Earwitness, Session], Awaitable[Any]]
CAST = ["ann", "ben", "cyd"]
ALL = "g: {members: [ann, ben, cyd], rules: {propagate_all: true, hub_from: FROM, delay: DELAY}}"
OPEN = ALL.replace("delay", "conditions: {flags: {open: true}}, delay")


class AtDawn:
    """A guard that strikes whatever of Ben's arrives on the third day."""

    def filter(self, event: Event) -> object:
        """Everything may be read."""
        return EVERYTHING

    def strike(self, event: PlanEvent) -> tuple[Strike, ...]:
        """What arrives."""
        late = [each for each in event.plan.deliveries if event.day == 3 and each.support.shared_from]
        return tuple(Strike(delivery_id=each.id, reason="not at dawn") for each in late)


@pytest.fixture
def both(open_app: Opener, tmp_path: Path) -> Callable[..., Awaitable[Any]]:
    """Plays the same with copies and with a hub, and returns what comes of it if both are alike."""

    async def both(rules: str, do: Do, delay: int = 2, **given: Any) -> Any:
        found = []
        for hub_from in (99, 2):
            file = tmp_path / f"{hub_from}.yaml"
            file.write_text(rules.replace("FROM", str(hub_from)).replace("DELAY", str(delay)))
            graph = {"name": "networkx", "path": str(tmp_path / f"{hub_from}.db")}
            ew = await open_app(relationships={"rules": str(file), "graph": graph}, **given)
            story = await ew.session("s", cast=CAST)
            found.append(await do(ew, story))
        assert found[1] == found[0]
        return found[0]

    return both


async def known(story: Session, about: str = "mill", **more: Any) -> dict[str, int]:
    """Character → how many memories of it are recalled."""
    await story.delivered()
    turns = {each: await story.turn(each, query=about, in_prompt=[], memories=40, **more) for each in CAST}
    return {who: len([each for each in turn.memories if about in each.text]) for who, turn in turns.items()}


async def say(story: Session, **more: Any) -> None:
    await story.say("ben", "The mill burns.", audience=[], key="k", **more)


async def observed(ew: Earwitness, story: Session) -> None:
    await story.relationships.pantheons.change_member("g", "ben", role="observer")


async def removed(ew: Earwitness, story: Session) -> None:
    await story.relationships.pantheons.remove_member("g", "ben")


async def nothing(ew: Earwitness, story: Session) -> None:
    """Only the days pass."""


@pytest.mark.parametrize("then", [observed, removed, nothing])
async def test_an_import_brings_back_nothing_that_was_struck_on_its_way(both: Any, then: Do) -> None:
    async def do(ew: Earwitness, story: Session) -> list[dict[str, int]]:
        await say(story)
        await story.settled()
        await then(ew, story)
        await story.change(game_day=3)
        here = await known(story)
        lines = [line async for line in story.backstage().export()]
        copy = await ew.import_session(lines, id="copy")
        again = await ew.import_session(lines, id="s")
        assert await known(again) == here
        return [here, await known(copy)]

    here, there = await both(ALL, do, guards=[AtDawn()] if then is nothing else [])
    assert here == there == {"ann": 0, "ben": 1, "cyd": 0}


async def test_what_was_archived_of_a_hub_is_archived_in_an_import_and_can_be_restored(
    open_app: Opener, tmp_path: Path
) -> None:
    (tmp_path / "r.yaml").write_text(ALL.replace("FROM", "2").replace("DELAY", "0"))
    ew = await open_app(relationships={"rules": str(tmp_path / "r.yaml")})
    story = await ew.session("s", cast=CAST)
    await say(story)
    await story.delivered()
    (told,) = await ew.engine.store.list("pantheon-g")
    await story.archive(told.id)
    assert await known(story) == {"ann": 0, "ben": 1, "cyd": 0}
    copy = await ew.import_session([line async for line in story.backstage().export()], id="copy")
    assert await known(copy) == {"ann": 0, "ben": 1, "cyd": 0}
    await copy.restore("k")
    assert await known(copy) == {"ann": 1, "ben": 1, "cyd": 1}
    assert await known(story) == {"ann": 0, "ben": 1, "cyd": 0}


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("shut", [True, False])
async def test_a_telling_arrives_by_the_flags_of_its_day_however_fast_the_host_is(
    both: Any, waits: bool, shut: bool
) -> None:
    async def do(ew: Earwitness, story: Session) -> dict[str, int]:
        await story.change(flags={"open": True})
        await say(story)
        for changes in ({"flags": {"open": not shut}}, {"game_day": 4}, {"flags": {"open": shut}}, {"game_day": 5}):
            if waits:
                await story.settled()
            await story.change(**changes)
        return await known(story)

    found = await both(OPEN, do)
    assert found == {"ann": 0 if shut else 1, "ben": 1, "cyd": 0 if shut else 1}


@pytest.mark.parametrize("waits", [True, False])
async def test_a_turn_before_a_message_reads_what_hubs_were_told_by_then(both: Any, waits: bool) -> None:
    async def do(ew: Earwitness, story: Session) -> list[dict[str, int]]:
        await say(story)
        if waits:
            await story.settled()
        await story.say("ann", "Pigs fly.", audience=[], key="p")
        return [await known(story, before="p"), await known(story, before="k")]

    assert await both(ALL, do, delay=0) == [dict.fromkeys(CAST, 1), dict.fromkeys(CAST, 0)]


async def test_a_note_on_what_is_read_in_a_hub_is_known_no_sooner(both: Any) -> None:
    async def do(ew: Earwitness, story: Session) -> list[object]:
        await say(story)
        await story.remember("cyd", "A ruin is left.", rests_on=["k"], key="n")
        days = []
        for day in (1, 2, 3):
            await story.change(game_day=day)
            days.append((await known(story, "ruin"))["cyd"])
        await story.retract("k")
        return [days, await known(story, "ruin")]

    assert await both(ALL, do) == [[0, 0, 1], dict.fromkeys(CAST, 0)]


async def test_a_note_on_what_is_read_in_a_hub_falls_with_the_tellers_memory(both: Any) -> None:
    async def do(ew: Earwitness, story: Session) -> list[dict[str, int]]:
        await say(story)
        for who in CAST:
            await story.remember(who, f"A ruin is left, says {who}.", rests_on=["k"])
        before = await known(story, "ruin")
        (own,) = [each for each in (await story.backstage().inspect("ben")).memories if each.message_keys == ("k",)]
        await story.retract(own.id)
        return [before, await known(story, "ruin"), await known(story)]

    before, after, read = await both(ALL, do, delay=0)
    assert (before, read) == (dict.fromkeys(CAST, 1), dict.fromkeys(CAST, 0))
    assert after["cyd"] == after["ann"] == 0


async def left(story: Session) -> Any:
    return await story.relationships.pantheons.end_member("g", "cyd", until=1)


async def taken(story: Session) -> Any:
    return await story.relationships.pantheons.remove_member("g", "cyd")


@pytest.mark.parametrize("go", [left, taken])
@pytest.mark.parametrize("delay", [0, 2])
async def test_who_is_a_member_again_reads_nothing_of_what_was_told_meanwhile(both: Any, go: Any, delay: int) -> None:
    async def do(ew: Earwitness, story: Session) -> list[dict[str, int]]:
        await story.say("ben", "The mill stood here.", audience=[])
        await story.change(game_day=4)
        gone = await go(story)
        await say(story)
        await story.change(game_day=7)
        found = [await known(story)]
        await story.retract(gone.key)
        found.append(await known(story))
        second = await go(story)
        await story.say("ben", "The mill is lost.", audience=[])
        await story.change(game_day=10)
        await story.retract(second.key)
        await story.say("ben", "The mill is back.", audience=[])
        await story.change(game_day=13)
        return [*found, await known(story)]

    assert [each["cyd"] for each in await both(ALL, do, delay)] == [1, 1, 2]


async def test_who_was_a_member_until_that_was_retracted_keeps_what_they_read(both: Any) -> None:
    async def do(ew: Earwitness, story: Session) -> list[dict[str, int]]:
        await story.say("ben", "The mill stood here.", audience=[])
        joined = await story.relationships.pantheons.add_member("g", "cyd")
        await say(story)
        found = [await known(story)]
        await story.retract(joined.key)
        await story.say("ben", "The mill is lost.", audience=[])
        return [*found, await known(story)]

    rules = ALL.replace("[ann, ben, cyd]", "[ann, ben]")
    assert [each["cyd"] for each in await both(rules, do, delay=0)] == [1, 1]


async def test_a_bubble_that_knows_its_story_reads_its_hubs(both: Any) -> None:
    async def do(ew: Earwitness, story: Session) -> list[dict[str, int]]:
        await say(story)
        await story.delivered()
        bubbles = [await story.bubble(name, knows=[name]) for name in ("story", "cards")]
        return [await known(each.session) for each in bubbles]

    assert await both(ALL, do, delay=0) == [dict.fromkeys(CAST, 1), dict.fromkeys(CAST, 0)]


@pytest.mark.parametrize("how", ["retract", "edit"])
async def test_a_branch_of_a_branch_reads_in_hubs_what_its_past_was_told(both: Any, how: str) -> None:
    async def do(ew: Earwitness, story: Session) -> list[dict[str, int]]:
        await say(story)
        await story.delivered()
        await (story.retract("k") if how == "retract" else story.edit("k", "The mill stands."))
        branch = await story.fork("f")
        again = await branch.fork("at", at="k")
        last = await again.fork("last", at="k")
        return [await known(branch, "burns"), await known(again, "burns"), await known(last, "burns")]

    assert await both(ALL, do, delay=0) == [dict.fromkeys(CAST, 0), dict.fromkeys(CAST, 1), dict.fromkeys(CAST, 1)]


@pytest.mark.parametrize("memory", ["id", "key"])
@pytest.mark.parametrize("day", [1, 3])
@pytest.mark.parametrize("how", ["edit", "reroll"])
async def test_what_was_told_by_hand_is_told_on_the_same_day_after_an_edit(
    both: Any, memory: str, day: int, how: str
) -> None:
    async def do(ew: Earwitness, story: Session) -> list[str]:
        await story.say("ann", "The mill burns.", audience=[], key="k")
        await story.delivered()
        (read,) = (await story.turn("cyd", query="mill", in_prompt=[])).memories
        await story.tell("cyd", "ben", read if memory == "id" else "k")
        await story.change(game_day=day)
        await (story.edit("k", "The mill stands.") if how == "edit" else story.reroll("The mill stands.", key="k"))
        await story.delivered()
        return [
            each for each in (await story.turn("ben", query="mill", in_prompt=[])).text().splitlines() if "mill" in each
        ]

    circle = "g: {members: [ann, cyd], rules: {propagate_all: true, hub_from: FROM}}"
    later = "h: {members: [ann, ben], rules: {propagate_all: true, hub_from: FROM, delay: DELAY}}"
    assert await both(f"{circle}\n{later}", do) == ["1. Cyd told you (day 1): Ann, on day 1: The mill stands."]


@pytest.mark.parametrize("reliability", [1, 0.5])
@pytest.mark.parametrize("teller", ["ann", "eve"])
async def test_what_is_told_by_hand_on_the_same_day_leaves_the_first_teller(
    both: Any, teller: str, reliability: float
) -> None:
    async def do(ew: Earwitness, story: Session) -> list[str]:
        await story.join("eve")
        await say(story)
        await story.settled()
        await story.tell(teller, "cyd", "k")
        branch = await story.fork("f")
        return [await first_line(each, "cyd") for each in (story, branch)]

    rules = ALL.replace("cyd]", "cyd, eve]").replace("hub_from", f"reliability: {reliability}, hub_from")
    assert await both(rules, do, delay=0) == ["1. Ben told you (day 1): Ben, on day 1: The mill burns."] * 2


async def first_line(story: Session, who: str) -> str:
    await story.delivered()
    lines = (await story.turn(who, query="mill", in_prompt=[])).text().splitlines()
    (found,) = [each for each in lines if "mill" in each]
    return found


@pytest.mark.parametrize("first", ["ann", "cyd"])
async def test_the_same_fact_is_read_once_in_a_hub_and_beside_it(both: Any, first: str) -> None:
    async def do(ew: Earwitness, story: Session) -> str:
        await story.join("sam")
        for who in (first, "ann" if first == "cyd" else "cyd"):
            await story.say("sam", "The mill has burnt down.", audience=[who])
        return await first_line(story, "ben")

    edge = "relationships: [{from: ann, to: ben, type: friend, rules: [share_direct_interactions]}]"
    teller = first.capitalize()
    expected = f"1. {teller} told you (day 1): Sam, on day 1: The mill has burnt down."
    assert await both(ALL.replace("rules:", f"{edge}, rules:"), do, delay=0) == expected


async def test_an_edit_of_what_is_archived_leaves_it_so_for_those_who_tell_on_what_a_hub_told(both: Any) -> None:
    async def do(ew: Earwitness, story: Session) -> list[dict[str, int]]:
        await story.join("eve")
        await say(story)
        await story.settled()
        await story.archive("k")
        await story.change(game_day=4)
        await story.edit("k", "The mill stands.")
        found = [await known(story)]
        await story.restore("k")
        return [*found, await known(story)]

    rules = ALL.replace("delay", "max_hops: 3, delay")
    onward = "h: {members: [cyd, eve], rules: {gossip_about_others: true, share_with: [eve], max_hops: 3}}"
    assert await both(f"{rules}\n{onward}", do) == [dict.fromkeys(CAST, 0), dict.fromkeys(CAST, 1)]


@pytest.mark.parametrize("number", [3, 12])
async def test_a_turn_asks_hubs_for_as_many_memories(both: Any, number: int) -> None:
    async def do(ew: Earwitness, story: Session) -> int:
        said = [{"speaker": "ann", "content": f"The mill has {n} doors.", "audience": []} for n in range(15)]
        await story.say_all(said)
        await story.delivered()
        return len((await story.turn("ben", query="mill", in_prompt=[], memories=number)).memories)

    assert await both(ALL, do, delay=0) == number


def test_what_is_noted_for_a_retraction_says_when_that_was() -> None:
    noted = {"k": {"guild": ("a",), f"guild{IF_RETRACTED}": ({"back": WHEN_RETRACTED, "who": ["b"]},)}}
    state = State(game_day=3, facts=noted)
    assert state.facts_of("guild") == ("a",)
    assert state.facts_if_retracted("k") == {"guild": ({"back": {"messages": 0, "day": 3.0}, "who": ["b"]},)}
    assert state.facts_if_retracted("other") == {}
