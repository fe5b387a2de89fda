"""Steps of story files beyond messages and changes: memories passed on, and what packages add."""

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from earwitness.story_steps import GROUP
from earwitness.sync import Earwitness

from .conftest import Run, told

STORY = """\
story: inn
cast:
  - alice
  - {id: bob, personality_id: bob-the-tall}
  - mira
  - {id: kim, kind: persona, user_id: u7, persona_id: p1}
present: [alice, bob, kim]
steps:
  - say: {speaker: alice, text: "Bob, the key is in the well.", key: promise}
  - tell: {teller: bob, listener: mira, memory: promise}
  - remember: {character: bob, text: Alice cannot be trusted., rests_on: promise, key: doubt}
  - tell: {teller: bob, listener: mira, memory: doubt, text: Bob has his doubts about Alice.}
  - relate: {source: bob-the-tall, target: mira, type: FRIEND_OF}
  - bubble: vampire-au
  - alice: I am a vampire, Bob.
  - end_bubble: vampire-au
  - change: {game_day: 3}
  - bob: Is it cold?
  - close_conversation: {}
  - who_knows: the key is in the well
  - who_knows: I am a vampire
  - who_knows: doubts about Alice
"""


@pytest.fixture
def inn(run: Run, folder: Path) -> Run:
    """A story with all of them, played."""
    (folder / "earwitness.toml").write_text("[relationships]\n", "utf-8")
    (folder / "inn.yaml").write_text(STORY, "utf-8")
    result = run("play", "inn.yaml")
    assert result.exit_code == 0, result.output
    return run


def knowers(steps: list[Any], text: str) -> set[str]:
    (found,) = (each["knowers"] for each in steps if each["kind"] == "who_knows" and each["text"] == text)
    return {id for id, knower in found.items() if knower["learned"]}


def test_a_story_file_does_what_a_host_can(inn: Run) -> None:
    steps = told(inn("play", "inn.yaml", "--fresh", "--json"))
    assert knowers(steps, "the key is in the well") == {"alice", "bob", "kim", "mira"}
    assert knowers(steps, "doubts about Alice") == {"mira"}
    assert knowers(steps, "I am a vampire") == set()
    with Earwitness.open("earwitness.db", relationships={}) as ew:
        story = ew.open_session("inn")
        assert (story.cast["bob"].personality_id, story.cast["kim"].persona_id) == ("bob-the-tall", "p1")
        assert ew.open_session("inn~vampire-au").messages()[0].content == "I am a vampire, Bob."
        related = [entry for entry in story.backstage().journal() if "FRIEND_OF" in str(entry.body.model_dump())]
        assert len(related) == 1


def test_playing_it_again_changes_nothing(inn: Run) -> None:
    before = [inn("export", id).stdout for id in ("inn", "inn~vampire-au")]
    assert inn("play", "inn.yaml").exit_code == 0
    assert [inn("export", id).stdout for id in ("inn", "inn~vampire-au")] == before


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("tell: {teller: bob, listener: mira, memory: promises}", "unknown message 'promises'"),
        ("tell: {teller: bob, listener: mirra, memory: promise}", "unknown character 'mirra'"),
        ("remember: {character: bob, text: Hm., rests_on: nothing}", "unknown message 'nothing'"),
        ("relate: {source: bob, target: mira}", "type"),
        ("relate: bob", "'relate' takes keys, one per line below it."),
        ("end_bubble: {name: vampire-au, keep_as: ever}", "keep_as"),
        ("bubbles: vampire-au", "Did you mean 'bubble'?"),
    ],
)
def test_a_mistake_in_one_is_named_with_its_line(run: Run, folder: Path, step: str, said: str) -> None:
    head = STORY.partition("  - tell")[0]
    (folder / "inn.yaml").write_text(f"{head}  - {step}\n", "utf-8")
    result = run("play", "inn.yaml")
    assert result.exit_code == 2
    assert "inn.yaml:10" in result.stderr
    assert said in result.stderr


def test_without_relationships_a_step_of_theirs_says_what_is_missing(run: Run, folder: Path) -> None:
    (folder / "au.yaml").write_text("story: au\ncast: [al]\nsteps:\n  - bubble: x\n  - al: Hello.\n", "utf-8")
    result = run("play", "au.yaml")
    assert result.exit_code == 2
    assert "[relationships]" in result.stderr


PARENT = """
from earwitness.story_steps import PackageStep

class ParentStep(PackageStep):
    short = "of"
    of: str

    @property
    def characters(self):
        return (self.of,)

    async def play(self, stage):
        await (await stage.session.change(facts={"kinship": [self.of]}, key=stage.key)).settled()
        return f"{self.of} has a parent"
"""


@pytest.fixture
def kinship(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that adds the step `parent`, and one that cannot be loaded."""
    (folder / "kinship_of_the_tests.py").write_text(PARENT, "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    points = {"parent": "kinship_of_the_tests:ParentStep", "broken": "nowhere_at_all:Step", "odd": "json:dumps"}
    found = [EntryPoint(name, value, GROUP) for name, value in points.items()]
    monkeypatch.setattr("earwitness.story_steps.entry_points", lambda group: found)


@pytest.mark.usefixtures("kinship")
def test_a_package_adds_a_step(run: Run, folder: Path) -> None:
    (folder / "kin.yaml").write_text("story: kin\ncast: [al]\nsteps:\n  - al: Hello.\n  - parent: al\n", "utf-8")
    assert "parent: al has a parent" in run("play", "kin.yaml").stdout
    assert told(run("play", "kin.yaml", "--json"))[2]["text"] == "al has a parent"
    with Earwitness.open("earwitness.db") as ew:
        assert ew.open_session("kin").state.facts_of("kinship") == ("al",)


@pytest.mark.usefixtures("kinship")
@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("parent: bo", "unknown character 'bo'"),
        ("broken: al", "the story step 'broken' (nowhere_at_all:Step) cannot be loaded"),
        ("odd: al", "is not a subclass of PackageStep"),
    ],
)
def test_a_step_that_cannot_be_played_is_named(run: Run, folder: Path, step: str, said: str) -> None:
    (folder / "kin.yaml").write_text(f"story: kin\ncast: [al]\nsteps:\n  - {step}\n", "utf-8")
    result = run("play", "kin.yaml")
    assert result.exit_code == 2
    assert "kin.yaml:4" in result.stderr
    assert said in result.stderr


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("{bubble: au}, {end_bubble: au}, {bubble: au}", "the bubble 'au' has ended at an earlier step."),
        ("{bubble: au}, {bubble: dream}", "the bubble 'au' is still open: end it first"),
        ("{bubble: au}, {end_bubble: ua}", "unknown open bubble 'ua'. Known: au."),
        ("{end_bubble: au}", "unknown open bubble 'au'"),
    ],
)
def test_bubbles_of_a_file_begin_and_end_once(run: Run, folder: Path, steps: str, said: str) -> None:
    (folder / "earwitness.toml").write_text("[relationships]\n", "utf-8")
    (folder / "bad.yaml").write_text(f"story: bad\ncast: [alice, bob]\nsteps: [{steps}]\n", "utf-8")
    result = run("play", "bad.yaml")
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert not (folder / "earwitness.db").exists()


def test_steps_that_need_a_table_are_refused_before_anything_is_played(run: Run, folder: Path) -> None:
    (folder / "inn.yaml").write_text(STORY, "utf-8")
    result = run("play", "inn.yaml")
    assert result.exit_code != 0
    for name, line in (("relate", 13), ("bubble", 14), ("end_bubble", 16), ("close_conversation", 19)):
        assert f"line {line}" in result.stderr or f":{line}" in result.stderr
        assert f"{name!r} needs the settings table [relationships]" in result.stderr
    assert not list(folder.glob("*.db"))
