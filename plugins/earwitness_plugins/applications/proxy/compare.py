"""Which lines of a request are new, which were changed, and what of the story it no longer has. Pure functions.

A request has the chat as the front end now shows it, often without its beginning, which did not fit. So lines are
compared with the newest messages of the story, and a reading that takes nothing back goes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """One message, of the story or of a request."""

    user: bool
    """Whether the user says it."""
    text: str
    """As it is compared."""


@dataclass(slots=True)
class Comparison:
    """What has happened to the chat since the story was last told of it."""

    known: dict[int, int] = field(default_factory=dict)
    """Line → the message that it is, in these or in other words."""
    edited: list[int] = field(default_factory=list)
    """Lines with other words than their messages."""
    new: list[int] = field(default_factory=list)
    """Lines that the story does not have; each is after every known one, or its place does not matter any more."""
    gone: list[int] = field(default_factory=list)
    """Messages at the story's end that the chat no longer has."""


def compare(story: Sequence[ComparedLine], chat: Sequence[ComparedLine], *, whole: bool) -> Comparison:
    """Compare the newest messages of a story with the lines of a request; `whole` = the story has no others."""
    if whole and story[: len(chat)] == chat:
        return _same(0, len(chat), len(story))
    for new in range(min(len(chat), 64)):
        length = len(chat) - new
        if length <= len(story) and story[len(story) - length :] == chat[:length]:
            return _same(len(story) - length, length, len(story), new)
    return _differing(story, chat, whole)


def _same(start: int, length: int, end: int, new: int = 0) -> Comparison:
    known = {line: start + line for line in range(length)}
    return Comparison(known, new=list(range(length, length + new)), gone=list(range(start + length, end)))


def _differing(story: Sequence[ComparedLine], chat: Sequence[ComparedLine], whole: bool) -> Comparison:
    found = Comparison()
    steps = SequenceMatcher(None, story, chat, autojunk=False).get_opcodes()
    same = sum(end - begin for what, begin, end, _, _ in steps if what == "equal")
    first_again = whole and len(chat) == 1 and chat[0].user and bool(story) and story[0].user
    if same < 2 and not first_again and not (same and whole):
        return Comparison(new=list(range(len(chat))))
    for what, begin, end, first, last in steps:
        if what == "equal":
            found.known |= {first + each: begin + each for each in range(end - begin)}
        else:
            _replace(found, story, chat, range(begin, end), range(first, last))
    return found


def _replace(
    found: Comparison, story: Sequence[ComparedLine], chat: Sequence[ComparedLine], messages: range, lines: range
) -> None:
    """Messages and lines between two that are the same: one after the other, as far as the same side speaks."""
    at_end, at_start = messages.stop == len(story), messages.start == 0 and not found.known
    rest = list(messages) if at_end or not at_start else []  # before a window there is what it has no room for
    for line in lines:
        if rest and line - 1 not in found.new and story[rest[0]].user == chat[line].user:
            found.known[line] = rest.pop(0)
            found.edited.append(line)
        elif at_end:
            found.new.append(line)
    if at_end:
        found.gone += rest
