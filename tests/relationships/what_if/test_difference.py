"""Two rule books beside each other: who would have learned what else in a story."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from earwitness import Earwitness, Session
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


async def test_it_says_what_of_the_rules_it_does_not_compare(app: Earwitness) -> None:
    summed_up = TELLS.replace("max_hops: 2", "max_hops: 2, when: conversation")
    found = await compared(app, 9, summed_up, TELLS)
    assert [str(each) for each in found.left_out] == ["when: conversation of hotel, under the old rules"]
    assert str(found).endswith("not compared: when: conversation of hotel, under the old rules")
    assert (found.is_whole("old"), found.is_whole("new")) == (False, True)


async def test_it_names_models_and_triages_once_for_each_pantheon(app: Earwitness) -> None:
    rumour = (
        "hotel: {members: [charlie, {id: vaggie, rules: {spreading: sir, triage: quick}}], rules: {spreading: sir}}"
    )
    found = await compared(app, 9, OLD, rumour)
    assert [each.option for each in found.left_out] == ["spreading: sir", "triage: quick"]
