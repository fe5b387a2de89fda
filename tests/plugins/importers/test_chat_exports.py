"""A chat goes out as the story now says it; what nothing has changed stays as it came, byte by byte."""

import json
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session
from earwitness.loading.strategies import Strategies
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.applications.exports.chat_dates import dated
from earwitness_plugins.applications.exports.files import File, files
from earwitness_plugins.applications.exports.story_messages import story_messages
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.applications.imports.import_files import import_files

from .making import file
from .test_chats import GROUP, HEADER, says

ROWS = [
    HEADER,
    says("Mira", "Mind the gulls, {{user}}.", swipes=["Hello.", "Mind the gulls, {{user}}."], swipe_id=1, odd=1.50),
    says("System", "Type /help.", is_system=True, extra={"type": "help"}),
    says("Kim", "Which gulls?", is_user=True),
    says("System", "The lamp goes out.", extra={"type": "narrator"}),
    says("Mira", ""),
    says("Mira", "Those."),
]
MIRA, KIM, NARRATION, LAST = "night:0", "night:1", "night:2", "night:4"


@pytest.fixture
async def ew() -> AsyncIterator[Earwitness]:
    """An instance that asks nobody."""
    strategies: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    async with Earwitness.open(embedder="none", detector="everyone", strict=True, **strategies) as opened:
        yield opened


def text_of(rows: Sequence[object], ending: str = "\n") -> str:
    """The rows with blanks that no JSON writer would write, so that a line written anew is seen."""
    return ending.join(json.dumps(row, separators=(" , ", " : "), ensure_ascii=False) for row in rows)


async def imported(ew: Earwitness, folder: Path, content: object) -> Session:
    await import_files(ew, "s", [read_file(Strategies(), file(folder, "night.jsonl", content))])
    return await ew.open_session("s")


async def exported(story: Session) -> Sequence[File]:
    return files("chat", await story.backstage().before(), story.cast, story.id, await story_messages(story))


async def lines(story: Session) -> list[str]:
    (chat,) = await exported(story)
    return chat.data.decode().split("\n")


def rows(written: Sequence[str]) -> list[tuple[str, str]]:
    return [(row["name"], row["mes"]) for row in map(json.loads, written) if "mes" in row]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
async def test_what_nothing_has_changed_stays_as_it_came(
    ew: Earwitness, tmp_path: Path, ending: str, last: str
) -> None:
    content = (text_of(ROWS, ending) + last).encode()
    (chat,) = await exported(await imported(ew, tmp_path, content))
    assert (chat.name, chat.data) == ("night.jsonl", content)


async def test_an_edit_changes_its_line_and_no_other(ew: Earwitness, tmp_path: Path) -> None:
    story = await imported(ew, tmp_path, text_of(ROWS))
    await story.edit(MIRA, "Mind the dogs.")
    before, after = text_of(ROWS).split("\n"), await lines(story)
    assert [number for number, line in enumerate(after) if line != before[number]] == [1]
    row = json.loads(after[1])
    assert (row["mes"], row["swipes"], row["swipe_id"], row["odd"]) == (
        "Mind the dogs.",
        ["Hello.", "Mind the dogs."],
        1,
        1.5,
    )
    await story.edit(MIRA, "Mind the gulls, {{user}}.")
    assert await lines(story) == before, "edited back to what it was"


async def test_a_reroll_is_a_swipe(ew: Earwitness, tmp_path: Path) -> None:
    story = await imported(ew, tmp_path, text_of(ROWS))
    await story.reroll("Those over there.", key=LAST)
    await story.reroll("None.", key=LAST)
    await story.edit(LAST, "None at all.")
    await story.reroll("Bo's.", key=MIRA)
    first, last = json.loads((await lines(story))[1]), json.loads((await lines(story))[6])
    assert (last["mes"], last["swipes"], last["swipe_id"]) == (
        "None at all.",
        ["Those.", "Those over there.", "None at all."],
        2,
    )
    assert (first["swipes"], first["swipe_id"]) == (["Hello.", "Mind the gulls, {{user}}.", "Bo's."], 2)


async def test_what_was_taken_back_is_not_there(ew: Earwitness, tmp_path: Path) -> None:
    story = await imported(ew, tmp_path, text_of(ROWS))
    await story.retract(KIM)
    memories = (await story.backstage().inspect("world")).memories
    await story.retract(next(each.id for each in memories if "Those." in each.content))
    before = text_of(ROWS).split("\n")
    left = [*before[:3], before[4], before[5]]
    assert await lines(story) == left
    copy = await ew.import_session([line async for line in story.backstage().export()], id="copy")
    for each in (copy, await story.fork("branch")):
        assert await lines(each) == left


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
async def test_a_story_goes_on_where_the_chat_ended(ew: Earwitness, tmp_path: Path, ending: str, last: str) -> None:
    content = text_of(ROWS, ending) + (ending if last else "")
    story = await imported(ew, tmp_path, content.encode())
    await story.say("kim", "Ah, thöse.", key="k1")
    await story.say("narrator", "They flew.", key="k2")
    await story.say("mira", "Gone.", key="k3")
    await story.reroll("Gone at last.", key="k3")
    await (await story.retract("k2")).settled()
    (chat,) = await exported(story)
    written = chat.data.decode()
    assert written.startswith(content.rstrip())
    assert written.endswith(ending) == bool(last)
    assert written.count("\n") == written.count(ending)
    assert rows(written.strip().split("\n"))[-2:] == [("Kim", "Ah, thöse."), ("Mira", "Gone at last.")]
    row = json.loads(written.strip().split("\n")[-1])
    assert (row["is_user"], row["swipes"], row["swipe_id"]) == (False, ["Gone.", "Gone at last."], 1)


async def test_a_chat_that_grew_keeps_its_order(ew: Earwitness, tmp_path: Path) -> None:
    story = await imported(ew, tmp_path, text_of(ROWS[:4]))
    await story.say("kim", "Hello?")
    await imported(ew, tmp_path, text_of(ROWS))
    assert [mes for _, mes in rows(await lines(story))] == [
        "Mind the gulls, {{user}}.",
        "Type /help.",
        "Which gulls?",
        "Hello?",
        "The lamp goes out.",
        "",
        "Those.",
    ]


async def test_a_branch_holds_what_it_shares(ew: Earwitness, tmp_path: Path) -> None:
    story = await imported(ew, tmp_path, text_of(ROWS))
    branch = await story.fork("branch", at=KIM)
    assert await lines(branch) == [*text_of(ROWS).split("\n")[:4], text_of(ROWS).split("\n")[5]]
    assert await lines(story) == text_of(ROWS).split("\n")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "cp1252"])
async def test_lines_are_written_in_the_files_own_encoding(ew: Earwitness, tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    content = (mark + text_of([*ROWS, says("Mira", "Öl.")])).encode(encoding)
    story = await imported(ew, tmp_path, content)
    assert (await exported(story))[0].data == content
    await story.say("kim", "Öl? 油?")
    (chat,) = await exported(story)
    assert chat.data.startswith(content)
    found = read_file(Strategies(), file(tmp_path, "again.jsonl", chat.data)).scenes[0].lines
    assert [line.text for line in found[-2:]] == ["Öl.", "Öl? 油?"]


@pytest.mark.parametrize(
    ("like", "written"),
    [
        ("2024-5-1 @9h 0m 1s 12ms", "2026-11-2 @15h 4m 5s 678ms"),
        ("2024-5-1@9h0m1s", "2026-11-2@15h4m5s"),
        ("June 9, 2023 2:20pm", "November 2, 2026 3:04pm"),
        ("2025-01-01T00:00:00.000Z", "2026-11-02T15:04:05.678+00:00"),
        (1714554000000, 1793631845678),
        ("1714554000000", "1793631845678"),
        ("yesterday", "2026-11-02T15:04:05.678+00:00"),
        (None, "2026-11-02T15:04:05.678+00:00"),
    ],
)
def test_a_date_is_written_as_the_file_writes_its_own(
    monkeypatch: pytest.MonkeyPatch, like: object, written: object
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert dated("2026-11-02T15:04:05.678+00:00", like) == written


async def test_new_lines_have_dates_as_the_file_has_them(ew: Earwitness, tmp_path: Path) -> None:
    chat = [HEADER, says("Kim", "Oh.", is_user=True), says("Mira", "Hm.", send_date="2024-5-1 @9h 0m 1s 12ms")]
    story = await imported(ew, tmp_path, text_of(chat))
    await story.say("mira", "Well.")
    assert " @" in json.loads((await lines(story))[-1])["send_date"]


async def test_new_lines_of_a_group_name_the_members_card(ew: Earwitness, tmp_path: Path) -> None:
    group = [GROUP, says("Mira", "Hm.", original_avatar="mira.png", is_group=True), says("Kim", "Hm.", is_user=True)]
    story = await imported(ew, tmp_path, text_of(group))
    await story.say("mira", "Well.")
    row = json.loads((await lines(story))[-1])
    assert (row["original_avatar"], row["is_group"]) == ("mira.png", True)


async def test_a_story_that_came_from_no_chat_is_one_now(ew: Earwitness, tmp_path: Path) -> None:
    cast = [Character("mira"), Character("kim", kind="persona"), Character("voice", kind="narrator")]
    story = await ew.session("tale", cast=cast)
    for speaker, text in [("mira", "Late again?"), ("kim", "Sorry."), ("voice", "The lamp goes out."), ("mira", "Oh.")]:
        await story.say(speaker, text)
    await story.reroll("Oh no.")
    (chat,) = await exported(story)
    assert chat.name == "tale.jsonl"
    found = read_file(Strategies(), file(tmp_path, chat.name, chat.data))
    assert (found.repairs, found.scenes[0].personas) == ((), ("Kim",))
    assert [(line.speaker, line.text) for line in found.scenes[0].lines] == [
        ("Mira", "Late again?"),
        ("Kim", "Sorry."),
        (None, "The lamp goes out."),
        ("Mira", "Oh no."),
    ]
    header = json.loads(chat.data.split(b"\n")[0])
    assert (header["user_name"], header["character_name"]) == ("Kim", "Mira")


async def test_a_line_may_be_appended_to_a_new_chat(ew: Earwitness, tmp_path: Path) -> None:
    story = await ew.session("tale", cast=["mira"])
    await story.say("mira", "Late again?")
    (chat,) = await exported(story)
    appended = json.dumps(says("Mira", "The key is under the mat.")).encode()
    found = read_file(Strategies(), file(tmp_path, chat.name, chat.data + appended))
    assert [line.text for line in found.scenes[0].lines] == ["Late again?", "The key is under the mat."]


async def test_what_was_said_before_a_chat_came_is_a_chat_of_its_own(ew: Earwitness, tmp_path: Path) -> None:
    story = await ew.session("s", cast=["mira"])
    await story.say("mira", "Early.")
    await imported(ew, tmp_path, text_of(ROWS))
    assert {each.name: len(each.data.split(b"\n")) for each in await exported(story)} == {
        "night.jsonl": 7,
        "s.jsonl": 3,
    }


async def test_a_story_in_which_nothing_was_said_is_no_chat(ew: Earwitness) -> None:
    assert await exported(await ew.session("s", cast=["mira"])) == ()
