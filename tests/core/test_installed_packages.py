"""Entry points of installed packages: found as `importlib.metadata` finds them, and read once."""

import os
from importlib import metadata
from pathlib import Path

import pytest

from earwitness.loading import installed_packages
from earwitness.loading.installed_packages import entry_point, entry_points
from earwitness.loading.strategies import Strategies


def installed(folder: Path, name: str) -> None:
    """A package that declares one detector."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[earwitness.detector]\n{name} = {name}:Detector\n")
    later = folder.stat().st_mtime_ns + 10_000_000  # clocks of file systems may be coarse
    os.utime(folder, ns=(later, later))


@pytest.mark.parametrize("group", ["earwitness.detector", "earwitness.store", "console_scripts", "nobody's"])
def test_they_are_those_of_the_standard_library(group: str) -> None:
    assert entry_points(group=group) == tuple(metadata.entry_points(group=group))


def test_what_is_installed_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    entry_points(group="earwitness.store")
    monkeypatch.setattr(installed_packages.metadata, "entry_points", lambda: pytest.fail("read again"))
    assert "sqlite" in Strategies().names("store")
    assert entry_point("earwitness.store", "sqlite")
    assert entry_point("earwitness.store", "nothing like it") is None


def test_what_is_installed_later_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "early_ears" not in Strategies().names("detector")
    installed(tmp_path, "early_ears")
    assert "early_ears" in Strategies().names("detector")
    installed(tmp_path, "late_ears")
    assert {"early_ears", "late_ears", "rules"} <= set(Strategies().names("detector"))
