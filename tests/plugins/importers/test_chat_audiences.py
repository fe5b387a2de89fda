"""A chat that goes out and comes in again widens nobody's knowledge: its lines say who perceived them, and where."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness, Session
from earwitness.loading.strategies import Strategies
from earwitness.records.message import SettledMessage
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.applications.exports.chat import said_apart
from earwitness_plugins.applications.exports.files import files
from earwitness_plugins.applications.exports.story_messages import story_messages
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.applications.imports.import_files import import_files

from .making import file

CAST = [Character("alice"), Character("bob", aliases=["Robert"]), Character("mira"), Character("kim", kind="persona")]
PEOPLE = [each.id for each in CAST]
DM = Channel(context="dm", channel_id="42")


@pytest.fixture
async def ew() -> AsyncIterator[Earwitness]:
    """An instance with the usual detector."""
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    async with Earwitness.open(embedder="none", strict=True, **strategies) as opened:
        yield opened


async def begun(ew: Earwitness, id: str = "tale") -> Session:
    return await ew.session(id, cast=[*CAST, Character("voice", kind="narrator")], present=PEOPLE)


async def chat_of(story: Session, *, private: bool = False) -> bytes:
    """The only chat of a story, as the command exports it."""
    before = await story.backstage().before()
    told = await story_messages(story)
    for each in () if private else said_apart(before.originals, told):
        each.left_out = True
    (chat,) = files("chat", before, story.cast, story.id, told)
    return chat.data


async def back(ew: Earwitness, folder: Path, data: bytes, id: str = "copy") -> Session:
    await import_files(ew, id, [read_file(Strategies(), file(folder, f"{id}.jsonl", data))])
    return await ew.open_session(id)


def heard(settled: SettledMessage, story: Session) -> dict[str, str]:
    """Name → what they perceived of a message; without narrators."""
    people = [each for each in settled.participants if story.cast[each].kind != "narrator"]
    return {story.cast[id].name: settled.heard_by(id) for id in people}


async def heard_lines(story: Session) -> dict[str, dict[str, str]]:
    """Text → who perceived what of it."""
    return {each.content: heard(each, story) for each in await story.messages()}


async def test_a_direct_message_is_left_out_of_a_chat(ew: Earwitness) -> None:
    story = await begun(ew)
    await story.say("alice", "Good evening.")
    await story.say("alice", "I took the key.", channel=DM, present=["bob"])
    await story.say("bob", "So that was you.", context="private_channel", channel=Channel(channel_id="back room"))
    await story.say("mira", "Is it cold?", channel=Channel(context="public_channel", channel_id="square"))
    told = [json.loads(line).get("mes") for line in (await chat_of(story)).decode().splitlines()[1:]]
    assert told == ["Good evening.", "Is it cold?"]


async def test_a_private_line_comes_back_to_its_channel_and_those_who_perceived_it(
    ew: Earwitness, tmp_path: Path
) -> None:
    story = await begun(ew)
    await story.say("alice", "Good evening.")
    await story.say("alice", "I took the key.", channel=DM, present=["bob"])
    copy = await back(ew, tmp_path, await chat_of(story, private=True))
    greeting, secret = await copy.messages()
    assert secret.message.channel == DM
    assert greeting.message.channel == Channel()
    assert {*secret.participants} == {"alice", "bob"}
    assert {*greeting.participants} == {"alice", "bob", "mira", "kim"}


async def test_a_story_in_one_channel_is_one_chat(ew: Earwitness, tmp_path: Path) -> None:
    story = await begun(ew)
    for speaker in ("alice", "bob"):
        await story.say(speaker, f"I am {speaker}.", channel=DM, present=["alice", "bob"])
    copy = await back(ew, tmp_path, await chat_of(story))
    assert [each.message.channel for each in await copy.messages()] == [DM, DM]


async def test_the_hosts_word_on_who_perceives_a_line_comes_back(ew: Earwitness, tmp_path: Path) -> None:
    story = await begun(ew)
    await story.say("alice", "Bob, the key is in the well.", audience=["bob"])
    await (await story.leave("mira")).settled()
    await story.say("kim", "Now that she is gone: who has the key?")
    copy = await back(ew, tmp_path, await chat_of(story))
    assert await heard_lines(copy) == await heard_lines(story)
    first, second = (set(each) for each in (await heard_lines(copy)).values())
    assert (first, second) == ({"Alice", "Bob"}, {"Alice", "Bob", "Kim"})


async def test_whom_a_retracted_line_sent_away_does_not_hear_what_follows(ew: Earwitness, tmp_path: Path) -> None:
    rows = [{"user_name": "Kim", "character_name": "unused", "chat_metadata": {}}]
    rows += [{"name": name, "is_user": name == "Kim", "mes": mes} for name, mes in LEAVING]
    content = "\n".join(map(json.dumps, rows)).encode()
    story = await back(ew, tmp_path, content, "night")
    assert await chat_of(story) == content
    before = await heard_lines(story)
    await (await story.retract("night:3")).settled()
    copy = await back(ew, tmp_path, await chat_of(story))
    assert "Bob" not in before["She took the key."]
    assert (await heard_lines(copy))["She took the key."] == before["She took the key."]


LEAVING = [
    ("Kim", "Good evening, all of you."),
    ("Bob", "Good evening."),
    ("Mira", "Good evening."),
    ("Bob", "*Bob leaves the room.*"),
    ("Mira", "She took the key."),
]


async def test_who_was_made_to_forget_a_line_does_not_learn_it_again(ew: Earwitness, tmp_path: Path) -> None:
    story = await begun(ew)
    await story.say("alice", "The key is in the well.")
    (memory,) = (await story.backstage().inspect("bob")).memories
    await (await story.retract(memory.id)).settled()
    copy = await back(ew, tmp_path, await chat_of(story))
    assert {*(await heard_lines(copy))["The key is in the well."]} == {"Alice", "Mira", "Kim"}


async def test_a_disguise_comes_back_as_one(ew: Earwitness, tmp_path: Path) -> None:
    story = await begun(ew)
    await story.say("alice", "I am new in town.", speak_as="Madame Roux")
    data = await chat_of(story) + b'\n{"name": "Madame Roux", "is_user": false, "mes": "And so tired."}'
    assert json.loads(data.split(b"\n")[1])["name"] == "Madame Roux"
    copy = await back(ew, tmp_path, data)
    assert [(each.speaker, each.message.speak_as) for each in await copy.messages()] == [("alice", "Madame Roux")] * 2


async def test_two_of_one_name_do_not_become_one(ew: Earwitness, tmp_path: Path) -> None:
    story = await ew.session("twins", cast=[Character("bob"), Character("bob_2", name="Bob"), Character("eve")])
    await story.say("bob", "I have the key.", audience=["eve"])
    await story.say("bob_2", "I have nothing.", audience=["eve"])
    copy = await back(ew, tmp_path, await chat_of(story))
    assert [{*each.participants} for each in await copy.messages()] == [{"bob", "eve"}, {"bob_2", "eve"}]


async def test_a_mark_that_cannot_be_read_lets_nobody_else_hear_the_line(ew: Earwitness, tmp_path: Path) -> None:
    rows = [{"name": name, "is_user": False, "mes": f"I am {name}."} for name in ("Mira", "Bo")]
    data = "\n".join(json.dumps({**each, "extra": {"earwitness": {"audience": "all"}}}) for each in rows).encode()
    found = read_file(Strategies(), file(tmp_path, "odd.jsonl", data))
    assert "extra.earwitness cannot be read: nobody but the speaker perceives the line" in found.repairs[0]
    copy = await back(ew, tmp_path, data)
    assert [{*each.participants} for each in await copy.messages()] == [{"mira"}, {"bo"}]


# ── random stories ──────────────────────────────────────────────────────────────────────────────────────────────────

SAYINGS = [
    "I have a secret, number {}.",
    '*whispers to {name}* "The key {} is in the well."',
    '"Welcome, number {}." *thinks: I poisoned the wine.*',
    '"Good evening, {name}." *whispers to {name}* "Not a word about {}."',
    "*{name} leaves the room.* Number {} is gone.",
    "*{name} enters.* There you are, number {}.",
    "(to {name}) Meet me at {} o'clock.",
    "[I will never tell number {}.]",
    "*whispers* Nobody hears number {}.",
]
CHANNELS = [Channel()] * 6 + [
    DM,
    Channel(context="dm", channel_id="43", persona_id="p1"),
    Channel(context="private_channel", channel_id="back room", guild_id="g"),
    Channel(context="public_channel", channel_id="square"),
]


async def a_step(story: Session, random: Random, number: int, said: list[str]) -> None:
    """Something that a host does."""
    kind, who = random.random(), random.choice(PEOPLE)
    if kind < 0.12:
        await random.choice([story.enter, story.leave])(who)
    elif kind < 0.28 and said:
        key, text = random.choice(said), f"Changed to {number}: {random.choice(SAYINGS).format(number, name='Bob')}"
        await (story.edit(key, text) if random.random() < 0.5 else story.reroll(text, key=key))
    elif kind < 0.35 and said:
        await story.retract(said.pop(random.randrange(len(said))))
    else:
        channel = random.choice(CHANNELS)
        some = random.sample(PEOPLE, random.randrange(4))
        word: dict[str, Any] = {"audience": some} if random.random() < 0.2 else {}
        if random.random() < 0.2 or channel.context == "dm":
            word["present"] = some
        text = random.choice(SAYINGS).format(number, name=random.choice(["Bob", "Mira", "Kim"]))
        speaker = random.choice([*PEOPLE, "voice"])
        outcome = await story.say(speaker, text, key=f"m{number}", channel=channel, **word)
        said.append(outcome.key)


@pytest.mark.parametrize("seed", range(8))
async def test_no_round_trip_widens_who_knows_what(ew: Earwitness, tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    story = await begun(ew)
    said: list[str] = []
    for number in range(30):
        await a_step(story, random, number, said)
    was = {each.content: each for each in await story.messages()}
    for private in (False, True):
        data = await chat_of(story, private=private)
        copy = await back(ew, tmp_path, data, f"copy-{private}")
        told = {each.content: each for each in await copy.messages()}
        assert told.keys() <= was.keys()
        assert not private or told.keys() == was.keys()
        for text, now in told.items():
            before, after = heard(was[text], story), heard(now, copy)
            assert after.keys() <= before.keys(), text
            assert all(len(after[name]) <= len(before[name]) for name in after), text
            assert now.message.channel == was[text].message.channel


async def test_a_line_that_was_changed_elsewhere_is_told_to_those_who_are_there_not_whole(
    ew: Earwitness, tmp_path: Path
) -> None:
    story = await begun(ew)
    await story.say("bob", "I like it here.", audience=["alice", "mira"])
    await story.say("kim", "Nice.", audience=["alice", "bob"])
    lines = [json.loads(line) for line in (await chat_of(story)).decode().splitlines()]
    lines[1]["mes"] = '"I like it here." [I poisoned the wine.]'
    lines[2] |= {"swipes": ["Nice.", '*whispers to Bob* "The key is mine."'], "swipe_id": 1}
    copy = await back(ew, tmp_path, "\n".join(map(json.dumps, lines)).encode())
    first, second = (heard(each, copy) for each in await copy.messages())
    assert first == {"Bob": lines[1]["mes"], "Alice": '"I like it here."', "Mira": '"I like it here."'}
    assert set(second) == {"Kim", "Bob"}
