"""Steps of story files about the cast, what is known from before, and what is out of recall."""

from pathlib import Path
from typing import Any

import pytest

from .conftest import Run, answer, told

STORY = """\
story: inn
cast: [alice, bob, charlie]
present: [alice, bob, charlie]
steps:
  - say: {speaker: alice, text: The key is in the well., key: key}
  - forget: charlie
  - join: {id: mira, name: Mira the Tall, aliases: [Mimi]}
  - prepare: {lore: [{text: The harbour is frozen., known_by: [mira]}], cards: {mira: She fears nobody.}}
  - join: [tom]
  - enter: [mira, tom]
  - mira: Good evening, Tom.
  - remember: {character: bob, text: Alice hides a key., rests_on: key, key: summary, context: dm, channel: "7"}
  - archive: key
  - recall: {character: bob, query: Where is the key?, context: dm, channel: "7"}
  - restore: [key]
  - archive: {keys: [key, summary]}
  - leave: {characters: tom, to: stables}
  - edit: {key: key, text: The key is in the oven., audience: [bob]}
  - restore: key
  - update: {text: A bell rang., context: private_channel, channel: tower, audience: [bob]}
  - who_knows: The key is in the oven
  - who_knows: The harbour is frozen
"""


@pytest.fixture
def inn(run: Run, folder: Path) -> Run:
    """A story with all of them."""
    (folder / "inn.yaml").write_text(STORY, "utf-8")
    return run


def knowers(steps: list[Any], text: str) -> set[str]:
    (found,) = (each["knowers"] for each in steps if each["kind"] == "who_knows" and each["text"] == text)
    return {id for id, knower in found.items() if knower["learned"]}


def test_a_cast_may_change_in_the_middle_of_a_story(inn: Run) -> None:
    result = inn("play", "inn.yaml", "--json")
    assert result.exit_code == 0, result.output
    steps = told(result)
    assert knowers(steps, "The harbour is frozen") == {"mira"}
    assert knowers(steps, "The key is in the oven") == {"alice", "bob"}
    said = next(each for each in steps if each["kind"] == "say" and each["speaker"] == "mira")
    assert {*said["participants"]} == {"alice", "bob", "mira", "tom"}
    cast = answer(inn("inspect", "inn", "--json"))["cast"]
    assert [each["id"] for each in cast["members"]] == ["alice", "bob", "mira", "tom"]


def test_what_is_archived_is_out_of_recall(inn: Run) -> None:
    (recall,) = (each for each in told(inn("play", "inn.yaml", "--json")) if each["kind"] == "recall")
    assert "Alice hides a key" in str(recall["memories"])
    assert "in the well" not in str(recall["memories"])


def test_playing_it_again_changes_nothing(inn: Run) -> None:
    inn("play", "inn.yaml")
    before = inn("export", "inn").stdout
    result = inn("play", "inn.yaml")
    assert result.exit_code == 0, result.output
    assert inn("export", "inn").stdout == before


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("{jion: mira}", "'jion' is neither a step nor a character in the cast."),
        ("{join: alice}", "character 'alice' is in the cast twice"),
        ("{join: {id: mira, persona: p1}}", "unknown key 'persona'. Allowed: aliases, id, kind, name, persona_id"),
        ("{join: []}", "steps[0].join: [] cannot be used: at least 1 needed"),
        ("{mira: Hello.}, {join: mira}", "'mira' is not in the cast at this step: a `join` comes later"),
        ("{forget: bob}, {bob: Hello.}", "'bob' is not in the cast at this step"),
        ("{forget: bop}", "unknown character 'bop'. Known: alice, bob. Did you mean 'bob'?"),
        ("{prepare: {}}", "nothing is prepared. Give plot, cards, examples or lore."),
        ("{prepare: {cards: {bop: He is tall.}}}", "unknown character 'bop'"),
        ("{archive: hello}", "unknown message 'hello'"),
        ("{enter: {characters: [bob], to: attic}}", "whoever enters comes to the current scene"),
    ],
)
def test_a_mistake_in_such_a_step_is_said_before_anything_is_played(
    run: Run, folder: Path, step: str, said: str
) -> None:
    (folder / "bad.yaml").write_text(f"story: bad\ncast: [alice, bob]\nsteps: [{step}]\n", "utf-8")
    result = run("play", "bad.yaml")
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split()), result.stderr
    assert not (folder / "earwitness.db").exists()
