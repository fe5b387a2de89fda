"""`earwitness play`: a story is read whole, then played; playing it again changes nothing."""

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from earwitness import Cast, Character
from earwitness.backstage.knowers import Knower
from earwitness.records.learned import Learned
from earwitness_plugins.applications.stories.events import WhoKnowsPlayed
from earwitness_plugins.terminal.memories import summary
from earwitness_plugins.terminal.people import People

from .conftest import STORY, Run, answer, told

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def memories(run: Run, *owners: str) -> dict[str, list[str]]:
    """Ids of what each remembers."""
    shelves = {owner: answer(run("inspect", "cellar", owner, "--json")) for owner in owners}
    return {owner: [memory["id"] for memory in shelf["memories"]] for owner, shelf in shelves.items()}


def test_every_step_is_one_line_of_json(run: Run, story: Path) -> None:
    steps = told(run("play", str(story), "--json"))
    assert [step["kind"] for step in steps] == [
        "story",
        "say",
        "say",
        "enter",
        "say",
        "change",
        "recall",
        "who_knows",
        "end",
    ]
    assert steps[1]["participants"].keys() == {"alice", "bob"}
    assert steps[1]["absent"] == ["charlie"]
    assert steps[2]["key"] == "plan"
    assert steps[5]["updates"][0]["text"] == "The moon rose over the yard. GameDay: 6"


def test_people_see_who_heard_what_and_who_knows(run: Run, story: Path) -> None:
    shown = run("play", str(story)).stdout
    assert "● Alice said it  ● Bob addressed  ○ Charlie" in shown
    assert "Charlie remembers" in shown
    assert "nothing found" in shown
    assert "Who remembers what, and how they know" in shown


@pytest.mark.parametrize("number", [1, 2, 5, 9])
def test_the_last_table_breaks_no_word_however_many_questions_there_are(number: int) -> None:
    ids = ["alexandrina", "bartholomew"]
    texts = [f"the extraordinarily {word} candlestick" for word in "abcdefghi"][:number]
    learned = Learned(way="heard", teller="alexandrina")
    knows = Knower(character="bartholomew", learned=learned, since=5, memory_id="m1", text="x")
    questions = [WhoKnowsPlayed(text=each, knowers={"bartholomew": knows}) for each in texts]
    console = Console(width=80, file=(shown_in := StringIO()))
    console.print(summary(dict.fromkeys(ids, 3), questions, People(Cast(members=tuple(map(Character, ids))))))
    shown = shown_in.getvalue()
    assert [shown.count(word) for word in ("extraordinarily", "candlestick")] == [number, number]
    assert max(map(len, shown.splitlines())) <= 80


def test_the_last_line_is_a_command_to_try(run: Run, story: Path) -> None:
    last = run("play", str(story), "--store", "my stories.db").stdout.splitlines()[-1]
    question, _, command = last.partition("?  ")
    assert question == "How does Bob know"
    assert command.startswith("earwitness explain ")
    assert command.endswith(" --store 'my stories.db'")
    assert run("explain", command.split()[2], "--store", "my stories.db").exit_code == 0


def test_playing_twice_changes_nothing(played: Run, story: Path) -> None:
    before = memories(played, "alice", "bob", "charlie", "world")
    again = told(played("play", str(story), "--json"))
    assert again[0]["again"] is True
    assert memories(played, "alice", "bob", "charlie", "world") == before


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("third barrel.", "fourth barrel.", "Step 1 was 'alice: Bob, there is a key under the third barrel.' when"),
        ("game_day: 5", "game_day: 7", "The story 'cellar' was played here with another `state:` at its beginning."),
        ("present: [alice, bob]", "present: [alice]", "with another `present:` at its beginning."),
        ("always late", "never late", "key 'cellar:0' already belongs to"),
        ("moon rose", "moon set", "key 'cellar:5' already belongs to"),
    ],
)
def test_another_version_of_a_played_story_is_refused(
    played: Run, story: Path, before: str, after: str, said: str
) -> None:
    story.write_text(STORY.replace(before, after), "utf-8")
    result = played("play", "cellar.yaml")
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.endswith("play it as it is now: earwitness play cellar.yaml --fresh\n")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [["kim.jsonl"], ["night.jsonl", "--into", "kim"], ["kim.json"]])
def test_a_story_that_was_imported_is_not_said_to_be_played_nor_to_be_played_afresh(
    run: Run, folder: Path, words: list[str]
) -> None:
    rows = [{"name": "Mira", "is_user": False, "mes": "Late."}, {"name": "Kim", "is_user": True, "mes": "The fog."}]
    for name in ("kim.jsonl", "night.jsonl"):
        (folder / name).write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (folder / "kim.json").write_text(json.dumps({"name": "Kim", "description": "Tall.", "first_mes": "Hm."}), "utf-8")
    assert run("import", *words).exit_code == 0
    (folder / "kim.yaml").write_text("story: kim\ncast: [mira, kim]\nsteps:\n  - mira: Good evening.\n", "utf-8")
    result = run("play", "kim.yaml")
    assert result.exit_code == 2
    assert "The story 'kim' is in the store, but was not played from a story file" in result.stderr
    assert "earwitness import FILE --into kim" in result.stderr
    assert "--fresh" not in result.stderr


def test_what_differs_is_said_before_anything_is_shown(played: Run, story: Path) -> None:
    story.write_text(STORY.replace("What are we", "Why are we"), "utf-8")
    assert played("play", "cellar.yaml").stdout == ""


def test_a_line_that_was_edited_may_stand_in_the_file_either_way(played: Run, story: Path) -> None:
    assert played("edit", "cellar", "plan", "Then we dig at dawn.").exit_code == 0
    assert played("play", "cellar.yaml").exit_code == 0
    story.write_text(STORY.replace("Then we dig tonight.", "Then we dig at dawn."), "utf-8")
    assert played("play", "cellar.yaml").exit_code == 0


def test_played_afresh_a_story_is_what_the_file_says_now(played: Run, story: Path) -> None:
    played("import", "-", "--as", "other", input=played("export", "cellar").stdout)
    story.write_text(STORY.replace("third barrel.", "fourth barrel."), "utf-8")
    steps = told(played("play", "cellar.yaml", "--fresh", "--json"))
    assert steps[0]["again"] is False
    remembered = answer(played("inspect", "cellar", "bob", "--json"))["memories"]
    assert not any("third barrel" in memory["content"] for memory in remembered)
    assert "other" in played("inspect").stdout


def test_a_first_play_may_be_called_fresh(run: Run, story: Path) -> None:
    assert run("play", "cellar.yaml", "--fresh").exit_code == 0


@pytest.mark.parametrize(
    ("present", "first", "hinted"),
    [
        ("", "", True),
        ("", "  - note: It is late.\n", True),
        ("", "  - enter: [alice, bob]\n", False),
        ("present: []\n", "", False),
        ("present: [alice]\n", "", False),
    ],
)
def test_a_file_that_leaves_open_who_is_there_is_told_what_follows(
    run: Run, story: Path, present: str, first: str, hinted: bool
) -> None:
    file = STORY.replace("present: [alice, bob]\n", present).replace("steps:\n", f"steps:\n{first}")
    story.write_text(file, "utf-8")
    shown = run("play", "cellar.yaml")
    assert ("The file names nobody under `present:`." in shown.stderr) is hinted
    assert run("play", "cellar.yaml", "--json").stderr == ""


def test_a_missing_ending_is_guessed(run: Run, story: Path) -> None:
    result = run("play", "cellar")
    assert (result.exit_code, result.stderr) == (2, "Error: cellar: there is no such file. Did you mean cellar.yaml?\n")


def test_a_file_of_another_kind_is_told_which_command_takes_it(played: Run, folder: Path) -> None:
    played("export", "cellar", "--output", "out.jsonl")
    (folder / "talk.txt").write_text("Ann: Hello, Bo.\nBo: Hello.\n", "utf-8")
    (folder / "bo.json").write_text('{"name": "Bo", "description": "Bo owes money.", "first_mes": "Hm."}', "utf-8")
    said = {name: played("play", name).stderr for name in ("out.jsonl", "talk.txt", "bo.json", "earwitness.db")}
    assert said["out.jsonl"].endswith("a story that was exported. Take it in: earwitness import out.jsonl\n")
    assert said["talk.txt"].endswith("a chat or transcript. Run it: earwitness replay talk.txt\n")
    assert said["bo.json"].endswith("a card or lorebook. Make a story of it: earwitness new mine.yaml bo.json\n")
    assert "not UTF-8 text" in said["earwitness.db"]


def test_a_story_grows_at_its_end(played: Run, story: Path) -> None:
    story.write_text(STORY + "  - bob: Nothing at all.\n", "utf-8")
    assert told(played("play", str(story), "--json"))[-2]["participants"].keys() == {"alice", "bob", "charlie"}


def test_a_mistake_is_named_with_its_line_before_anything_is_played(run: Run, story: Path, folder: Path) -> None:
    story.write_text(STORY.replace("text: Then", "contnet: Then"), "utf-8")
    result = run("play", str(story))
    assert result.exit_code == 2
    assert "cellar.yaml:10:25: unknown key 'contnet'" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (folder / "earwitness.db").exists()


def test_what_is_said_cannot_reach_the_terminal(run: Run, story: Path) -> None:
    story.write_text(STORY.replace("Then we dig tonight.", '"\\e[2J[bold red]Boo[/] \\a"'), "utf-8")
    shown = run("play", str(story)).stdout
    assert "\x1b" not in shown
    assert "[bold red]Boo[/]" in shown


def test_an_edit_a_reroll_and_a_retraction_can_be_played_twice(run: Run, story: Path) -> None:
    story.write_text(
        STORY
        + "  - edit: {key: plan, text: Then we dig at dawn.}\n"
        + "  - alice: At dawn I sleep.\n"
        + "  - reroll: At dawn it is.\n"
        + "  - say: {speaker: charlie, text: I sleep whenever I like., key: boast}\n"
        + "  - retract: boast\n"
        + "  - who_knows: we dig at dawn\n",
        "utf-8",
    )
    first = told(run("play", str(story), "--json"))
    second = told(run("play", str(story), "--json"))
    assert first[1:5] == second[1:5]
    assert [step["kind"] for step in first[-6:]] == ["say", "reroll", "say", "retract", "who_knows", "end"]
    assert first[-2] == second[-2]
    shown = answer(run("inspect", "cellar", "bob", "--json"))["memories"]
    assert not any("tonight" in memory["content"] or "sleep" in memory["content"] for memory in shown)


def test_a_step_is_played_in_its_channel(run: Run, folder: Path) -> None:
    (folder / "dm.yaml").write_text(
        "story: dm\ncast: [alice, bob]\npresent: [alice, bob]\nsteps:\n"
        "  - say: {speaker: alice, text: 'Bob, psst.', context: dm, channel: 42}\n  - recall: bob\n",
        "utf-8",
    )
    said = told(run("play", "dm.yaml", "--json"))[1]
    assert said["channel"] == {"context": "dm", "channel_id": "42", "guild_id": None, "persona_id": None}
    assert "Alice (direct message, channel 42)  Bob, psst." in run("play", "dm.yaml", "--store", "other.db").stdout
    (memory,) = answer(run("inspect", "dm", "bob", "--json"))["memories"]
    assert (memory["metadata"]["contextType"], memory["metadata"]["channelId"]) == ("dm", "42")


def test_a_change_is_played_in_its_channel(run: Run, folder: Path) -> None:
    change = "{game_day: 2, description: Dawn., channel: {context: dm, channel: 42}}"
    (folder / "dm.yaml").write_text(f"story: dm\ncast: [alice]\nsteps:\n  - change: {change}\n", "utf-8")
    told(run("play", "dm.yaml", "--json"))
    (memory,) = answer(run("inspect", "dm", "world", "--json"))["memories"]
    assert (memory["metadata"]["contextType"], memory["metadata"]["channelId"]) == ("dm", "42")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_plays_without_a_failure(run: Run, example: Path) -> None:
    steps = told(run("play", str(example), "--json"))
    assert [step for step in steps if step.get("failures") or step.get("degraded")] == []


def test_in_the_example_the_secret_stays_between_two_and_gossip_finds_its_way(run: Run) -> None:
    sword = next(path for path in EXAMPLES if path.stem == "the_sacred_sword")
    steps = told(run("play", str(sword), "--json"))
    secret, gossip = (
        {id: knower["learned"] for id, knower in asked["knowers"].items()} for asked in steps[-1]["questions"]
    )
    assert {id for id, learned in secret.items() if learned} == {"alice", "bob"}
    assert gossip["charlie"] == {"way": "heard", "teller": "greta"}
    assert gossip["ember"] is None


def test_a_narrator_is_in_the_tables_and_under_what_he_heard(run: Run, folder: Path) -> None:
    (folder / "told.yaml").write_text(
        "story: told\n"
        "cast: [{id: voice, kind: narrator}, alice]\n"
        "present: [alice]\n"
        "steps:\n"
        "  - voice: The lamp goes out.\n"
        "  - alice: Who blew out the lamp?\n"
        "  - who_knows: The lamp goes out\n",
        "utf-8",
    )
    shown = [line.rstrip() for line in run("play", "told.yaml").stdout.splitlines()]
    assert "    ● Alice  ● Voice said it" in shown
    assert "    ● Alice said it" in shown
    asked = [line.split() for line in shown]
    assert ["●", "Voice", "said", "it", "on", "day", "1"] in asked
    assert ["Voice", "1", "●", "said", "it", "on", "day", "1"] in asked
    found = run("who-knows", "told", "The lamp goes out").stdout.splitlines()
    assert [line.split()[1] for line in found[1:3]] == ["Alice", "Voice"]


def test_news_comes_before_those_who_learn_it(run: Run, folder: Path) -> None:
    (folder / "lute.yaml").write_text(
        "story: lute\n"
        "cast: [alice, charlie]\n"
        "present: [alice, charlie]\n"
        "steps:\n"
        "  - update: {text: Charlie took the lute, character: charlie}\n"
        "  - charlie: It is mine.\n",
        "utf-8",
    )
    shown = [line.strip() for line in run("play", "lute.yaml").stdout.splitlines()]
    assert "✦ Charlie took the lute. (day 1)  may be told to Alice, Charlie" in shown
    assert "✦ Charlie took the lute. (day 1)  remembered by Charlie, Alice" in shown


@pytest.mark.usefixtures("deaf")
def test_a_detector_that_fails_is_named_at_the_end_with_how_often(run: Run, story: Path) -> None:
    result = run("play", str(story))
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith(
        "Warning: detector:deaf_of_the_tests.Ears failed on 3 of 3 messages; first failure: ValueError"
    )
