"""Which lines of a chat a story has already: by the marks of an export, and by what they say, in order. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

SpokenWords = tuple[str, str]
"""Who speaks (character id), and the text."""
LineToken = tuple[str, str]
LARGEST_GAP = 250_000
"""Lines times messages that differ: beyond, they are not compared one by one, because it is another chat."""


@dataclass(frozen=True, slots=True)
class FileLine:
    """A message of a chat file."""

    words: SpokenWords
    """Who says what."""
    key: str | None
    """The key of the story's message that its mark names; `None` if no mark names one."""
    others: frozenset[str]
    """The texts of all its swipes."""
    silent: bool
    """Whether it is hidden or says nothing: it is not a new message, and changes none."""
    row: str = ""
    """The line as the file has it."""


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A message of the story that the file may have."""

    key: str
    """Its key."""
    versions: tuple[SpokenWords, ...]
    """As it reads now, and as it read before."""
    own: bool
    """Whether it came from this file, so that the file has it unless somebody took it out."""
    gone: bool
    """Whether it was retracted."""
    row: str | None = None
    """The line as the file had it the last time."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """What became of each line."""

    keys: tuple[str | None, ...]
    """For each line the key of the message that it is; `None` for a new one, and for silent ones."""
    between: tuple[int, ...]
    """Numbers of new lines that stand before lines which the story has."""
    missing: tuple[str, ...]
    """Keys of messages that came from this file, and are not in it any more."""


def aligned(lines: Sequence[FileLine], known: Sequence[KnownMessage]) -> Alignment:
    """Match the lines with what the story has of the file, in order.

    A line that is none of the messages by its words is a changed one where a message of the file is missing.
    """
    keys: list[str | None] = [None] * len(lines)
    missing: list[str] = []
    marked = {line.key for line in lines}
    places = [number for number, each in enumerate(known) if not each.gone or each.key in marked]
    alive = [known[place] for place in places]
    for mine, theirs in _gaps(lines, alive, keys):
        since = places[theirs.start - 1] + 1 if theirs.start else 0
        until = places[theirs.stop] if theirs.stop < len(places) else len(known)
        there = [alive[number] for number in theirs]
        gone = [each for each in known[since:until] if each.gone]
        found = _matched({number: lines[number] for number in mine}, there, gone)
        for number, key in found.items():
            keys[number] = key
        missing += [each.key for each in _unknown(there, found) if each.own]
    last = max((number for number, key in enumerate(keys) if key is not None), default=-1)
    between = (number for number in range(last) if keys[number] is None and not lines[number].silent)
    return Alignment(tuple(keys), tuple(between), tuple(missing))


def _gaps(
    lines: Sequence[FileLine], known: Sequence[KnownMessage], keys: list[str | None]
) -> Iterator[tuple[range, range]]:
    """Where lines and messages differ, as numbers of both. The key of each line that is the same is filled in."""
    mine, theirs = _tokens(lines, known)
    for kind, begin, end, first, last in _differences(mine, theirs):
        if kind == "equal":
            keys[begin:end] = [known[number].key for number in range(first, last)]
        else:
            yield range(begin, end), range(first, last)


def _tokens(lines: Sequence[FileLine], known: Sequence[KnownMessage]) -> tuple[list[LineToken], list[LineToken]]:
    """What is compared: the key of a marked line; the words of the others, of which a message has several versions."""
    marked = {line.key for line in lines if line.key}
    said = {line.words for line in lines if not line.key and not line.silent}
    mine = [_token(number, line) for number, line in enumerate(lines)]
    return mine, [("#", each.key) if each.key in marked else _version(each, said) for each in known]


def _token(number: int, line: FileLine) -> LineToken:
    if line.key is not None:
        return ("#", line.key)
    return ("#silent", str(number)) if line.silent else line.words


def _version(message: KnownMessage, said: set[SpokenWords]) -> SpokenWords:
    return next((each for each in message.versions if each in said), message.versions[0])


def _differences(mine: list[LineToken], theirs: list[LineToken]) -> Iterator[tuple[str, int, int, int, int]]:
    """As `SequenceMatcher.get_opcodes`. What both begin with is not compared again: mostly that is all there is."""
    same = next((i for i, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), min(len(mine), len(theirs)))
    yield "equal", 0, same, 0, same
    for kind, *numbers in SequenceMatcher(None, mine[same:], theirs[same:], autojunk=False).get_opcodes():
        begin, end, first, last = (number + same for number in numbers)
        yield kind, begin, end, first, last


def _matched(
    lines: Mapping[int, FileLine], known: Sequence[KnownMessage], gone: Sequence[KnownMessage]
) -> dict[int, str]:
    """Number of a line that differs → key of the message that it is all the same."""
    found = _in_order(lines, gone, lambda line, message: line.row == message.row)  # retracted since it was written
    hidden = {number: line for number, line in lines.items() if line.silent}
    found |= _in_order(hidden, known, lambda line, message: message.own and line.words in message.versions)
    found |= _in_order(_left(lines, found), _unknown(known, found), _swiped)
    own = [each for each in _unknown(known, found) if each.own]
    for (number, line), message in zip(_left(lines, found).items(), own, strict=False):
        if line.words[0] != message.versions[0][0]:
            break
        found[number] = message.key
    return found


def _in_order(
    lines: Mapping[int, FileLine], known: Sequence[KnownMessage], same: Callable[[FileLine, KnownMessage], bool]
) -> dict[int, str]:
    """Number of a line → key of the first message that is the same, and comes after that of the line before."""
    left, found = list(known), dict[int, str]()
    if len(lines) * len(left) > LARGEST_GAP:
        return found
    for number, line in lines.items():
        if message := next((each for each in left if same(line, each)), None):
            found[number] = message.key
            left = left[left.index(message) + 1 :]
    return found


def _swiped(line: FileLine, message: KnownMessage) -> bool:
    """Whether the text of the message is another swipe of the line."""
    speaker, text = message.versions[0]
    return text in line.others and speaker == line.words[0]


def _left(lines: Mapping[int, FileLine], found: Mapping[int, str]) -> dict[int, FileLine]:
    return {number: line for number, line in lines.items() if number not in found and not line.silent}


def _unknown(known: Sequence[KnownMessage], found: Mapping[int, str]) -> list[KnownMessage]:
    keys = {*found.values()}
    return [each for each in known if each.key not in keys]
