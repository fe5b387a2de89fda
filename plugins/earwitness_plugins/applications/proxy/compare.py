"""Which lines of a request are new, which were changed, and what of the story it no longer has. Pure functions.

A request has the chat as the front end now shows it, often without its beginning, which did not fit, or nothing but
its last line. So lines are compared with the newest messages of the story, from the end. A message is edited or gone
only where lines around it, or its own words, show which one it is; otherwise a line is new, and nothing is taken back.
A request without any readable line shows nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

CORRECTED = 0.6
"""Texts that are alike by so much, as `difflib` counts, are one text, corrected."""
CORRECTED_ALONE, LONG_ENOUGH = 0.8, 20
"""The same for a line that is alone, and the characters that it must have: short ones are alike by chance."""
LONG = 2_000
"""So many characters of two texts are compared."""
LATEST = 3
"""A line that is one of so many newest messages shows where the chat is."""
ENOUGH = 2
"""So many lines must be the same before something is taken back: a greeting alone begins other chats, too."""
MOST = 8
"""So many messages are taken back by one request, and so many get quite other words."""


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
    left: list[int] = field(default_factory=list)
    """Messages at the story's end that the chat lacks without showing that they were deleted."""
    doubted: list[int] = field(default_factory=list)
    """Lines with quite other words than their messages, of which there are too many: the messages keep theirs."""

    @property
    def missing(self) -> list[int]:
        """Messages between two that the chat has, and that it does not have: deleted, hidden, or left out."""
        known = sorted(self.known.values())
        return [each for each in range(known[ENOUGH - 1], known[-1]) if each not in known] if known[ENOUGH:] else []


def compare(
    story: Sequence[ComparedLine],
    chat: Sequence[ComparedLine],
    *,
    whole: bool,
    again: bool = False,
    deleted: Collection[int] = (),
    most: int = MOST,
    most_edited: int = MOST,
) -> Comparison:
    """Compare the newest messages of a story with the lines of a request.

    `whole` = the story has no others; `again` = the front end says that it asks for another answer; `deleted` are
    messages of which an earlier request has shown that they were deleted; at most so many are taken back as `most`, and
    get quite other words as `most_edited`.
    """
    if not chat:
        return Comparison()
    found = _compared(story, chat, whole, again)
    if not _is_evident(found, story, chat, again, deleted, most):
        found = _added(found, len(chat))
    other = _in_other_words(found, story, chat)
    if len(other) > most_edited:
        found.edited, found.doubted = [each for each in found.edited if each not in other], other
    return found


def _in_other_words(found: Comparison, story: Sequence[ComparedLine], chat: Sequence[ComparedLine]) -> list[int]:
    """The lines that do not correct their messages."""
    return [each for each in found.edited if _likeness(story[found.known[each]], chat[each]) < CORRECTED]


def _compared(story: Sequence[ComparedLine], chat: Sequence[ComparedLine], whole: bool, again: bool) -> Comparison:
    is_alone = len(chat) == 1 and chat[0].user
    if is_alone:
        return _alone(story, chat[0], whole=whole, again=again)
    if whole and story[: len(chat)] == chat:
        return _same(0, len(chat), len(story))
    for new in range(min(len(chat), 64)):
        length = len(chat) - new
        if length <= len(story) and story[len(story) - length :] == chat[:length]:
            return _same(len(story) - length, length, len(story), new)
    return _differing(story, chat, whole)


def _is_evident(
    found: Comparison,
    story: Sequence[ComparedLine],
    chat: Sequence[ComparedLine],
    again: bool,
    deleted: Collection[int],
    most: int,
) -> bool:
    """Whether the lines show that messages were changed or deleted, and do not belong to another chat."""
    same = len(found.known) - len(found.edited)
    other = len(_in_other_words(found, story, chat))
    if not again and (other > max(same, 1) or (same < ENOUGH and other and found.gone)):
        return False
    if not any(story[each].user for each in found.gone):  # the answers to the last line; one is replaced
        return len(found.gone) <= most + 1
    shown = set(found.gone) <= set(deleted) or again or bool(found.new or found.edited)
    return shown and same >= ENOUGH and len(found.gone) <= most


def _added(found: Comparison, lines: int) -> Comparison:
    """Nothing is taken back: what differs after the last line that is the same is new."""
    same = [each for each in found.known if each not in found.edited]
    end = max(same, default=-1)
    known = {line: message for line, message in found.known.items() if line <= end}
    return Comparison(
        known, [each for each in found.edited if each <= end], list(range(end + 1, lines)), left=list(found.gone)
    )


def _same(start: int, length: int, end: int, new: int = 0) -> Comparison:
    known = {line: start + line for line in range(length)}
    return Comparison(known, new=list(range(length, length + new)), gone=list(range(start + length, end)))


def _alone(story: Sequence[ComparedLine], line: ComparedLine, *, whole: bool, again: bool) -> Comparison:
    """A line of the user without any history: it is asked again, corrected, or new."""
    said = [number for number, each in enumerate(story) if each.user]
    last = said[-1] if said else None
    if last is None:
        return Comparison(new=[0])
    is_same = story[last] == line
    is_first = whole and len(said) == 1 and len(line.text) >= LONG_ENOUGH
    if is_same or again or (is_first and _likeness(story[last], line) >= CORRECTED_ALONE):
        after = list(range(last + 1, len(story)))
        return Comparison({0: last}, edited=[] if is_same else [0], gone=after)
    return Comparison(new=[0])


def _differing(story: Sequence[ComparedLine], chat: Sequence[ComparedLine], whole: bool) -> Comparison:
    steps = SequenceMatcher(None, story, chat, autojunk=False).get_opcodes()
    blocks = [(begin, end, first) for what, begin, end, first, _ in steps if what == "equal"]
    found = Comparison(known={first + n: begin + n for begin, end, first in blocks for n in range(end - begin)})
    if not found.known:
        return _corrected_end(story, chat)
    starts_alike = whole and found.known.get(0) == 0
    if len(found.known) < 2 and not starts_alike and len(story) - max(found.known.values()) > LATEST:
        found.new = list(range(max(found.known) + 1, len(chat)))
        return found
    for what, begin, end, first, last in steps:
        if what != "equal":
            _replace(found, story, chat, range(begin, end), range(first, last))
    found.known = dict(sorted(found.known.items()))
    return found


def _corrected_end(story: Sequence[ComparedLine], chat: Sequence[ComparedLine]) -> Comparison:
    """Nothing is the same: perhaps the newest message was corrected, and one or two lines are new after it."""
    for line in range(len(chat) - 1, max(-1, len(chat) - 4), -1):
        if story and _likeness(story[-1], chat[line]) >= CORRECTED:
            new = list(range(line + 1, len(chat)))
            return Comparison({line: len(story) - 1}, edited=[line], new=new)
    return Comparison(new=list(range(len(chat))))


def _replace(
    found: Comparison, story: Sequence[ComparedLine], chat: Sequence[ComparedLine], messages: range, lines: range
) -> None:
    """Messages and lines between two that are the same: one after the other, as far as the same side speaks."""
    at_end, at_start = messages.stop == len(story), lines.start == 0 and messages.start == 0
    rest = list(messages)
    if at_start and not at_end:  # before a window there is what it has no room for
        pairs = list(zip(messages, lines, strict=False))
        alike = len(messages) == len(lines) and all(_likeness(story[m], chat[n]) >= CORRECTED for m, n in pairs)
        rest = rest if alike else []
    for line in lines:
        if rest and line - 1 not in found.new and story[rest[0]].user == chat[line].user:
            found.known[line] = rest.pop(0)
            found.edited.append(line)
        elif at_end:
            found.new.append(line)
    if at_end:
        found.gone += rest


def _likeness(message: ComparedLine, line: ComparedLine) -> float:
    """0 to 1; 0 for what two sides say."""
    if message.user != line.user:
        return 0.0
    words = SequenceMatcher(None, message.text[:LONG].casefold(), line.text[:LONG].casefold(), autojunk=False)
    return words.ratio() if words.real_quick_ratio() >= CORRECTED and words.quick_ratio() >= CORRECTED else 0.0
