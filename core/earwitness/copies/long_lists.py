"""Long lists in metadata, such as the participants of a message that thousands heard: stored once, shown in every copy.

A list of more than `LONG` elements is taken out of the metadata it stands in, where an empty one keeps its place, and
stored beside all other metadata that has the same one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic_core import to_json

from ..records.memory_types import MetaValue

LONG = 16
"""A list of up to this many elements stays where it is."""
Lists = dict[str, list[str]]
"""The long lists of one metadata, by key."""


class LatestText:
    """The long lists that were last made JSON of: a message that thousands heard is put in many batches."""

    def __init__(self) -> None:
        self._lists: Lists = {}
        self._text = "{}"

    def of(self, lists: Lists) -> str:
        """The lists as JSON. They are compared by value, as whoever made them may have changed them since."""
        if lists != self._lists or list(lists) != list(self._lists):
            self._lists, self._text = {key: [*value] for key, value in lists.items()}, to_json(lists).decode()
        return self._text


class ListTexts:
    """The long lists of many metadata, as JSON. A list that many of them share is looked at once."""

    def __init__(self, latest: LatestText | None = None) -> None:
        self._latest = latest or LatestText()
        self._texts: dict[tuple[tuple[str, int], ...], tuple[Lists, str]] = {}

    def taken(self, metadata: Mapping[str, MetaValue]) -> tuple[Mapping[str, MetaValue], str | None]:
        """The metadata with empty lists in place of its long ones, and those as JSON; `None` when there are none."""
        lists = {key: value for key, value in metadata.items() if isinstance(value, list) and len(value) > LONG}
        if not lists:
            return metadata, None
        key = tuple((name, id(value)) for name, value in lists.items())
        if key not in self._texts:  # the lists are kept, too, so that no other object gets one of their ids
            self._texts[key] = (lists, self._latest.of(lists))
        return {**metadata, **{name: [] for name in lists}}, self._texts[key][1]


def lists_in(text: str) -> Lists:
    """The lists that `ListTexts.taken` put into JSON."""
    found: Lists = json.loads(text)
    return found
