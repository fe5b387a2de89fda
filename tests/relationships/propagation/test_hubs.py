"""Above a size set in the rules, what all members learn is one memory that they read, and answers are the same."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, ReadProviderEvent, ReadRequest, Session
from earwitness.containers import EVERYBODY, pantheon_container
from earwitness.records.learned import Learned
from earwitness_relationships.propagation import Adjacency, Seed
from earwitness_relationships.propagation.hub_walk import HubWalk
from earwitness_relationships.propagation.sharing_rule import RelationshipsSharing
from earwitness_relationships.rules import RuleBook
from earwitness_relationships.rules.records import Member, Pantheon, Rules

Opener = Callable[..., Awaitable[Earwitness]]
GODS = [f"god{number}" for number in range(6)]
SECRET = "The flood comes on the seventh day."


@pytest.fixture
def olympus(open_app: Opener, tmp_path: Path) -> Callable[..., Awaitable[tuple[Earwitness, Session]]]:
    async def opened(name: str, members: str, **rules: Any) -> tuple[Earwitness, Session]:
        lines = "".join(f"    {key}: {value}\n" for key, value in {"propagate_all": "true", **rules}.items())
        file = tmp_path / f"{name}.yaml"
        file.write_text(f"olympus:\n  type: deity_pantheon\n  rules:\n{lines}  members:\n{members}")
        graph = {"name": "networkx", "path": str(tmp_path / f"{name}.db")}
        ew = await open_app(relationships={"rules": str(file), "graph": graph})
        cast = [*(Character(id) for id in GODS), Character("mortal"), Character("sam", kind="persona", user_id="u")]
        return ew, await ew.session(name, cast=cast)

    return opened


MEMBERS = "".join(f"    - id: {each}\n" for each in GODS)


async def found(story: Session, who: str) -> set[tuple[str, str, str | None, int]]:
    turn = await story.turn(who, query="When does the flood come?", in_prompt=[])
    assert turn.failures == ()
    return {
        (
            str(each.memory.metadata["interactionType"]),
            str(each.memory.metadata.get("sharedFrom")),
            str(each.memory.metadata.get("pantheonId")),
            int(str(each.memory.metadata.get("hop", 0))),
        )
        for each in turn.memories
        if SECRET in each.text
    }


@pytest.mark.parametrize("manner", ["witnessed", "gossip"])
async def test_copies_and_hubs_answer_alike(olympus: Any, manner: str) -> None:
    _, copies = await olympus("copies", MEMBERS, **{"as": manner})
    ew, hub = await olympus("hub", MEMBERS, **{"as": manner}, hub_from=5)
    for story in (copies, hub):
        await story.say("sam", SECRET, audience=["god1"])
        await story.delivered()
    for who in (*GODS, "mortal"):
        assert await found(copies, who) == await found(hub, who)
    assert len(await ew.engine.store.list("pantheon-olympus")) == 1
    assert (await hub.backstage().inspect("god3")).memories == ()


async def test_a_member_reads_what_was_told_while_they_were_one(olympus: Any) -> None:
    members = MEMBERS.replace("id: god3\n", "id: god3\n      since: 2\n")
    for name, hub_from in (("copies", 99), ("hub", 5)):
        _, story = await olympus(name, members, hub_from=hub_from)
        await story.say("sam", SECRET, audience=["god0"])
        await story.change(game_day=3)
        await story.delivered()
        assert len(await found(story, "god2")) == 1
        assert await found(story, "god3") == set()


async def test_what_a_hub_holds_of_one_story_is_not_known_in_another(olympus: Any) -> None:
    ew, story = await olympus("hub", MEMBERS, hub_from=5)
    other = await ew.session("other", cast=[*GODS, "mortal"])
    await story.say("sam", SECRET, audience=["god0"])
    await story.delivered()
    assert len(await found(story, "god4")) == 1
    assert await found(other, "god4") == set()


async def test_a_retraction_empties_the_hub(olympus: Any) -> None:
    ew, story = await olympus("hub", MEMBERS, hub_from=5)
    await story.say("sam", SECRET, audience=["god0"], key="m1")
    await story.delivered()
    await story.retract("m1")
    await story.delivered()
    assert await ew.engine.store.list("pantheon-olympus") == []
    assert await found(story, "god4") == set()


async def test_what_a_hub_holds_of_a_forgotten_story_is_not_known_in_a_new_one_of_the_same_id(olympus: Any) -> None:
    ew, story = await olympus("hub", MEMBERS, hub_from=5)
    await story.say("sam", SECRET, audience=["god0"])
    await story.delivered()
    await ew.forget("hub")
    assert await ew.engine.store.list("pantheon-olympus") == []
    again = await ew.session("hub", cast=[Character(id) for id in GODS])
    assert await found(again, "god4") == set()


@pytest.mark.parametrize("manner", ["witnessed", "gossip"])
async def test_a_prompt_says_how_the_circle_knows_and_on_which_day_it_was_said(olympus: Any, manner: str) -> None:
    prompts = []
    for name, hub_from in (("copies", 99), ("hub", 5)):
        _, story = await olympus(name, MEMBERS, **{"as": manner}, hub_from=hub_from, delay=1)
        await story.say("sam", SECRET, audience=["god0"])
        await story.change(game_day=4)
        await story.delivered()
        text = (await story.turn("god4", query="the flood", in_prompt=[])).text()
        prompts.append([line for line in text.splitlines() if SECRET in line])
    told = "You witnessed" if manner == "witnessed" else "God0 told you (day 2)"
    assert prompts[0] == prompts[1] == [f"1. {told}: Sam, on day 1: {SECRET}"]


@pytest.mark.parametrize("audience", [[], ["god1"]], ids=["told by the wearer", "told by a listener"])
async def test_what_was_said_in_disguise_is_not_unmasked_by_a_hub(olympus: Any, audience: list[str]) -> None:
    prompts = []
    for name, hub_from in (("copies", 99), ("hub", 5)):
        ew, story = await olympus(name, MEMBERS, hub_from=hub_from)
        await story.say("god0", SECRET, audience=audience, speak_as="Hooded Stranger")
        await story.delivered()
        assert await ew.engine.store.list("pantheon-olympus") == []
        before = await story.turn("god4", query="the flood", in_prompt=[])
        await story.unmask("god0", audience=["god4"])
        await story.delivered()
        after = await story.turn("god4", query="the flood", in_prompt=[])
        assert "god0" not in f"{before.text()} {[each.memory.metadata for each in before.memories]}".casefold()
        prompts.append((before.text(), after.text()))
    copies, hub = prompts
    assert copies == hub
    assert "God0 (as Hooded Stranger)" in hub[1]


@pytest.mark.parametrize("delay", [0, 2])
async def test_who_joins_the_story_later_does_not_read_what_was_told_before(olympus: Any, delay: int) -> None:
    members = f"{MEMBERS}    - id: newcomer\n"
    for name, hub_from in (("copies", 99), ("hub", 5)):
        _, story = await olympus(name, members, hub_from=hub_from, delay=delay)
        await story.say("sam", SECRET, audience=["god0"])
        await story.join("newcomer")
        await story.say("sam", f"{SECRET} So they say again.", audience=["god0"])
        await story.change(game_day=4)
        await story.delivered()
        (branch, _) = (await story.fork(f"{name}-branch"), await story.delivered())
        for each in (story, branch):
            texts = [one.text for one in (await each.turn("newcomer", query=SECRET, in_prompt=[])).memories]
            assert len(texts) == 1
            assert "So they say again." in texts[0]
            assert len((await each.turn("god4", query=SECRET, in_prompt=[])).memories) == 2


@pytest.mark.parametrize("everywhere", [False, True], ids=["in the story", "in all stories"])
async def test_who_is_made_a_member_later_does_not_read_what_was_told_before(olympus: Any, everywhere: bool) -> None:
    for name, hub_from in (("copies", 99), ("hub", 5)):
        ew, story = await olympus(name, MEMBERS, hub_from=hub_from)
        pantheons = (ew if everywhere else story).relationships.pantheons
        await story.say("sam", SECRET, audience=["god0"])
        await story.delivered()
        await pantheons.add_member("olympus", "mortal")
        await story.say("sam", f"{SECRET} So they say again.", audience=["god0"])
        await story.delivered()
        for _ in range(2):
            texts = [one.text for one in (await story.turn("mortal", query=SECRET, in_prompt=[])).memories]
            assert len(texts) == 1
            assert "So they say again." in texts[0]
            await pantheons.change_member("olympus", "mortal", role="observer")
        assert len((await story.turn("god4", query=SECRET, in_prompt=[])).memories) == 2


async def test_who_is_made_a_member_on_the_day_of_an_arrival_reads_what_arrives_later(olympus: Any) -> None:
    for name, hub_from in (("copies", 99), ("hub", 5)):
        _, story = await olympus(name, MEMBERS, hub_from=hub_from, delay=1)
        await story.say("sam", SECRET, audience=["god0"])
        await story.change(game_day=2)
        await story.relationships.pantheons.add_member("olympus", "mortal")
        await story.say("sam", f"{SECRET} So they say again.", audience=["god0"])
        await story.change(game_day=3)
        await story.delivered()
        texts = [one.text for one in (await story.turn("mortal", query=SECRET, in_prompt=[])).memories]
        assert len(texts) == 1
        assert "So they say again." in texts[0]


class FromTheTitans:
    """Asks for the container of a pantheon, whoever reads."""

    async def reads(self, event: ReadProviderEvent) -> list[ReadRequest]:
        return [ReadRequest(container="pantheon-titans", section="titans", number=8)]


async def test_what_was_told_in_a_pantheon_that_is_no_more_nobody_reads(open_app: Opener, tmp_path: Path) -> None:
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    ew = await open_app(relationships={"graph": graph}, read_providers=[FromTheTitans()])
    story = await ew.session("s1", cast=[Character("atlas")])
    titans = pantheon_container("titans")
    await ew.register(titans)
    await ew.admit(titans, EVERYBODY)
    for type in ("told", "note"):
        await story.remember(None, f"A {type}: rain.", container=titans, type=type)
    await story.delivered()
    turn = await story.turn("atlas", query="rain", in_prompt=[])
    assert [each.memory.text for each in turn.sections()["titans"]] == ["A note: rain."]


async def test_who_knows_counts_those_who_read_it_in_a_hub_on_the_days_of_their_membership(olympus: Any) -> None:
    members = MEMBERS.replace("id: god3\n", "id: god3\n      since: 4\n")
    _, story = await olympus("hub", members, hub_from=5, delay=2)
    await story.say("sam", SECRET, audience=["god0"], key="m1")
    assert str(await story.backstage().who_knows(SECRET)).count("nothing found") == 6
    await story.change(game_day=3)
    known = await story.backstage().who_knows(SECRET)
    assert str(known).splitlines() == [
        "god0: heard it from sam on day 1",
        "god1: reads it in the hub of olympus since day 3",
        "god2: reads it in the hub of olympus since day 3",
        "god3: nothing found",
        "god4: reads it in the hub of olympus since day 3",
        "god5: reads it in the hub of olympus since day 3",
        "mortal: nothing found",
        "sam: said it on day 1",
    ]
    assert known.knowers["god1"].learned == Learned(way="told", teller="god0")
    await story.retract("m1")
    assert not any(each.knows for each in (await story.backstage().who_knows(SECRET)).knowers.values())


PASSING_ON = """
olympus:
  rules: {propagate_all: true, hub_from: FROM, delay: 1, retell: RETELL}
  members: [god0, god1, god2, god3]
  relationships:
    - {from: god2, to: mortal, type: friend, rules: {gossip_about_others: true, delay: 1, max_hops: 9}}
titans:
  rules: {propagate_all: true, hub_from: FROM, max_hops: 9, delay: 2}
  members: [god3, god4, god5]
"""


@pytest.fixture
def passing_on(open_app: Opener, tmp_path: Path) -> Callable[..., Awaitable[tuple[Earwitness, Session]]]:
    async def opened(hub_from: int, retell: str = "verbatim", **given: Any) -> tuple[Earwitness, Session]:
        file = tmp_path / f"{hub_from}.yaml"
        file.write_text(PASSING_ON.replace("FROM", str(hub_from)).replace("RETELL", retell))
        graph = {"name": "networkx", "path": str(tmp_path / f"{hub_from}.db")}
        ew = await open_app(relationships={"rules": str(file), "graph": graph}, **given)
        cast = [*(Character(id) for id in GODS), Character("mortal"), Character("sam", kind="persona", user_id="u")]
        return ew, await ew.session("s1", cast=cast)

    return opened


async def test_who_read_it_in_a_hub_tells_it_on_to_others_and_into_other_hubs(passing_on: Any) -> None:
    answers = []
    for hub_from in (99, 2):
        _, story = await passing_on(hub_from)
        await story.say("sam", SECRET, audience=["god0"])
        for day in (1, 2, 3, 4, 5):
            await story.change(game_day=day)
            await story.delivered()
            answers.append({who: await found(story, who) for who in (*GODS, "mortal")})
    copies, hubs = answers[:5], answers[5:]
    assert copies == hubs
    assert hubs[-1]["mortal"] == {("shared", "god2", "olympus", 2)}


async def test_what_a_hub_was_told_while_the_rule_failed_is_told_on_when_it_answers_again(
    passing_on: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, story = await passing_on(2, strict=False)
    await story.say("sam", SECRET, audience=["god0"])
    await story.delivered()
    with monkeypatch.context() as away:
        away.setattr(RelationshipsSharing, "share", no_answer)
        for day in (2, 3, 4):
            await story.change(game_day=day)
            await story.delivered()
    await story.change(game_day=9)
    await story.delivered()
    await story.change(game_day=12)
    await story.delivered()
    assert await found(story, "mortal") == {("shared", "god2", "olympus", 2)}


async def no_answer(*_: object) -> None:
    raise ConnectionError("the graph is away")


async def test_a_hub_is_told_in_the_words_that_the_rules_choose(passing_on: Any) -> None:
    ew, story = await passing_on(2, retell="summary")
    dull = " ".join(f"And then there was the matter of item {number}." for number in range(40))
    await story.say("sam", f"{SECRET} {dull}", audience=["god0"])
    await story.change(game_day=2)
    await story.delivered()
    (told,) = await ew.engine.store.list("pantheon-olympus")
    assert 0 < len(told.text) < 300


async def test_a_branch_reads_what_hubs_held_before_it_and_nothing_of_its_parent_since(olympus: Any) -> None:
    ew, story = await olympus("hub", MEMBERS, hub_from=5)
    await story.say("sam", SECRET, audience=["god0"], key="m1")
    branch = await story.fork("branch")
    await story.say("sam", f"{SECRET} So they say at home.", audience=["god0"])
    await branch.say("sam", f"{SECRET} So they say abroad.", audience=["god1"])
    for each, other in ((story, "abroad."), (branch, "home.")):
        await each.delivered()
        texts = [one.text for one in (await each.turn("god4", query=SECRET, in_prompt=[])).memories]
        assert len(texts) == 2
        assert not any(other in text for text in texts)
    await story.retract("m1")
    await story.delivered()
    await ew.forget("hub")
    assert len((await branch.turn("god4", query=SECRET, in_prompt=[])).memories) == 2
    await branch.retract("m1")
    await branch.delivered()
    assert len((await branch.turn("god4", query=SECRET, in_prompt=[])).memories) == 1


async def test_a_hub_forgets_what_none_of_its_tellers_knows_any_more(olympus: Any) -> None:
    ew, story = await olympus("hub", MEMBERS, hub_from=5)
    await story.say("sam", SECRET, audience=["god0", "god1"])
    await story.delivered()
    assert len(await ew.engine.store.list("pantheon-olympus")) == 1
    for teller, left in (("god0", 1), ("god1", 0)):
        (own,) = (await story.backstage().inspect(teller)).memories
        await story.retract(own.id)
        await story.delivered()
        assert len(await ew.engine.store.list("pantheon-olympus")) == left
        assert len(await found(story, "god4")) == left


async def test_an_edit_changes_what_a_hub_says(olympus: Any) -> None:
    ew, story = await olympus("hub", MEMBERS, hub_from=5)
    await story.say("sam", "It will be dry.", audience=["god0"], key="m1")
    await story.delivered()
    await story.edit("m1", SECRET)
    await story.delivered()
    assert [each.text for each in await ew.engine.store.list("pantheon-olympus")] == [f"Sam: {SECRET}"]
    assert len(await found(story, "god4")) == 1


@pytest.mark.parametrize(
    "rules", [{}, {"gossip_about_others": True, "share_with": ("stranger",)}], ids=["plain", "passed on"]
)
def test_a_message_into_a_hub_costs_the_same_for_ten_members_and_two_thousand(rules: dict[str, Any]) -> None:
    assert calls_of_a_walk(2_000, rules) == pytest.approx(calls_of_a_walk(10, rules), abs=10)


def calls_of_a_walk(number: int, rules: dict[str, Any]) -> int:
    """How many calls it takes to find out who learns a message, once the rules are compiled."""
    members = tuple(Member(personality_id=f"m{each:05}") for each in range(number))
    made = Rules(propagate_all=True, hub_from=2, **rules)
    adjacency = Adjacency(RuleBook(pantheons=(Pantheon(slug="crowd", rules=made, members=members),)))
    among = {each.personality_id for each in members} | {"stranger"}
    calls = 0

    def counted(frame: object, event: str, value: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    for is_counted in (False, True):
        seed = Seed(key="k", day=1, speaker="m00000", direct={"m00000": "speaker"})
        walk = HubWalk(adjacency, seed, until=1, heard=None, tellings_before=0, among=among, hubs=[])
        sys.setprofile(counted if is_counted else None)
        walk.run()
        found = [*walk.tellings()], [*walk.hub_tellings()]
        sys.setprofile(None)
    assert [each.slug for each in found[1]] == ["crowd"]
    assert len(found[0]) == (2 if rules else 0)
    return calls
