"""The first messages of a process are judged on a thread: patterns by the hundred are compiled with them."""

from __future__ import annotations

from collections import Counter

from earwitness.records.moment import Moment

FIRST = 12
"""So many messages with each mark, and so many without any, are first ones."""
_MARKS = "*_([{<~\"“„«—'’"
"""Characters that other patterns are tried for."""


class FirstMessages:
    """Counts the messages that a process has judged, by the marks in them."""

    def __init__(self) -> None:
        self._judged: Counter[str] = Counter()
        self._left = {*_MARKS, ""}

    def has(self, moment: Moment) -> bool:
        """Whether this message is one of the first with one of its marks. It counts from now on."""
        if not self._left:
            return False
        text = moment.message.content
        marks = {mark for mark in _MARKS if mark in text} or {""}
        if first := marks & self._left:
            self._judged.update(first)
            self._left -= {mark for mark in first if self._judged[mark] >= FIRST}
        return bool(first)


_OF_PROCESS = FirstMessages()


def on_thread(moment: Moment) -> bool:
    """Whether a detector that reads the message had better do it on a thread, however short it is."""
    return _OF_PROCESS.has(moment)
