"""What `earwitness` exports is on purpose: `__all__` is what is public, and each name says what it is."""

import inspect
import types

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


def test_all_names_nothing_twice() -> None:
    assert len(earwitness.__all__) == len(set(earwitness.__all__))


def test_every_public_class_and_function_says_what_it_is() -> None:
    things = {name: getattr(earwitness, name) for name in earwitness.__all__}
    described = {name: thing.__doc__ for name, thing in things.items() if inspect.isclass(thing) or callable(thing)}
    assert [name for name, text in described.items() if not text] == []
