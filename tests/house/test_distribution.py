"""What pyproject.toml promises is there: every entry point loads, every extra is in `all`, every folder is declared."""

import re
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

DECLARED: dict[str, Any] = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
PROJECT: dict[str, Any] = DECLARED["project"]
ENTRY_POINTS = [
    EntryPoint(name, value, group)
    for group, points in PROJECT["entry-points"].items()
    for name, value in points.items()
] + [EntryPoint(name, value, "console_scripts") for name, value in PROJECT["scripts"].items()]


@pytest.mark.parametrize("point", ENTRY_POINTS, ids=lambda point: f"{point.group}:{point.name}")
def test_every_entry_point_that_we_ship_loads(point: EntryPoint) -> None:
    assert callable(point.load())


def test_the_extra_all_names_every_backend() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = re.fullmatch(r"earwitness\[(.*)\]", everything)
    assert named is not None
    assert named[1].split(",") == sorted(extras.keys() - {"all", "bench"})


def test_the_readme_says_what_every_extra_brings(checkout: Path) -> None:
    section = (checkout / "README.md").read_text("utf-8").partition("### Extras")[2].partition("\n## ")[0]
    assert set(re.findall(r"(?m)`(\w+)`(?=[^|\n]*\| )", section)) >= PROJECT["optional-dependencies"].keys() - {"bench"}


def test_every_source_root_is_in_the_wheel_and_in_the_editable_install() -> None:
    build = DECLARED["tool"]["hatch"]["build"]
    packages = build["targets"]["wheel"]["packages"]
    assert [package.split("/")[0] for package in packages] == build["dev-mode-dirs"]


def test_the_derived_weights_carry_their_licence_and_notice(checkout: Path) -> None:
    for file in PROJECT["license-files"]:
        assert (checkout / file).is_file()


def test_ci_plays_all_hostile_answers_of_a_model(checkout: Path) -> None:
    steps = (checkout / ".ci" / "run").read_text("utf-8")
    assert "export EARWITNESS_HOSTILE_ANSWERS=${EARWITNESS_HOSTILE_ANSWERS:-all}" in steps
    assert steps.count("EARWITNESS_HOSTILE_ANSWERS") == 2  # nothing sets it otherwise later
