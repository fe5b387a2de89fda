"""Distributions of third parties, built and installed."""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def install(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Unpack the wheel of a third party's distribution into a folder: all that installing a pure Python wheel does."""

    def installed(name: str) -> Path:
        sources = tmp_path_factory.mktemp(name) / "sources"
        shutil.copytree(checkout / "tests" / "third_party" / name, sources)
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", "dist"]
        subprocess.run(command, cwd=sources, check=True, capture_output=True)
        (wheel,) = (sources / "dist").glob("*.whl")
        target = tmp_path_factory.mktemp(f"{name}-installed")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)
        return target

    return installed
