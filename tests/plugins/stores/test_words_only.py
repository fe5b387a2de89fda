"""Without an embedder the store ranks by words alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from earwitness import Earwitness
from earwitness.errors import EmbedderMismatch, SettingsError, UnknownName


async def test_with_embedder_none_a_story_is_recalled_by_words(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "s.db", embedder="none", detector="everyone", strict=True) as ew:
        story = await ew.session("s", cast=["alice", "bob"])
        await story.say("alice", "The dragon sleeps in the cave.")
        await story.say("bob", "My mug is empty.")
        turn = await story.turn("alice", query="Where is the dragon?", in_prompt=[])
        assert "dragon" in turn.memories[0].text
        assert all("mug" not in each.text for each in turn.memories if each.score > 0)


async def test_a_file_written_without_vectors_is_not_opened_with_them_unawares(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "s.db", embedder="none") as ew:
        await (await (await ew.session("s", cast=["alice"])).say("alice", "Hello.")).settled()
    with pytest.raises(
        EmbedderMismatch, match=r"made by the embedder 'none' \(no vectors, words \d+\), but .* 'static'"
    ):
        async with Earwitness.open(tmp_path / "s.db"):
            pass


async def test_an_embedder_that_nobody_knows_is_refused_with_none_among_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"unknown embedder 'nobody'. Known: minilm, none, openai, static"):
        Earwitness.open(embedder="nobody")


async def test_a_setting_out_of_bounds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"setting threads = 0 cannot be used: it must be at least 1"):
        async with Earwitness.open(tmp_path / "s.db", embedder={"name": "minilm", "threads": 0}):
            pass
