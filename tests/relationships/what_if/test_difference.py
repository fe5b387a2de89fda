"""Two rule books beside each other: who would have learned what else in a story."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Earwitness, Session
from earwitness.records.prose import gist
from earwitness_relationships.propagation.triage import Passing, TriageAnswer
from earwitness_relationships.rules.file import rules_text
from earwitness_relationships.what_if import RulesDifference, rules_difference

Opener = Callable[..., Awaitable[Earwitness]]
OLD = "hotel: {members: [charlie, {id: vaggie, rules: {share_with: [husk]}}, husk], rules: {delay: 2}}"
TELLS = """hotel:
  rules: {delay: 2, max_hops: 2}
  members: [{id: charlie, rules: {share_with: [vaggie]}}, {id: vaggie, rules: {share_with: [husk]}}, husk]
"""


@pytest.fixture
async def app(open_app: Opener, tmp_path: Path) -> Earwitness:
    return await open_app(detector="everyone")


async def played(app: Earwitness, day: float) -> Session:
    story = await app.session("s1", cast=["charlie", "vaggie", "husk", "sam"])
    await story.say("sam", "I am in trouble.", key="m1", audience=["charlie"])
    await story.say("sam", "Husk snores.", key="m2", audience=["vaggie"])
    await story.change(game_day=day)
    return story


async def compared(app: Earwitness, day: float, old: str = OLD, new: str = TELLS) -> RulesDifference:
    return await rules_difference(app, await played(app, day), rules_text(old), rules_text(new))


async def test_it_names_who_would_have_learned_what_by_now(app: Earwitness) -> None:
    assert str(await compared(app, 9)).splitlines() == [
        "husk: nothing → shared by vaggie on day 5: I am in trouble.",
        "vaggie: nothing → shared by charlie on day 3: I am in trouble.",
    ]


async def test_what_would_arrive_later_is_no_difference_yet(app: Earwitness) -> None:
    assert [each.character for each in (await compared(app, 4)).changes] == ["vaggie"]


async def test_the_other_way_round_they_would_not_have_learned_it(app: Earwitness) -> None:
    assert [each.new for each in (await compared(app, 9, TELLS, OLD)).changes] == [None, None]


async def test_the_same_rules_make_no_difference(app: Earwitness) -> None:
    found = await compared(app, 9, TELLS, TELLS)
    assert (found.messages, found.changes) == (2, ())
    assert str(found) == "the same characters would have learned the same"


async def test_it_writes_nothing(app: Earwitness) -> None:
    story = await played(app, 9)
    before = await story.backstage().journal()
    await rules_difference(app, story, rules_text(OLD), rules_text(TELLS))
    assert await story.backstage().journal() == before


RELATED = (
    "hotel: {members: [charlie, vaggie, husk], rules: {share_direct_interactions: true, relation_types: [couple]}}"
)


async def test_relations_count_as_they_were_when_each_message_was_said(open_app: Opener) -> None:
    app = await open_app(detector="everyone", relationships={})
    story = await app.session("s1", cast=["charlie", "vaggie", "husk", "sam"])
    relations = story.relationships
    await story.say("sam", "Before they met.", key="m1", audience=["charlie"])
    await relations.relate("charlie", "vaggie", "couple", since=0)
    await story.say("sam", "While they were a couple.", key="m2", audience=["charlie"])
    await story.change(game_day=2)
    await relations.end("charlie", "vaggie", "couple", until=1)
    await story.say("sam", "After they parted.", key="m3", audience=["charlie"])
    found = await rules_difference(app, story, rules_text("hotel: {members: [charlie]}"), rules_text(RELATED))
    assert str(found).splitlines() == ["vaggie: nothing → shared by charlie on day 1: While they were a couple."]


async def test_pantheons_count_as_they_were_when_each_message_was_said(open_app: Opener) -> None:
    app = await open_app(detector="everyone", relationships={})
    story = await app.session("s1", cast=["charlie", "vaggie", "sam"])
    await story.say("sam", "Before the club.", key="m1", audience=["charlie"])
    await story.relationships.pantheons.create("club", members=["charlie", "vaggie"], rules=["propagate_all"])
    await story.say("sam", "In the club.", key="m2", audience=["charlie"])
    await story.relationships.pantheons.remove("club")
    await story.say("sam", "After the club.", key="m3", audience=["charlie"])
    nothing = rules_text("other: {members: [husk]}")
    everybody = rules_text("club: {members: [charlie, vaggie], rules: [propagate_all]}")
    assert (await rules_difference(app, story, nothing, nothing)).changes == ()
    found = await rules_difference(app, story, everybody, nothing)
    assert [(each.message, each.character, each.new) for each in found.changes] == [
        ("m1", "vaggie", None),
        ("m3", "vaggie", None),
    ]


async def test_flags_count_as_they_were_when_each_message_was_said(app: Earwitness) -> None:
    story = await app.session("s1", cast=["charlie", "vaggie", "sam"])
    await story.say("sam", "Before the curfew.", key="m1", audience=["charlie"])
    await story.change(flags={"curfew": True})
    await story.say("sam", "In the curfew.", key="m2", audience=["charlie"])
    await story.change(flags={"curfew": False})
    rules = "{share_with: [vaggie], conditions: {flags: {curfew: true}}}"
    new = rules_text(f"hotel: {{members: [{{id: charlie, rules: {rules}}}, vaggie]}}")
    found = await rules_difference(app, story, rules_text("hotel: {members: [charlie]}"), new)
    assert [each.message for each in found.changes] == ["m2"]


async def test_the_graph_of_all_stories_counts_as_it_was(open_app: Opener, tmp_path: Path) -> None:
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    app = await open_app(detector="everyone", relationships={"graph": graph})
    story = await app.session("s1", cast=["charlie", "vaggie", "husk", "sam"])
    await story.say("sam", "Before they met.", key="m1", audience=["charlie"])
    await story.settled()
    await app.relationships.relate("charlie", "vaggie", "couple")
    await story.say("sam", "While they were a couple.", key="m2", audience=["charlie"])
    await story.settled()
    await app.relationships.end("charlie", "vaggie", "couple", until=0)
    await story.say("sam", "After that.", key="m3", audience=["charlie"])
    found = await rules_difference(app, story, rules_text("hotel: {members: [charlie]}"), rules_text(RELATED))
    assert [each.message for each in found.changes] == ["m2"]


NOBODY = "hotel: {members: [charlie, vaggie, husk]}"
SUMMED_UP = TELLS.replace("max_hops: 2", "max_hops: 2, when: conversation")


async def test_summaries_are_told_of_the_conversations_that_were_closed(open_app: Opener) -> None:
    app = await open_app(detector="everyone", relationships={})
    story = await app.session("s1", cast=["charlie", "vaggie", "husk", "sam"])
    lobby = Channel(channel_id="lobby")
    await story.say("sam", "I lost my job.", key="m1", audience=["charlie"], channel=lobby)
    await story.say("sam", "And my flat.", key="m2", audience=["charlie"], channel=lobby)
    await story.close_conversation("lobby")
    await story.say("sam", "My cat is ill.", key="m3", audience=["charlie"], channel=lobby)
    await story.change(game_day=9)
    found = await rules_difference(app, story, rules_text(NOBODY), rules_text(SUMMED_UP))
    assert str(found).splitlines() == [
        "husk: nothing → shared by vaggie on day 5: a summary of 2 messages: Sam: I lost my job. Sam: And my flat.",
        "vaggie: nothing → shared by charlie on day 3: a summary of 2 messages: Sam: I lost my job. Sam: And my flat.",
    ]
    assert [each.summary_of for each in found.changes] == [("m1", "m2")] * 2
    message_by_message = await rules_difference(app, story, rules_text(SUMMED_UP), rules_text(TELLS))
    assert {each.message for each in message_by_message.changes if each.new and not each.old} == {"m1", "m2", "m3"}


async def test_the_summaries_are_those_that_closing_told(open_app: Opener, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(SUMMED_UP)
    app = await open_app(detector="everyone", relationships={"rules": str(tmp_path / "rules.yaml")})
    story = await app.session("s1", cast=["charlie", "vaggie", "husk", "sam"])
    await story.say("sam", "I lost my job.", key="m1", audience=["charlie"])
    await story.say("sam", "And my flat.", key="m2", audience=["charlie", "husk"])
    await story.close_conversation()
    await story.change(game_day=3)
    await story.change(game_day=5)
    await story.delivered()
    found = await rules_difference(app, story, rules_text(NOBODY), rules_text(SUMMED_UP))
    told = {}
    for who in ("vaggie", "husk"):
        for each in (await story.backstage().inspect(who)).memories:
            if "sharedFrom" in each.metadata:
                told[who] = (each.metadata["sharedFrom"], each.learned_day, gist(each.text))
    assert {each.character: (each.new.teller, each.new.day, each.said) for each in found.changes if each.new} == told
    assert told


@pytest.mark.parametrize("model", ["push", "pull", "push_pull", "sir", "linear_threshold"])
async def test_spreading_models_tell_as_they_did(open_app: Opener, tmp_path: Path, model: str) -> None:
    rumour = f"""hotel:
  rules: {{share_direct_interactions: true, share_with: [hotel], spreading: {model}, delay: 1, chance: 0.9}}
  members: [charlie, vaggie, husk]
"""
    (tmp_path / "rules.yaml").write_text(rumour)
    app = await open_app(detector="everyone", relationships={"rules": str(tmp_path / "rules.yaml")})
    story = await played(app, 1)
    for day in (2, 3, 4, 5):
        await story.change(game_day=day)
    await story.delivered()
    found = await rules_difference(app, story, rules_text(NOBODY), rules_text(rumour))
    told = set()
    for who in ("charlie", "vaggie", "husk"):
        for each in (await story.backstage().inspect(who)).memories:
            if "sharedFrom" in each.metadata:
                told.add((who, each.message_keys[0], each.metadata["sharedFrom"], each.learned_day))
    assert {(e.character, e.message, e.new.teller, e.new.day) for e in found.changes if e.new} == told
    assert told


QUICK = "hotel: {members: [{id: charlie, rules: {share_with: [vaggie], triage: quick}}, vaggie, husk]}"


class NoTrouble:
    """A triage that passes on no trouble."""

    def triage(self, passing: Passing) -> TriageAnswer:
        return TriageAnswer(decision="drop" if "trouble" in passing.text else "keep")


async def test_triages_are_asked(open_app: Opener) -> None:
    app = await open_app(detector="everyone", relationships={"triages": {"quick": f"{__name__}.NoTrouble"}})
    story = await played(app, 9)
    await story.say("sam", "I am fine.", key="m3", audience=["charlie"])
    found = await rules_difference(app, story, rules_text(NOBODY), rules_text(QUICK))
    assert [(each.message, each.character) for each in found.changes] == [("m3", "vaggie")]
    assert found.is_whole("new")


@pytest.mark.parametrize(("option", "why"), [("triage: quick", "quick"), ("spreading: gossip_mill", "gossip_mill")])
async def test_what_cannot_be_asked_is_named_and_left_out(app: Earwitness, option: str, why: str) -> None:
    rules = QUICK.replace("triage: quick", option)
    found = await compared(app, 9, NOBODY, rules)
    assert [(each.book, each.pantheon, each.option) for each in found.left_out] == [("new", "hotel", option)]
    assert why in found.left_out[0].why
    assert f"not compared: {option} of hotel, under the new rules" in str(found)
    assert (found.is_whole("old"), found.is_whole("new")) == (True, False)


# ── what had been on its way ────────────────────────────────────────────────────────────────────────────────────────

LATE_BY_PANTHEON = "hotel: {members: [charlie, vaggie, husk], rules: {propagate_all: true, delay: 2}}"
LATE_BY_COUPLE = """
hotel:
  members: [charlie, vaggie, husk]
  relationships:
    - {from: charlie, to: vaggie, type: couple, rules: [share_direct_interactions, {delay: 2}]}
    - {from: vaggie, to: husk, type: friend, rules: [gossip_about_others, {delay: 1}]}
"""
NOTHING = "hotel: {members: [charlie, vaggie, husk]}"


@pytest.mark.parametrize(
    ("rules", "ends", "left"),
    [
        (LATE_BY_PANTHEON, lambda of: of.pantheons.end_member("hotel", "vaggie", until=1), ["husk"]),
        (LATE_BY_PANTHEON, lambda of: of.pantheons.remove_member("hotel", "vaggie"), ["husk"]),
        (LATE_BY_PANTHEON, lambda of: of.pantheons.end_member("hotel", "charlie", until=1), []),
        (LATE_BY_COUPLE, lambda of: of.end("charlie", "vaggie", "couple", until=1), []),
        (LATE_BY_COUPLE, lambda of: of.end("vaggie", "husk", "friend", until=1), ["vaggie"]),
    ],
)
async def test_what_was_struck_on_the_day_it_arrived_was_not_learned(
    open_app: Opener, tmp_path: Path, rules: str, ends: Any, left: list[str]
) -> None:
    (tmp_path / "late.yaml").write_text(rules)
    app = await open_app(detector="everyone", relationships={"rules": str(tmp_path / "late.yaml")})
    story = await app.session("s1", cast=["charlie", "vaggie", "husk", "sam"])
    await story.say("sam", "I am in trouble.", key="m1", audience=["charlie"])
    await ends(story.relationships)
    await story.change(game_day=9)
    found = await rules_difference(app, story, rules_text(rules), rules_text(NOTHING))
    assert [each.character for each in found.changes] == left
    learned = {who for who in ("vaggie", "husk") if (await story.turn(who, query="trouble", in_prompt=[])).memories}
    assert learned == set(left)


async def test_what_ended_after_it_had_arrived_was_learned(open_app: Opener, tmp_path: Path) -> None:
    (tmp_path / "late.yaml").write_text(LATE_BY_COUPLE)
    app = await open_app(detector="everyone", relationships={"rules": str(tmp_path / "late.yaml")})
    story = await app.session("s1", cast=["charlie", "vaggie", "husk", "sam"])
    await story.say("sam", "I am in trouble.", key="m1", audience=["charlie"])
    await story.change(game_day=3)
    await story.relationships.end("charlie", "vaggie", "couple", until=2)
    await story.change(game_day=9)
    found = await rules_difference(app, story, rules_text(LATE_BY_COUPLE), rules_text(NOTHING))
    assert [each.character for each in found.changes] == ["husk", "vaggie"]
