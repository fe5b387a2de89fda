"""The lines of a conversation as they follow each other, and how much of the story passes untold between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from earwitness.records.message import Message
from earwitness.records.moment import Moment

from .line_words import LineParser, LineWords

SCENE_BREAK = 1500
"""Characters of narration between two lines, beyond which they are taken to belong to different scenes."""


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """One line, said by somebody."""

    speaker: str
    """Character id."""
    words: LineWords
    """What was said, read."""
    pause: int
    """Characters of narration between the line before and this one."""
    sequence: int
    """Its place in the journal."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A line and the lines before it."""

    now: SpokenLine
    """The line to judge."""
    before: tuple[SpokenLine, ...]
    """Earlier lines, the latest first."""

    in_book: bool = False
    """Whether it is known how much passes untold between the lines: from a book, or from a narrator."""

    @property
    def kind(self) -> Literal["book", "talk"]:
        """Which weights are for it."""
        return "book" if self.in_book else "talk"

    @property
    def turns(self) -> tuple[str, ...]:
        """Who held the floor before the speaker took it, the latest first; lines in a row are one turn."""
        held = [speaker for speaker, _ in groupby(line.speaker for line in self.before)]
        return tuple(held[1:] if held and held[0] == self.now.speaker else held)

    @property
    def scene(self) -> Iterator[SpokenLine]:
        """The earlier lines that no long narration parts from this one."""
        pause = self.now.pause
        for line in self.before:
            if pause > SCENE_BREAK:
                return
            yield line
            pause = line.pause

    @classmethod
    def of(cls, moment: Moment, reader: LineParser, recent: int) -> Conversation:
        """The talk at this moment, with at most `recent` earlier messages; direct messages follow direct ones only."""
        kept = moment.recent[-recent:] if recent else ()
        if moment.message.context == "dm":
            kept = tuple(message for message in kept if message.context == "dm")
        lines = list(_lines((*kept, moment.message), moment, reader))
        paused = _span(moment.message) is not None or any(line.pause for line in lines)
        return cls(now=lines[-1], before=tuple(reversed(lines[:-1])), in_book=paused)


def _lines(messages: tuple[Message, ...], moment: Moment, reader: LineParser) -> Iterator[SpokenLine]:
    """What characters said; a narrator's text is a pause between two lines."""
    narrated, last = 0, None
    for message in messages:
        if message is not moment.message and _is_narration(message, moment):
            narrated += len(message.content)
            continue
        words = reader.read(message.content, message.speaker)
        yield SpokenLine(message.speaker, words, _pause(last, message, narrated), message.sequence)
        narrated, last = 0, message


def _is_narration(message: Message, moment: Moment) -> bool:
    """Also what was said by somebody who has since been forgotten: it is nobody's line here."""
    return message.speaker not in moment.cast or moment.cast[message.speaker].kind == "narrator"


def _pause(last: Message | None, message: Message, narrated: int) -> int:
    before, after = _span(last) if last else None, _span(message)
    return max(narrated, after[0] - before[1]) if before and after else narrated


def _span(message: Message) -> tuple[int, int] | None:
    """Where a quotation begins and ends in its book, if the host notes it: `{"spans": [[first, behind], …]}`."""
    spans = message.metadata.get("spans")
    if not isinstance(spans, list) or not spans:
        return None
    first, last = spans[0], spans[-1]
    if not isinstance(first, list) or not isinstance(last, list) or not first or not last:
        return None
    start, end = first[0], last[-1]
    return (start, end) if isinstance(start, int) and isinstance(end, int) else None
