"""What if: who would learn it, from whom, on which day, by which rule; and what stopped the others."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Session
from earwitness.backstage.preview import Preview
from earwitness_relationships.pictures import mermaid
from earwitness_relationships.what_if import preview_picture, spread_of

Opener = Callable[..., Awaitable[Earwitness]]
RULES = {
    "slug": "hotel",
    "rules": {"share_direct_interactions": True, "delay": 2, "max_hops": 3, "exclude_private": True},
    "members": [
        {"id": "charlie", "rules": {"share_with": ["vaggie"], "never_about": ["husk"]}},
        {"id": "vaggie", "rules": {"share_with": ["angel_dust"]}},
        "angel_dust",
    ],
}
CAST = [
    *(Character(id, name=id.title().replace("_", " ")) for id in ("charlie", "vaggie", "angel_dust", "husk")),
    Character("sam", kind="persona", user_id="u1"),
]


@pytest.fixture
async def story(open_app: Opener, tmp_path: Path) -> Session:
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    ew = await open_app(relationships={"rules": str(tmp_path / "rules.json"), "graph": graph}, detector="everyone")
    return await ew.session("s1", cast=CAST)


async def preview(story: Session, text: str = "I have had some troubles.", **given: Any) -> Preview:
    return await story.backstage().preview("sam", text, audience=["charlie"], **given)


async def test_it_says_who_would_be_told_today_and_why_not_the_others(story: Session) -> None:
    assert str(await preview(story)).splitlines()[3:] == [
        "  vaggie: would learn it on day 3 (was told by charlie; hotel:share_direct_interactions)",
        "  angel_dust: would not be told by vaggie (hotel:share_direct_interactions): only on day 5, later than asked",
        "  husk: would not be told: no rule tells them",
    ]


async def test_who_would_be_told_after_the_days_asked_for_is_not_said_to_be_told_by_no_rule(story: Session) -> None:
    (stop, husk) = (await preview(story, days=1)).stops
    assert (stop.character, stop.shared_from, stop.rule) == ("angel_dust", "vaggie", "hotel:share_direct_interactions")
    assert stop.reason == "only on day 5, later than asked"
    assert (husk.character, husk.reason) == ("husk", "no rule tells them")


async def test_it_plays_forward(story: Session) -> None:
    found = await preview(story, days=2)
    assert [(each.owner, each.support.learned_day) for each in found.tellings] == [("vaggie", 3), ("angel_dust", 5)]
    assert [each.character for each in found.stops] == ["husk"]
    assert [(each.listener, each.hop, each.teller) for each in spread_of(found).tellings] == [
        ("vaggie", 1, "charlie"),
        ("angel_dust", 2, "vaggie"),
    ]


async def test_what_it_foresees_is_what_then_happens(story: Session) -> None:
    foreseen = await preview(story, days=10)
    await story.say("sam", "I have had some troubles.", audience=["charlie"])
    await story.change(game_day=11)
    await story.delivered()
    for told in foreseen.tellings:
        (memory,) = (await story.backstage().inspect(told.owner)).memories
        assert (memory.learned_day, memory.metadata["sharedFrom"]) == (
            told.support.learned_day,
            told.support.shared_from,
        )
    (husk,) = [each for each in (await story.backstage().overview()).containers if each.owner == "husk"]
    assert husk.total == 0


@pytest.mark.parametrize(
    ("text", "given", "reason"),
    [
        ("I have had some troubles.", {"channel": Channel(context="dm")}, "direct message"),
        ("Husk drinks again.", {}, "never_about"),
    ],
)
async def test_each_stop_names_the_rule_that_stopped_it(
    story: Session, text: str, given: dict[str, Any], reason: str
) -> None:
    found = await preview(story, text, **given)
    assert found.tellings == ()
    (stop,) = [each for each in found.stops if each.character == "vaggie"]
    assert (stop.shared_from, stop.rule) == ("charlie", "hotel:share_direct_interactions")
    assert reason in stop.reason


async def test_a_preview_spends_no_budget_and_keeps_nothing(story: Session) -> None:
    first = str(await preview(story, days=5))
    for _ in range(3):
        assert str(await preview(story, days=5)) == first
    assert (await story.backstage().journal())[-1].key == "#begin"


async def test_the_way_of_the_message_is_drawn(story: Session) -> None:
    drawn = mermaid(preview_picture(await preview(story, days=2), story.cast))
    assert "Sam: I have had some troubles." in drawn
    assert "Vaggie<br>shared, day 3" in drawn
    assert "Angel Dust<br>shared, day 5" in drawn


async def test_the_picture_shows_all_who_perceive_it_and_has_no_box_without_a_name(story: Session) -> None:
    found = await story.backstage().preview("sam", "I have had some troubles.", audience=["charlie", "husk"])
    picture = preview_picture(found, story.cast)
    first_lines = {each.id: each.label.split("\n")[:2] for each in picture.nodes}
    assert {id: lines for id, lines in first_lines.items() if lines[1].startswith("perceived it")} == {
        "sam": ["Sam", "perceived it, day 1"],
        "charlie": ["Charlie", "perceived it, day 1"],
        "husk": ["Husk", "perceived it, day 1"],
    }
    (untold,) = [each for each in picture.nodes if each.id == "angel_dust"]
    assert untold.label == "Angel Dust\nis not told"
    (edge,) = [each for each in picture.arrows if each.target == "angel_dust"]
    assert "only on day 5" in edge.label
    assert all(each.id and each.label.split("\n")[0] for each in picture.nodes)
    assert all(each.source and each.target for each in picture.arrows)
