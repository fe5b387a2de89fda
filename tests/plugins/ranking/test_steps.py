"""The steps of a ranking: BM25, fusing two rankings, lifting neighbours, and what a token weighs in re-ranking."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earwitness.words import idf
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ranking import bm25, fusion, rerank
from earwitness_plugins.ranking.neighbours import Neighbours

scores = st.lists(st.floats(-1, 30, width=32), min_size=1, max_size=30).map(lambda values: np.array(values, np.float64))


def test_a_term_that_all_have_still_weighs_something() -> None:
    assert 0 < idf(10, 10) < idf(10, 1) < idf(10, 0)


def test_bm25_is_its_formula() -> None:
    lengths, live = np.array([2, 4, 600]), np.array([True, True, False])
    norms = bm25.length_norms(lengths, live)
    found = bm25.scores(np.array([2.0]), np.array([1]), np.array([3]), norms)
    assert found.tolist() == [0, pytest.approx(2 * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 4 / 3))), 0]


def test_scores_are_normalised_from_the_last_that_counts_to_the_best() -> None:
    assert fusion.normalised(np.array([1.0, 2.0, 5.0, 3.0]), 3).tolist() == [0, 0, 1, pytest.approx(1 / 3)]
    assert fusion.normalised(np.array([-1.0, 2.0, 4.0]), 3).tolist() == [0, 0.5, 1]
    assert fusion.normalised(np.array([3.0, 3.0, 1.0]), 2).tolist() == [1, 1, 0]
    assert fusion.normalised(np.array([-1.0, 0.0]), 5).tolist() == [0, 0]


def test_reciprocal_ranks_are_equal_where_scores_are_and_stop_at_the_depth() -> None:
    ranks = fusion.reciprocal_ranks(np.array([5.0, 7.0, 5.0, 0.0, 1.0]), 3).tolist()
    assert ranks == [pytest.approx(61 / 62), 1, pytest.approx(61 / 62), 0, 0]
    assert fusion.reciprocal_ranks(np.array([2.0, 2.0, 2.0]), 1).tolist() == [1, 1, 1]


@pytest.mark.parametrize("how", fusion.FUSIONS)
def test_where_one_ranking_finds_nothing_the_other_counts_alone(how: fusion.Fusion) -> None:
    something, nothing = np.array([4.0, 1.0]), np.zeros(2)
    assert fusion.fuse(something, nothing, how).scores.max() == 1
    assert fusion.fuse(nothing, something, how).scores.max() == 1
    assert not fusion.fuse(nothing, nothing, how).scores.any()


@given(one=scores, other=scores, how=st.sampled_from(fusion.FUSIONS), depth=st.integers(1, 40))
def test_fused_scores_lie_between_0_and_1_and_keep_the_order_both_agree_on(
    one: np.ndarray, other: np.ndarray, how: fusion.Fusion, depth: int
) -> None:
    size = min(len(one), len(other))
    fused = fusion.fuse(one[:size], other[:size], how, depth=depth).scores
    assert ((fused >= 0) & (fused <= 1)).all()
    for a in range(size):
        for b in range(size):
            if one[a] >= one[b] and other[a] >= other[b]:
                assert fused[a] >= fused[b]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=12), st.integers(0, 6))
def test_the_best_are_those_a_sort_would_give(values: list[float], count: int) -> None:
    wanted = sorted(range(len(values)), key=lambda place: (-values[place], f"id{place}"))[:count]
    assert fusion.best(np.array(values), lambda place: f"id{place}", count) == wanted


@given(st.lists(st.integers(-3, 9), min_size=1, max_size=300), st.integers(1, 20))
def test_the_kth_largest_is_what_a_sort_would_give(values: list[int], k: int) -> None:
    k = min(k, len(values))
    assert fusion.kth_largest(np.array(values, np.float64), k) == sorted(values, reverse=True)[k - 1]


def among_neighbours(spoken: str, found: list[int], values: list[float]) -> list[float]:
    """`spoken`: one letter a memory, `m` for a message."""
    flags = np.array([letter == "m" for letter in spoken])
    return Neighbours.of(flags, np.array(found, np.int64)).lifted(np.array(values, np.float64)).tolist()


def test_a_message_is_lifted_most_of_the_way_to_a_better_one_before_it_and_a_quarter_to_one_after_it() -> None:
    assert among_neighbours("mmm", [0, 1, 2], [0.0, 0.8, 0.4]) == pytest.approx([0.2, 0.8, 0.64])


def test_equal_neighbours_stay_equal_and_the_best_loses_nothing() -> None:
    assert among_neighbours("mmm", [0, 1, 2], [0.5, 0.5, 0.5]) == [0.5, 0.5, 0.5]
    assert max(among_neighbours("mmmm", [0, 1, 2, 3], [1.0, 0.9, 1.0, 0.0])) == 1.0


def test_lore_stands_alone_and_parts_no_messages() -> None:
    assert among_neighbours("mlm", [0, 1, 2], [1.0, 0.2, 0.0]) == [1.0, 0.2, 0.6]
    assert among_neighbours("lll", [0, 1, 2], [1.0, 0.2, 0.0]) == [1.0, 0.2, 0.0]


def test_a_message_that_was_not_found_lifts_nobody_and_stands_between() -> None:
    assert among_neighbours("mmm", [0, 2], [1.0, 0.2]) == [1.0, 0.2]
    assert among_neighbours("mmm", [], []) == []


def test_a_token_weighs_what_the_rarest_word_with_it_weighs(embedder: StaticEmbedder) -> None:
    idf = {"swordfish": 3.0, "sword": 1.0}
    for words in ({"swordfish": "swordfish", "sword": "sword"}, {"sword": "sword", "swordfish": "swordfish"}):
        tokens, weights = rerank.weighed_tokens(embedder, words, idf.__getitem__)
        assert set(tokens.tolist()) == set(embedder.token_ids("swordfish").tolist())
        np.testing.assert_allclose(weights, 3 * embedder.sif(tokens))


def test_similarities_are_shares_of_the_best_one(embedder: StaticEmbedder) -> None:
    tokens = embedder.token_ids("sword")
    documents = [embedder.token_ids(text) for text in ("a sword", "soup", "")]
    best, some, none = rerank.similarities(embedder, tokens, embedder.sif(tokens), documents).tolist()
    assert best == 1
    assert 0 <= some < 1
    assert none == 0
    assert not rerank.similarities(embedder, tokens, embedder.sif(tokens), documents[2:]).any()
    assert math.isfinite(some)
