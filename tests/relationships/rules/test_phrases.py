"""The limits of a rule in words, as `rules show` and pictures have them."""

import pytest

from earwitness_relationships.rules.edges import edges
from earwitness_relationships.rules.file import rules_text
from earwitness_relationships.rules.phrases import limited

INN = "inn: {members: [tom, ann, eve], rules: {hub_from: 3, RULES}}"


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("propagate_all: true", "through a hub from 3 members on"),
        ("propagate_all: true, chance: 1", "through a hub from 3 members on"),
        ("propagate_all: true, budget: {message: 2}", "at most 2 tellings a message"),
        ("propagate_all: true, when: conversation", "when the conversation is over"),
        ("share_with: [inn]", ""),
    ],
)
def test_a_hub_is_named_only_where_something_is_read_in_it(rules: str, words: str) -> None:
    assert {limited(each) for each in edges(rules_text(INN.replace("RULES", rules)))} == {words}


def test_a_hub_of_a_relationship_is_not_named() -> None:
    related = (
        "inn: {members: [tom], relationships: [{from: tom, to: ann, rules: [gossip_about_others, {hub_from: 1}]}]}"
    )
    assert [limited(each) for each in edges(rules_text(related))] == [""]


def test_nobody_is_shown_to_tell_themselves() -> None:
    book = rules_text("inn: {members: [tom, ann], rules: {share_with: [ann], gossip_about_others: true}}")
    assert [(each.teller, each.listener) for each in edges(book)] == [("tom", "ann")]
