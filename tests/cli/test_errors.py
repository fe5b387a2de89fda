"""Whatever goes wrong is one clear line on standard error, and an exit code."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click import Context, Group

from earwitness.errors import StorageFull, WallError
from earwitness_plugins.terminal import CliContext
from earwitness_plugins.terminal.errors import as_failure
from earwitness_plugins.terminal.group import COMMANDS, group

from .conftest import Run

HEAVY = {"apsw", "numpy", "rich", "ruamel.yaml", "tomlkit"}


def real(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command line as a process of its own."""
    command = [sys.executable, "-m", "earwitness_plugins.console", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "none.yaml"], "none.yaml: there is no such file"),
        (["recall", "cellar", "alice", "x", "--store", "none.db"], "there is no store 'none.db' yet"),
        (["recall", "attic", "alice", "x"], "unknown session 'attic'. Known: cellar"),
        (["recall", "cellar", "alcie", "x"], "unknown character 'alcie'"),
        (["inspect", "cellar", "alcie"], "Did you mean 'alice'?"),
        (["inspect", "cellar", "world", "--filter", "gameDay~3"], "filter 'gameDay~3' must read FIELD OPERATOR VALUE"),
        (["inspect", "cellar", "--filter", "gameDay<=3"], "Name a character or world, as in inspect SESSION world"),
        (["who-knows", "cellar", " "], "the text is empty. Give some words of what they may know"),
        (["explain", "nothing"], "no memory 'nothing' in cellar"),
        (["edit", "cellar", "no-key", "x"], "no message has the key 'no-key'"),
        (["retract", "cellar", "no-key"], "unknown message key or memory id 'no-key'"),
        (["retract", "cellar", "plan", "--by", ""], "by = '' cannot be used: it is empty"),
        (["forget", "attic", "--yes"], "unknown session 'attic'"),
        (["preview", "x", "--speaker", "dora"], "unknown character 'dora'"),
        (["preview", "x", "--speaker", "bob", "--session", "attic"], "unknown session 'attic'"),
        (["replay", "none.jsonl"], "none.jsonl: there is no such file"),
        (["replay", "earwitness.db"], "no importer accepts it. Name one with --format: "),
        (["replay", "cellar.yaml"], "It looks like a story file: earwitness play cellar.yaml"),
        (["import", "cellar.yaml"], "It looks like a story file: earwitness play cellar.yaml"),
        (["replay", "cellar.yaml", "--format", "vhs"], "unknown importer 'vhs'. Known: "),
        (["import", "none.jsonl"], "none.jsonl: there is no such file"),
        (["inspect", "--settings", "none.toml"], "none.toml: there is no such file"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(played: Run, words: Sequence[str], said: str) -> None:
    result = played(*words)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_text_that_is_no_transcript_is_refused_with_what_one_looks_like(run: Run, folder: Path) -> None:
    (folder / "notes.txt").write_text("hello\n", "utf-8")
    said = "notes.txt: no importer accepts it. A transcript has a message on each line, as in Alice: Good morning. Name"
    assert said in run("replay", "notes.txt").stderr


@pytest.mark.parametrize("words", [["inspect"], ["recall", "cellar", "alice", "x"], ["spool", "list"]])
@pytest.mark.parametrize("settings", ['path = "stories.db"\n', '[ledger]\nname = "sqlite"\npath = "stories.db"\n'])
def test_a_command_that_reads_begins_no_store(folder: Path, run: Run, words: Sequence[str], settings: str) -> None:
    (folder / "earwitness.toml").write_text(settings, "utf-8")
    missing = run(*words)
    assert (missing.exit_code, "there is no store 'stories.db' yet" in missing.stderr) == (2, True)
    (folder / "stories.db").touch()
    empty = run(*words)
    assert (empty.exit_code, "'stories.db' is an empty file and holds no stories" in empty.stderr) == (2, True)
    assert [(each.name, each.stat().st_size) for each in folder.glob("*.db*")] == [("stories.db", 0)]


def test_a_mistake_in_the_settings_is_named_with_its_line(run: Run, folder: Path) -> None:
    (folder / "earwitness.toml").write_text("[recall]\nrecent = 9\n", "utf-8")
    result = run("inspect")
    assert result.exit_code == 2
    assert "earwitness.toml:2:1: recall.recent: 9" in result.stderr


def test_settings_beside_are_used_without_being_named(played: Run, folder: Path) -> None:
    (folder / "earwitness.db").rename(folder / "elsewhere.db")
    (folder / "earwitness.toml").write_text('path = "elsewhere.db"\n', "utf-8")
    assert played("inspect").stdout == "cellar\n"


def test_the_store_can_be_named_by_the_environment(played: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARWITNESS_STORE", "none.db")
    assert "'none.db'" in played("inspect").stderr


def test_a_file_that_is_no_story_file_is_left_alone_with_exit_code_3(run: Run, folder: Path) -> None:
    (folder / "earwitness.db").write_bytes(b"something else entirely" * 100)
    result = run("inspect")
    assert result.exit_code == 3
    assert "earwitness.db" in result.stderr
    assert (folder / "earwitness.db").read_bytes() == b"something else entirely" * 100


def test_a_place_that_cannot_be_written_to_is_exit_code_3(played: Run) -> None:
    result = played("export", "cellar", "--output", "no/such/folder.jsonl")
    assert result.exit_code == 3
    assert "no/such" in result.stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (StorageFull("no room left"), 3, "Error: no room left"),
        (WallError("that would cross a wall"), 1, "Error: that would cross a wall"),
        (KeyError("oops"), 1, "Error: unexpected KeyError: 'oops'. This should not happen; --traceback shows where."),
        (ExceptionGroup("several", [StorageFull("no room left")]), 3, "Error: no room left"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_each_kind_of_error_has_its_exit_code(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    def fail(self: object) -> None:
        raise error

    monkeypatch.setattr(CliContext, "settings", fail)
    result = run("doctor")
    assert result.exit_code == code
    assert said in result.stderr


def test_the_traceback_is_shown_to_whoever_asks_for_it(folder: Path) -> None:
    for words in (["--traceback", "inspect"], ["inspect", "--traceback"]):
        result = real(folder, *words)
        assert "Traceback (most recent call last)" in result.stderr
        assert "InputError" in result.stderr
    assert "Traceback" not in real(folder, "inspect").stderr


def test_a_misspelt_command_is_guessed(run: Run) -> None:
    result = run("plai")
    assert result.exit_code == 2
    assert "Did you mean 'play'?" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--store", "x.db", "play", "cellar.yaml"], "It goes after the command: earwitness COMMAND … --store FILE"),
        (["--json", "inspect"], "It goes after the command: earwitness COMMAND … --json\n"),
        (["--stoer", "x.db", "play"], "No such option '--stoer'"),
        (
            ["recall", "cellar", "bob", "the", "key"],
            "unexpected 'key'. Put a sentence in quotes: \"the key\"",
        ),
        (
            ["who-knows", "cellar", "a", "b", "c"],
            "unexpected 'b' 'c'. Put a sentence in quotes: \"a b c\"",
        ),
        (["play", "a.yaml", "b.yaml"], "unexpected 'b.yaml'.\n"),
    ],
)
def test_a_word_in_the_wrong_place_is_told_where_it_goes(run: Run, words: Sequence[str], said: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_command_that_cannot_be_loaded_is_listed_and_the_others_work(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [
        EntryPoint("broken", "no_such_module:command", COMMANDS),
        EntryPoint("nothing", "json:dumps", COMMANDS),
        EntryPoint("inspect", "earwitness_plugins.commands.inspect:command", COMMANDS),
    ]
    monkeypatch.setattr("earwitness_plugins.terminal.group._points", lambda: points)
    listed = run("--help").stdout
    assert "(cannot be loaded: ModuleNotFoundError" in listed
    assert run("inspect", "--help").exit_code == 0
    for name, said in {"broken": "no_such_module", "nothing": "json:dumps is not a click command"}.items():
        result = run(name, "--some", "words")
        assert result.exit_code == 1
        assert said in result.stderr


def test_every_command_says_what_it_does_and_takes_the_same_options(run: Run) -> None:
    words = list(every_command(group))
    assert len(words) >= 17
    for each in words:
        shown = run(*each, "--help").stdout
        if each[0] != "emulate":  # it opens no story
            assert all(option in shown for option in ("--store FILE", "--settings FILE", "--json")), each


def every_command(parent: Group) -> Iterator[tuple[str, ...]]:
    """The words of each command, those within groups of commands too."""
    context = Context(parent)
    for name in parent.list_commands(context):
        command = parent.get_command(context, name)
        rest = every_command(command) if isinstance(command, Group) else [()]
        yield from ((name, *words) for words in rest)


def test_help_brings_in_nothing_that_weighs() -> None:
    program = (
        "import sys\nfrom earwitness_plugins.terminal.group import main\ntry:\n    main()\nexcept SystemExit:\n    "
        f"print(sorted({{*sys.modules}} & {HEAVY!r}))"
    )
    run = subprocess.run([sys.executable, "-c", program, "--help"], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_control_c_while_the_program_is_loaded_ends_it_the_same_way(folder: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from earwitness_plugins.console import main\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'earwitness.errors':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, "--help"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_control_c_ends_with_130_and_no_traceback(folder: Path) -> None:
    lines = "".join(f'{{"speaker": "ann", "text": "line {n}"}}\n' for n in range(50_000))
    (folder / "long.jsonl").write_text(lines, "utf-8")
    command = [sys.executable, "-m", "earwitness_plugins.console", "replay", "long.jsonl"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    waited = time.monotonic() + 30
    while not (folder / "earwitness.db").exists() and time.monotonic() < waited:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert real(folder, "inspect").returncode == 0


def test_a_folder_that_is_not_there_is_named_and_only_that(tmp_path: Path) -> None:
    missing = FileNotFoundError(2, "No such file or directory", str(tmp_path / "nowhere" / ".part"))
    assert as_failure(missing).message == f"{tmp_path / 'nowhere'}: there is no such folder. Make it first."
    other = tmp_path / "x.txt"
    told = f"{str(other)!r} cannot be read or written: No such file."
    assert as_failure(FileNotFoundError(2, "No such file", str(other))).message == told
    assert as_failure(FileNotFoundError("gone")).message == "gone"
