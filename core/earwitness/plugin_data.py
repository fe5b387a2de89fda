"""Durable data of plugins and strategies, one set for each session. Writes go to a buffer while a hook is running."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, cast

from pydantic import JsonValue

from .errors import InputError, quoted
from .records.refusal import KEEPABLE
from .validation.records import check_readable


class PluginData(MutableMapping[str, JsonValue]):
    """A plugin's own durable data, one set for each session; JSON values under text keys.

    Reading returns a copy: to keep a changed list, write it back. Writing a value that JSON cannot hold raises
    `InputError`. Writes of `on_message` and `on_state_change` are recorded with the plan, so a message that is settled
    again after a crash finds the data unchanged. Writes of `on_recall` are kept once it has answered. Writes of a
    failing hook are dropped.
    """

    def __init__(self, stored: Mapping[str, JsonValue]) -> None:
        self._stored = stored
        self.changes: dict[str, JsonValue] = {}

    def __getitem__(self, key: str) -> JsonValue:
        value = self.changes[key] if key in self.changes else self._stored[key]
        if value is None:
            raise KeyError(key)
        return _copied(value)

    def __setitem__(self, key: str, value: JsonValue) -> None:
        try:
            self.changes[_text(key)] = _keepable(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(
                f"data[{quoted(key)}] = {quoted(value)} cannot be kept; JSON cannot hold it: {error}. {KEEPABLE}"
            ) from error

    def copy(self) -> PluginData:
        """A buffer over this one, for a call that may fail: its writes stay its own until they are taken over."""
        return PluginData(ChainMap(self.changes, cast(Any, self._stored)) if self.changes else self._stored)

    def take(self, written: PluginData) -> None:
        """Take over the writes of a copy. Raises `InputError`, and takes none, if one of them cannot be kept."""
        checked = PluginData({})
        for key, value in written.changes.items():
            checked[key] = value
        self.changes.update(checked.changes)

    def __delitem__(self, key: str) -> None:
        self[key]
        self.changes[key] = None

    def __iter__(self) -> Iterator[str]:
        names = {**self._stored, **self.changes}
        return (name for name, value in names.items() if value is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _copied(value: JsonValue) -> JsonValue:
    """A copy of a value, as JSON holds it. Raises `TypeError` or `ValueError`, for half an emoji too."""
    return _loaded(_dumped(value))


def _keepable(value: JsonValue) -> JsonValue:
    """As `_copied`; also raises `ValueError` for a value that could not be read back from a plan."""
    text = _dumped(value)
    check_readable(text)
    return _loaded(text)


def _dumped(value: JsonValue) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _loaded(text: str) -> JsonValue:
    copied: JsonValue = json.loads(text.encode())
    return copied


def _text(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"its key is {type(key).__name__}, not text")
    key.encode()
    return key


DataByOwner = Mapping[str, PluginData]
"""Name of a plugin or strategy → its buffer."""
