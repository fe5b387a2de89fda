"""Whom a teller of a hub tells otherwise has a copy; several hubs, and hubs beside budgets, answer as copies do."""

from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path

import pytest

from earwitness import Earwitness, Session
from earwitness_relationships.propagation import Adjacency, Seed
from earwitness_relationships.propagation.hub_walk import HubWalk
from earwitness_relationships.rules import RuleBook
from earwitness_relationships.rules.records import Member, Pantheon, RelationshipRule, Rules

Opener = Callable[..., Awaitable[Earwitness]]
GODS = [f"god{number}" for number in range(6)]
SECRET = "The flood comes on the seventh day."
RULES = """
olympus:
  rules: {propagate_all: true, hub_from: FROM}
  members: [god0, god1, god2, god3, god4, god5]
  relationships:
    - {from: god0, to: god1, type: couple, rules: {as: witnessed, OWN}}
    - {from: god0, to: god2, type: friend, rules: [share_direct_interactions]}
    - {from: god3, to: god4, type: couple, rules: {propagate_all: false}}
"""


async def opened(open_app: Opener, folder: Path, rules: str, hub_from: int) -> tuple[Earwitness, Session]:
    file = folder / f"{hub_from}.yaml"
    file.write_text(rules.replace("FROM", str(hub_from)))
    graph = {"name": "networkx", "path": str(folder / f"{hub_from}.db")}
    ew = await open_app(relationships={"rules": str(file), "graph": graph})
    return ew, await ew.session(f"s{hub_from}", cast=[*GODS, "sam"])


async def known(story: Session) -> dict[str, list[tuple[object, ...]]]:
    await story.delivered()
    found = {}
    for who in GODS:
        turn = await story.turn(who, query=SECRET, in_prompt=[])
        data = [(each.memory.metadata, each.memory.learned_day) for each in turn.memories]
        found[who] = [(one.get("interactionType"), one.get("sharedFrom"), one.get("hop"), day) for one, day in data]
    return found


@pytest.mark.parametrize("delay", ["delay: 0", "delay: 2"])
@pytest.mark.parametrize("audience", [["god0"], ["god0", "god3"], ["god3"]], ids=str)
async def test_whom_a_teller_tells_otherwise_alone_has_a_copy_beside_the_hub(
    open_app: Opener, tmp_path: Path, audience: list[str], delay: str
) -> None:
    answers = []
    for hub_from in (99, 5):
        ew, story = await opened(open_app, tmp_path, RULES.replace("OWN", delay), hub_from)
        await story.say("sam", SECRET, audience=audience)
        answers.append(await known(story))
        await story.change(game_day=4)
        answers.append(await known(story))
    assert answers[:2] == answers[2:]
    assert answers[3]["god5"] != []
    copies = [who for who in GODS if who not in audience and (await story.backstage().inspect(who)).memories]
    assert copies == (["god1", "god2"] if "god0" in audience else []) + (
        ["god4"] if audience == ["god0", "god3"] else []
    )
    assert len(await ew.engine.store.list("pantheon-olympus")) == 1


TWO_HUBS = """
choir: {rules: {propagate_all: true, hub_from: FROM, delay: 2}, members: [god0, god1, god2, god3]}
bakers:
  rules: {propagate_all: true, hub_from: FROM, delay: 1, as: witnessed, max_hops: 2}
  members: [god3, god4, god5]
friends:
  relationships:
    - {from: god0, to: god4, rules: {share_direct_interactions: true, delay: 1, max_hops: 2}}
"""


async def test_what_will_have_been_read_in_one_hub_is_not_read_in_another_that_hears_of_it_later(
    open_app: Opener, tmp_path: Path
) -> None:
    answers = []
    for hub_from in (99, 2):
        _, story = await opened(open_app, tmp_path, TWO_HUBS, hub_from)
        await story.say("god0", SECRET, audience=[])
        for day in (2, 3):
            await story.change(game_day=day)
            answers.append(await known(story))
    assert answers[:2] == answers[2:]
    assert answers[3]["god3"] == [("shared", "god0", 1, 3.0)]


def test_relationships_of_every_member_do_not_make_each_message_into_a_hub_a_list_of_copies() -> None:
    members = tuple(Member(personality_id=f"m{each:03}") for each in range(200))
    pairs = [
        RelationshipRule(source=one.personality_id, target=other.personality_id, rules=Rules(manner="witnessed"))
        for one, other in pairwise(members)
    ]
    made = Rules(propagate_all=True, hub_from=2)
    book = RuleBook(pantheons=(Pantheon(slug="crowd", rules=made, members=members, relationships=tuple(pairs)),))
    seed = Seed(key="k", day=1, speaker="m000", direct={"m000": "speaker"})
    among = {each.personality_id for each in members}
    walk = HubWalk(Adjacency(book), seed, until=1, heard=None, tellings_before=0, among=among, hubs=[])
    walk.run()
    assert [each.listener for each in walk.tellings()] == ["m001"]
    (hub,) = walk.hub_tellings()
    assert hub.apart == ("m001",)
    assert len([*walk.readers_of(hub)]) == 198


BUDGET = """
choir: {rules: {propagate_all: true, hub_from: FROM, as: witnessed, budget: {message: 3}}, members: MEMBERS}
olympus: {rules: {propagate_all: true, hub_from: FROM}, members: MEMBERS}
"""


async def test_a_budget_counts_those_who_read_it_in_a_hub_as_it_would_count_their_copies(
    open_app: Opener, tmp_path: Path
) -> None:
    rules = BUDGET.replace("MEMBERS", "[god0, god1, god2, god3, god4, god5]")
    answers = []
    for hub_from in (99, 2):
        _, story = await opened(open_app, tmp_path, rules, hub_from)
        await story.say("god0", SECRET, audience=[])
        answers.append(await known(story))
    assert answers[0] == answers[1]
    assert [answers[1][who][0][0] for who in GODS[1:]] == ["witnessed"] * 3 + ["shared"] * 2
