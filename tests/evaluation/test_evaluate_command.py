"""`earwitness evaluate`: from labelled files to numbers that can be had again."""

import json
from pathlib import Path
from typing import Any

import pytest

from earwitness_plugins.applications.evaluation.evaluate import load
from earwitness_plugins.applications.evaluation.plot import limits
from earwitness_plugins.applications.evaluation.tables import as_text

from .command_results import failed, scores
from .conftest import ALL, ASKED, CONVERSATION, NEXT, QUESTIONS, QUOTATIONS, Run, answer, lines, speech, turn


def test_everyone_is_scored_as_counted_by_hand(run: Run, evening: str) -> None:
    """7 messages: names told 3+3+3+3+3+2+2 = 19, rightly 2+2+3+3+2+1+2 = 15; the sets of 3 are just right."""
    report = answer(run("evaluate", "participants", evening, "--detector", "everyone", "--json"))
    found = scores(report)
    assert found == pytest.approx(
        {
            "precision": 15 / 19,
            "recall": 1,
            "f1": 30 / 34,
            "exact": 3 / 7,
            "leak": 4 / 7,
            "miss": 0,
        }
    )
    (result,) = report["results"]
    assert result["absent"]["tavern"]["units"] == 4
    assert {size: each["units"] for size, each in result["by_present"]["tavern"].items()} == {"1": 1, "2": 4, "3": 2}
    assert result["asides"] == {"messages": 1, "leaked": 1}
    assert result["scores"]["tavern"]["calibration_error"] == pytest.approx(4 / 11)
    assert result["messages_per_second"] > 0


def test_detectors_are_compared_with_the_first(run: Run, evening: str) -> None:
    report = answer(run("evaluate", "participants", evening, "--detector", "everyone,mine.LastFew", "--json"))
    (gap,) = report["differences"]
    assert (gap["detector"], gap["against"], gap["data"]) == ("mine.LastFew", "everyone", "tavern")
    ours, theirs = scores(report, "mine.LastFew")["leak"], scores(report)["leak"]
    assert gap["values"]["leak"]["value"] == pytest.approx(ours - theirs)
    assert gap["values"]["leak"]["low"] <= ours - theirs <= gap["values"]["leak"]["high"]


def test_a_report_reads_as_the_tables_that_the_command_line_shows(run: Run, evening: str) -> None:
    run("evaluate", "participants", evening, "--detector", "everyone,mine.LastFew", "--report", "report.json")
    _, report = load("report.json")
    assert report is not None
    assert as_text(report).startswith("Who perceives a message (n messages)")
    assert "Against everyone" in as_text(report)
    assert str(report.results[0].scores["tavern"].values["recall"]).startswith("1.000")


def test_which_detector_the_others_are_compared_with_can_be_chosen(run: Run, evening: str) -> None:
    words = ("evaluate", "participants", evening, "--detector", "everyone,mine.LastFew,rules")
    report = answer(run(*words, "--against", "rules", "--json"))
    assert [(each["detector"], each["against"]) for each in report["differences"]] == [
        ("everyone", "rules"),
        ("mine.LastFew", "rules"),
    ]
    ours, theirs = scores(report)["leak"], scores(report, "rules")["leak"]
    assert report["differences"][0]["values"]["leak"]["value"] == pytest.approx(ours - theirs)
    failed(run(*words, "--against", "rule"), "unknown detector to compare against 'rule'")


def test_a_repeated_run_is_compared_as_before(run: Run, evening: str) -> None:
    words = ("evaluate", "participants", evening, "--detector", "everyone,rules", "--against", "rules")
    answer(run(*words, "--report", "report.json", "--json"))
    repeated = run("evaluate", "--repeat", "report.json")
    assert "Against rules" in repeated.stdout
    assert "The same numbers" in repeated.stdout


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["participants"], "TASK"),
        (["participants", "EVENING"], "TASK, DATA"),
        (["--detector", "rules"], "--detector"),
        (["--seed", "0", "--worst", "3"], "--seed, --worst"),
    ],
)
def test_what_a_report_says_is_refused_beside_repeat(words: list[str], named: str, run: Run, evening: str) -> None:
    run("evaluate", "participants", evening, "--detector", "everyone", "--report", "report.json")
    given = [evening if word == "EVENING" else word for word in words]
    failed(run("evaluate", *given, "--repeat", "report.json"), f"{named} beside --repeat")
    assert run("evaluate", "--repeat", "report.json", "--report", "again.json").exit_code == 0


def test_a_label_outside_the_roster_is_named_with_its_place(run: Run, folder: Path) -> None:
    strange = {**NEXT, "messages": [*NEXT["messages"], {**NEXT["messages"][0], "present": ["Ben", "An"]}]}
    data = lines(folder, "strange.jsonl", strange)
    said = (
        "strange.jsonl: scene '2-0', messages[2]: 'present' has 'An', who is not in the roster ['Ann', 'Ben']. "
        "Did you mean 'Ann'?"
    )
    failed(run("evaluate", "participants", data), said)
    failed(run("fit", "mine.LastFew", data), said)
    failed(run("detect", data), said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({**QUESTIONS[0], "character": "Zed"}, "asks about 'Zed', who is not in the roster"),
        ({**QUESTIONS[2], "roster": ["Ann", "Zed"], "knowers": ["Ann"]}, "asks about 'Zed', who is not in the roster"),
        (
            {**QUESTIONS[2], "roster": ["Ann"], "knowers": ["Ben"]},
            "'knowers' has 'Ben', who is not in the roster ['Ann']",
        ),
    ],
)
def test_a_question_about_a_stranger_is_refused(
    question: dict[str, Any], said: str, run: Run, folder: Path, evening: str
) -> None:
    failed(run("evaluate", "knowledge", lines(folder, "q.jsonl", question), evening), said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"dataset": "d", "scene": "1", "roster": [', "bad.jsonl:1: not JSON: Expecting value: column 43."),
        (
            '{"scene": "1", "roster": [], "messages": []}\n{"a" 1}',
            "bad.jsonl:2: not JSON: Expecting ':' delimiter: column 6.",
        ),
        ('{"scen', "bad.jsonl: no importer accepts it. It may be damaged: bad.jsonl:1: not JSON: Unterminated string"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_broken_json_is_one_error_with_its_place(text: str, said: str, run: Run, folder: Path) -> None:
    (folder / "bad.jsonl").write_text(text, "utf-8")
    result = run("evaluate", "participants", "bad.jsonl")
    failed(result, said)
    assert len(result.stderr) < 500


def test_a_file_named_twice_is_refused(run: Run, evening: str) -> None:
    failed(run("evaluate", "participants", evening, evening), "is named twice")


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "[1]", '{"run": 3}', '{"task": NaN}', "\0"])
def test_a_broken_report_is_one_error(text: str, run: Run, folder: Path) -> None:
    (folder / "bad.json").write_text(text, "utf-8")
    result = run("evaluate", "--repeat", "bad.json")
    failed(result, "bad.json: not ")
    assert "Field required" not in result.stderr
    assert len(result.stderr) < 500


def test_the_table_names_data_detectors_and_the_worst_scenes(run: Run, evening: str) -> None:
    result = run("evaluate", "participants", evening, "--detector", "everyone,mine.LastFew", "--worst", "1")
    assert result.exit_code == 0, result.output
    for words in (
        "tavern",
        "mine.LastFew",
        "somebody is absent",
        "By how many are present",
        "Against everyone: each detector's score minus its score",
        "Asides that everyone lets others hear: 1 of 1",
        "tavern 1-0: 2 of 5 exact",
        "Old Tom included, but was not there, 2× from [1]",
        "everyone perceives everything",
        "expect less elsewhere",
    ):
        assert words in " ".join(result.stdout.split()), words


def test_with_hidden_directions_narration_is_not_seen(run: Run, evening: str) -> None:
    shown = answer(run("evaluate", "participants", evening, "--json"))
    hidden = answer(run("evaluate", "participants", evening, "--json", "--directions", "hidden"))
    assert hidden["run"]["directions"] == "hidden"
    assert scores(shown, "rules") != scores(hidden, "rules")


def test_a_run_is_repeated_from_its_report(run: Run, evening: str) -> None:
    words = ("evaluate", "participants", evening, "--detector", "everyone,mine.LastFew(n=3)", "--seed", "5")
    first = answer(run(*words, "--report", "report.json", "--json", "--worst", "2"))
    assert first["run"]["data"][0]["sha256"]
    assert first["run"]["detectors"][1]["settings"] == {"n": 3}
    repeated = run("evaluate", "--repeat", "report.json")
    assert repeated.exit_code == 0, repeated.output
    assert "The same numbers as in report.json." in repeated.stdout


def test_a_repeated_run_that_comes_out_otherwise_says_where(run: Run, evening: str) -> None:
    run("evaluate", "participants", evening, "--detector", "everyone", "--report", "report.json")
    report = json.loads(Path("report.json").read_text())
    report["results"][0]["scores"]["tavern"]["values"]["leak"]["value"] = 0.5
    Path("report.json").write_text(json.dumps(report))
    result = run("evaluate", "--repeat", "report.json")
    assert result.exit_code == 1
    assert "results[0].scores.tavern.values.leak.value: 0.5 → 0.57" in result.stdout


def test_a_run_written_by_hand_is_one_small_file(run: Run, evening: str) -> None:
    described = {
        "task": "participants",
        "detectors": [{"label": "all", "name": "everyone"}],
        "data": [{"path": evening}],
    }
    Path("run.json").write_text(json.dumps({"run": described}))
    assert scores(answer(run("evaluate", "--repeat", "run.json", "--json")), "all")["recall"] == 1


def test_data_that_changed_since_is_refused(run: Run, evening: str, folder: Path) -> None:
    run("evaluate", "participants", evening, "--detector", "everyone", "--report", "report.json")
    lines(folder, "participants/tavern.jsonl", NEXT)
    failed(run("evaluate", "--repeat", "report.json"), "has changed since that run")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_leak_against_miss_is_drawn(ending: str, run: Run, evening: str) -> None:
    pytest.importorskip("matplotlib")
    result = run("evaluate", "participants", evening, "--detector", "rules,everyone", "--plot", f"curve.{ending}")
    assert result.exit_code == 0, result.output
    assert Path(f"curve.{ending}").read_bytes()[:5] in {b"\x89PNG\r", b"<?xml"}


def test_the_axes_of_the_picture_fit_the_points() -> None:
    assert limits([0.2, 0.1, 0.3]) == pytest.approx((0.09, 0.31))
    assert limits([0.0, 0.0]) == pytest.approx((-0.01, 0.01))
    assert limits([]) == (-0.05, 1.05)


def test_what_is_no_picture_is_refused_before_the_run(run: Run, evening: str) -> None:
    pytest.importorskip("matplotlib")
    failed(
        run("evaluate", "participants", evening, "--detector", "everyone", "--plot", "x.bmp"),
        "'bmp' is not a picture format",
    )


def test_addressees_are_scored_by_role(run: Run, folder: Path) -> None:
    novel = lines(folder, "novel.jsonl", *QUOTATIONS)
    report = answer(run("evaluate", "addressees", novel, "--detector", "mine.LastFew,everyone", "--json"))
    assert scores(report, "mine.LastFew", "quotations")["recall"] == 0.75
    assert scores(report, "everyone", "quotations")["recall"] == 0


def test_who_knows_is_read_off_the_containers(run: Run, folder: Path, evening: str) -> None:
    del evening
    questions = lines(folder, "knowledge/tavern.jsonl", *QUESTIONS)
    report = answer(run("evaluate", "knowledge", questions, "--detector", "rules,everyone", "--json"))
    assert scores(report, "rules") == {
        "balanced_accuracy": 1,
        "knowers_found": 1,
        "others_cleared": 1,
        "list_exact": 1,
        "misled_cleared": None,
        "heard_of_cleared": None,
        "cannot_tell": 0,
        "auc": 1,
    }
    assert scores(report)["balanced_accuracy"] == 0.5
    assert scores(report)["list_exact"] == 0
    assert [Path(file["path"]).parent.name for file in report["run"]["data"]] == ["knowledge", "participants"]


def test_labels_hand_every_piece_to_those_whom_they_name(run: Run, folder: Path) -> None:
    whisper = "The key is under the barrel, in the straw."
    told = speech("Ann", f"Good evening. {whisper}", ALL, parts=[{"text": whisper, "present": ["Ann", "Old Tom"]}])
    scene = {**NEXT, "roster": ALL, "messages": [told, speech("Ben", "Is there any bread left for me?", ALL)]}
    lines(folder, "participants/tavern.jsonl", scene)
    asked = {"dataset": "tavern", "scene": "2-0", "fact": ASKED["fact"], "task": "knowers", "roster": ALL}
    questions = lines(folder, "knowledge/tavern.jsonl", {**asked, "knowers": ["Ann", "Old Tom"], "misled": ["Ben"]})
    report = answer(run("evaluate", "knowledge", questions, "--detector", "labels,everyone", "--json"))
    found = scores(report, "labels")
    assert (found["list_exact"], found["misled_cleared"]) == (1, 1)
    found = scores(report, "everyone")
    assert (found["list_exact"], found["misled_cleared"]) == (0, 0)


def test_labels_are_the_host_s_word_for_recall_too(run: Run, folder: Path, evening: str) -> None:
    del evening
    turns = lines(folder, "recall/tavern.jsonl", turn("Old Tom", 8, [1]))
    report = answer(run("evaluate", "recall", turns, "--detector", "labels", "--json"))
    assert scores(report, "labels", "tavern")["recall@5"] == 0  # he came after it


def test_labels_are_no_detector_where_detectors_are_scored(run: Run, evening: str) -> None:
    failed(run("evaluate", "participants", evening, "--detector", "labels"), "Use it for knowledge and recall")


def test_a_threshold_that_is_not_the_usual_one_stands_below_the_table(run: Run, evening: str) -> None:
    asked = ("evaluate", "participants", evening, "--detector", "everyone", "--resamples", "0")
    assert "Threshold" not in run(*asked).output
    assert "Threshold 0.776." in run(*asked, "--caution", "0.9").output


def test_a_run_by_labels_is_repeated(run: Run, folder: Path, evening: str) -> None:
    questions = lines(folder, "q.jsonl", *QUESTIONS)
    run("evaluate", "knowledge", questions, evening, "--detector", "labels", "--report", "report.json")
    assert "The same numbers" in run("evaluate", "--repeat", "report.json").stdout


def test_a_run_through_end_is_repeated_too(run: Run, folder: Path, evening: str) -> None:
    questions = lines(folder, "q.jsonl", *QUESTIONS)
    run("evaluate", "knowledge", questions, evening, "--detector", "everyone", "--report", "report.json")
    repeated = run("evaluate", "--repeat", "report.json")
    assert repeated.exit_code == 0, repeated.output
    assert "The same numbers" in repeated.stdout


def test_who_knows_can_be_asked_of_backstage(run: Run, folder: Path, evening: str) -> None:
    questions = lines(folder, "q.jsonl", *QUESTIONS)
    words = ("evaluate", "knowledge", questions, evening, "--detector", "rules", "--by", "who_knows", "--json")
    assert scores(answer(run(*words)), "rules")["list_exact"] == 1


def test_a_question_without_its_scene_is_named(run: Run, folder: Path) -> None:
    failed(run("evaluate", "knowledge", lines(folder, "q.jsonl", *QUESTIONS)), "scene '1-0' of 'tavern'")


def test_what_was_said_is_found_again_in_everybodys_container(run: Run, folder: Path) -> None:
    talk = lines(folder, "talk.json", CONVERSATION)
    report = answer(run("evaluate", "recall", talk, "--detector", "everyone", "--json"))
    assert report["results"][0]["scores"]["talk"]["units"] == 2
    assert scores(report, data="talk")["recall@10"] == 1


def test_a_turn_is_asked_as_just_before_its_message(run: Run, folder: Path, evening: str) -> None:
    del evening
    turns = lines(folder, "recall/tavern.jsonl", turn("Ann", 8, [1]), turn("Old Tom", 8, [1]))
    report = answer(run("evaluate", "recall", turns, "--detector", "everyone,rules", "--json"))
    assert report["results"][0]["scores"]["tavern"]["units"] == 2
    assert scores(report, "everyone", "tavern")["recall@5"] == 1
    assert scores(report, "rules", "tavern")["recall@5"] == 0.5  # Old Tom came after it
    assert scores(report, "rules", "tavern")["world@10"] == 1


def test_a_turn_of_a_stranger_or_in_an_unknown_scene_is_named(run: Run, folder: Path, evening: str) -> None:
    strange = lines(folder, "strange.jsonl", turn("Zoe", 8, [1]))
    failed(run("evaluate", "recall", strange, evening), "is that of 'Zoe', who is not in the roster")
    failed(
        run("evaluate", "recall", strange),
        "a turn belongs to the scene '1-0' of 'tavern', which is in none of the files",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate"], "name a task (participants, addressees, knowledge, recall)"),
        (["evaluate", "participants"], "name a task"),
        (["evaluate", "participants", "none.jsonl"], "none.jsonl: there is no such file"),
        (["evaluate", "addressees", "EVENING"], "none of the 11 messages in these files has 'addressees'"),
        (["evaluate", "knowledge", "EVENING"], "these files hold no question"),
        (["evaluate", "recall", "EVENING"], "these files hold no question with evidence"),
        (["evaluate", "recall", "EVENING", "--plot", "x.png"], "cannot draw recall"),
        (["evaluate", "--repeat", "none.json"], "none.json: cannot be read"),
        (["evaluate", "--repeat", "mine.py"], "mine.py: not JSON"),
        (["evaluate", "--repeat", "EVENING"], "not JSON"),
        (["detect", "EVENING", "--detector", "rules,everyone"], "names 2 detectors"),
        (["fit", "rules,everyone", "EVENING"], "names 2 detectors"),
        (["fit", "everyone", "EVENING"], "everyone does not declare what may be fitted"),
    ],
)
def test_what_cannot_be_evaluated_is_said_in_words(words: list[str], said: str, run: Run, evening: str) -> None:
    failed(run(*(evening if word == "EVENING" else word for word in words)), said)


def test_a_detector_that_names_outsiders_is_scored_and_the_report_says_what_was_ignored(run: Run, evening: str) -> None:
    Path("mix.py").write_text(
        "from earwitness_plugins.detectors.everyone import Everyone\n"
        "class Mix(Everyone):\n"
        "    def detect(self, moment):\n"
        "        found = super().detect(moment)\n"
        "        one = next(iter(found.characters.values()))\n"
        "        return found.model_copy(update={'characters': {**found.characters, 'Nobody': one}})\n",
        "utf-8",
    )
    result = run("evaluate", "participants", evening, "--detector", "mix.Mix")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "only the speaker perceived" not in said
    assert "mix.Mix: named 'Nobody', who are not in the cast; ignored (at " in said
    assert "counting narration; the rest is scored)" in said


def test_a_speaker_outside_the_roster_is_named(run: Run, folder: Path) -> None:
    wrong = {**NEXT, "messages": [speech("Bem", "I am alone.", ["Ben"])]}
    Path("strange.jsonl").write_text(json.dumps(wrong) + "\n", "utf-8")
    result = run("evaluate", "participants", "strange.jsonl", "--detector", "everyone")
    said = "Warning: scene '2-0', messages[0]: the speaker is 'Bem', who is not in the roster ['Ann', 'Ben']. "
    assert said + "Did you mean 'Ben'?" in " ".join(result.stdout.split()), result.output


def test_a_detector_that_fails_at_every_message_ends_the_command_with_exit_code_1(run: Run, evening: str) -> None:
    Path("broken.py").write_text(
        "class Broken:\n    def detect(self, moment):\n        raise ValueError('not yet')\n", "utf-8"
    )
    result = run("evaluate", "participants", evening, "--detector", "everyone,broken.Broken")
    assert result.exit_code == 1
    assert "broken.Broken failed at" in result.stdout
