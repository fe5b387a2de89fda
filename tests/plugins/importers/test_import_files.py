"""Files come into a story, and go out of it again as they were."""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session
from earwitness.imports import Imported
from earwitness.loading.strategies import Strategies
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.applications.exports.files import File, files
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.applications.imports.import_files import import_files

from .making import V2, V3, WORLD, file, png, text, text_chunk

CHAT = [
    {"user_name": "Kim", "character_name": "Mira Vale", "chat_metadata": {}},
    {"name": "Mira Vale", "is_user": False, "mes": "Mind the gulls."},
    {"name": "Kim", "is_user": True, "mes": "Which gulls?"},
]


@pytest.fixture
async def ew() -> AsyncIterator[Earwitness]:
    """An instance that asks nobody."""
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    async with Earwitness.open(embedder="none", detector="everyone", strict=True, **strategies) as opened:
        yield opened


def read(*paths: str) -> list[Imported]:
    return [read_file(Strategies(), path) for path in paths]


async def held(story: Session, owner: str, type: str = "lore") -> list[str]:
    """What stands in a container of one type, without the words that find it."""
    found = (await story.backstage().inspect(owner)).memories
    return [each.content.rpartition("]\n")[2] for each in found if each.type == type]


async def exported(story: Session, format: str) -> Sequence[File]:
    return files(format, await story.backstage().before(), story.cast, story.id)


async def test_a_card_is_its_characters_and_its_scenario_everybodys(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "s", read(file(tmp_path, "mira.json", V2)))
    story = await ew.session("s", cast=["bo"])
    assert await held(story, "mira_vale", "character_card") == ["Mira Vale keeps the lighthouse.\n\nPersonality: Dry."]
    assert len(await held(story, "mira_vale", "example_dialog")) == 2
    assert await held(story, "mira_vale") == ["The lamp burns whale oil."]
    assert await held(story, "bo", "plot") == ["Mira Vale waits for User in the fog."]
    assert await held(story, "bo", "character_card") == await held(story, "bo") == []


async def test_a_world_tells_everybody_what_is_common_and_those_it_names_the_rest(
    ew: Earwitness, tmp_path: Path
) -> None:
    await ew.session("s", cast=[Character("mira", name="Mira Vale"), Character("bo")])
    await import_files(ew, "s", read(file(tmp_path, "world.json", WORLD)))
    story = await ew.open_session("s")
    assert await held(story, "mira") == ["It is frozen.", "Night lasts a month."]
    assert await held(story, "bo") == ["Night lasts a month."]
    assert (await held(await ew.session("s", cast=["new"]), "new")) == ["Night lasts a month."]


async def test_keys_find_an_entry(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "s", read(file(tmp_path, "mira.json", V2)))
    turn = await (await ew.open_session("s")).turn("mira_vale", query="light")
    best = max(found.score for found in turn.memories)
    assert any("whale oil" in found.text for found in turn.memories if found.score == best)


async def test_importing_again_changes_nothing(ew: Earwitness, tmp_path: Path) -> None:
    found = read(file(tmp_path, "mira.json", V2), file(tmp_path, "night.jsonl", CHAT))
    await import_files(ew, "s", found)
    before = [line async for line in (await ew.open_session("s")).backstage().export()]
    again = await import_files(ew, "s", found)
    assert again.new == 0
    assert [line async for line in (await ew.open_session("s")).backstage().export()] == before


async def test_a_changed_file_replaces_what_the_old_one_said(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "s", read(file(tmp_path, "world.json", WORLD)))
    changed = json.loads(json.dumps(WORLD).replace("lasts a month", "lasts a year"))
    await import_files(ew, "s", read(file(tmp_path, "world.json", changed)))
    story = await ew.open_session("s")
    assert "Night lasts a year." in await held(story, "world")
    assert "Night lasts a month." not in await held(story, "world")
    assert [each.data for each in await exported(story, "worldinfo")] == [text(changed)]


async def test_what_a_file_says_no_more_is_taken_back(ew: Earwitness, tmp_path: Path) -> None:
    entries = {
        "0": {"uid": 0, "key": [], "content": "The oil is gone.", "characterFilter": {"names": ["mira", "bo"]}},
        "1": {"uid": 1, "key": [], "content": "Gulls lie."},
    }
    await ew.session("s", cast=["mira", "bo"])
    await import_files(ew, "s", read(file(tmp_path, "other.json", WORLD)))
    await import_files(ew, "s", read(file(tmp_path, "world.json", {"entries": entries})))
    narrowed = {"0": {**entries["0"], "characterFilter": {"names": ["mira"]}}}
    await import_files(ew, "s", read(file(tmp_path, "world.json", {"entries": narrowed})))
    story = await ew.open_session("s")
    assert await held(story, "mira") == ["Night lasts a month.", "The oil is gone."]
    assert await held(story, "bo") == ["Night lasts a month."]
    assert len(await held(story, "world")) == 3, "what another file says stays"


async def test_lore_reaches_those_who_come_later_when_it_is_imported_again(ew: Earwitness, tmp_path: Path) -> None:
    world = file(tmp_path, "world.json", WORLD)
    first = await import_files(ew, "s", read(world))
    assert "'world/0' is known to Mira Vale, who is not here" in first.warnings[0]
    await import_files(ew, "s", read(file(tmp_path, "mira.json", V2)))
    again = await import_files(ew, "s", read(world))
    assert again.warnings == ()
    story = await ew.open_session("s")
    assert "It is frozen." in await held(story, "mira_vale")
    assert sorted(await held(story, "world")) == ["It is frozen.", "Night lasts a month.", "The lamp burns whale oil."]


async def test_a_chat_goes_on_in_a_story_whose_people_it_knows(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "s", read(file(tmp_path, "mira.json", V2)))
    result = await import_files(ew, "s", read(file(tmp_path, "night.jsonl", CHAT)))
    story = await ew.open_session("s")
    assert (result.messages, result.new) == (2, 2)
    assert [(each.id, each.kind) for each in story.cast] == [("mira_vale", "character"), ("kim", "persona")]
    assert len(await held(story, "mira_vale", "message")) == 2
    assert (await exported(story, "chat"))[0].data == (tmp_path / "night.jsonl").read_bytes()


async def test_two_chats_in_one_story_do_not_meet_under_one_key(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "s", read(file(tmp_path, "one.jsonl", CHAT), file(tmp_path, "two.jsonl", CHAT)))
    assert len(await held(await ew.open_session("s"), "kim", "message")) == 4


async def test_the_storys_persona_is_whom_cards_call_the_user(ew: Earwitness, tmp_path: Path) -> None:
    await ew.session("s", cast=[Character("kim", kind="persona")])
    await import_files(ew, "s", read(file(tmp_path, "mira.json", V2)))
    assert await held(await ew.open_session("s"), "kim", "plot") == ["Mira Vale waits for Kim in the fog."]


async def test_the_user_of_a_card_is_the_persona_who_joins_later_and_changes(ew: Earwitness, tmp_path: Path) -> None:
    found = read(file(tmp_path, "mira.json", V2))
    await import_files(ew, "s", found)
    assert await held(await ew.open_session("s"), "mira_vale", "plot") == ["Mira Vale waits for User in the fog."]
    for name in ("Kim", "Captain Kim"):
        story = await ew.session("s", cast=[Character("kim", name=name, kind="persona")])
        assert await held(story, "mira_vale", "plot") == [f"Mira Vale waits for {name} in the fog."]
    before = len(await story.backstage().journal())
    assert not (await import_files(ew, "s", found)).changed
    assert len(await story.backstage().journal()) == before


async def test_a_name_that_was_given_for_the_user_stays(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "s", read(file(tmp_path, "mira.json", V2)), user="Ana")
    story = await ew.session("s", cast=[Character("kim", kind="persona")])
    assert await held(story, "mira_vale", "plot") == ["Mira Vale waits for Ana in the fog."]


# ── out again ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_came_in_goes_out_to_the_letter(ew: Earwitness, tmp_path: Path) -> None:
    paths = [
        file(tmp_path, "one.png", png(text_chunk(V3, b"ccv3"))),
        file(tmp_path, "two.json", b"\xef\xbb\xbf" + text(V2)),
        file(tmp_path, "world.json", text(WORLD)),
    ]
    await import_files(ew, "s", read(*paths))
    story = await ew.open_session("s")
    cards = {each.name: each.data for each in await exported(story, "card")}
    assert cards == {"one.json": text(V3), "two.json": b"\xef\xbb\xbf" + text(V2)}
    assert [each.data for each in await exported(story, "worldinfo")] == [text(WORLD)]


async def test_it_goes_out_of_a_copy_of_the_story_too(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "s", read(file(tmp_path, "mira.json", V2)))
    story = await ew.open_session("s")
    copy = await ew.import_session([line async for line in story.backstage().export()], id="copy")
    for each in (copy, await story.fork("branch")):
        assert (await exported(each, "card"))[0].data == text(V2)


async def test_files_of_one_name_do_not_overwrite_each_other(ew: Earwitness, tmp_path: Path) -> None:
    other: dict[str, Any] = {**V2, "data": {**V2["data"], "name": "Bo"}}
    (tmp_path / "b").mkdir()
    await import_files(ew, "s", read(file(tmp_path, "card.json", V2), file(tmp_path / "b", "card.json", other)))
    names = [each.name for each in await exported(await ew.open_session("s"), "card")]
    assert names == ["card.json", "card-2.json"]


async def test_what_came_from_no_file_goes_out_as_a_new_one_that_tells_the_same(ew: Earwitness, tmp_path: Path) -> None:
    story = await ew.session("s", cast=[Character("mira", aliases=["Mi"]), "bo"])
    await story.prepare(
        plot="Fog.",
        cards={"mira": "Keeps the light."},
        examples={"mira": ["Hm.", "Mind the stairs."]},
        lore=[
            {"text": "Night lasts a month.", "words": ["night"]},
            {"text": "Oil is short.", "known_by": ["mira"], "key": "oil"},
            {"text": "Bo owes Mira.", "known_by": ["mira", "bo"]},
            {"text": "The keeper died.", "known_by": []},
        ],
    )
    (card,) = await exported(story, "card")
    (world,) = await exported(story, "worldinfo")
    found = read(file(tmp_path, card.name, card.data), file(tmp_path, world.name, world.data))
    assert [repair for each in found for repair in each.repairs] == []
    await ew.session("t", cast=["bo"])
    await import_files(ew, "t", found)
    other = await ew.open_session("t")
    for owner in ("mira", "bo"):
        for type in ("plot", "character_card", "example_dialog", "lore"):
            assert set(await held(other, owner, type)) == set(await held(story, owner, type)), (owner, type)
    assert other.cast["mira"].aliases == ("Mi",)


async def test_lore_from_a_file_does_not_go_out_twice(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "s", read(file(tmp_path, "world.json", WORLD)))
    story = await ew.open_session("s")
    await (await story.prepare(lore=["Gulls lie."])).settled()
    came, made = await exported(story, "worldinfo")
    assert came.data == text(WORLD)
    assert [each["content"] for each in json.loads(made.data)["entries"].values()] == ["Gulls lie."]


async def test_whoever_was_forgotten_goes_out_no_more(ew: Earwitness, tmp_path: Path) -> None:
    await import_files(ew, "s", read(file(tmp_path, "mira.json", V2)))
    story = await ew.open_session("s")
    await story.forget("mira_vale")
    assert await exported(story, "card") == ()
