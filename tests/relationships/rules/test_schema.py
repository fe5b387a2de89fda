"""The schema for editors takes what the reader takes, and refuses what an editor can see is wrong."""

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from earwitness.loading.files import yaml_text
from earwitness_relationships.errors import RulesError
from earwitness_relationships.rules import Rules, rules_text
from earwitness_relationships.rules.example import example
from earwitness_relationships.rules.schema import schema

VALIDATOR = Draft202012Validator(schema())
FINE = [
    example("rules.yaml"),
    "inn:\n",
    "inn: {members: [greta, {id: tom, role: observer, rules: [gossip_about_others]}]}",
    "inn: {members: {greta: leader, tom: , ann: {customRules: {shareWith: tom, as: intimate}}}}",
    "slug: inn\nname: The Inn\npropagationRules: {shareDirectInteractions: true, excludePrivate: true}\n",
    "pantheons: [{slug: inn}]\nfeeds: {item_acquired: OWNS, moved: {relation: LOCATED_IN}}",
    "pantheons: {inn: {}}",
    "inn: {rules: {propagate_all_user_interactions: {to: all_members, as: witnessed}, budget: 3}}",
    "inn: {rules: [propagateAll, {budget: {listenerDay: 2}, conditions: {flags: curfew, places: [inn]}}]}",
    "inn: {relationships: [{from: a, to: b, type: couple, weight: 0.5, mutual: true, since: 3, rules: {maxHops: 2}}]}",
]
WRONG = [
    "inn: {memebrs: []}",
    "inn: {rules: {max_hops: many}}",
    "inn: {rules: {chance: 2}}",
    "inn: {rules: [max_hops]}",
    "inn: {rules: {as: loud}}",
    "inn: {members: [{id: tom, role: boss}]}",
    "inn: {relationships: {}}",
    "inn: 3",
    "name: The Inn",
]


def plain(text: str) -> object:
    return yaml_text(text, "r.yaml", RulesError).value


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())
    assert json.loads(json.dumps(schema())) == schema()


@pytest.mark.parametrize("text", FINE)
def test_what_can_be_read_is_valid(text: str) -> None:
    rules_text(text)
    VALIDATOR.validate(plain(text))


@pytest.mark.parametrize("text", WRONG)
def test_what_an_editor_can_see_is_wrong_is_refused_by_both(text: str) -> None:
    with pytest.raises(RulesError):
        rules_text(text)
    assert not VALIDATOR.is_valid(plain(text))


def test_every_option_is_described() -> None:
    options = schema()["$defs"]["rules"]["anyOf"][0]["properties"]
    assert {"as", "share_with", "shareWith", *Rules.model_fields}.issubset(options)
    assert all(each["description"] for each in options.values())


def test_the_users_own_files_are_valid() -> None:
    folder = os.environ.get("EARWITNESS_RULES")
    if not folder:
        pytest.skip("EARWITNESS_RULES is not set; this test reads rule files that are not part of the project")
    for file in sorted(Path(folder).glob("*.json")):
        VALIDATOR.validate(json.loads(file.read_text("utf-8")))
