"""`earwitness emulate`: a service to try a backend with."""

import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from earwitness.errors import InputError
from earwitness_plugins.commands.emulate import command
from earwitness_plugins.testing.supermemory import Emulator

MAIN = (
    "import os, threading; from earwitness_plugins.console import main\n"
    "threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()  # ends with its parent\n"
    "main()"
)


@contextmanager
def emulated(*options: str, service: str = "supermemory") -> Iterator[subprocess.Popen[str]]:
    """The command, running; it ends with the test."""
    words = [sys.executable, "-c", MAIN, "emulate", service, "--port", "0", *options]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, **pipes, text=True) as running:  # type: ignore[call-overload]
        try:
            yield running
        finally:
            running.kill()


async def test_it_serves_until_it_is_interrupted() -> None:
    from supermemory import AsyncSupermemory

    with emulated("--lag", "0") as running:
        assert running.stdout is not None
        said = "".join(running.stdout.readline() for _ in range(6))
        url = said.partition('base_url = "')[2].partition('"')[0]
        async with AsyncSupermemory(base_url=url, api_key="any", max_retries=0, timeout=20) as client:
            await client.add("n", content="the sword", task_type="superrag")
            assert [row.chunk for row in (await client.search("n", query="sword")).results] == ["the sword"]
        running.send_signal(signal.SIGINT)
        assert running.stdout.read() == "Stopped.\n"
        assert running.wait(20) == 0


def test_a_model_repeats_what_it_hears_whatever_the_key() -> None:
    from openai import OpenAI

    with emulated(service="model") as running:
        assert running.stdout is not None
        said = "".join(running.stdout.readline() for _ in range(5))
        settings = tomllib.loads(said.partition("\n\n")[2])["model"]
        with OpenAI(base_url=settings["base_url"], api_key="any", max_retries=0, timeout=20) as client:
            messages = [{"role": "user", "content": "Kim: Good evening.\n(Write what Bob says.)"}]
            answer = client.chat.completions.create(model=settings["model"], messages=messages)
        assert answer.choices[0].message.content == "I heard: Good evening."
        running.send_signal(signal.SIGINT)
        assert running.stdout.read() == "Stopped.\n"
        assert running.wait(20) == 0


@pytest.mark.parametrize("service", ["supermemory", "model"])
def test_a_port_that_is_taken_is_named(service: str) -> None:
    with Emulator() as other:
        port = other.url.rpartition(":")[2]
        result = CliRunner().invoke(command, [service, "--port", port])
    assert isinstance(result.exception, InputError)
    assert f"port {port}" in str(result.exception)


def test_a_folder_to_keep_it_in_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["supermemory", "--keep", str(tmp_path)])
    assert isinstance(result.exception, InputError)
    assert "is a folder. Name a file" in str(result.exception)


@pytest.mark.parametrize("options", [["--port", "70000"], ["--lag", "-1"], ["--faults", "2"]])
def test_numbers_outside_their_range_are_refused(options: list[str]) -> None:
    assert CliRunner().invoke(command, ["supermemory", *options]).exit_code == 2


def test_a_file_that_no_emulator_has_kept_is_named_and_left(tmp_path: Path) -> None:
    kept = tmp_path / "assist.py"
    kept.write_text("import this\n")
    result = CliRunner().invoke(command, ["supermemory", "--port", "0", "--keep", str(kept)])
    assert isinstance(result.exception, InputError)
    assert f"{str(kept)!r}, line 1: this is not a file that an emulator has kept" in str(result.exception)
    assert kept.read_text() == "import this\n"


def test_a_file_that_cannot_be_made_is_named_and_not_the_port(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["supermemory", "--port", "0", "--keep", str(tmp_path / "away" / "k.json")])
    assert isinstance(result.exception, InputError)
    assert "--keep " in str(result.exception)
    assert "port" not in str(result.exception)
