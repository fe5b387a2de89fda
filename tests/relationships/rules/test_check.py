"""`check` warns of what can be read and is probably not meant, with line and column."""

import pytest

from earwitness_relationships.rules.check import misspelt_names, warnings
from earwitness_relationships.rules.file import rules_in


def warned(text: str, cast: list[str] | None = None) -> list[str]:
    return [f"{each.line}:{each.column} {each.message}" for each in warnings(rules_in(text), cast)]


FINE = """\
inn:
  members: [greta, tom, ann]
  rules: {exclude_private: true}
  relationships:
    - {from: greta, to: tom, rules: [share_direct_interactions, {delay: 2}]}
"""


def test_of_a_file_that_is_fine_nothing_is_said() -> None:
    assert warned(FINE) == []
    assert warned(FINE, ["greta", "tom", "ann"]) == []


SAYS_NOTHING = FINE.replace("  rules: {exclude_private: true}\n", "")


def test_of_a_story_with_direct_messages_whoever_passes_them_on_unsaid_is_named() -> None:
    def confided(text: str) -> list[str]:
        return [each.message for each in warnings(rules_in(text), has_direct_messages=True)]

    (message,) = confided(SAYS_NOTHING)
    assert message.startswith("greta passes direct messages on, too")
    assert "exclude_private: true" in message
    assert confided(FINE) == confided(FINE.replace("true", "false")) == warned(SAYS_NOTHING) == []


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("hub_from: 1", "hub_from does nothing with when: conversation: each listener of greta"),
        ("spreading: sir", "spreading and when: conversation do not go together: greta tells nobody"),
        ("as: witnessed, reliability: 0.5, triage: novelty, budget: {listener_day: 1}", None),
    ],
)
def test_options_that_do_nothing_for_summaries_of_conversations_are_named(option: str, said: str | None) -> None:
    summed_up = FINE.replace("{delay: 2}", f"{{when: conversation, {option}}}")
    found = warned(summed_up)
    assert [str(said) in each for each in found] == ([] if said is None else [True])
    at_once = warned(summed_up.replace("when: conversation", "when: message"))
    assert not any(str(said) in each for each in at_once)


HUB = """\
inn:
  members: [greta, tom, {id: ann, role: observer}]
  rules: {hub_from: 2, RULES}
"""


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("share_direct_interactions: true, share_with: [inn]", "in place of share_with: [inn]"),
        ("share_direct_interactions: true, share_with: [greta, tom]", "only what propagate_all or"),
        ("propagate_all: true, chance: 0.5", "with chance, not all members are told alike"),
        ("propagate_all: true, relation_types: [friend]", "with relation_types, not all"),
        ("propagate_all: true, chance: 1", None),
        ("propagate_all: true, share_direct_interactions: true, share_with: [inn]", None),
    ],
)
def test_a_hub_that_nobody_reads_is_named_and_what_to_say_for_it_to_be_read(rules: str, said: str | None) -> None:
    found = [each for each in warned(HUB.replace("RULES", rules)) if "hub_from" in each]
    assert [each.startswith("3:11 hub_from does nothing") and str(said) in each for each in found] == [True] * bool(
        said
    )


def test_a_hub_of_a_relationship_is_named_and_one_of_a_member_who_tells_everybody_is_not() -> None:
    (found,) = warned(FINE.replace("{delay: 2}", "{hub_from: 2}"))
    assert "hub_from does nothing in a relationship" in found
    own = "inn:\n  members: [tom, {id: ann, rules: {hub_from: 2, RULES}}]\n"
    assert warned(own.replace("RULES", "propagate_all: true")) == []
    assert "2:36 hub_from does nothing" in warned(own.replace("RULES", "share_with: tom"))[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "inn:\n  members: [greta, tom]\n  rules: [share_direct_interactions]",
            "3:11 greta, tom tell nobody by share_direct_interactions: no share_with, relation_types or relationship",
        ),
        (
            "inn:\n  members: {greta: {rules: {share_with: tom}}, tom: }\n  rules: {shareDirectInteractions: true}",
            "3:11 tom tells nobody by share_direct_interactions",
        ),
        ("inn:\n  rules: {propagate_all: true}", "2:11 propagate_all reaches nobody: 'inn' has no members here."),
        ("inn:\n  members: [tom]\n  rules: [propagate_all]", "3:11 propagate_all reaches nobody: 'inn' has one member"),
        ("inn:\n  members: [tom, ann]\n  rules: {delay: 2}", "3:11 delay changes nothing, since nothing in 'inn' is"),
        (
            "inn:\n  members: [tom, ann]\n  rules: {as: gossip}",
            "3:11 as changes nothing, since nothing in 'inn'",
        ),
        (
            "inn:\n  members: [tom, {id: ann, role: observer, rules: {share_with: tom}}]",
            "2:52 share_with never holds: 'ann' is an observer, who never tells.",
        ),
        (
            "inn:\n  members: [tom, {id: ann, rules: {share_with: tom, share_direct_interactions: false}}]",
            "2:36 share_with names somebody, but what to share is switched off.",
        ),
        ("inn:\n  members: [{id: ann, rules: {share_with: ann}}]", "2:31 'ann' shares only with themselves."),
        (
            "inn:\n  members: {ann: observer}\n  relationships: [{from: ann, to: tom, rules: [gossip_about_others]}]",
            "3:19 its rules never hold: 'ann' is an observer",
        ),
        (
            "inn:\n  relationships: [{from: a, to: b, weight: 0.2, rules: [gossip_about_others, {min_weight: 0.5}]}]",
            "2:79 min_weight 0.5 is above the weight 0.2 of this relationship.",
        ),
        ("inn:\n  relationships: [{from: a, to: b, rules: [gossip_about_others, {chance: 0}]}]", "no coin ever falls"),
        (
            "inn:\n  relationships: [{from: a, to: b, rules: [gossip_about_others, {max_hops: 0}]}]",
            "nothing is told",
        ),
        ("inn:\n  relationships: [{from: a, to: b, rules: [gossip_about_others, {decay: 0.01}]}]", "nothing arrives"),
        ("inn:\n  relationships: [{from: a, to: b, rules: [gossip_about_others, {budget: 0}]}]", "a budget of 0 lets"),
        (
            "inn:\n  relationships: [{from: a, to: b, rules: [gossip_about_others, {only_about: b, never_about: b}]}]",
            "never_about excludes everybody in only_about",
        ),
    ],
)
def test_a_rule_that_can_never_fire_is_named_with_the_reason(text: str, said: str) -> None:
    assert len([each for each in warned(text) if said in each]) == 1, warned(text)


def test_a_name_that_nothing_in_the_file_introduces_is_probably_misspelt() -> None:
    text = "inn:\n  members: {greta: {rules: {share_with: [tmo]}}, tom: }\n"
    assert warned(text) == ["2:42 nobody in this file is called 'tmo'. Did you mean 'tom'?"]


def test_members_who_are_not_in_the_story_are_named() -> None:
    assert warned(FINE, ["greta", "tom"]) == ["2:25 nobody in the cast is called 'ann'."]
    assert warned(FINE, ["greta", "thom", "ann"]) == [
        "2:20 nobody in the cast is called 'tom'. Did you mean 'thom'?",
        "5:21 nobody in the cast is called 'tom'. Did you mean 'thom'?",
    ]


def test_a_type_of_relation_that_is_nearly_one_of_the_file_is_probably_misspelt() -> None:
    text = FINE + "    - {from: tom, to: ann, type: friend}\n"
    text = text.replace("{exclude_private: true}", "[share_direct_interactions, {relation_types: [freind]}]")
    assert [each for each in warned(text) if "freind" in each] == [
        "3:56 no relationship in this file is a 'freind'. Did you mean 'friend'?"
    ]


CIRCLE = "inn:\n  relationships:\n" + "".join(
    f"    - {{from: {a}, to: {b}, rules: [gossip_about_others]}}\n" for a, b in ("ab", "bc", "ca")
)


def test_a_table_without_members_and_a_misspelt_update_are_named() -> None:
    text = "feedz: {}\ntom: {relationships: [{from: tom, to: mia, rules: gossip_about_others}]}\n"
    (said,) = warned(text)
    assert "'feedz' is read as a pantheon, and has no members here." in said
    assert said.endswith("Did you mean 'feeds'?")
    (said,) = warned("feeds: {item_aquired: OWNS, quest_done: KNOWS}\ninn: {members: [tom]}")
    assert said.endswith("of the type 'item_aquired'. Did you mean 'item_acquired'?")


def test_a_circle_of_gossip_without_a_limit_floods() -> None:
    (said,) = warned(CIRCLE)
    assert said.startswith("3:7 a, b, c gossip in a circle: what one of them learns reaches all 3. Limit it with")


@pytest.mark.parametrize("limit", ["max_hops: 1", "fan_out: 2", "budget: 5", "decay: 0.5", "chance: 0.5"])
def test_a_circle_with_a_limit_does_not(limit: str) -> None:
    assert warned(CIRCLE + f"  rules: {{{limit}}}\n") == []


def test_two_who_gossip_with_each_other_are_no_circle() -> None:
    assert warned("inn: {relationships: [{from: a, to: b, mutual: true, rules: [gossip_about_others]}]}") == []


def test_gossip_to_all_members_is_a_circle() -> None:
    text = "inn:\n  members: [a, b, c]\n  rules: {gossip_about_others: true, share_with: inn}\n"
    assert warned(text)[0].startswith("2:13 a, b, c gossip in a circle: what one of them learns reaches all 3.")


def test_a_large_pantheon_is_told_of_hubs() -> None:
    members = ", ".join(f"m{n}" for n in range(100))
    text = f"inn:\n  members: [{members}]\n  rules: {{propagate_all: true}}\n"
    assert warned(text) == ["2:3 each message is copied to 100 members. With hub_from: 100 they read one copy instead."]
    assert warned(text.replace("propagate_all: true", "propagate_all: true, hub_from: 50")) == []


def misspelt(text: str, cast: list[str]) -> list[str]:
    return [f"{each.line}:{each.column} {each.message}" for each in misspelt_names(rules_in(text), cast)]


def test_while_a_story_is_played_only_names_that_are_probably_misspelt_are_named() -> None:
    assert misspelt(FINE, ["greta", "tom", "zoe"]) == []
    text = FINE.replace("ann]", "anm]").replace("true}", "true, share_with: [gretta]}")
    assert misspelt(text, ["greta", "tom", "ann"]) == [
        "2:25 nobody in the cast is called 'anm'. Did you mean 'ann'?",
        "3:47 nobody in the cast or in this file is called 'gretta'. Did you mean 'greta'?",
    ]


def test_a_file_about_many_others_is_not_taken_for_misspelt() -> None:
    members = ", ".join(f"guard_{number}" for number in range(30))
    assert misspelt(f"inn: {{members: [{members}]}}", ["guard_x"]) == []
