"""`earwitness.sync` is written by `scripts/generate_sync.py`; what is committed is what it writes."""

import ast
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def script(request: pytest.FixtureRequest) -> Path:
    return request.config.rootpath / "scripts/generate_sync.py"


@pytest.fixture(scope="module")
def generator(script: Path) -> dict[str, Any]:
    return runpy.run_path(str(script))


def test_the_committed_modules_are_what_the_generator_writes(script: Path) -> None:
    run = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"run scripts/generate_sync.py (or `make sync`):\n{run.stdout}{run.stderr}"


def written(generator: dict[str, Any], body: str, name: str = "Outcome") -> str:
    """The mirror of a class with this body."""
    module = ast.parse(f"from ..errors import InputError\n\nclass {name}:\n    'A thing.'\n{body}")
    node = next(each for each in module.body if isinstance(each, ast.ClassDef))
    text: str = generator["written"](generator["Source"](name, "rooms.thing", module, node))
    return text


def test_an_awaited_method_becomes_a_plain_one(generator: dict[str, Any]) -> None:
    text = written(generator, "    async def ask(self, who: str, *, when: int = 1) -> str:\n        'Then await it.'")
    assert "    def ask(self, who: str, *, when: int=1) -> str:" in text
    assert "return self._call(self._behind.ask, who, when=when)" in text
    assert "Then it." in text


def test_asynchronous_objects_in_an_answer_become_mirrors(generator: dict[str, Any]) -> None:
    text = written(generator, "    async def all(self) -> tuple[Turn, ...]:\n        'All.'", name="Session")
    assert "return tuple([Turn(self._call, each) for each in self._call(self._behind.all)])" in text
    assert "from .turn import Turn" in text


def test_names_are_imported_from_where_the_original_has_them(generator: dict[str, Any]) -> None:
    body = "    def why(self, error: InputError) -> Answer:\n        'Why.'\n\nclass Answer: ...\n"
    text = written(generator, body)
    assert "from ..errors import InputError" in text
    assert "from ..rooms.thing import Answer" in text


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("    def __init__(self) -> None:\n        self.key = made()\n", "self.key needs a type and a docstring"),
        ("    async def ask(self) -> str: ...\n", "Outcome.ask needs a docstring"),
        ("    def like(self, other: Outcome) -> bool:\n        'Alike?'\n", "takes a mirrored object as 'other'"),
        ("    def by_name(self) -> dict[str, Turn]:\n        'All.'\n", "no rule makes mirrors of that"),
    ],
)
def test_what_no_rule_covers_is_refused(generator: dict[str, Any], body: str, complaint: str) -> None:
    with pytest.raises(generator["CannotMirror"], match=complaint):
        written(generator, body)


def test_a_long_class_is_written_as_two_modules_that_no_method_is_missing_from(generator: dict[str, Any]) -> None:
    source, part = generator["found"]("Session"), generator["PARTS"]["Session"]
    whole = {each.name for each in generator["members"](source, frozenset())}
    texts = (generator["written"](source), generator["written_part"](source, part))
    written = [each.name for text in texts for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef)]
    assert sorted(written) == sorted(whole)
    assert "class Session(SessionChanges):" in texts[0]


def test_a_part_that_names_a_method_which_is_not_there_is_refused(generator: dict[str, Any]) -> None:
    source = generator["found"]("Session")
    part = generator["PARTS"]["Session"]._replace(methods=frozenset({"change", "sing"}))
    with pytest.raises(generator["CannotMirror"], match="Session has no method sing"):
        generator["written_part"](source, part)
