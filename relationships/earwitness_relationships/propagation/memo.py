"""What the sharing rule keeps from one call to the next, in the story's own data: pending tellings and budgets.

Of a message something is kept only while tellings of it are still to arrive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping

from pydantic import JsonValue, TypeAdapter

from .records import Telling

TELLINGS = TypeAdapter(list[Telling])
TOLD, HEARD = "told:", "heard:"


class Memo:
    """The data of one story."""

    def __init__(self, data: MutableMapping[str, JsonValue]) -> None:
        self._data = data

    def told(self, key: str) -> dict[str, Telling]:
        """Listener → how they were told of a message, or will be."""
        found = TELLINGS.validate_python(self._data.get(f"{TOLD}{key}") or [])
        return {each.listener: each for each in reversed(found)}

    def keep(self, key: str, told: Mapping[str, Telling], day: float) -> None:
        """Keep who was told of a message, as long as some of it arrives after this day."""
        if any(each.day > day for each in told.values()):
            self._data[f"{TOLD}{key}"] = TELLINGS.dump_python([*told.values()], mode="json", exclude_defaults=True)
        elif f"{TOLD}{key}" in self._data:
            del self._data[f"{TOLD}{key}"]

    def heard(self, listener: str, day: float) -> int:
        """How many tellings somebody has on a game day."""
        found = self._data.get(f"{HEARD}{day:g}")
        number = found.get(listener, 0) if isinstance(found, dict) else 0
        return number if isinstance(number, int) else 0

    def count(self, tellings: Iterable[Telling], today: float) -> None:
        """Count tellings for the budgets of listeners, and forget the days before today."""
        by_day: dict[float, dict[str, None]] = {}
        for each in tellings:
            by_day.setdefault(each.day, {})[each.listener] = None
        for day, listeners in by_day.items():
            self._data[f"{HEARD}{day:g}"] = self._counted(day, listeners)
        for name in [each for each in self._data if each.startswith(HEARD) and float(each[len(HEARD) :]) < today]:
            del self._data[name]

    def _counted(self, day: float, listeners: Iterable[str]) -> dict[str, JsonValue]:
        before = self._data.get(f"{HEARD}{day:g}")
        counts = dict(before) if isinstance(before, dict) else {}
        return {**counts, **{each: self.heard(each, day) + 1 for each in listeners}}
