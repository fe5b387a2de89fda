"""World updates and moves feed the story's graph, where the rule file says so."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from earwitness import Channel, Earwitness, Movement, Session, State, Update, Whereabouts
from earwitness_relationships.graph import Fact, Relation
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.rules import rules_text
from earwitness_relationships.rules.feeds import fed_facts, placed_facts, places_of

FEEDS = rules_text(
    "inn: {}\nfeeds: {item_acquired: OWNS, item_lost: {relation: OWNS, ends: true}, moved: LOCATED_IN, "
    "met: {relation: KNOWS, target: whom}}"
).feeds


def told(*updates: Update, graph: GraphView | None = None, day: float = 5) -> list[str]:
    view = graph or GraphView()
    return [_said(each) for each in fed_facts(FEEDS, updates, {"ann": "p-ann", "tom": "p-tom"}, view, day)]


def _said(fact: Fact) -> str:
    if fact.node is not None:
        return f"{fact.node.kind} {fact.node.id}"
    relation = fact.relation
    assert relation is not None
    return f"{fact.op} {relation.source} {relation.type} {relation.target} {relation.since}-{relation.until}"


def update(kind: str, who: str | None = "ann", **metadata: str) -> Update:
    return Update(description="…", type="character_update", update_type=kind, character=who, metadata=metadata)


def owns(who: str, item: str, since: float, until: float | None = None) -> Fact:
    return Fact(relation=Relation(source=who, target=item, type="OWNS", since=since, until=until))


def test_who_acquires_an_item_owns_it_from_that_day_on() -> None:
    assert told(update("item_acquired", item="Sacred  Sword")) == [
        "Item Sacred Sword",
        "assert p-ann OWNS Sacred Sword 5-None",
    ]


@pytest.mark.parametrize("key", ["item", "item_name", "itemName"])
def test_the_item_may_be_named_in_several_ways(key: str) -> None:
    assert told(update("itemAcquired", **{key: "sword"}))[0] == "Item sword"


def test_it_is_no_longer_the_former_owners() -> None:
    graph = GraphView.of([owns("p-tom", "sword", 2)])
    assert told(update("item_acquired", item="sword"), graph=graph) == [
        "end p-tom OWNS sword 2-4",
        "assert p-ann OWNS sword 5-None",
    ]


def test_what_is_so_already_makes_no_fact() -> None:
    graph = GraphView.of([owns("p-ann", "sword", 2)])
    assert told(update("item_acquired", item="sword"), graph=graph) == []


def test_an_update_may_end_a_relation() -> None:
    graph = GraphView.of([owns("p-ann", "sword", 2)])
    assert told(update("item_lost", item="sword"), graph=graph) == ["end p-ann OWNS sword 2-5"]
    assert told(update("item_lost", item="shield"), graph=graph) == []


def test_the_target_may_be_a_character() -> None:
    assert told(update("met", whom="tom")) == ["assert p-ann KNOWS p-tom 5-None"]


@pytest.mark.parametrize("odd", [update("sneezed"), update("item_acquired"), update("item_acquired", None, item="x")])
def test_an_update_without_a_target_or_a_character_makes_none(odd: Update) -> None:
    assert told(odd) == []


def test_everybody_is_at_one_place() -> None:
    graph = GraphView.of([Fact(relation=Relation(source="p-ann", target="inn", type="LOCATED_IN", since=2))])
    found = placed_facts(FEEDS, {"ann": "mill", "tom": None}, {"ann": "p-ann"}, graph, 5)
    assert [_said(each) for each in found] == [
        "Location mill",
        "end p-ann LOCATED_IN inn 2-4",
        "assert p-ann LOCATED_IN mill 5-None",
    ]


def test_who_goes_and_comes_back_on_one_day_was_never_away() -> None:
    view = GraphView.of([Fact(relation=Relation(source="ann", target="inn", type="LOCATED_IN", since=2))])
    for place in ("mill", "inn"):
        view = view.with_facts(placed_facts(FEEDS, {"ann": place}, {}, view, 5))
    assert [each.target for each in view.relations_of("ann", ["LOCATED_IN"], day=6)] == ["inn"]
    assert [each.target for each in view.relations_of("ann", ["LOCATED_IN"], day=5)] == ["inn"]


@pytest.mark.parametrize(("since", "day"), [(4, 5), (4.5, 5), (4, 4.5), (None, 5)])
def test_nobody_is_at_two_places_on_the_day_of_a_move(since: float | None, day: float) -> None:
    view = GraphView.of([Fact(relation=Relation(source="ann", target="inn", type="LOCATED_IN", since=since))])
    view = view.with_facts(placed_facts(FEEDS, {"ann": "mill"}, {}, view, day))
    assert [each.target for each in view.relations_of("ann", ["LOCATED_IN"], day=day)] == ["mill"]
    assert [each.target for each in view.relations_of("ann", ["LOCATED_IN"], day=since or 4)] == ["inn"]


def test_a_message_may_say_where_somebody_goes() -> None:
    state = State(current_scene="inn", whereabouts={"ann": Whereabouts(here=True), "tom": Whereabouts(place="mill")})
    moves = [Movement(character="ann", kind="move", place="yard"), Movement(character="tom", kind="enter")]
    assert places_of(state) == {"ann": "inn", "tom": "mill"}
    assert places_of(state, moves) == {"ann": "yard", "tom": "inn"}


# ── in a story ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Session]:
    (tmp_path / "rules.yaml").write_text(
        "inn: {members: [ann, tom]}\nfeeds: {item_acquired: OWNS, moved: LOCATED_IN}\n"
    )
    settings = {"path": str(tmp_path / "s.db"), "relationships": {"rules": str(tmp_path / "rules.yaml")}}
    async with Earwitness.open(settings=settings, strict=True) as ew:
        state = {"game_day": 5, "current_scene": "inn"}
        yield await ew.session("s1", cast=["ann", "tom"], state=state, present=["ann", "tom"])


async def related(story: Session, who: str) -> dict[str, str]:
    found = await story.relationships.relations(who, direction="out", types=["OWNS", "LOCATED_IN"])
    return {each.type: each.target for each in found}


async def test_a_hosts_update_feeds_the_graph_and_its_retraction_takes_it_back(story: Session) -> None:
    outcome = await story.update("Ann found the sword", character="ann", type="item_acquired", item="sword")
    assert await related(story, "ann") == {"OWNS": "sword", "LOCATED_IN": "inn"}
    await (await story.retract(outcome.key)).settled()
    assert "OWNS" not in await related(story, "ann")


async def test_what_a_message_does_feeds_the_graph(story: Session) -> None:
    await (await story.say("ann", "*picks up the lantern* Come, Tom.")).settled()
    assert (await related(story, "ann"))["OWNS"] == "lantern"


async def test_who_moves_comes_or_goes_by_the_hosts_word_is_there_in_the_graph_at_once(story: Session) -> None:
    await (await story.say("ann", "Tom, go to the mill.")).settled()
    assert (await related(story, "tom"))["LOCATED_IN"] == "inn"
    moved = await story.move("tom", "mill")
    assert (await related(story, "tom"))["LOCATED_IN"] == "mill"
    await (await story.retract(moved.key)).settled()
    assert (await related(story, "tom"))["LOCATED_IN"] == "inn"
    await story.leave("tom", to="yard")
    assert (await related(story, "tom"))["LOCATED_IN"] == "yard"
    await story.enter("tom")
    assert (await related(story, "tom"))["LOCATED_IN"] == "inn"
    await story.leave("tom")
    await story.change(game_day=6)
    assert "LOCATED_IN" not in await related(story, "tom")


async def test_what_comes_after_a_retracted_move_does_not_put_it_back(story: Session) -> None:
    await story.change(game_day=6)
    moved = await story.move("tom", "mill")
    await story.retract(moved.key)
    await story.change(game_day=7)
    await (await story.move("ann", "yard")).settled()
    assert (await related(story, "tom"))["LOCATED_IN"] == "inn"
    assert story.state.whereabouts["tom"].here


async def test_what_is_said_at_a_place_and_a_channel_at_a_place_put_people_there(story: Session) -> None:
    await (await story.say("ann", "Here we are.", place="mill", present=["tom"])).settled()
    assert (await related(story, "ann"))["LOCATED_IN"] == "mill"
    await story.channel(Channel(channel_id="c1"), ["tom"], place="yard")
    assert (await related(story, "tom"))["LOCATED_IN"] == "yard"


async def test_without_the_table_the_plugin_is_not_there(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "bare.db", strict=True) as ew:
        story = await ew.session("s1", cast=["ann"])
        await (await story.update("Ann found it", character="ann", type="item_acquired", item="x")).settled()
        assert story.state.facts == {}


async def test_a_feed_leaves_the_rules_of_a_users_group_alone_and_takes_none_away(story: Session) -> None:
    inns, theirs = story.relationships, story.relationships.acting(role="author", user="u2")
    await theirs.pantheons.create("own", members=["ann", "tom"])
    await theirs.relate("ann", "sword", "OWNS", rules=["share_direct_interactions"], pantheon="own", since=5)
    await inns.relate("tom", "ring", "OWNS", rules=["gossip_about_others"], pantheon="inn", since=5, until=5)
    await story.update("Tom found the sword", character="tom", type="item_acquired", item="sword")
    await story.update("Tom found the ring", character="tom", type="item_acquired", item="ring")
    await story.change(game_day=6)
    held = {who: await inns.relations(who, direction="out", types=["OWNS"]) for who in ("ann", "tom")}
    assert [each.attributes.get("pantheon") for each in held["ann"]] == ["own"]
    assert {each.target: each.attributes.get("pantheon") for each in held["tom"]} == {"ring": "inn", "sword": None}
