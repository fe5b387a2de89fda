"""The patterns of our modules: none is compiled before it is used, and each of them can be."""

import gc
import importlib
import pkgutil
import re
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest

from earwitness.patterns import _LazyPattern, lazy_pattern

PACKAGES = ("earwitness", "earwitness_relationships", "earwitness_plugins")
WATCHED = """
import re, sys
compiled = []
really = re.compile

def watched(pattern, flags=0):
    where = sys._getframe(1)
    compiled.append(where.f_globals["__name__"]) if where.f_code.co_name == "<module>" else None
    return really(pattern, flags)

re.compile = watched
import earwitness_plugins.console, earwitness_plugins.terminal.group, earwitness.app, earwitness_relationships.model
import earwitness_plugins.detectors.rules, earwitness_plugins.importers.crd3
print(*sorted({name for name in compiled if name.startswith("earwitness")}))
"""


def every_pattern() -> list[_LazyPattern[Any]]:
    for name in PACKAGES:
        package = importlib.import_module(name)
        for found in pkgutil.walk_packages(package.__path__, f"{name}.", onerror=lambda _: None):
            with suppress(ImportError):  # of something that is not installed here
                importlib.import_module(found.name)
    gc.unfreeze()  # what conftest.py hides from the garbage collector
    return [each for each in gc.get_objects() if type(each) is _LazyPattern]


def test_importing_a_detector_an_importer_or_the_command_line_compiles_no_pattern() -> None:
    run = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_every_pattern_can_be_compiled() -> None:
    patterns = every_pattern()
    assert len(patterns) > 200
    for each in patterns:
        assert each.pattern == each._regex


@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
def test_a_lazy_pattern_finds_what_the_pattern_finds(flags: re.RegexFlag) -> None:
    lazy, usual = lazy_pattern(r"(?P<name>b)o", flags), re.compile(r"(?P<name>b)o", flags)
    text = "Bo and bob"
    for _ in "twice":
        assert [each.span() for each in lazy.finditer(text)] == [each.span() for each in usual.finditer(text)]
        assert lazy.sub("x", text) == usual.sub("x", text)
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (usual.pattern, usual.flags, usual.groupindex)


def test_a_mistake_in_a_pattern_is_told_at_its_first_use() -> None:
    mistaken = lazy_pattern("(")
    with pytest.raises(re.error, match="unterminated"):
        mistaken.search("text")
