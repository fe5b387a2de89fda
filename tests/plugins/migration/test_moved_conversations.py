"""Moving house with a chat assistant: its conversations on this machine move along, and it goes on where it was."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from click.testing import CliRunner, Result

from earwitness import Earwitness
from earwitness_plugins.terminal.group import group

CONTAINER = "conversation-nanobot_memory"


def settings(folder: Path, name: str, more: str = "") -> str:
    path = folder / f"{name}.toml"
    path.write_text(f"path = '{folder / name}.db'\n[supermemory]\napi_key = ''\n{more}", "utf-8")
    return str(path)


def migrated(source: str, to: str, *more: str) -> Result:
    return CliRunner().invoke(group, ["migrate", source, to, *more], prog_name="earwitness")


async def talked(source: str) -> None:
    async with Earwitness.open(settings=source) as ew:
        conversation = ew.conversation("telegram:42")
        await conversation.add("user", "My cat is called Mio.")
        await conversation.close()
        await ew.conversation("telegram:9").add("user", "Not uploaded yet: my locker is 17.")


async def moved(source: str, to: str, *more: str) -> Result:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, lambda: migrated(source, to, *more))


async def test_conversations_move_and_go_on(tmp_path: Path) -> None:
    source, to = settings(tmp_path, "bot"), settings(tmp_path, "new")
    await talked(source)
    (tmp_path / "bot.conversations" / "old.jsonl").write_bytes(b'{"key": "old"}\n{"role": "us\xc3')  # cut by a crash
    done = await moved(source, to)
    assert done.exit_code == 0, done.output
    assert "and 3 conversations of chat assistants from" in done.output
    async with Earwitness.open(settings=source) as one, Earwitness.open(settings=to) as other:
        for key in ("telegram:42", "telegram:9"):
            ours, theirs = one.conversation(key), other.conversation(key)
            assert await theirs.messages() == await ours.messages()
            assert await theirs.facts() == await ours.facts()
        await other.conversation("telegram:42").add("user", "I moved to Oslo.")
        await other.conversation("telegram:42").close()
        texts = [each.content for each in await other.engine.store.list(CONTAINER)]
    assert texts == ["user: My cat is called Mio.", "user: I moved to Oslo."]


async def test_an_interrupted_move_goes_on_and_a_finished_one_writes_nothing(tmp_path: Path) -> None:
    source, to = settings(tmp_path, "bot"), settings(tmp_path, "new")
    await talked(source)
    first = json.loads((await moved(source, to, "--json")).output)
    assert (first["conversations"]["count"], first["conversations"]["was_there"]) == (2, False)
    files = sorted((tmp_path / "new.conversations").rglob("*.jsonl"))
    before = [(each.read_bytes(), each.stat().st_mtime_ns) for each in files]
    files[0].unlink()
    again = json.loads((await moved(source, to, "--json")).output)
    assert (again["conversations"]["was_there"], again["was_there"]) == (False, False)
    assert [each.read_bytes() for each in files] == [content for content, _ in before]
    third = json.loads((await moved(source, to, "--json")).output)
    assert third["was_there"]
    assert third["conversations"]["digest"] == first["conversations"]["digest"]
    assert files[1].stat().st_mtime_ns == before[1][1]


async def test_conversations_that_are_no_part_of_the_move_are_not_overwritten(tmp_path: Path) -> None:
    source, to = settings(tmp_path, "bot"), settings(tmp_path, "new")
    await talked(source)
    folder = tmp_path / "new.conversations" / "nanobot_memory"
    folder.mkdir(parents=True)
    (folder / "telegram%3A9.jsonl").write_text('{"key": "telegram:9"}\n', "utf-8")
    done = await moved(source, to)
    assert done.exit_code != 0
    assert "nanobot_memory/telegram%3A9.jsonl" in done.output
    assert (folder / "telegram%3A9.jsonl").read_text("utf-8") == '{"key": "telegram:9"}\n'
    async with Earwitness.open(settings=to) as ew:
        assert await ew.engine.store.list(CONTAINER) == []  # nothing else has moved


async def test_a_folder_that_both_name_stays(tmp_path: Path) -> None:
    folder = f"folder = '{tmp_path / 'kept'}'\n"
    source, to = settings(tmp_path, "bot", folder), settings(tmp_path, "new", folder)
    await talked(source)
    said = (await moved(source, to)).output
    assert "2 conversations of chat assistants: left where" in said
    async with Earwitness.open(settings=to) as ew:
        assert await ew.conversation.keys() == ("telegram:42", "telegram:9")
