"""What cannot be registered as a plugin is refused with what to write."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from earwitness import (
    MessageEvent,
    Plugin,
)
from earwitness.dispatch import Plugins
from earwitness.errors import PluginError

from .faulty_plugins import Begin, Named


def registered(plugin: object, name: str = "mine") -> Plugins:
    plugins = Plugins()
    plugins.register(plugin, name)
    return plugins


def refusal(plugin: object) -> str:
    with pytest.raises(PluginError) as caught:
        registered(plugin)
    return str(caught.value)


def test_a_class_in_place_of_an_instance_is_refused_with_what_to_write() -> None:
    assert refusal(Named) == "plugin 'mine' is a class. Register an instance: Named(…)."


def test_a_misspelt_hook_is_refused_with_the_hooks_there_are_and_the_one_meant() -> None:
    class Typo(Plugin):
        def on_mesage(self, event: MessageEvent) -> None: ...

    said = refusal(Typo())
    assert "'on_mesage', which is not a hook" in said
    assert "on_recall, on_message, on_state_change" in said
    assert "Did you mean 'on_message'?" in said


def test_a_hook_whose_parameter_has_another_name_is_refused_in_our_words() -> None:
    class Other(Plugin):
        def on_message(self, ev: MessageEvent) -> None: ...

    assert refusal(Other()) == (
        "plugin 'mine' cannot be registered: it has on_message(ev). "
        "A hook takes one parameter, besides `self`. Name it `event`."
    )


def test_a_plugin_without_any_hook_is_refused() -> None:
    assert "implements no hook" in refusal(Plugin())


def test_a_place_that_does_not_exist_is_refused() -> None:
    class Early(Named):
        order = "frist"  # type: ignore[assignment]

    said = refusal(Early("early"))
    assert "'frist'" in said
    assert "first, middle, last" in said


async def test_two_plugins_of_one_name_are_refused(begin: Begin) -> None:
    with pytest.raises(
        PluginError, match=r"^there are two plugins with the name 'twin'. Give one of them another `name`"
    ):
        await begin(plugins=[Named("twin"), Named("twin")])


def test_a_plugin_needs_no_base_class() -> None:
    class Plain:
        def on_message(self, event: MessageEvent) -> None: ...

    assert registered(Plain()).hooks_of("mine") == ("on_message",)


def test_plugins_that_compare_equal_are_two_plugins_or_refused_by_name() -> None:
    @dataclass
    class Equal(Plugin):
        def on_message(self, event: MessageEvent) -> None: ...

    plugins = registered(Equal(), "one")
    with pytest.raises(PluginError, match="'two'"):
        plugins.register(Equal(), "two")
