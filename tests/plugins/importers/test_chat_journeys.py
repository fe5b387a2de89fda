"""Random chats go in, are played on and edited, come out, are extended elsewhere, and come back."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from earwitness import Earwitness, Session
from earwitness.loading.strategies import Strategies
from earwitness_plugins.applications.exports.files import files
from earwitness_plugins.applications.exports.story_messages import story_messages
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.applications.imports.import_files import ImportResult, import_files

from .making import file
from .test_chat_exports import ew  # noqa: F401 - a fixture

NAMES = ["Mira", "Kim", "Bo"]
WORDS = ["Yes.", "No.", "The {{user}} is late.", 'She said: "Öl".', "*leaves*", "It is cold.\nVery.", "…"]
Row = dict[str, Any]


def a_line(random: Random, number: int) -> Row:
    """A line as front ends write them, of one version or another."""
    name = random.choice(NAMES)
    mes = random.choice(WORDS) if random.random() < 0.4 else f"{number}: {random.choice(WORDS)}"
    row: Row = {"name": name, "is_user": name == "Kim", "mes": mes}
    if random.random() < 0.5:
        row |= {"is_system": False, "send_date": f"2024-5-{number % 28 + 1} @9h 0m 1s 12ms"}
    if random.random() < 0.3:
        swipes = [mes, f"another {number}", f"a third {number}"]
        random.shuffle(swipes)
        row |= {"swipes": swipes, "swipe_id": swipes.index(mes), "swipe_info": [{}] * 3}
    if random.random() < 0.3:
        row |= {"extra": {"api": "x", "model": None}, "unknown": [1.50, {"a": "ü"}]}
    if random.random() < 0.1:
        row |= {"is_system": True, "extra": random.choice([{}, {"type": "comment"}, {"type": "narrator"}])}
    if random.random() < 0.05:
        row["mes"] = ""
    return row


def a_chat(random: Random, length: int) -> str:
    """A chat with blanks and endings as they come."""
    header = {"user_name": "Kim", "character_name": random.choice(["Mira", "unused"]), "chat_metadata": {"x": 1}}
    rows = [header, *(a_line(random, number) for number in range(length))]
    rows.append({"name": "Mira", "is_user": False, "mes": "Somebody speaks."})
    ascii_only, separators = random.random() < 0.5, random.choice([(",", ":"), (", ", ": ")])
    ending = random.choice(["\n", "\r\n"])
    written = [json.dumps(row, ensure_ascii=ascii_only, separators=separators) for row in rows]
    return ending.join(written) + random.choice(["", ending])


async def taken_in(ew: Earwitness, folder: Path, content: str) -> ImportResult:  # noqa: F811 - a fixture
    found = read_file(Strategies(), file(folder, "night.jsonl", content.encode()))
    return await import_files(ew, "s", [found])


async def chat_of(story: Session) -> str:
    (chat,) = files("chat", await story.backstage().before(), story.cast, story.id, await story_messages(story))
    return chat.data.decode()


async def played_on(story: Session, random: Random, number: int) -> set[str]:
    """Say, edit, reroll and retract. Returns the keys of what was touched."""
    touched: set[str] = set()
    for step in range(8):
        messages = await story.messages()
        kind, some = random.random(), random.choice(messages).key if messages else None
        if kind < 0.55 or some is None:
            speaker = random.choice([each.id for each in story.cast])
            touched.add((await story.say(speaker, f"{number}.{step}: {random.choice(WORDS)}")).key)
            continue
        touched.add(some)
        if kind < 0.7:
            await story.edit(some, f"edited {number}.{step}")
        elif kind < 0.85:
            await story.reroll(f"rerolled {number}.{step}", key=some)
        else:
            await (await story.retract(some)).settled()
    await story.settled()
    return touched


def changed_elsewhere(random: Random, content: str, number: int) -> tuple[str, int, int]:
    """The chat as a front end goes on with it; how many lines it adds, and how many it changes."""
    ending = "\r\n" if "\r\n" in content else "\n"
    lines = content.rstrip().split(ending)
    rows = [json.loads(line) for line in lines]
    spoken = [n for n, row in enumerate(rows) if row.get("mes") and not row.get("is_system") and n]
    some = random.sample(spoken, min(len(spoken) // 4, 2))
    for place in some:
        text = f"elsewhere {number}.{place}"
        rows[place]["mes"] = text
        if "swipes" in rows[place] and "swipe_id" in rows[place]:
            rows[place]["swipes"][rows[place]["swipe_id"]] = text
        lines[place] = json.dumps(rows[place], ensure_ascii=False)
    more = [
        {"name": random.choice(NAMES), "is_user": False, "mes": f"{number}+{n}"} for n in range(random.randrange(4))
    ]
    return ending.join([*lines, *map(json.dumps, more)]) + random.choice(["", ending]), len(more), len(some)


@pytest.mark.parametrize("seed", range(12))
async def test_a_chat_goes_in_is_played_on_and_comes_back(
    ew: Earwitness,  # noqa: F811 - a fixture
    tmp_path: Path,
    seed: int,
) -> None:
    random = Random(seed)
    content = a_chat(random, random.randrange(3, 16))
    await taken_in(ew, tmp_path, content)
    story = await ew.open_session("s")
    assert await chat_of(story) == content
    for number in range(3):
        before = (await chat_of(story)).splitlines()
        touched = await played_on(story, random, number)
        out = await chat_of(story)
        assert sum(line not in out.splitlines() for line in before) <= len(touched), "what was untouched stays"
        back, added, changed = changed_elsewhere(random, out, number)
        told = [each.content for each in await story.messages()]
        result = await taken_in(ew, tmp_path, back)
        assert (result.new, result.edited) == (added, changed)
        assert await chat_of(story) == back
        assert len(await story.messages()) == len(told) + added
        assert not (await taken_in(ew, tmp_path, back)).changed
        assert await chat_of(story) == back
