"""What the docs show is run: Python in one namespace a page, commands in a shell's place, files where they say.

Blocks run in the order of the page, in a fresh folder that holds the examples. A block with a title is that file. A
`text` block just after a Python block is what that block prints; what follows a command in a `console` block is what
that command prints. `...` stands for anything.
"""

from __future__ import annotations

import ast
import asyncio
import doctest
import inspect
import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

# What `make` runs, so that the README can show what its first command prints.
MADE = {"make demo": ".venv/bin/earwitness play examples/the_sacred_sword.yaml --store .demo/story.db"}
PROGRAM = Path(sys.executable).with_name("earwitness")
PROGRAMS = {"earwitness": PROGRAM, ".venv/bin/earwitness": ".venv/bin/earwitness", "python": Path(sys.executable)}
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Reader:
    """Somebody who tries out a page from top to bottom."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""

    async def read(self) -> None:
        for block in self.page.blocks:
            if block.title:
                self.save(block)
            elif block.language == "python":
                await self.run(block)
            elif block.language == "console":
                self.type(block)
            elif block.language == "text" and block.follows and block.follows.language == "python":
                self.compare(block.text, self.printed, block.line)

    def save(self, block: Any) -> None:
        """Write the file; a file of tests is also run."""
        file = self.folder / block.title
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text, "utf-8")
        if file.name.startswith("test_"):
            self.shell([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file.name], block.line)

    async def run(self, block: Any) -> None:
        """Run Python; an error names the line of the page."""
        source = "\n" * (block.line - 1) + block.text
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(source, str(self.page.path), "exec", flags=flags, dont_inherit=True)
        with redirect_stdout(io.StringIO()) as output:
            result = eval(code, self.names)
            if inspect.iscoroutine(result):
                await asyncio.create_task(result)  # a task of its own, as in `python -m asyncio` and notebooks
        self.printed = output.getvalue()

    def type(self, block: Any) -> None:
        """Run each command that is ours or Python's; compare what it prints with what the page says, if it does."""
        for number, part in enumerate(f"\n{block.text}".split("\n$ ")[1:]):
            command, _, expected = part.partition("\n")
            words = shlex.split(MADE.get(command, command))
            if program := PROGRAMS.get(words[0]):
                printed = self.shell([str(program), *words[1:]], block.line + number)
                if expected.strip():
                    self.compare(expected, printed, block.line + number)

    def shell(self, words: list[str], line: int) -> str:
        found = os.defpath if words[0] in PROGRAMS else f"{PROGRAM.parent}{os.pathsep}{os.defpath}"  # or activated
        environment = {**self.environment, "PATH": found}
        run = subprocess.run(
            words, cwd=self.folder, capture_output=True, text=True, env=environment, check=False, timeout=120
        )
        assert run.returncode == 0, f"{self.page.name}:{line}: {shlex.join(words)}\n{run.stdout}{run.stderr}"
        return run.stdout

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("EARWITNESS_")}
        return {**kept, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}

    def compare(self, expected: str, printed: str, line: int) -> None:
        same = doctest.OutputChecker().check_output(expected, printed, LOOSELY)
        assert same, f"{self.page.name}:{line} says\n{expected}\nbut it is\n{printed}"


@pytest.fixture
def folder(tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A fresh folder to be in, with the examples, and the program where `make` puts it."""
    shutil.copytree(checkout / "examples", tmp_path / "examples")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "earwitness").symlink_to(PROGRAM)
    (tmp_path / ".demo").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def test_everything_a_page_shows_runs_and_prints_what_it_says(page: Any, folder: Path) -> None:
    asyncio.run(Reader(page, folder).read())
