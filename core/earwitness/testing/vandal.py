"""A strategy that tries to change everything that it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from inspect import isawaitable
from typing import Any

from ..events import MessageEvent, RecallEvent, StateChangeEvent, WorldView
from ..hooks import Plugin
from ..plugin_data import PluginData
from ..records.base import Record

_SPOILS: tuple[Callable[[Any], object], ...] = (
    lambda value: value.pop("bob"),
    lambda value: value.popitem(),
    lambda value: value.update(spoilt=True),
    lambda value: value.append("spoilt"),
    lambda value: value.reverse(),
    lambda value: value.clear(),
)


class Vandal(Plugin):
    """Any strategy, and a plugin: changes whatever can be changed of an event, then answers as `inner` does."""

    def __init__(self, inner: object = None) -> None:
        self._inner = inner
        self.spoilt: list[object] = []
        """What it could change."""

    async def detect(self, moment: Any) -> Any:
        """See `Detector`."""
        return await self._answer("detect", moment)

    async def propose(self, event: Any) -> Any:
        """See `WorldAgent`. What the world shows is spoilt too."""
        world: WorldView = event.world
        for id in event.cast.ids:
            self._spoil((*await world.updates(id), *await world.messages(id, event.moment.recent)))
        return await self._answer("propose", event)

    async def share(self, event: Any) -> Any:
        """See `SharingRule`."""
        return await self._answer("share", event)

    async def filter(self, event: Any) -> Any:
        """See `Guard`."""
        return await self._answer("filter", event)

    async def strike(self, event: Any) -> Any:
        """See `Guard`."""
        return await self._answer("strike", event)

    async def on_recall(self, event: RecallEvent) -> None:
        """Answers nothing."""
        self._spoil(event)

    async def on_message(self, event: MessageEvent) -> None:
        """Answers nothing."""
        self._spoil(event)

    async def on_state_change(self, event: StateChangeEvent) -> None:
        """Answers nothing."""
        self._spoil(event)

    async def _answer(self, method: str, event: Any) -> Any:
        self._spoil(event)
        answer = getattr(self._inner, method)(event)
        return await answer if isawaitable(answer) else answer

    def _spoil(self, value: object) -> None:
        for each in _inside(value):
            self._spoil(each)
        if isinstance(value, dict | list):
            before = repr(value)
            for spoil in _SPOILS:
                with suppress(TypeError, AttributeError, KeyError, IndexError):
                    spoil(value)
            if repr(value) != before:
                self.spoilt.append(before)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, Record):
        return [getattr(value, name, None) for name in (*type(value).model_fields, "by_id", "model_extra")]
    if isinstance(value, Mapping) and not isinstance(value, PluginData):
        return [*value.values()]
    return [*value] if isinstance(value, list | tuple) else ()
