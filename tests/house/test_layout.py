"""How the house stands: imports point only downwards, and nothing names the machine it was built on."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..conftest import LONGEST

# From the ground up: a package may import itself and what stands before it.
FLOORS = {
    "earwitness": "core",
    "earwitness_relationships": "relationships",
    "earwitness_plugins": "plugins",
}
# What a named tuple has in public, underscore and all.
NAMED_TUPLE = ("._replace", "._fields", "._asdict", "._make")
SOMEBODYS_FOLDER = re.compile(r"/(?:home|root|Users)/[\w.]")


def imported_packages(source: str) -> Iterator[str]:
    """The top-level packages that this source imports, wherever in the file the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def tracked_files(checkout: Path) -> list[Path]:
    """What the repository holds, new files included; a source archive has no repository, and the test is skipped."""
    command = ["git", "-C", str(checkout), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("not a git checkout: nothing says which files belong to the project")
    return [path for name in listing.stdout.split("\0") if name and (path := checkout / name).is_file()]


@pytest.mark.parametrize("package", FLOORS)
def test_imports_point_only_downwards(package: str, checkout: Path) -> None:
    floors = list(FLOORS)
    above = set(floors[floors.index(package) + 1 :])
    files = sorted((checkout / FLOORS[package] / package).rglob("*.py"))
    assert files
    upwards = {
        str(file.relative_to(checkout)): found
        for file in files
        if (found := above & {*imported_packages(file.read_text("utf-8"))})
    }
    assert upwards == {}


def private_parts(source: str) -> Iterator[str]:
    """The attributes in this source that are the inside of something else: `ew.engine`, `story._live`."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Attribute) or ast.unparse(node.value) in {"self", "cls"}:
            continue
        if node.attr == "engine" or (node.attr.startswith("_") and not node.attr.startswith("__")):
            yield ast.unparse(node)


def test_plugins_use_no_private_door(checkout: Path) -> None:
    doors = {
        str(file.relative_to(checkout)): found
        for file in sorted((checkout / "plugins" / "earwitness_plugins").rglob("*.py"))
        if (found := [each for each in private_parts(file.read_text("utf-8")) if not each.endswith(NAMED_TUPLE)])
    }
    assert doors == {}


@pytest.mark.parametrize("package", FLOORS)
def test_every_package_tells_type_checkers_that_it_is_typed(package: str, checkout: Path) -> None:
    assert (checkout / FLOORS[package] / package / "py.typed").is_file()


def test_no_file_names_a_path_of_the_machine_it_was_written_on(checkout: Path) -> None:
    naming = []
    for file in tracked_files(checkout):
        text = file.read_bytes().decode("utf-8", errors="ignore")
        if str(checkout) in text or SOMEBODYS_FOLDER.search(text):
            naming.append(str(file.relative_to(checkout)))
    assert naming == []


def test_no_lock_file_is_tracked_since_it_would_name_its_makers_registry(checkout: Path) -> None:
    names = {file.name for file in tracked_files(checkout)}
    assert names.isdisjoint({"uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock"})


def test_the_files_that_tests_begin_with_are_there(checkout: Path) -> None:
    assert [file for file in LONGEST if not (checkout / "tests" / file).is_file()] == []
