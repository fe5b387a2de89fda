"""`earwitness reembed`: a store that another embedder wrote is usable with the one that the settings name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from earwitness import Earwitness
from earwitness.errors import EmbedderMismatch, InputError
from earwitness.testing.reference import MemoryLedger, MemoryStore

from .conftest import Run, answer

LETTERS = """
import numpy as np
from earwitness.records.backends import EmbedderIdentity

class Letters:
    identity = EmbedderIdentity(name="letters", digest="1", dimension=2)

    def embed(self, texts):
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32).reshape(-1, 2)
"""


@pytest.fixture
def letters(played: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.syspath_prepend(Path.cwd())
    Path("letters_of_reembed.py").write_text(LETTERS, "utf-8")
    Path("letters.toml").write_text('path = "earwitness.db"\nembedder = "letters_of_reembed.Letters"\n', "utf-8")
    return "letters.toml"


def test_a_store_of_another_embedder_is_refused_until_its_vectors_are_made_again(played: Run, letters: str) -> None:
    refused = played("inspect", "cellar", "--settings", letters)
    assert refused.exit_code == 3
    assert "were made by the embedder 'static'" in refused.stderr
    assert "`earwitness reembed`" in refused.stderr

    done = answer(played("reembed", "--settings", letters, "--json"))
    assert done["embedder"] == "letters_of_reembed.Letters"
    assert done["memories"] > 0
    assert played("inspect", "cellar", "--settings", letters).exit_code == 0
    assert played("inspect", "cellar").exit_code == 3  # the static embedder is the stranger now


def test_without_a_store_there_is_nothing_to_make_again(run: Run) -> None:
    result = run("reembed", "--store", "nowhere.db")
    assert result.exit_code == 2
    assert "there is no store 'nowhere.db' yet" in result.stderr
    assert not Path("nowhere.db").exists()


@pytest.mark.anyio
async def test_an_open_instance_and_a_store_without_vectors_say_so(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "story.db") as ew:
        with pytest.raises(InputError, match="is open"):
            await ew.reembed()
    with pytest.raises(InputError, match="keeps no vectors"):
        await Earwitness.open(ledger=MemoryLedger(), store=MemoryStore()).reembed()


@pytest.mark.anyio
async def test_a_host_makes_vectors_again_and_opens_the_store(tmp_path: Path) -> None:
    class Numbers:
        from earwitness.records.backends import EmbedderIdentity

        identity = EmbedderIdentity(name="numbers", digest="1", dimension=1)

        def embed(self, texts: list[str]) -> np.ndarray:
            return np.ones((len(texts), 1), dtype=np.float32)

    path = tmp_path / "story.db"
    async with Earwitness.open(path) as ew:
        story = await ew.session("s1", cast=["alice"])
        await story.say("alice", "The key is under the stone.")
        await story.settled()
    with pytest.raises(EmbedderMismatch):
        await Earwitness.open(path, embedder=Numbers()).start()
    assert await Earwitness.open(path, embedder=Numbers()).reembed() == 2
    async with Earwitness.open(path, embedder=Numbers()) as ew:
        found = await (await ew.open_session("s1")).backstage().search("alice", "key")
        assert "under the stone" in found[0].memory.content
