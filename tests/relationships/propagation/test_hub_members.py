"""Who joins a pantheon or a story, or leaves, reads in its hub just what they would have been told as copies."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session

Opener = Callable[..., Awaitable[Earwitness]]
GODS = ["isis", "ra", "set"]
SECRET = "The river will rise on the tenth day."
Found = dict[str, list[tuple[object, object]]]


@pytest.fixture
def nile(open_app: Opener, tmp_path: Path) -> Callable[..., Awaitable[tuple[Earwitness, Session]]]:
    async def opened(
        hub: bool, *, delay: float = 0, cast: Sequence[str] = (*GODS, "thoth")
    ) -> tuple[Earwitness, Session]:
        name = "hub" if hub else "copies"
        file = tmp_path / f"{name}.yaml"
        file.write_text(
            f"nile:\n  members: [{', '.join(GODS)}]\n"
            f"  rules: {{propagate_all: true, max_hops: 3, gossip_about_others: true, share_with: [thoth],"
            f" delay: {delay}, hub_from: {2 if hub else 99}}}\n"
        )
        graph = {"name": "networkx", "path": str(tmp_path / f"{name}.db")}
        ew = await open_app(relationships={"rules": str(file), "graph": graph})
        return ew, await ew.session(name, cast=[Character(each) for each in cast])

    return opened


async def known(story: Session) -> Found:
    """Everybody → by whom and at which hop they were told."""
    await story.delivered()
    found = {}
    for who in story.cast.ids:
        turn = await story.turn(who, query=SECRET, in_prompt=[])
        assert turn.failures == ()
        data = [each.memory.metadata for each in turn.memories]
        found[who] = [(each.get("sharedFrom"), each.get("hop")) for each in data]
    return found


@pytest.mark.parametrize("joining", ["the pantheon", "the story"])
async def test_who_joins_before_something_arrives_is_told_by_those_who_were_there(nile: Any, joining: str) -> None:
    answers = []
    for hub in (False, True):
        newcomer = ["horus"] if joining == "the pantheon" else []
        _, story = await nile(hub, delay=1, cast=[*GODS, "thoth", *newcomer])
        if not newcomer:
            await story.relationships.pantheons.add_member("nile", "horus", since=0)
        await story.say("ra", SECRET, audience=[])
        if newcomer:
            await story.relationships.pantheons.add_member("nile", "horus")
        else:
            await story.join("horus")
        answers.append([])
        for day in (2, 3, 4):
            await story.change(game_day=day)
            answers[-1].append(await known(story))
    copies, hubs = answers
    assert copies == hubs
    assert [each["horus"] for each in hubs] == [[], [("isis", 2)], [("isis", 2)]]


@pytest.mark.parametrize("everywhere", [False, True], ids=["in the story", "in all stories"])
@pytest.mark.parametrize("what", ["member", "pantheon", "end"])
async def test_who_is_removed_keeps_what_they_have_learned_and_learns_no_more(
    nile: Any, what: str, everywhere: bool
) -> None:
    answers = []
    for hub in (False, True):
        ew, story = await nile(hub, cast=[*GODS])
        await story.change(game_day=5)
        pantheons = (ew if everywhere else story).relationships.pantheons
        await story.say("ra", SECRET, audience=[])
        await story.delivered()
        if what == "member":
            await pantheons.remove_member("nile", "set")
        elif what == "end":
            await pantheons.end_member("nile", "set", until=3)
        else:
            await pantheons.remove("nile")
        await story.say("ra", f"{SECRET} Once more.", audience=[])
        answers.append([await known(story)])
        await pantheons.create("oasis", members=["set"])
        answers[-1].append(await known(story))
        if not everywhere:
            branch = await story.fork(f"branch-{hub}")
            answers[-1].append(await known(branch))
    copies, hubs = answers
    assert copies == hubs
    assert hubs[0]["set"] == [("ra", 1)]


@pytest.mark.parametrize("everywhere", [False, True], ids=["in the story", "in all stories"])
async def test_who_is_removed_learns_nothing_of_what_was_on_its_way(nile: Any, everywhere: bool) -> None:
    answers = []
    for hub in (False, True):
        ew, story = await nile(hub, delay=2)
        await story.say("ra", SECRET, audience=[])
        await story.settled()
        await (ew if everywhere else story).relationships.pantheons.remove_member("nile", "set")
        await story.say("ra", f"{SECRET} Once more.", audience=[])
        answers.append([])
        for day in (2, 3, 5):
            await story.change(game_day=day)
            answers[-1].append(await known(story))
    assert answers[0] == answers[1]
    assert [each["set"] for each in answers[1]] == [[], [], []]
    assert [each["isis"] for each in answers[1]] == [[], [("ra", 1)] * 2, [("ra", 1)] * 2]


@pytest.mark.parametrize("everywhere", [False, True], ids=["in the story", "in all stories"])
@pytest.mark.parametrize("in_time", [True, False], ids=["in time", "too late"])
async def test_who_is_removed_and_returns_in_time_learns_what_was_on_its_way(
    nile: Any, in_time: bool, everywhere: bool
) -> None:
    answers = []
    for hub in (False, True):
        ew, story = await nile(hub, delay=2)
        pantheons = (ew if everywhere else story).relationships.pantheons
        await story.say("ra", SECRET, audience=[])
        await story.settled()
        await pantheons.remove_member("nile", "set")
        await story.change(game_day=2 if in_time else 4)
        await story.settled()
        await pantheons.add_member("nile", "set")
        await story.change(game_day=5)
        answers.append(await known(story))
    assert answers[0] == answers[1]
    assert answers[1]["set"] == ([("ra", 1)] if in_time else [])


async def test_who_is_removed_from_all_stories_keeps_what_had_arrived_there(nile: Any) -> None:
    answers = []
    for hub in (False, True):
        ew, story = await nile(hub, delay=2)
        await story.say("ra", SECRET, audience=[])
        await story.change(game_day=3)
        await story.say("ra", f"{SECRET} Once more.", audience=[])
        await story.settled()
        await ew.relationships.pantheons.remove_member("nile", "set")
        await story.change(game_day=5)
        answers.append([await known(story)])
        branch = await story.fork(f"branch-{hub}")
        answers[-1].append(await known(branch))
    assert answers[0] == answers[1]
    assert [each["set"] for each in answers[1]] == [[("ra", 1)]] * 2
    assert answers[1][0]["isis"] == [("ra", 1)] * 2


async def test_what_a_teller_who_is_removed_has_told_does_not_arrive(nile: Any) -> None:
    answers = []
    for hub in (False, True):
        _, story = await nile(hub, delay=2)
        await story.say("ra", SECRET, audience=[])
        await story.relationships.pantheons.remove_member("nile", "ra")
        await story.say("isis", f"{SECRET} Once more.", audience=[])
        answers.append([])
        for day in (3, 5, 9):
            await story.change(game_day=day)
            answers[-1].append(await known(story))
    assert answers[0] == answers[1]
    assert [each["set"] for each in answers[1]] == [[("isis", 1)]] * 3


async def test_who_was_removed_and_is_made_a_member_again_reads_both_times_and_nothing_between(nile: Any) -> None:
    texts = []
    for hub in (False, True):
        _, story = await nile(hub)
        pantheons = story.relationships.pantheons
        for turn in range(3):
            await story.say("ra", f"{SECRET} For the {turn}th time.", audience=[])
            await story.relationships.pantheons.remove_member("nile", "set")
            await story.say("ra", f"{SECRET} Hidden from set {turn}.", audience=[])
            await pantheons.add_member("nile", "set")
        await pantheons.remove("nile")
        await pantheons.create("nile", rules={"propagate_all": True, "hub_from": 2}, members=["isis"])
        await story.delivered()
        turn = await story.turn("set", query=SECRET, in_prompt=[])
        texts.append(sorted(each.text.partition(SECRET)[2].split()[0:4] for each in turn.memories))
    assert texts[0] == texts[1]
    assert len(texts[1]) == 3
    assert not any("Hidden" in each for each in texts[1])


async def test_who_is_told_by_two_hubs_at_once_reads_it_once_and_as_long_as_one_of_the_tellers_knows_it(
    open_app: Opener, tmp_path: Path
) -> None:
    answers = []
    for hub_from in (99, 2):
        file = tmp_path / f"{hub_from}.yaml"
        rules = f"{{propagate_all: true, hub_from: {hub_from}, decay: "
        file.write_text(
            f"day: {{rules: {rules}0.5}}, members: [isis, set]}}\nnight: {{rules: {rules}1}}, members: [ra, set]}}\n"
        )
        graph = {"name": "networkx", "path": str(tmp_path / f"{hub_from}.db")}
        ew = await open_app(relationships={"rules": str(file), "graph": graph})
        story = await ew.session("s1", cast=[Character(each) for each in (*GODS, "thoth")])
        await story.say("thoth", SECRET, audience=["isis", "ra"])
        answers.append([await known(story)])
        for teller in ("isis", "ra"):
            (own,) = (await story.backstage().inspect(teller)).memories
            await story.retract(own.id)
            answers[-1].append(await known(story))
    assert answers[0] == answers[1]
    assert [each["set"] for each in answers[1]] == [[("isis", 1)], [("ra", 1)], []]


async def test_what_a_hub_holds_is_read_also_where_the_rules_ask_for_none_any_more(nile: Any) -> None:
    _, story = await nile(True)
    await story.say("ra", SECRET, audience=[])
    before = await known(story)
    await story.relationships.pantheons.change("nile", rules={"propagate_all": True})
    await story.say("ra", f"{SECRET} Once more.", audience=[])
    after = await known(story)
    assert before["set"] == [("ra", 1)]
    assert after["set"] == [("ra", 1), ("ra", 1)]
