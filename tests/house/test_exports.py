"""What `earwitness` exports is on purpose: `__all__` is what is public, and each name says what it is."""

import inspect
import subprocess
import sys
import types
from importlib.metadata import version

import pytest

import earwitness


def public_names() -> set[str]:
    """Everything reachable without an underscore, but submodules, which Python adds as they are imported."""
    return {
        name
        for name in dir(earwitness)
        if not name.startswith("_") and not isinstance(getattr(earwitness, name), types.ModuleType)
    }


def test_all_is_what_is_public() -> None:
    assert public_names() == {name for name in earwitness.__all__ if not name.startswith("_")}


def test_all_of_it_is_loaded_when_asked_for_and_nothing_else() -> None:
    assert set(earwitness._HOME) == set(earwitness.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Earwittness'"):
        earwitness.Earwittness  # noqa: B018


def test_to_import_it_loads_nothing_that_weighs() -> None:
    code = "import sys, earwitness; print({'pydantic', 'asyncio', 'numpy', 'apsw'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


def test_all_names_nothing_twice() -> None:
    assert len(earwitness.__all__) == len(set(earwitness.__all__))


def test_every_public_class_and_function_says_what_it_is() -> None:
    things = {name: getattr(earwitness, name) for name in earwitness.__all__}
    described = {name: thing.__doc__ for name, thing in things.items() if inspect.isclass(thing) or callable(thing)}
    assert [name for name, text in described.items() if not text] == []


def test_the_package_says_its_version() -> None:
    assert earwitness.__version__ == version("earwitness")
