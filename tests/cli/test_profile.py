"""`earwitness profile`: what a character thinks of another one, with the memories that show it."""

from pathlib import Path

from earwitness_plugins.testing.model import ScriptedModel

from .conftest import Run, told


def test_it_quotes_memories_day_by_day(played: Run) -> None:
    shown = played("profile", "cellar", "bob", "--of", "Alice", "--days").output
    assert "Bob on Alice" in shown.replace("bob on alice", "Bob on Alice")
    assert "there is a key under the third barrel" in shown
    assert "day 5" in shown
    [answer] = told(played("profile", "cellar", "charlie", "--of", "alice", "--json"))
    assert (answer["memories"], answer["claims"]) == (0, [])


def test_an_unknown_name_is_an_error_that_lists_the_known_ones(played: Run) -> None:
    result = played("profile", "cellar", "bob", "--of", "zoe")
    assert result.exit_code == 2
    assert "unknown character or user 'zoe'. Known: alice, bob, charlie" in result.output


def test_a_model_s_claims_stand_with_their_memories_and_their_cost(played: Run, folder: Path) -> None:
    answer = {
        "claims": [{"text": "Bob trusts Alice.", "memories": ["m1"]}, {"text": "Bob is rich.", "memories": ["m9"]}]
    }
    with ScriptedModel([answer]) as model:
        table = f'[model]\nmodel = "scripted"\nbase_url = "{model.url}"\napi_key = "{model.key}"\n'
        (folder / "earwitness.toml").write_text(table)
        shown = played("profile", "cellar", "bob", "--of", "alice").output
    assert "Bob trusts Alice." in shown
    assert "left out 'Bob is rich.': it cites m9" in shown
    assert "scripted, profile 1 (" in shown
    assert model.key not in shown


def test_a_model_that_was_asked_for_and_cannot_answer_is_a_failure(played: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text('[model]\nmodel = "m"\nbase_url = "http://127.0.0.1:1/v1"\nretries = 0\n')
    asked = played("profile", "cellar", "bob", "--of", "alice", "--by", "model")
    assert (asked.exit_code, "there is a key under the third barrel" in asked.output) == (1, True)
    assert played("profile", "cellar", "bob", "--of", "alice").exit_code == 0
