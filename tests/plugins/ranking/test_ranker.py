"""Any store can hand its candidates to the ranker: nothing here knows of SQLite."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from earwitness.words import query_words
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ranking import Doubles, Flags, RankingMethod, RankingSteps, TokenIds, rank

TEXTS = ("a sword in the cave", "soup", "swords and shields", "where is it hidden?", "the old cave")


@dataclass(frozen=True)
class Texts:
    """Candidates of a store that keeps nothing but texts."""

    texts: Sequence[str]
    words: Doubles
    meaning: Doubles
    embedder: StaticEmbedder | None = None

    @property
    def spoken(self) -> Flags:
        return np.zeros(len(self.texts), np.bool_)

    def id_at(self, place: int) -> str:
        return f"m{place}"

    def idf(self, term: str) -> float:
        return 1.0

    def tokens(self, places: Sequence[int]) -> list[TokenIds]:
        assert self.embedder
        return [self.embedder.token_ids(self.texts[place]) for place in places]


def candidates(words: Sequence[float], meaning: Sequence[float], embedder: StaticEmbedder | None = None) -> Texts:
    return Texts(TEXTS, np.array(words, np.float64), np.array(meaning, np.float64), embedder)


def test_what_shares_neither_a_word_nor_meaning_is_not_found() -> None:
    ranked = rank(candidates([2, 0, 0.5, 0, 0], [0.1, 0, 0.9, 0, -0.4]), query_words("swords"), 10, RankingMethod())
    assert ranked.places == [0, 2]
    assert ranked.scores == [pytest.approx(0.7 + 0.3 * 0.1 / 0.9), pytest.approx(0.7 * 0.25 + 0.3)]
    assert [part.keys() for part in ranked.parts] == [{"words", "meaning"}] * 2


def test_ties_go_by_id_and_no_more_than_the_limit_are_returned() -> None:
    ranked = rank(candidates([1, 1, 1, 1, 1], [0, 0, 0, 0, 0]), query_words("swords"), 3, RankingMethod())
    assert ranked.places == [0, 1, 2]


def test_nothing_found_is_an_empty_ranking() -> None:
    assert rank(candidates([0] * 5, [0] * 5), query_words("swords"), 3, RankingMethod()) == ([], [], [])


def test_a_reranker_compares_the_best_once_more_token_by_token(embedder: StaticEmbedder) -> None:
    found = candidates([0, 0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5, 0.5], embedder)
    ranked = rank(found, query_words("swords and a shield"), 5, RankingMethod(reranker=embedder))
    assert ranked.places[0] == 2
    assert ranked.parts[0]["rerank"] == 1


@dataclass(frozen=True)
class FewRead(Texts):
    """Candidates of a store that reads ids and texts only when a step is about to look at them."""

    read: set[int] = field(default_factory=set)

    @property
    def spoken(self) -> Flags:
        return np.ones(len(self.texts), np.bool_)

    def id_at(self, place: int) -> str:
        assert place in self.read
        return super().id_at(place)

    def tokens(self, places: Sequence[int]) -> list[TokenIds]:
        assert self.read.issuperset(places)
        return super().tokens(places)


@pytest.mark.parametrize("limit", [3, 80])
@pytest.mark.parametrize("reranks", [True, False])
def test_a_ranking_in_steps_says_before_what_it_will_look_at(
    embedder: StaticEmbedder, limit: int, *, reranks: bool
) -> None:
    generator = np.random.default_rng(limit)
    texts = [f"{TEXTS[n % len(TEXTS)]} {n}" for n in range(1_500)]
    words, meaning = (np.maximum(generator.integers(-3, 5, 1_500), 0).astype(np.float64) for _ in range(2))
    method = RankingMethod(reranker=embedder if reranks else None)
    few = FewRead(texts, words, meaning, embedder)
    ranking = RankingSteps(few, query_words("swords and shields"), limit, method)
    few.read.update(ranking.shortlist)
    ranking.rerank()
    few.read.update(ranking.finalists)
    all_read = FewRead(texts, words, meaning, embedder, {*range(1_500)})
    assert ranking.best() == rank(all_read, query_words("swords and shields"), limit, method)
    assert len(few.read) < 1_000
