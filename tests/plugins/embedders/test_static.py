"""What the static embedder promises about its vectors."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earwitness.errors import SettingsError
from earwitness.protocols import Embedder
from earwitness.records.backends import EmbedderIdentity
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.embedders.table import SHIPPED, StaticTable, read_table


def likeness(embedder: StaticEmbedder, one: str, other: str) -> float:
    left, right = embedder.embed([one, other])
    return float(np.vecdot(left, right))


def test_the_static_embedder_is_an_embedder(embedder: StaticEmbedder) -> None:
    assert isinstance(embedder, Embedder)


def test_every_text_has_a_vector_of_length_one(embedder: StaticEmbedder) -> None:
    vectors = embedder.embed(["Alice", "The party moved to the Dragon's Lair.", "!", "龍", "a" * 100])
    assert vectors.shape == (5, 256)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("text", ["", "  \n", "\u200b", "🗡️", "a" * 101])
def test_a_text_without_a_known_word_has_the_zero_vector(embedder: StaticEmbedder, text: str) -> None:
    assert not embedder.embed([text]).any()
    assert embedder.token_ids(text).size == 0


def test_no_texts_have_no_vectors(embedder: StaticEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 256)


def test_an_unknown_word_moves_no_vector(embedder: StaticEmbedder) -> None:
    plain, decorated = embedder.embed(["the sacred sword", "🐉 the sacred sword 🗡️"])
    assert np.array_equal(plain, decorated)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("He found the Sacred Sword.", "She discovered the holy blade.", "The soup was cold and salty."),
        ("The cat sat on the sofa.", "A kitten was lying on the couch.", "The king signed a treaty."),
        ("Who betrayed the queen?", "The traitor sold out her majesty.", "Bread costs two coins."),
        ("We sail at dawn.", "The ship leaves in the morning.", "He hates mathematics."),
        ("I am so angry with you!", "She was furious at him.", "The lamp stood on a table."),
    ],
)
def test_a_paraphrase_is_nearer_than_something_else(embedder: StaticEmbedder, text: str, near: str, far: str) -> None:
    assert likeness(embedder, text, near) > likeness(embedder, text, far) + 0.05


@pytest.mark.parametrize(("word", "neighbour"), [("sword", "swords"), ("dragon", "dragons"), ("queen", "king")])
def test_the_nearest_word_of_a_word_means_something_like_it(table: StaticTable, word: str, neighbour: str) -> None:
    rows = table.rows * table.scales[:, None] - table.centre
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    alike = np.vecdot(rows, rows[table.vocabulary.index(word)])
    assert neighbour in [table.vocabulary[number] for number in alike.argsort()[::-1][:8]]


@given(texts=st.lists(st.text(max_size=40), max_size=5), text=st.text())
def test_a_text_has_the_same_vector_in_every_batch(embedder: StaticEmbedder, texts: list[str], text: str) -> None:
    assert np.array_equal(embedder.embed([*texts, text])[-1], embedder.embed([text])[0])


def test_two_embedders_make_the_same_vectors(embedder: StaticEmbedder) -> None:
    text = "Bob and I agreed to find the Sacred Sword!"
    assert np.array_equal(StaticEmbedder().embed([text]), embedder.embed([text]))


def test_a_whole_book_is_one_text_like_any_other(embedder: StaticEmbedder) -> None:
    page = "The dragon slept upon a hill of gold and dreamt of rain. "
    assert likeness(embedder, page, page * 2000) == pytest.approx(1, abs=1e-5)


def test_vectors_are_the_ones_that_stories_were_stored_with(embedder: StaticEmbedder) -> None:
    """Fails when the tokenising, the sum or the table changed: then raise `FORMAT` and rebuild, so stories re-embed."""
    assert embedder.identity == EmbedderIdentity(name="static", digest="69c1ca8f483f18ef", dimension=256)
    vector = embedder.embed(["Émile whispers🗡️: the Dragon's Lair, 龍!"])[0]
    assert vector[:6] == pytest.approx([0.727383, -0.099173, 0.117089, 0.169285, -0.00822, -0.0576], abs=1e-5)


def test_token_ids_are_known_ascending_and_each_there_once(embedder: StaticEmbedder, table: StaticTable) -> None:
    ids = embedder.token_ids("The sword, the sword! 🗡️ THE SWORD")
    assert ids.dtype == np.int32
    assert list(ids) == sorted({table.vocabulary.index(token) for token in ("the", "sword", ",", "!")})


def test_a_rare_word_counts_for_more_than_a_frequent_one(embedder: StaticEmbedder, table: StaticTable) -> None:
    comma, the, sword, lair = embedder.sif(np.array([table.vocabulary.index(t) for t in (",", "the", "sword", "lair")]))
    assert the == pytest.approx(1e-4 / (1e-4 + 1 / 2))
    assert comma == pytest.approx(1e-4 / (1e-4 + 0.02))
    assert 0 < the < comma < sword < lair < 1


def test_importing_the_embedder_reads_no_table() -> None:
    program = (
        "import sys; opened = []; sys.addaudithook(lambda name, args: name == 'open' and opened.append(str(args[0])));"
        "from earwitness_plugins.embedders.static import StaticEmbedder; StaticEmbedder();"
        "assert not [path for path in opened if path.endswith('.npz')], opened"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ})


def test_a_missing_table_is_named_with_what_to_do(tmp_path: Path) -> None:
    embedder = StaticEmbedder(tmp_path / "none.npz")
    with pytest.raises(SettingsError, match=r"none\.npz.*Reinstall earwitness"):
        embedder.embed(["Alice"])
    with pytest.raises(SettingsError, match=r"none\.npz"):
        _ = embedder.identity


def test_a_damaged_table_is_named_with_what_to_do(tmp_path: Path) -> None:
    content = SHIPPED.read_bytes()
    array = io.BytesIO()
    np.save(array, np.zeros(3))
    for number, damaged in enumerate((b"", b"no table", content[:-1000], content[:100_000], array.getvalue())):
        path = tmp_path / f"{number}.npz"
        path.write_bytes(damaged)
        with pytest.raises(SettingsError, match=r"\.npz.*rebuild the table"):
            read_table(path)


@pytest.mark.parametrize("place", [60, 200, 5_000, 120_000, 3_000_000, 6_100_000])
def test_a_table_with_one_flipped_bit_is_refused(tmp_path: Path, place: int) -> None:
    content = bytearray(SHIPPED.read_bytes())
    content[place] ^= 1
    path = tmp_path / "flipped.npz"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"flipped\.npz"):
        read_table(path)


def test_a_table_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "later.npz"
    np.savez(path, format=np.frombuffer(b"earwitness static table 9", dtype=np.uint8))
    with pytest.raises(
        SettingsError, match=r"^The static [^:]*: its format is '.*table 9', .*reads '.*table 1'\. Rein"
    ):
        read_table(path)
