"""What the docs show is run: Python in one namespace a page, commands in a shell's place, files where they say.

Blocks run in the order of the page, in a fresh folder that holds the examples. A block with a title is that file. A
`text` block just after a Python block is what that block prints; what follows a command in a `console` block is what
that command prints. `...` stands for anything. A command that ends with `&` runs until the page is read.
"""

from __future__ import annotations

import ast
import asyncio
import doctest
import inspect
import io
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

# What `make` runs, so that the README can show what its first command prints.
MADE = {"make demo": ".venv/bin/earwitness play examples/the_sacred_sword.yaml --store .demo/story.db"}
PROGRAM = Path(sys.executable).with_name("earwitness")
PROGRAMS = {"earwitness": PROGRAM, ".venv/bin/earwitness": ".venv/bin/earwitness", "python": Path(sys.executable)}
PORTS = {"8080": "emulate model", "8765": "serve"}
"""Ports of servers that pages start, and the command that takes each of them unasked."""
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def with_ports(text: str, ports: dict[str, str]) -> str:
    """The text with free ports in place of these, as several pages may be read at once."""
    for port, free in ports.items():
        text = text.replace(f":{port}/", f":{free}/")
    return re.sub(r"^(\$ earwitness (.*) &)$", lambda each: _on_port(each, ports), text, flags=re.MULTILINE)


def _on_port(command: re.Match[str], ports: dict[str, str]) -> str:
    """A server's command with the free port in place of its usual one."""
    usual = next(port for port, word in PORTS.items() if word in command[2])
    return f"$ earwitness {command[2]} --port {ports[usual]} &"


class Reader:
    """Somebody who tries out a page from top to bottom."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""
        self.exported: dict[str, str] = {}
        self.started: list[subprocess.Popen[str]] = []

    async def read(self) -> None:
        try:
            await self._read()
        finally:
            for each in self.started:
                each.kill()
                each.communicate()

    async def _read(self) -> None:
        ports = {port: str(free_port()) for port in PORTS if port in self.page.text}
        for each in self.page.blocks:
            block = replace(each, text=with_ports(each.text, ports))
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
            words, line = shlex.split(MADE.get(command, command)), block.line + number
            if words[0] == "export":
                self.exported |= dict(each.split("=", 1) for each in words[1:])
            elif words[-1] == "&":
                self.compare(expected, self.start([str(PROGRAMS[words[0]]), *words[1:-1]], expected), line)
            elif program := PROGRAMS.get(words[0]) or ("|" in words and "sh"):
                asked = ["sh", "-c", command] if program == "sh" else [str(program), *words[1:]]
                printed = self.shell(asked, line)
                if expected.strip():
                    self.compare(expected, printed, line)

    def start(self, words: list[str], expected: str) -> str:
        """Run a server until the page is read. Returns its first lines, as many as the page shows."""
        asked = subprocess.Popen(
            words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment
        )
        self.started.append(asked)
        assert asked.stdout is not None
        return "".join(asked.stdout.readline() for _ in expected.rstrip().splitlines())

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
        return {**kept, **self.exported, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}

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
