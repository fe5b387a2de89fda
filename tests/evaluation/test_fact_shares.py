"""Who knows a fact is read off what stands in the containers."""

from earwitness.backstage.rarity import NEAR_BEST
from earwitness.formats import character_memory
from earwitness_plugins.applications.evaluation.fact_shares import FactShares, word_sets

SAID = {
    "Ann": "The key is under the third barrel in the cellar.",
    "Ben": "My sister plays the cello in Vienna.",
    "Cat": "The weather is lovely, and so is the town.",
}
WORLD = [character_memory(name, text, 1, 1) for name, text in SAID.items()]


def shares(fact: str, *heard: str) -> float:
    return FactShares(WORLD).shares(fact, {"x": word_sets(WORLD[list(SAID).index(name)] for name in heard)})["x"]


def test_whoever_holds_the_best_memory_of_it_knows_it() -> None:
    assert shares("Where is the key? Under the third barrel.", "Ann", "Cat") == 1
    assert shares("Where is the key? Under the third barrel.", "Ben", "Cat") < NEAR_BEST


def test_rare_words_tell_more_than_common_ones() -> None:
    assert shares("Is the cello lovely?", "Ben") > shares("Is the cello lovely?", "Ann")


def test_an_empty_container_knows_nothing_and_nobody_knows_what_was_never_said() -> None:
    assert shares("the key") == 0
    assert shares("dragons", "Ann") == 0
    assert FactShares([]).shares("the key", {"x": []}) == {"x": 0.0}


def test_our_own_headings_are_no_words() -> None:
    assert shares("###Current time### Game Day: 1", "Ann") == 0
