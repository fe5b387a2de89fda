"""The embedder `openai`, through the real client over a socket: what it sends, what it gives, and what it says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr

from earwitness import Earwitness, Settings
from earwitness.errors import EmbedderMismatch, NotYetApplied, SettingsError, StorageError
from earwitness.protocols import Embedder
from earwitness_plugins.embedders.openai import LONGEST, OpenAIEmbedder, windows_of

from .openai_server import KEY, EmbeddingsServer, serving, vector

pytest.importorskip("openai", reason="the client is not installed: pip install 'earwitness[openai]'")


@pytest.fixture
def server() -> Iterator[EmbeddingsServer]:
    with serving() as found:
        yield found


@pytest.fixture
async def embedder(server: EmbeddingsServer) -> AsyncIterator[OpenAIEmbedder]:
    made = OpenAIEmbedder(dimensions=8, api_key=SecretStr(KEY), base_url=server.url)
    yield made
    await made.close()


async def test_every_text_has_a_vector_of_length_one_and_a_blank_one_of_length_zero(embedder: OpenAIEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    vectors = await embedder.embed(["Alice", " \n", "Bob"])
    wanted = np.array([vector("Alice", 8), vector("Bob", 8)], np.float32)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert vectors[[0, 2]] == pytest.approx(wanted, abs=1e-6)
    assert not vectors[1].any()
    assert (await embedder.embed([])).shape == (0, 8)


async def test_a_length_is_asked_for_only_of_models_that_can_be_shortened(server: EmbeddingsServer) -> None:
    server.length = 1536
    for model, dimensions in (("text-embedding-3-small", None), ("text-embedding-ada-002", 1536), ("own", 1536)):
        made = OpenAIEmbedder(model=model, dimensions=dimensions, api_key=SecretStr(KEY), base_url=server.url)
        assert (await made.embed(["Alice"])).shape == (1, 1536)
        await made.close()
    assert not any("dimensions" in each for each in server.asked)
    assert {each["encoding_format"] for each in server.asked} == {"base64"}


async def test_many_texts_are_several_requests_within_the_services_limits(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    vectors = await embedder.embed([f"text {number}" for number in range(5_000)])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5_000), abs=1e-5)
    assert [len(each["input"]) for each in server.asked] == [2_048, 2_048, 904]
    await embedder.embed(["word " * 1_500] * 100)
    assert len(server.asked) == 3 + 3


async def test_a_long_text_is_the_average_of_its_windows(embedder: OpenAIEmbedder) -> None:
    text = "猫" * LONGEST + " " + "word " * LONGEST
    windows = list(windows_of(text))
    assert max(len(each.encode()) for each in windows) <= LONGEST
    assert "".join(windows).replace(" ", "") == text.replace(" ", "")
    mean = sum(len(each) * np.array(vector(each, 8)) for each in windows)
    assert (await embedder.embed([text]))[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-4)


@pytest.mark.parametrize(
    "text", ["x" * LONGEST + "\u2003" * LONGEST + "y", "\u2003\u00a0", "a \ud800 b", "é" * LONGEST]
)
def test_no_window_is_blank_or_too_long(text: str) -> None:
    windows = list(windows_of(text))
    assert all(each.strip() and len(each.encode()) <= LONGEST for each in windows)
    assert bool(windows) == bool(text.strip())


async def test_a_refusal_that_may_pass_is_tried_again(server: EmbeddingsServer, embedder: OpenAIEmbedder) -> None:
    server.faults = [429, 0]
    assert (await embedder.embed(["Alice"])).any()
    assert len(server.asked) == 3


async def test_a_service_that_stays_away_is_a_storage_error_that_names_it(server: EmbeddingsServer) -> None:
    made = OpenAIEmbedder(api_key=SecretStr(KEY), base_url=server.url, retries=0)
    server.faults = [503]
    with pytest.raises(StorageError, match=rf"got no vectors from {server.url}/.*fault 503"):
        await made.embed(["Alice"])
    await made.close()


async def test_a_wrong_key_is_not_shown(server: EmbeddingsServer) -> None:
    made = OpenAIEmbedder(api_key=SecretStr("sk-wrong"), base_url=server.url)
    with pytest.raises(StorageError, match="Incorrect API key") as caught:
        await made.embed(["Alice"])
    assert "sk-wrong" not in str(caught.value) + repr(made)
    await made.close()


async def test_without_a_key_it_says_where_one_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        await OpenAIEmbedder().embed(["Alice"])


async def test_without_a_key_it_says_which_line_of_the_settings_chooses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "earwitness.toml").write_text('strict = true\n\n[embedder]\nname = "openai"\n', "utf-8")
    with pytest.raises(SettingsError, match=r"earwitness\.toml:3:2: the embedder 'openai' has no key\. Set the"):
        async with Earwitness.open(settings=Settings.load(tmp_path / "earwitness.toml")):
            pass


async def test_vectors_of_another_length_are_refused(server: EmbeddingsServer, embedder: OpenAIEmbedder) -> None:
    server.length = 5
    with pytest.raises(StorageError, match=r"with 8 numbers and got some with 5\. Set dimensions"):
        await embedder.embed(["Alice"])


@pytest.mark.parametrize(
    ("model", "dimensions", "said"),
    [
        ("own", None, "'own'.*Set dimensions. Known: text-embedding-3-small"),
        ("text-embedding-3-small", 2_000, "dimensions = 2000 cannot be used: .*makes 1 to 1536"),
        ("text-embedding-ada-002", 256, "dimensions = 256 cannot be used: .*makes 1536"),
    ],
)
def test_dimensions_that_cannot_be_had_are_refused(model: str, dimensions: int | None, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        OpenAIEmbedder(model=model, dimensions=dimensions)


def test_each_model_and_length_has_an_identity_of_its_own() -> None:
    every = [OpenAIEmbedder(), OpenAIEmbedder(dimensions=256), OpenAIEmbedder(model="text-embedding-3-large")]
    assert len({each.identity.digest for each in every}) == 3
    assert every[1].identity.name == "openai text-embedding-3-small"
    assert OpenAIEmbedder(base_url="http://localhost:1").identity == every[0].identity


async def test_a_story_remembers_and_recalls_with_it_and_no_other_embedder_opens_it(
    server: EmbeddingsServer, tmp_path: Path
) -> None:
    path = str(tmp_path / "story.db")
    async with Earwitness.open(path, embedder=_table(server)) as ew:
        story = await ew.session("tavern", cast=["alice", "bob"], present=["alice", "bob"])
        await (await story.say("alice", "The sword is under the stairs.")).settled()
        hits = await story.backstage().search("bob", "Where is the sword?")
        assert [each.parts["words"] for each in hits] == [1]
    assert len(server.asked) == 2
    with pytest.raises(EmbedderMismatch, match="openai text-embedding-3-small"):
        async with Earwitness.open(path):
            pass


async def test_a_service_that_is_away_keeps_nobody_from_deciding_and_loses_nothing(
    server: EmbeddingsServer, tmp_path: Path
) -> None:
    server.faults = [503] * 3
    async with Earwitness.open(str(tmp_path / "story.db"), embedder={**_table(server), "retries": 0}) as ew:
        story = await ew.session("tavern", cast=["alice", "bob"], present=["alice", "bob"])
        outcome = await story.say("alice", "The sword is under the stairs.")
        assert [*(await outcome.decided()).participants] == ["alice", "bob"]
        assert server.faults  # the plan was recorded while nobody had a vector
        for _ in range(100):
            with suppress(NotYetApplied):
                await story.delivered()
                break
            await asyncio.sleep(0.1)
        assert len(await story.backstage().search("bob", "Where is the sword?")) == 1


def _table(server: EmbeddingsServer) -> dict[str, object]:
    return {"name": "openai", "dimensions": 64, "api_key": KEY, "base_url": server.url}


async def test_a_password_in_the_url_is_not_shown(server: EmbeddingsServer) -> None:
    made = OpenAIEmbedder(
        dimensions=9, api_key=SecretStr(KEY), base_url=server.url.replace("://", "://user:very-secret@")
    )
    server.length = 8
    with pytest.raises(StorageError, match=r"127\.0\.0\.1") as raised:
        await made.embed(["Alice"])
    await made.close()
    assert "very-secret" not in str(raised.value)


async def test_a_web_page_in_place_of_vectors_names_the_setting(
    server: EmbeddingsServer, embedder: OpenAIEmbedder
) -> None:
    server.page = "<!DOCTYPE html><html>Welcome!</html>"
    with pytest.raises(StorageError, match=r"for vectors and got another answer. Check base_url"):
        await embedder.embed(["Alice"])
