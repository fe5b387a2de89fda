"""`earwitness backup`: a copy of all stories, beside a program that has them open."""

from pathlib import Path

import pytest

from earwitness import Earwitness
from earwitness.errors import InputError
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .conftest import Run, answer


@pytest.mark.anyio
async def test_a_copy_made_while_a_story_goes_on_can_be_opened(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "story.db") as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await story.say("alice", "Hello.", key="m1", present=["bob"])
        await ew.snapshot(tmp_path / "copy.db")
        await story.say("alice", "Later.", key="m2")
        with pytest.raises(InputError, match="already exists"):
            await ew.snapshot(tmp_path / "copy.db")
    async with Earwitness.open(tmp_path / "copy.db") as ew:
        story = await ew.open_session("s1")
        assert [each.key for each in await story.backstage().journal()] == ["#begin", "m1"]
        assert len((await story.backstage().inspect("bob")).memories) == 1


@pytest.mark.anyio
async def test_what_shares_no_file_cannot_be_copied() -> None:
    async with Earwitness.open(ledger=MemoryLedger(), store=MemoryStore()) as ew:
        with pytest.raises(InputError, match="do not share one file"):
            await ew.snapshot("copy.db")


def test_the_command_copies_every_story_and_writes_over_nothing(played: Run) -> None:
    assert answer(played("backup", "copy.db", "--json")) == {"backup": "copy.db", "sessions": ["cellar"]}
    assert answer(played("who-knows", "cellar", "the key", "--store", "copy.db", "--json"))
    again = played("backup", "copy.db")
    assert again.exit_code != 0
    assert "already exists" in again.output


@pytest.mark.parametrize("command", ["export cellar --output {} --force", "spool export cellar --output {} --force"])
def test_nothing_is_ever_written_over_a_store(command: str, played: Run, tmp_path: Path) -> None:
    played("backup", "copy.db")
    for store in ("copy.db", "earwitness.db"):
        assert f"{store} is a SQLite file" in played(*command.format(store).split()).stderr
    assert answer(played("inspect", "--store", "copy.db", "--json"))
    assert answer(played("inspect", "--json"))
