"""Who knows a fact is read off what stands in the containers."""

import pytest

from earwitness.backstage.likelihood import KNOWS, UNSURE, AskedFact
from earwitness.backstage.rarity import word_set
from earwitness.formats import character_memory
from earwitness_plugins.applications.evaluation.fact_shares import FactShares

SAID = {
    "Ann": "The key is under the third barrel in the cellar.",
    "Ben": "My sister plays the cello in Vienna.",
    "Cat": "The weather is lovely, and so is the town.",
    "Dan": "Where did Ann put the key, I wonder? Where is the key?",
    "Eva": "She will need a new bow for the cello, and rosin, and strings.",
}
WORLD = {name: word_set(character_memory(name, text, 1, 1)) for name, text in SAID.items()}
KEY = "Where is the key? Under the third barrel."


def shares(fact: str, *heard: str) -> float:
    return FactShares(WORLD).shares(AskedFact.of(fact), {"x": {name: WORLD[name] for name in heard}})["x"]


def test_whoever_holds_what_tells_it_knows_it() -> None:
    assert shares(KEY, "Ann", "Cat") > UNSURE[1]
    assert shares(KEY, "Ben", "Cat") < UNSURE[0]


def test_who_heard_only_the_question_does_not_know_the_answer() -> None:
    assert shares(KEY, "Dan", "Ben") < UNSURE[0]


def test_several_memories_tell_one_fact_together() -> None:
    both = "What did Ann tell about her sister? The cello in Vienna, a new bow and strings."
    assert shares(both, "Ben", "Eva") > max(shares(both, "Ben"), shares(both, "Eva"))
    assert shares(both, "Ben", "Eva") > UNSURE[1]


def test_who_hears_the_answer_again_knows_it_without_much_certainty() -> None:
    told = {
        "first": word_set("Ann: The doctor wants me on a diet without salt, and so I cook for myself."),
        "again": word_set("Ann: I want to try the soup, it suits my diet without salt."),
        "other": word_set("Ben: I am going to buy a canoe."),
        **WORLD,
    }
    fact = AskedFact.of("Which diet does the doctor want for Ann? One without salt.")
    found = FactShares(told).shares(fact, {name: {name: words} for name, words in told.items()})
    assert found["first"] > UNSURE[1]
    assert KNOWS <= found["again"] < UNSURE[1]
    assert found["other"] < UNSURE[0]


def test_a_copy_without_what_matters_counts_for_nothing() -> None:
    copy = {"Ann": word_set("Ann: In the cellar.")}
    assert FactShares(WORLD).shares(AskedFact.of(KEY), {"x": copy}) == {"x": 0.0}


def test_rare_words_tell_more_than_common_ones() -> None:
    assert shares("Is the cello lovely in Vienna?", "Ben") > shares("Is the cello lovely in Vienna?", "Cat")


def test_an_empty_container_knows_nothing_and_nobody_knows_what_was_never_said() -> None:
    assert shares("the key") == 0
    assert shares("dragons", "Ann") == 0
    assert FactShares({}).shares(AskedFact.of("the key"), {"x": {}}) == {"x": 0.0}


def test_our_own_headings_are_no_words() -> None:
    assert shares("###Current time### Game Day: 1", "Ann") == 0


@pytest.mark.parametrize(
    ("fact", "question", "divided"),
    [
        (KEY, None, ("Where is the key?", "Under the third barrel.")),
        ("Is it far? No. Is it? Yes.", "Is it far? No. Is it?", ("Is it far? No. Is it?", "Yes.")),
        ("The key is under the barrel.", None, ("", "The key is under the barrel.")),
        ("The key is under the barrel.", "Where is it?", ("", "The key is under the barrel.")),
        ("鍵はどこ？樽の下。", None, ("鍵はどこ？", "樽の下。")),  # noqa: RUF001,
    ],
)
def test_a_fact_is_divided_after_its_question(fact: str, question: str | None, divided: tuple[str, str]) -> None:
    assert AskedFact.of(fact, question) == divided
