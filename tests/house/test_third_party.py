"""How a third party comes in: a distribution of its own, built and installed, with no word about it in our sources."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def installed(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the third party's wheel unpacked in it, which is all that installing a pure Python wheel does."""
    sources = tmp_path_factory.mktemp("keepsake") / "sources"
    shutil.copytree(checkout / "tests" / "third_party", sources)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(sources / "dist")]
    subprocess.run(command, cwd=sources, check=True, capture_output=True)
    (wheel,) = (sources / "dist").glob("*.whl")
    target = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run(program: str, installed: Path) -> str:
    """What a fresh interpreter prints that sees the third party's distribution beside ours."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_its_plugin_and_its_detector_are_found_by_their_entry_points(installed: Path) -> None:
    program = """
from importlib.metadata import entry_points
for group, name in [("earwitness.plugins", "keepsake"), ("earwitness.detector", "last_two")]:
    (point,) = entry_points(group=group, name=name)
    print(point.load().__name__)
"""
    assert run(program, installed).split() == ["Keepsake", "LastTwo"]
