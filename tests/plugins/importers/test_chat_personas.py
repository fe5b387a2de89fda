"""A chat that goes out and comes in again knows who its people are across stories: users, personas, personalities."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Session
from earwitness.loading.strategies import Strategies
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.applications.exports.files import files
from earwitness_plugins.applications.exports.story_messages import story_messages
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.applications.imports.import_files import ImportResult, import_files
from earwitness_plugins.applications.imports.story_writer import story_values

from .making import file

CAST = [
    Character("alice", name="Alice the Brave", aliases=["Al"]),
    Character("bob", personality_id="robert"),
    Character("kim", kind="persona", user_id="u1", persona_id="p1"),
    Character("zoe", kind="persona", user_id="u2", persona_id="p2"),
    Character("count", name="Count Fosco"),
    Character("voice", kind="narrator"),
]
PEOPLE = ["alice", "bob", "kim", "zoe", "count"]
KIMS = Channel(context="dm", channel_id="d1", persona_id="p1")
ZOES = Channel(context="dm", channel_id="d2", persona_id="p2")
CELLAR = Channel(context="private_channel", channel_id="cellar", guild_id="g")
LOBBY = Channel(context="public_channel", channel_id="lobby", guild_id="g")
CHANNELS = [Channel(), KIMS, ZOES, CELLAR, LOBBY]
QUERY = "Good evening, sister, nobody, spy, understood, mill, key, king, lamp"


@pytest.fixture
async def ew() -> AsyncIterator[Earwitness]:
    """Where the story is told."""
    async with opened() as here:
        yield here


@pytest.fixture
async def elsewhere() -> AsyncIterator[Earwitness]:
    """Where the chat goes."""
    async with opened() as there:
        yield there


def opened() -> Earwitness:
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    return Earwitness.open(embedder="none", strict=True, relationships={"canon": "personal"}, **strategies)


async def told(ew: Earwitness, id: str = "tale") -> Session:
    """A story in five channels, with a disguise, an edit, a reroll and a retraction."""
    story = await ew.session(id, cast=CAST, present=PEOPLE)
    await story.say("kim", "Good evening, all of you.")
    await story.say("kim", "My sister is called Mira.", channel=KIMS, present=["alice"])
    await story.say("alice", "I will tell nobody.", channel=KIMS, present=["kim"])
    await story.say("zoe", "I am a spy.", channel=ZOES, present=["bob"])
    await story.say("bob", "Understood.", channel=ZOES, present=["zoe"], key="u")
    await story.say("count", "I have bought the old mill.", speak_as="Monsieur Roux")
    await story.say("alice", "The key is in the well.", channel=CELLAR, present=["bob"], key="well")
    await story.say("bob", "The king is dead.", channel=LOBBY, present=["alice", "kim"])
    await story.say("zoe", "This is nonsense.", key="nonsense")
    await story.say("voice", "The lamp flickers.")
    await story.edit("well", "The key is in the oven.")
    await story.reroll("Understood, Zoe.", key="u")
    await story.retract("nonsense")
    await story.delivered()
    return story


async def chat_of(story: Session) -> bytes:
    (chat,) = files("chat", await story.backstage().before(), story.cast, story.id, await story_messages(story))
    return chat.data


async def taken_in(ew: Earwitness, folder: Path, data: bytes, id: str = "copy", **how: Any) -> ImportResult:
    result = await import_files(ew, id, [read_file(Strategies(), file(folder, f"{id}.jsonl", data))], **how)
    await (await ew.open_session(id)).delivered()
    return result


async def recalls(story: Session) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Character and channel → all that comes to mind, with its section."""
    found: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for id in story.cast.ids:
        for channel in CHANNELS:
            turn = await story.turn(id, query=QUERY, in_prompt=[], channel=channel, memories=50)
            found[id, str(channel)] = {(name, each.text) for name, some in turn.sections().items() for each in some}
    return found


async def lived(ew: Earwitness) -> dict[str, set[str]]:
    """Container beyond sessions → the texts in it."""
    return {each.name: {one.text for one in await ew.engine.store.list(each.name)} for each in await ew.containers()}


async def test_the_same_people_recall_the_same_in_every_channel(
    ew: Earwitness, elsewhere: Earwitness, tmp_path: Path
) -> None:
    story = await told(ew)
    result = await taken_in(elsewhere, tmp_path, await chat_of(story))
    copy = await elsewhere.open_session("copy")
    assert {each.id: each for each in copy.cast} == {each.id: each for each in CAST}
    assert result.warnings == ()
    before, after = await recalls(story), await recalls(copy)
    assert after == before
    assert any("sister" in text for _, text in before["alice", str(KIMS)])
    assert not any("sister" in text for _, text in before["alice", str(ZOES)])
    assert await lived(elsewhere) == await lived(ew)


async def test_it_goes_out_again_as_it_came(ew: Earwitness, elsewhere: Earwitness, tmp_path: Path) -> None:
    data = await chat_of(await told(ew))
    await taken_in(elsewhere, tmp_path, data)
    assert await chat_of(await elsewhere.open_session("copy")) == data


async def test_new_makes_a_story_file_with_the_same_people(ew: Earwitness, tmp_path: Path) -> None:
    chat = read_file(Strategies(), file(tmp_path, "tale.jsonl", await chat_of(await told(ew))))
    values, _ = story_values("again", "Again", [chat], None)
    cast = {each.id: each for each in (Character(**member) for member in values["cast"])}
    assert cast == {each.id: each for each in CAST}


CHAT = [
    {"user_name": "Kim", "character_name": "Bob", "chat_metadata": {"note": 1}},
    {"name": "Kim", "is_user": True, "mes": "Good evening."},
    {"name": "Bob", "is_user": False, "mes": "Is it?"},
]


def chat(rows: list[dict[str, Any]]) -> bytes:
    return "\r\n".join(map(json.dumps, rows)).encode()


async def test_a_chat_of_people_without_ids_stays_as_it_came_byte_by_byte(ew: Earwitness, tmp_path: Path) -> None:
    await taken_in(ew, tmp_path, chat(CHAT))
    assert await chat_of(await ew.open_session("copy")) == chat(CHAT)


@pytest.mark.parametrize("headed", [True, False])
async def test_ids_that_a_chat_lacks_go_into_its_header_and_nowhere_else(
    ew: Earwitness, elsewhere: Earwitness, tmp_path: Path, headed: bool
) -> None:
    rows = CHAT if headed else CHAT[1:]
    story = await ew.session("copy", cast=CAST[1:3])
    await taken_in(ew, tmp_path, chat(rows))
    header, *lines = (await chat_of(story)).split(b"\r\n")
    assert lines == chat(CHAT).split(b"\r\n")[1:]
    assert json.loads(header)["chat_metadata"].get("note") == (1 if headed else None)
    await taken_in(elsewhere, tmp_path, await chat_of(story))
    assert {*(await elsewhere.open_session("copy")).cast} == {*CAST[1:3]}


async def test_a_chat_makes_nobody_a_persona_that_has_memories_here_unless_the_host_says_so(
    ew: Earwitness, tmp_path: Path
) -> None:
    data = await chat_of(await told(ew))
    result = await taken_in(ew, tmp_path, data)
    assert "the chat says that 'Kim' is the persona 'p1' of user 'u1'" in result.warnings[0]
    assert (await ew.open_session("copy")).cast["kim"].persona_id is None
    result = await taken_in(ew, tmp_path, data, "believed", personas=True)
    assert result.warnings == ()
    assert (await ew.open_session("believed")).cast["kim"].persona_id == "p1"


async def test_people_of_the_story_stay_who_they_are(ew: Earwitness, elsewhere: Earwitness, tmp_path: Path) -> None:
    story = await elsewhere.session("copy", cast=[Character("kim", kind="persona", user_id="u9")])
    result = await taken_in(elsewhere, tmp_path, await chat_of(await told(ew)))
    assert story.cast["kim"].user_id == "u9"
    (warning,) = result.warnings
    assert "'Kim' is the persona 'p1' of user 'u1'. In this story that is not so, and stays as it is" in warning


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (7, "chat_metadata.earwitness cannot be read"),
        ({"cast": [{"name": "Kim", "persona_id": 7}]}, "chat_metadata.earwitness.cast[0] cannot be read"),
        ({"cast": [{"persona_id": "p1"}]}, "chat_metadata.earwitness.cast[0] cannot be read"),
        ({"cast": [{"name": "Kim", "kind": "king"}]}, "chat_metadata.earwitness.cast[0] cannot be read"),
        ({"cast": [{"name": "Kim", "id": "world"}]}, "cast[0] cannot be used: character id 'world' is reserved"),
        ({"cast": [{"name": "Kim", "persona_id": "p\u200b1"}]}, "cast[0] cannot be used: character 'somebody'"),
    ],
)
async def test_what_cannot_be_read_in_a_header_is_reported_and_left_out(
    ew: Earwitness, tmp_path: Path, given: object, said: str
) -> None:
    header = {**CHAT[0], "chat_metadata": {"earwitness": given}}
    result = await taken_in(ew, tmp_path, chat([header, *CHAT[1:]]))
    assert any(said in each for each in result.warnings), result.warnings
    assert (await ew.open_session("copy")).cast["kim"] == Character("kim", kind="persona")
