"""`earwitness rules`: a designer writes, checks and looks at a rule file."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from earwitness.loading.settings import Settings
from earwitness_relationships.rules.records import RuleBook
from earwitness_relationships.settings import RelationshipsSettings

from .conftest import Run

RULES = """\
cellar:
  members: [alice, bob, charly]
  relationships: [{from: alice, to: bob, rules: [gossip_about_others]}]
"""


def answer(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def rules(folder: Path) -> Path:
    (folder / "rules.yaml").write_text(RULES, "utf-8")
    return folder / "rules.yaml"


def test_new_writes_a_file_that_check_finds_fine_and_settings_that_name_it(run: Run, folder: Path) -> None:
    made = answer(run("rules", "new", "--json"))
    assert made == {"rules": "rules.yaml", "settings": "earwitness.toml", "settings_written": True}
    assert answer(run("rules", "check", "rules.yaml", "--json"))["warnings"] == []
    settings = Settings.load(folder / "earwitness.toml")
    assert settings.table(RelationshipsSettings).rules == "rules.yaml"


def test_new_leaves_what_is_there_as_it_is(run: Run, rules: Path, folder: Path) -> None:
    (folder / "earwitness.toml").write_text("", "utf-8")
    assert run("rules", "new").exit_code == 2
    assert rules.read_text("utf-8") == RULES
    result = run("rules", "new", "--force")
    assert 'Name it in earwitness.toml: [relationships] rules = "rules.yaml"' in result.stdout
    assert (folder / "earwitness.toml").read_text("utf-8") == ""


def test_new_says_that_comments_need_yaml(run: Run) -> None:
    result = run("rules", "new", "rules.json")
    assert (result.exit_code, "Choose a name that ends in .yaml" in result.stderr) == (2, True)


def test_check_counts_what_it_found(run: Run, rules: Path) -> None:
    result = run("rules", "check", "rules.yaml")
    assert result.stdout == "rules.yaml: 1 pantheon, 3 members, 1 relationship; no warnings.\n"


DIRECT = """\
story: letters
cast: [alice, bob]
steps:
  - say: {speaker: alice, text: Do not tell anybody., context: dm}
"""


def test_check_warns_of_direct_messages_that_are_passed_on_where_the_story_has_any(run: Run, rules: Path) -> None:
    rules.write_text(RULES.replace("charly", "charlie"), "utf-8")
    rules.with_name("letters.yaml").write_text(DIRECT, "utf-8")
    said = "rules.yaml:3:19: warning: alice passes direct messages on, too"
    assert said not in run("rules", "check", "rules.yaml").stdout
    assert said in run("rules", "check", "rules.yaml", "--story", "letters.yaml").stdout
    assert run("play", "letters.yaml").exit_code == 0
    assert said in run("rules", "check", "rules.yaml", "--session", "letters").stdout


def test_check_compares_names_with_the_cast_of_a_story_file_or_of_a_played_story(
    run: Run, rules: Path, played: Run
) -> None:
    said = "rules.yaml:2:25: warning: nobody in the cast is called 'charly'. Did you mean 'charlie'?"
    assert said in run("rules", "check", "rules.yaml", "--story", "cellar.yaml").stdout
    assert said in run("rules", "check", "rules.yaml", "--session", "cellar").stdout
    assert run("rules", "check", "rules.yaml", "--session", "cellar").exit_code == 0
    assert run("rules", "check", "rules.yaml", "--session", "cellar", "--strict").exit_code == 1


@pytest.fixture
def misspelt(rules: Path, folder: Path) -> Path:
    """Rules with two misspelt names, and one of somebody who is in another story, for whatever is asked next."""
    text = RULES.replace("charly]", "charly, zoe]").replace("gossip_about_others]", "{never_about: [boob]}]")
    rules.write_text(text, "utf-8")
    (folder / "earwitness.toml").write_text('path = "story.db"\n[relationships]\nrules = "rules.yaml"\n', "utf-8")
    return rules


def test_playing_and_previewing_name_misspelt_names_in_the_rule_file(run: Run, misspelt: Path, story: Path) -> None:
    said = [
        "rules.yaml:2:25: warning: nobody in the cast is called 'charly'. Did you mean 'charlie'?",
        "rules.yaml:3:65: warning: nobody in the cast or in this file is called 'boob'. Did you mean 'bob'?",
    ]
    played = run("play", str(story))
    assert played.exit_code == 0
    assert [line for line in played.stderr.splitlines() if "warning" in line] == said
    asked = run("preview", "Hello.", "--speaker", "alice", "--json")
    assert [line for line in asked.stderr.splitlines() if "warning" in line] == said
    assert json.loads(asked.stdout)["message"]["content"] == "Hello."


def test_check_answers_mistakes_with_line_and_column_and_exits_with_2(run: Run, folder: Path) -> None:
    (folder / "rules.yaml").write_text(RULES.replace("members", "memebrs"), "utf-8")
    result = run("rules", "check", "rules.yaml")
    assert result.exit_code == 2
    assert "rules.yaml:2:3: unknown key 'memebrs' in cellar." in result.stderr
    assert "Did you mean 'members'?" in result.stderr


def test_check_takes_several_files_and_a_broken_one_keeps_no_other_from_being_checked(run: Run, folder: Path) -> None:
    for name, text in [("a.yaml", RULES), ("b.yaml", RULES.replace("members", "memebrs")), ("c.yaml", RULES)]:
        (folder / name).write_text(text, "utf-8")
    result = run("rules", "check", "a.yaml", "b.yaml", "c.yaml")
    assert result.exit_code == 2
    assert [line.split(":")[0] for line in result.stdout.splitlines() if "pantheon" in line] == ["a.yaml", "c.yaml"]
    assert "b.yaml:2:3: unknown key 'memebrs' in cellar." in result.stderr
    assert run("rules", "check", "a.yaml", "c.yaml").exit_code == 0
    found = answer(run("rules", "check", "a.yaml", "c.yaml", "--json"))["files"]
    assert [each["file"] for each in found] == ["a.yaml", "c.yaml"]
    found = json.loads(run("rules", "check", "a.yaml", "b.yaml", "--json").stdout)["files"]
    assert [sorted(each) for each in found] == [["file", "version", "warnings"], ["error", "file"]]


def test_check_says_that_a_file_is_a_story(run: Run, story: Path, folder: Path) -> None:
    error = run("rules", "check", story.name).stderr
    assert error.startswith("Error: cellar.yaml: this is a story file")
    assert "earwitness play cellar.yaml" in error
    assert len(error.splitlines()) == 1
    (folder / "rules.yaml").write_text("steps: {members: [alice, bob]}\n", "utf-8")  # a slug like any other
    assert run("rules", "check", "rules.yaml").exit_code == 0


def test_show_says_who_tells_whom_what(run: Run, rules: Path) -> None:
    shown = run("rules", "show", "rules.yaml").stdout
    assert "alice → bob" in shown
    assert "what they learn about others" in " ".join(shown.split())
    assert RuleBook.model_validate(answer(run("rules", "show", "rules.yaml", "--json"))).pantheons[0].slug == "cellar"


def test_show_draws_a_picture_and_writes_over_none(run: Run, rules: Path, folder: Path) -> None:
    assert "Wrote rules.mmd." in run("rules", "show", "rules.yaml", "--output", "rules.mmd").stdout
    assert (folder / "rules.mmd").read_text("utf-8").startswith('---\ntitle: "rules.yaml"\n---\nflowchart LR\n')
    assert run("rules", "show", "rules.yaml", "--output", "rules.mmd").exit_code == 2


def test_schema_is_json(run: Run) -> None:
    assert answer(run("rules", "schema"))["title"] == "Earwitness rule file"


def test_a_misspelt_command_is_guessed(run: Run) -> None:
    assert "No such command 'chekc'. Did you mean 'check'?" in run("rules", "chekc").stderr


def test_the_way_of_a_fact_over_the_days_can_be_drawn(run: Run, played: Run, folder: Path) -> None:
    result = run("who-knows", "cellar", "a key under the third barrel", "--picture", "key.mmd")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "Wrote key.mmd.")
    assert (folder / "key.mmd").read_text("utf-8").splitlines() == [
        "---",
        'title: "a key under the third barrel"',
        "---",
        "flowchart LR",
        '  subgraph g0["day 5"]',
        '    n0["Alice<br>said it on day 5"]',
        '    n1["Bob<br>heard it from Alice on day 5"]',
        "  end",
        '  subgraph g1["nothing found"]',
        '    n2["Charlie"]',
        "  end",
        '  n0 -->|"heard"| n1',
        "  class n0 strong",
        "  classDef strong stroke-width:3px",
    ]
    (folder / "key.mmd").write_text("mine")
    refused = run("who-knows", "cellar", "a key", "--picture", "key.mmd")
    assert (refused.exit_code, (folder / "key.mmd").read_text()) == (2, "mine")
    assert "key.mmd already exists. Choose another name, or overwrite it with --force." in refused.stderr
    assert run("who-knows", "cellar", "a key", "--picture", "key.mmd", "--force").exit_code == 0


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("retell: sumary", "retell: unknown reteller 'sumary'. Known: language_model, summary, verbatim. Did you mean"),
        ("triage: novel", "triage: unknown triage 'novel'. Known: language_model, novelty. Did you mean 'novelty'?"),
        ("spreading: sirr", "sir. Did you mean 'sir'?"),
    ],
)
def test_check_names_strategies_that_nothing_has(run: Run, folder: Path, option: str, said: str) -> None:
    rules = f"g:\n  members: [a, {{id: b, rules: {{{option}}}}}]\n  rules: {{propagate_all: true}}\n"
    (folder / "rules.yaml").write_text(rules, "utf-8")
    result = run("rules", "check", "rules.yaml", "--strict")
    assert (result.exit_code, said in result.stdout) == (1, True), result.output
    assert "rules.yaml:2:32: warning: " in result.stdout


def test_check_knows_what_settings_name(run: Run, folder: Path) -> None:
    table = '[relationships.triages]\ngatekeeper = { name = "novelty", most = 3 }\n'
    (folder / "earwitness.toml").write_text(table, "utf-8")
    rules = "g: {members: [a, b], rules: {propagate_all: true, triage: gatekeeper, retell: summary}}\n"
    (folder / "rules.yaml").write_text(rules, "utf-8")
    assert answer(run("rules", "check", "rules.yaml", "--json"))["warnings"] == []
