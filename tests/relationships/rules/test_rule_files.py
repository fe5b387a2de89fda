"""A rule file says the same in every shape, spelling and format, and is refused with every mistake and its place."""

import json
import os
from itertools import pairwise
from pathlib import Path

import pytest

from earwitness_relationships.errors import RulesError
from earwitness_relationships.rules import Member, RelationshipRule, RuleBook, Rules, read_rules, rules_text

SHORT = """\
tavern:
  members: [alice, bob, charlie]
  relationships:
    - {from: bob, to: charlie, type: friend, rules: {share_direct_interactions: true, delay: 2}}
"""
ONE_PANTHEON = {
    "id": "inn-uuid",
    "name": "The Inn",
    "slug": "inn",
    "type": "friend_group",
    "propagationRules": {"shareDirectInteractions": True, "as": "gossip", "excludePrivate": True},
    "memberships": [
        {"personalityId": "greta", "role": "leader", "customRules": {"shareWith": ["tom"], "as": "intimate"}},
        {"personalityId": "tom"},
    ],
}
BY_SLUG = {
    "inn": {"relationships": [{"from": "greta", "to": "tom", "type": "siblings", "rules": ["gossip_about_others"]}]},
    "gods": {"rules": {"propagate_all_user_interactions": {"to": "all_members", "as": "witnessed"}}},
}
TOML = """\
slug = "inn"
members = ["greta", "tom"]
[rules]
share_direct_interactions = true
share_with = "tom"
budget = { message = 3 }
"""


def refused(text: str, path: str = "r.yaml") -> str:
    with pytest.raises(RulesError) as error:
        rules_text(text, path)
    return str(error.value)


# ── shapes ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_five_lines_are_a_rule_file() -> None:
    (tavern,) = rules_text(SHORT).pantheons
    assert [each.personality_id for each in tavern.members] == ["alice", "bob", "charlie"]
    assert tavern.relationships == (
        RelationshipRule(
            source="bob", target="charlie", type="friend", rules=Rules(share_direct_interactions=True, delay=2)
        ),
    )


def test_one_pantheon_a_file_with_custom_rules_of_its_members() -> None:
    (inn,) = rules_text(json.dumps(ONE_PANTHEON), "r.json").pantheons
    assert (inn.slug, inn.id, inn.name, inn.type) == ("inn", "inn-uuid", "The Inn", "friend_group")
    assert inn.rules == Rules(share_direct_interactions=True, manner="gossip", exclude_private=True)
    assert inn.members == (
        Member(personality_id="greta", role="leader", rules=Rules(share_with=("tom",), manner="intimate")),
        Member(personality_id="tom"),
    )


def test_pantheons_by_slug_with_rules_by_name() -> None:
    inn, gods = rules_text(json.dumps(BY_SLUG), "r.json").pantheons
    assert inn.relationships[0].rules == Rules(gossip_about_others=True)
    assert gods.rules == Rules(propagate_all_user_interactions=True, manner="witnessed")


@pytest.mark.parametrize("around", [lambda given: {"pantheons": given}, lambda given: {"pantheons": [given["inn"]]}])
def test_pantheons_may_be_a_key_of_their_own(around) -> None:  # type: ignore[no-untyped-def]
    given = {"inn": {"slug": "inn", "members": ["tom"]}}
    assert rules_text(json.dumps(around(given))) == rules_text(json.dumps(given))


@pytest.mark.parametrize(
    "members",
    [
        "[greta, {id: tom, role: observer}]",
        "{greta: , tom: observer}",
        "{greta: {}, tom: {role: observer}}",
        "[{personalityId: greta, role: member}, {personality_id: tom, role: observer}]",
    ],
)
def test_members_are_a_list_or_a_table(members: str) -> None:
    (inn,) = rules_text(f"inn:\n  members: {members}\n").pantheons
    assert inn.members == (Member(personality_id="greta"), Member(personality_id="tom", role="observer"))


@pytest.mark.parametrize(
    "rules",
    [
        "{gossipAboutOthers: true, maxHops: 2}",
        "{gossip_about_others: true, max_hops: 2}",
        "[gossip_about_others, {max_hops: 2}]",
        "[gossipAboutOthers, {maxHops: 2, delay: null}]",
    ],
)
def test_rules_are_a_table_or_a_list_of_names(rules: str) -> None:
    (inn,) = rules_text(f"inn: {{rules: {rules}}}").pantheons
    assert inn.rules == Rules(gossip_about_others=True, max_hops=2)


def test_a_mutual_relationship_is_one_each_way() -> None:
    (inn,) = rules_text("inn: {relationships: [{from: tom, to: greta, type: siblings, mutual: true}]}").pantheons
    assert [(each.source, each.target, each.type) for each in inn.relationships] == [
        ("tom", "greta", "siblings"),
        ("greta", "tom", "siblings"),
    ]


def test_toml_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(TOML, "utf-8")
    (inn,) = read_rules(tmp_path / "r.toml").pantheons
    assert inn.rules.share_with == ("tom",)
    assert inn.rules.budget is not None
    assert inn.rules.budget.message == 3


def test_feeds_stand_beside_the_pantheons() -> None:
    book = rules_text("inn: {members: [tom]}\nfeeds: {item_acquired: OWNS, found: {relation: KNOWS, target: whom}}\n")
    assert [each.slug for each in book.pantheons] == ["inn"]
    assert (book.feeds["item_acquired"].relation, book.feeds["found"].target) == ("OWNS", "whom")


def test_the_version_is_of_what_is_said_not_of_how_it_is_written() -> None:
    snake = rules_text("inn: {members: [tom], rules: {max_hops: 2}}")
    camel = rules_text('{"slug": "inn", "memberships": [{"personalityId": "tom"}], "propagationRules": {"maxHops": 2}}')
    other = rules_text("inn: {members: [tom], rules: {max_hops: 3}}")
    assert snake.version == camel.version != other.version
    assert len(snake.version) == 16


def test_the_users_own_files_load_as_they_are() -> None:
    folder = os.environ.get("EARWITNESS_RULES")
    if not folder:
        pytest.skip("EARWITNESS_RULES is not set; this test reads rule files that are not part of the project")
    files = sorted(Path(folder).glob("*.json"))
    assert len(files) == 3
    for file in files:
        assert read_rules(file).pantheons


# ── mistakes ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "r.yaml:1:1: a rule file begins with the slug of a pantheon"),
        ("- a", "r.yaml:1:1: a rule file begins with the slug of a pantheon"),
        ("inn: 3", "r.yaml:1:1: inn: 3 is not a pantheon. Write its members"),
        ("inn:\n  memebrs: [tom]", "r.yaml:2:3: unknown key 'memebrs' in inn. Allowed: "),
        ("inn:\n  memebrs: [tom]", "Did you mean 'members'?"),
        ("inn:\n  rules:\n    max_hop: 2", "r.yaml:3:5: unknown key 'max_hop' in inn.rules."),
        ("inn:\n  rules: [gosip_about_others]", "r.yaml:2:11: inn.rules[0]: unknown rule 'gosip_about_others'."),
        ("inn:\n  rules: [gosip_about_others]", "Did you mean 'gossip_about_others'?"),
        ("inn:\n  rules: [max_hops]", "r.yaml:2:11: inn.rules[0]: 'max_hops' needs a value, as in {max_hops: …}."),
        ("inn:\n  rules: {max_hops: many}", "r.yaml:2:11: inn.rules.max_hops: 'many' cannot be used: a whole number"),
        ("inn:\n  rules: {max_hops: 1e3}", "a whole number is needed"),
        ("inn:\n  rules: {max_hops: 9999999}", "inn.rules.max_hops: 9999999 cannot be used: it must be at most 100."),
        ("inn:\n  rules: {chance: 1.5}", "inn.rules.chance: 1.5 cannot be used: it must be at most 1."),
        ("inn:\n  rules: {chance: true}", "inn.rules.chance: True cannot be used: a number is needed."),
        ("inn:\n  rules: {omniscient: yes}", "inn.rules.omniscient: 'yes' cannot be used: true or false is needed."),
        ("inn:\n  rules: {propagate_all: yes}", "inn.rules.propagate_all: 'yes' cannot be used: true or false"),
        (
            "inn:\n  rules: {propagate_all: {two: all}}",
            "unknown key 'two' in inn.rules.propagate_all. Allowed: as, to.",
        ),
        ("inn:\n  rules: {propagate_all: {to: all}}", "inn.rules.propagate_all.to: 'all' is not allowed."),
        ("inn:\n  rules: {as: gosip}", "inn.rules.as: 'gosip' is not allowed. Allowed: 'gossip', 'intimate'"),
        ("inn:\n  rules: {as: gossip, propagate_all: {as: shared}}", "r.yaml:2:39: inn.rules: 'as' is set twice."),
        ("inn:\n  rules: {as: gosip}", "Did you mean 'gossip'?"),
        ("inn:\n  rules: {delay: -1}", "inn.rules.delay: -1 cannot be used: it must be at least 0."),
        ("inn:\n  rules: {delay: .inf}", "inn.rules.delay: '.inf' cannot be used: a number is needed."),
        ("inn:\n  rules: {share_with: [3]}", "r.yaml:2:24: inn.rules.share_with[0]: 3 cannot be used: text is needed"),
        ("inn:\n  rules: {shareWith: [a], share_with: [b]}", "'share_with' and 'shareWith' mean the same."),
        ("inn:\n  rules: [{delay: 1}, {delay: 2}]", "r.yaml:2:24: inn.rules: 'delay' is set twice. Set it once."),
        ("inn:\n  members: [{role: leader}]", "r.yaml:2:13: inn.members[0]: the key 'personality_id' is missing."),
        ("inn:\n  members: [{id: tom, role: boss}]", "inn.members[0].role: 'boss' is not allowed. Allowed: 'leader',"),
        ("inn:\n  members: [tom, tom]", "r.yaml:2:18: 'tom' is a member of 'inn' twice. A membership is unique."),
        ("inn:\n  members: {tom: chief}", "inn.members.tom: 'chief' is not allowed. Allowed: 'leader', 'member'"),
        ("inn:\n  members: 3", "inn.members: 3 cannot be used: a list is needed."),
        ("inn:\n  members: [{id: tom, since: 3, until: 2}]", "inn.members[0]: until 2 is before since 3."),
        ("inn:\n  relationships: [{from: tom}]", "r.yaml:2:19: inn.relationships[0]: the key 'to' is missing."),
        ("inn:\n  relationships: [{from: tom, too: greta}]", "unknown key 'too' in inn.relationships[0]."),
        (
            "inn:\n  relationships: [{from: tom, to: tom}]",
            "'tom' is related to itself. A relationship needs two different characters.",
        ),
        ("inn:\n  relationships: {from: tom, to: greta}", "relationships are a list: begin each with a dash"),
        ("inn:\n  relationships: [{from: a, to: b}, {from: a, to: b}]", "a → b (RELATES_TO) is in 'inn' twice."),
        ("inn:\n  relationships: [{from: a, to: b, type: 'x]->() DELETE y'}]", "'x]->() DELETE y' is not a word."),
        ("inn:\n  relationships: [{from: a, to: b, weight: -1}]", "weight: -1 cannot be used: it must be at least 0."),
        ('inn:\n  members: ["tom\'}) DETACH DELETE (n"]', "holds '}', which no id may contain."),
        ('"inn}) DELETE": {members: [tom]}', "'inn}) DELETE' is not a word."),
        ("Inn: {}\ninn: {}", "r.yaml:2:1: pantheon 'inn' is there twice. Choose another slug."),
        ("inn: {slug: bar}", "slug 'bar' stands under the key 'inn'. Leave one of them out."),
        ("name: The Inn", "r.yaml:1:1: the key 'slug' is missing."),
        ("slgu: inn\nmembers: [tom]", "r.yaml:1:1: unknown key 'slgu'. Allowed: "),
        ("pantheons: {}\nfeed: {}", "r.yaml:2:1: unknown key 'feed'. Allowed: $schema, feeds, pantheons. Did you mean"),
        ("inn: {}\nfeeds: OWNS", "r.yaml:2:1: feeds: 'OWNS' cannot be used: write item_acquired: OWNS below it."),
        ("inn: {}\nfeeds:\n  item_acquired: {kind: Item}", "feeds.item_acquired: the key 'relation' is missing."),
        ("inn: {}\nfeeds: {item_acquired: 'OWNS]'}", "'OWNS]' is not a word."),
        ("inn: {members: [a, a], rules: {delay: soon}}", "r.yaml:1:20: 'a' is a member of 'inn' twice."),
        ("inn: {rules: {share_direct: true}}", "Did you mean 'share_direct_interactions'?"),
        ("inn: {delay: 2}", "slug, type. delay is an option: write it below rules."),
        ("inn: {colour: 2}", "Allowed: description, id, members, name, relationships, rules, slug, type."),
        ("rules: {delay: 2}\ninn: {members: [a]}", "'rules' at the top makes a file one pantheon"),
        ("inn: [", "r.yaml:1:7: not YAML: "),
        ("inn: {}\ninn: {}", 'r.yaml:2:1: duplicate key "inn". Each key may appear only once.'),
        ("a: &a [x]\nb: &b [*a, *a]\ninn: *b", "is not a pantheon"),
        ("inn: &a\n  members: *a\n", "r.yaml:2:3: an alias (*name) refers to the value that contains it"),
        ("inn:\n  ? [ann,\n     bob]\n  : 3\n", "r.yaml:2:5: the list '[ann, bob]' cannot be a key. Write text or"),
        ("inn:\n  rules: {delay: 1, {a: b}: 3}\n", "r.yaml:2:21: the table '{a: b}' cannot be a key. Write text or"),
        ('inn:\n  name: "a\\ud800"\n', r"r.yaml:2:9: '\ud800' is half a character. Write the character itself, or"),
    ],
)
def test_each_mistake_is_named_with_its_place_and_what_is_allowed(text: str, said: str) -> None:
    assert said in refused(text)


@pytest.mark.parametrize(
    ("text", "place"), [("a = 1\nb = \n", "2:5"), ("inn = 'a", "1:9"), ("inn = {members = ['a'", "1:22")]
)
def test_what_is_no_toml_is_named_with_line_and_column(tmp_path: Path, text: str, place: str) -> None:
    (file := tmp_path / "r.toml").write_text(text)
    with pytest.raises(RulesError, match=f"r.toml:{place}: not TOML: "):
        read_rules(file)


def test_all_mistakes_are_named_at_once_in_the_order_of_their_lines() -> None:
    text = "inn:\n  rules:\n    chance: 2\n    max_hop: 3\n  members: [tom, 4]\n  type: a b\n"
    assert refused(text).splitlines()[0] == "r.yaml: 4 problems."
    assert [line.split(": ")[0].strip() for line in refused(text).splitlines()[1:]] == [
        "r.yaml:3:5",
        "r.yaml:4:5",
        "r.yaml:5:18",
        "r.yaml:6:3",
    ]


def test_a_yaml_bomb_is_refused_in_words() -> None:
    names = "abcdefghijklmnop"
    bomb = "a: &a [x]\n" + "".join(f"{n}: &{n} [{', '.join([f'*{m}'] * 9)}]\n" for m, n in pairwise(names))
    assert "its aliases (*name) expand to more than 1,000,000 characters" in refused(bomb)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"inn": {"members": ["tom" 3]}}', "r.json:1:28: not JSON: "),
        ('{\n\t"inn": {},\n\t"inn": {}\n}', 'r.json:3:2: duplicate key "inn". Each key may appear only once.'),
        ('{\n\t"inn": {"rules": {"chance": 7}}\n}', "r.json:2:20: inn.rules.chance: 7 cannot be used"),
        ('{"inn": {"rules": {"chance": NaN}}}', "r.json:1:30: not JSON: NaN is not a number of JSON. Write a"),
        ('{"inn": {"note": "NaN \\" NaN",\n "rules": {"delay": -Infinity}}}', "r.json:2:21: not JSON: -Infinity is no"),
        (f'{{"inn": {{"rules":\n {{"delay": {"9" * 5_000}}}}}}}', "r.json:2:12: a number of 5000 digits is too long."),
        (f'{{"inn": {{"rules":\n {{"delay": {"9" * 400}}}}}}}', "r.json:2:3: a number of more than 300 digits"),
        ('{"inn":\n' * 150 + "1" + "}" * 150, "r.json:101:2: it is nested too deeply, more than 100 deep."),
        ('{"inn": {"rules": {"delay": 1e999}}}', "inn.rules.delay: inf cannot be used: a finite number is needed."),
        (
            '{"inn": {"name": "\\ud83d\\ude00",\n "note": "a\\ud800"}}',
            r"r.json:2:12: \ud800 is half a character. Write the",
        ),
        ("[" * 5000, "JSON"),
    ],
)
def test_mistakes_in_json_have_their_place_too(text: str, said: str) -> None:
    assert said in refused(text, "r.json")


def test_mistakes_in_toml_have_their_place_too(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text(TOML.replace("message = 3", "massage = 3"), "utf-8")
    with pytest.raises(
        RulesError, match=r"r\.toml:6:12: unknown key 'massage' in rules\.budget\. Allowed: listener_day"
    ):
        read_rules(file)


def test_a_file_of_another_kind_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"rules\.txt: a rule file ends in \.json, \.toml, \.yaml, \.yml\."):
        read_rules(tmp_path / "rules.txt")


def test_ids_may_have_what_names_have() -> None:
    (inn,) = rules_text('inn: {members: ["Mme. d\'Arc", "Guard #2", "Jürgen-Ørsted"]}').pantheons
    assert [each.personality_id for each in inn.members] == ["Mme. d'Arc", "Guard #2", "Jürgen-Ørsted"]


def test_both_halves_of_an_escaped_character_are_one_character_in_yaml_as_in_json() -> None:
    text = '{"inn": {"name": "Inn \\ud83d\\ude00", "members": ["tom"]}}'
    assert rules_text(text).pantheons[0].name == rules_text(text, "r.json").pantheons[0].name == "Inn \N{GRINNING FACE}"


def test_a_rule_book_survives_json() -> None:
    book = rules_text(SHORT)
    assert RuleBook.model_validate_json(book.model_dump_json()) == book
