"""What people wrote in the files of a store is in no export, which says so."""

from pathlib import Path

import pytest

from earwitness import Earwitness, Session, Settings

pytestmark = pytest.mark.anyio


async def told(ew: Earwitness) -> Session:
    story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
    await (await story.say("bob", "The sword is in the cave.", key="m1")).settled()
    return story


async def test_an_export_warns_and_is_whole_without_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = Settings.model_validate({"path": str(tmp_path / "story.db"), "store": "markdown"})
    async with Earwitness.open(settings=made) as ew:
        story = await told(ew)
        plain = [line async for line in story.backstage().export()]
        assert caplog.messages == []
        file = tmp_path / "story.memories" / "s1-alice" / "MEMORY.md"
        file.write_text(file.read_text("utf-8") + "\n- Alice is afraid of caves.\n", "utf-8")
        assert [line async for line in story.backstage().export()] == plain
        file.write_bytes(b"\xff")
        assert [line async for line in story.backstage().export()] == plain
    lacks, unknown = caplog.messages
    assert "the export of 's1' lacks 1 memory that people wrote or changed" in lacks
    assert "nobody knows whether the export of 's1' lacks" in unknown
    assert "MEMORY.md:1:1" in unknown
