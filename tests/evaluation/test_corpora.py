"""`earwitness corpus check`: a corpus is what it says, or what is wrong is said. `evaluate` finds it by name."""

import json
from pathlib import Path
from typing import Any

import pytest

from earwitness_plugins.applications.corpora.agreement import agreements
from earwitness_plugins.applications.corpora.folder import belongs_to_test
from earwitness_plugins.applications.corpora.likeness import PlacedLine, alike

from .command_results import failed
from .conftest import Run, answer

CARD = 'name = "wells"\nlicence = "CC0-1.0"\n'
DEV, TEST = (next(n for n in map(str, range(99)) if belongs_to_test(n, 3) is wanted) for wanted in (False, True))

TEXTS = (
    ("The bucket went down at noon and never came up.", "I heard it ring, twice."),
    ("Somebody has painted all of our goats in the night.", "Blue suits them."),
)


def scene(name: str, **more: Any) -> dict[str, Any]:
    texts = TEXTS[name == TEST]
    messages = [{"kind": "speech", "speaker": "Ida", "text": texts[0], "present": ["Ida", "Oto"]}]
    messages.append({"kind": "speech", "speaker": "Oto", "text": texts[1], "present": ["Oto"]})
    shape = {"dataset": "wells", "scene": name, "style": "letters", "language": "en", "roster": ["Ida", "Oto", "Una"]}
    return {**shape, "messages": messages, **more}


def question(name: str) -> dict[str, Any]:
    asked = {"dataset": "wells", "scene": name, "task": "knowers", "fact": "Where is the bucket? Down the well."}
    return {**asked, "roster": ["Ida", "Oto", "Una"], "knowers": ["Ida", "Oto"]}


def write(folder: Path, task: str, part: str, *rows: dict[str, Any]) -> None:
    (folder / task).mkdir(parents=True, exist_ok=True)
    (folder / task / f"{part}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def wells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "corpora" / "wells"
    write(folder, "participants", "dev", scene(DEV))
    write(folder, "participants", "test", scene(TEST))
    write(folder, "knowledge", "dev", question(DEV))
    (folder / "corpus.toml").write_text(CARD, "utf-8")
    return folder


def problems(run: Run, *words: str) -> list[str]:
    result = run("corpus", "check", "wells", *words, "--json")
    assert result.exit_code == 1, result.output
    return list(json.loads(result.stdout)["problems"])


def test_a_corpus_that_is_what_it_says_has_no_problems(run: Run, wells: Path) -> None:
    result = run("corpus", "check", "wells")
    assert result.exit_code == 0, result.output
    assert "wells: 2 scenes, 4 messages" in result.stdout
    assert "The corpus is what its card says." in result.stdout


def test_too_few_scenes_and_messages_are_said_with_what_the_card_promises(run: Run, wells: Path) -> None:
    (wells / "corpus.toml").write_text(CARD + "scenes = 3\nscenes_per_style = 3\nagreement = 0.9\n", "utf-8")
    result = run("corpus", "check", "wells")
    assert result.exit_code == 1
    said = " ".join(result.stdout.split())
    assert "2 scenes; the card promises 3." in said
    assert "2 scenes of the style letters; the card promises 3." in said
    assert "0.0% of the messages with equal perceivers from both annotators; the card promises 90.0%." in said


def test_a_scene_in_the_wrong_part_is_named(run: Run, wells: Path) -> None:
    (wells / "corpus.toml").write_text(CARD + "test_modulo = 3\n", "utf-8")
    write(wells, "participants", "dev", scene(DEV), scene(TEST))
    assert problems(run)[:2] == [
        f"The scene '{TEST}' is there 2 times.",
        f"The scene '{TEST}' is in dev; by its hash it belongs to test.",
    ]


def test_a_card_that_promises_no_split_by_hash_is_not_held_to_one(run: Run, wells: Path) -> None:
    write(wells, "participants", "dev", scene(TEST))
    write(wells, "participants", "test", scene(DEV))
    write(wells, "knowledge", "dev")
    assert run("corpus", "check", "wells").exit_code == 0


def test_a_misspelt_promise_is_named_with_what_was_meant(run: Run, wells: Path) -> None:
    (wells / "corpus.toml").write_text(CARD + "scnes = 4\n", "utf-8")
    result = run("corpus", "check", "wells")
    assert result.exit_code != 0
    assert "Did you mean 'scenes'?" in " ".join(result.stderr.split())


def test_labels_that_cannot_be_right_are_named(run: Run, wells: Path) -> None:
    odd = scene(DEV)
    odd["messages"][0] |= {"present": ["Oto", "Uno"], "parts": [{"text": "a pail", "present": ["Oto"]}]}
    write(wells, "participants", "dev", odd)
    assert problems(run) == [
        f"{DEV}, messages[0]: 'present' has 'Uno', who is not in the roster ['Ida', 'Oto', 'Una']. Did you mean 'Una'?",
        f"{DEV}, messages[0]: the speaker 'Ida' is not in 'present'.",
        f"{DEV}, messages[0]: the piece 'a pail' is not part of the text.",
    ]


def test_a_question_about_a_scene_of_the_other_part_is_named(run: Run, wells: Path) -> None:
    write(wells, "knowledge", "dev", question(TEST))
    assert problems(run) == [f"A question in dev is about the scene '{TEST}', which is not in dev."]


def test_a_line_that_occurs_twice_is_named_with_both_places(run: Run, wells: Path) -> None:
    copy = scene(TEST)
    copy["messages"][1]["text"] = TEXTS[0][0].replace("came up", "came back").upper()
    write(wells, "participants", "test", copy)
    (found,) = problems(run)
    assert found.startswith(f"scene wells-{DEV}, messages[0] is like scene wells-{TEST}, messages[1] (")


def test_people_may_repeat_themselves_within_a_scene(run: Run, wells: Path) -> None:
    copy = scene(DEV)
    copy["messages"][1]["text"] = copy["messages"][0]["text"]
    write(wells, "participants", "dev", copy)
    assert run("corpus", "check", "wells").exit_code == 0


def test_a_line_of_another_corpus_is_named(run: Run, wells: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({**scene(DEV), "dataset": "elsewhere"}) + "\n", "utf-8")
    found = problems(run, "--against", str(other))
    assert any("is like" in each and "other.jsonl: scene elsewhere-" in each for each in found)


def test_a_folder_is_compared_with_each_file_in_it_that_holds_scenes(run: Run, wells: Path, tmp_path: Path) -> None:
    folder = tmp_path / "others" / "deep"
    folder.mkdir(parents=True)
    (folder / "other.jsonl").write_text(json.dumps({**scene(DEV), "dataset": "elsewhere"}) + "\n", "utf-8")
    (folder / "LICENCE").write_bytes(b"\xff\xfe\x00 all rights reserved")
    (folder / "table.csv").write_text("a,b\n1,2\n")
    found = problems(run, "--against", str(tmp_path / "others"))
    assert any("is like" in each and "other.jsonl: scene elsewhere-" in each for each in found)


def test_a_folder_without_scenes_is_named(run: Run, wells: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("corpus", "check", "wells", "--against", str(tmp_path / "empty"))
    assert done.exit_code == 2
    assert f"no file in '{tmp_path / 'empty'}' holds a scene" in done.output.replace("\n", " ")


def test_agreement_counts_equal_sets_and_corrects_decisions_for_chance(wells: Path) -> None:
    """Of four decisions (two messages, two names that did not speak) one differs: observed .75, by chance .5."""
    labels = {"present": [["Ida", "Oto"], ["Oto"]], "addressees": [], "knowers": []}
    other = {"present": [["Ida", "Oto"], ["Oto", "Ida"]], "addressees": [], "knowers": []}
    row = {"scene": DEV, "roster": ["Ida", "Oto", "Una"], "speakers": ["Ida", "Oto"], "first": labels, "second": other}
    write(wells, "annotations", "dev", row)
    found = agreements(wells)["present"]
    assert (found.items, found.equal) == (2, 0.5)
    assert found.kappa == pytest.approx((0.75 - 0.5) / (1 - 0.5))


def test_evaluate_finds_a_corpus_by_its_name_and_part(run: Run, wells: Path) -> None:
    for name, part in (("wells", "dev"), ("wells:test", "test"), (str(wells), "dev")):
        report = answer(run("evaluate", "participants", name, "--detector", "everyone", "--resamples", "0", "--json"))
        assert report["run"]["data"][0]["path"].endswith(f"corpora/wells/participants/{part}.jsonl")
    report = answer(run("evaluate", "knowledge", "wells", "--detector", "everyone", "--resamples", "0", "--json"))
    assert report["results"][0]["scores"]["wells"]["units"] == 1


def test_an_unknown_corpus_task_or_card_gets_one_error(run: Run, wells: Path) -> None:
    failed(
        run("corpus", "check", "well"),
        "'well' is not a corpus: it holds no corpus.toml. Corpora here: overheard, wells. ",
    )
    failed(
        run("evaluate", "recall", "wells"), "the corpus wells has no part 'dev' of recall. It has: knowledge dev, part"
    )
    failed(
        run("evaluate", "participants", "wells:tset"),
        "the corpus wells has no part 'tset' of participants. It has: dev, test. Did you mean 'test'?",
    )
    (wells / "corpus.toml").write_text("name = ", "utf-8")
    failed(run("corpus", "check", "wells"), "corpus.toml: not TOML")
    (wells / "corpus.toml").write_text('name = "wells"', "utf-8")
    failed(run("corpus", "check", "wells"), "corpus.toml: licence is missing.")


def test_a_folder_without_scenes_is_no_good_corpus(run: Run, wells: Path) -> None:
    for part in ("dev", "test"):
        (wells / "participants" / f"{part}.jsonl").unlink()
    (wells / "knowledge" / "dev.jsonl").unlink()
    assert problems(run) == [
        "There is no scene: participants/dev.jsonl and participants/test.jsonl are missing or empty."
    ]


def test_short_lines_are_like_none_and_characters_count_as_words_without_spaces() -> None:
    assert not list(alike([PlacedLine("a", "Yes, I am."), PlacedLine("b", "Yes, I am.")]))
    (found,) = alike(
        [PlacedLine("a", "桶は正午に下りて、二度と上がらない"), PlacedLine("b", "桶は正午に下りて、二度と上がらない。")]
    )
    assert (found.other.place, found.share) == ("b", 1)
