"""Late interaction over the static table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from earwitness.errors import InputError
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.embedders.table import StaticTable

Tokens = st.lists(st.integers(0, 30_521), max_size=12)


def ids(tokens: list[int]) -> NDArray[np.int32]:
    return np.array(tokens, dtype=np.int32)


def naive_score(table: StaticTable, query: list[int], document: list[int], weights: list[float]) -> float:
    """The formula as it is written, in double precision."""
    rows = table.rows.astype(np.float64) * table.scales.astype(np.float64)[:, None] if query and document else None
    if rows is None:
        return 0.0
    mean, total = rows.mean(axis=0), 0.0
    for token, weight in zip(query, weights, strict=True):
        best = -1.0
        for other in document:
            left, right = rows[token] - mean, rows[other] - mean
            best = max(best, float(left.dot(right) / (np.linalg.norm(left) * np.linalg.norm(right))))
        total += weight * best
    return total


def test_maxsim_is_the_double_loop_of_its_formula(embedder: StaticEmbedder, table: StaticTable) -> None:
    random = np.random.default_rng(7)
    query = sorted(random.choice(30_522, 10, replace=False).tolist())
    weights = random.uniform(0, 5, 10).tolist()
    documents = [sorted(random.choice(30_522, size, replace=False).tolist()) for size in (1, 0, 7, 40, 3, 0)]
    scores = embedder.maxsim(ids(query), [ids(document) for document in documents], np.array(weights, dtype=np.float32))
    assert scores.dtype == np.float32
    assert scores == pytest.approx([naive_score(table, query, document, weights) for document in documents], abs=1e-4)


@given(query=Tokens, documents=st.lists(Tokens, max_size=5), document=Tokens)
def test_other_documents_move_no_score(
    embedder: StaticEmbedder, query: list[int], documents: list[list[int]], document: list[int]
) -> None:
    weights = np.ones(len(query), dtype=np.float32)
    among = embedder.maxsim(ids(query), [ids(other) for other in [*documents, document]], weights)[-1]
    alone = embedder.maxsim(ids(query), [ids(document)], weights)[0]
    assert among == pytest.approx(alone, abs=1e-5)


def test_a_document_with_all_the_words_has_the_sum_of_their_weights(embedder: StaticEmbedder) -> None:
    query = embedder.token_ids("find the Sacred Sword")
    weights = embedder.sif(query)
    document = embedder.token_ids("Bob and I agreed to find the Sacred Sword!")
    assert embedder.maxsim(query, [document], weights)[0] == pytest.approx(weights.sum(), abs=1e-5)


def test_the_document_that_answers_the_question_comes_first(embedder: StaticEmbedder) -> None:
    query = embedder.token_ids("Where is the holy blade hidden?")
    documents = ["Bread costs two coins.", "He concealed the sacred sword under the altar.", "It rains in the north."]
    scores = embedder.maxsim(query, [embedder.token_ids(document) for document in documents], embedder.sif(query))
    assert scores.argmax() == 1


def test_nothing_to_compare_scores_nothing(embedder: StaticEmbedder) -> None:
    none, some = ids([]), embedder.token_ids("sword")
    weight = np.ones(1, dtype=np.float32)
    assert embedder.maxsim(some, [], weight).shape == (0,)
    assert list(embedder.maxsim(some, [none, none], weight)) == [0, 0]
    assert list(embedder.maxsim(none, [some, none], np.ones(0, dtype=np.float32))) == [0, 0]


def test_weights_that_do_not_match_the_query_are_refused(embedder: StaticEmbedder) -> None:
    query = embedder.token_ids("sacred sword")
    with pytest.raises(InputError, match="3 weights for 2 query tokens"):
        embedder.maxsim(query, [query], np.ones(3, dtype=np.float32))
