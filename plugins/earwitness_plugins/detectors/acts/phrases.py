"""Phrases and where they stand in a text. Many thousands cost no more than a few: they are read word by word.

A phrase is words; `(a|b c)` is one of them, `[a|b]` one or none, `<set>` one of a named set of phrases, `…` up to
three words, `^` says that a clause begins there, and `$` that it ends there, or goes on with a word that begins
another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from threading import Lock

from earwitness.errors import SettingsError
from earwitness.patterns import lazy_pattern

from .tokens import words_of

_PARTS = lazy_pattern(
    r"\((?P<one>[^()]*)\)|\[(?P<maybe>[^\[\]]*)\]|<(?P<set>\w+)>|(?P<gap>…)|(?P<edge>[$^])|(?P<words>[^(\[<…$^]+)"
)
_SYMBOLS = frozenset("([<…^$")
_BRACKETS = frozenset("([<")
_GAP = 3
_MANY = 4


@dataclass(frozen=True, slots=True)
class PhraseFound:
    """One phrase in a text."""

    act: str
    """What it is a phrase for."""
    first: int
    """Its first token."""
    behind: int
    """The token behind its last."""
    closes: str | None
    """The language it is of, where it holds only if its clause ends; else `None`."""
    opens: str | None
    """The same, where it holds only if a clause begins with it."""


@dataclass(slots=True)
class _PhraseNode:
    """What may follow the words read so far."""

    words: dict[str, _PhraseNode] = field(default_factory=dict)
    sets: list[tuple[_PhraseNode, _PhraseNode]] = field(default_factory=list)
    gap: _PhraseNode | None = None
    ends: set[_End] = field(default_factory=set)
    """What the phrases that end here are for."""
    by_first_word: dict[str, list[tuple[_PhraseNode, _PhraseNode]]] | None = None
    """Word → those of the sets that a phrase with it begins; made when a text is first read."""

    def sets_with(self, word: str) -> Sequence[tuple[_PhraseNode, _PhraseNode]]:
        """The sets that hold a phrase which may begin with a word, each with what follows it."""
        found = self.by_first_word
        if found is None:
            found = {}
            for each in self.sets:
                for first in dict.fromkeys(_firsts(each[0])):
                    found.setdefault(first, []).append(each)
            self.by_first_word = found  # only when it is whole: other threads may look
        return found.get(word, ())


_End = tuple[str, str | None, str | None]
"""An act, and the language, where the clause must end there, and where one must begin with it."""


class Phrases:
    """Phrases of several acts, ready to be found in texts. No more are added once a text was read.

    Those that begin with a plain word are taken in when a text first holds that word: most never are.
    """

    def __init__(self) -> None:
        self._root = _PhraseNode()
        self._waiting: dict[str, list[tuple[str, tuple[str, str], Set[str]]]] = {}
        self._lock = Lock()
        self._first: set[str] = set()
        self._second: dict[str, Set[str] | None] = {}

    def add(
        self, act: str, phrases: Iterable[str], sets: Mapping[str, _PhraseNode], fillers: Set[str], language: str = ""
    ) -> None:
        """Phrases for an act. Raises `SettingsError` for one that cannot be read."""
        for phrase in phrases:
            word = _plain_start(phrase)
            if word is None or word in fillers:
                _add(self._root, phrase, (act, language), sets, fillers)
            else:
                self._waiting.setdefault(word, []).append((phrase, (act, language), fillers))
        self._first, self._second = set(), {}

    def find(self, words: Sequence[str]) -> list[PhraseFound]:
        """Every phrase that stands in a text's words."""
        first, found = self._first or self._begun(), list[PhraseFound]()
        for at, word in enumerate(words):
            if word in first and self._may_go_on(word, words[at + 1 : at + 2]):
                ends: list[tuple[int, _End]] = []
                _walk(self._root, words, at, ends)
                found += [PhraseFound(end[0], at, behind, end[1], end[2]) for behind, end in dict.fromkeys(ends)]
        return found

    def _may_go_on(self, word: str, follows: Sequence[str]) -> bool:
        """Whether a phrase that begins with a word may go on with what follows it, or end there."""
        if word not in self._second:
            if word in self._waiting:
                self._take_in(word)
            self._second[word] = _seconds(self._root, word)
        second = self._second[word]
        return second is None or not second.isdisjoint(follows)

    def _begun(self) -> set[str]:
        self._first = {*_firsts(self._root), *self._waiting}
        return self._first

    def _take_in(self, word: str) -> None:
        """The phrases that begin with a word. They wait until all of them are there, as several threads may read."""
        with self._lock:
            for phrase, end, fillers in self._waiting.get(word, ()):
                _add(self._root, phrase, end, {}, fillers)
            self._waiting.pop(word, None)


def _plain_start(phrase: str) -> str | None:
    """The word that a phrase begins with; `None` where that takes a closer look, or where it names a set."""
    word = phrase.split(" ", 1)[0]
    return words_of(word)[0] if word.isascii() and word.isalnum() and "<" not in phrase else None


def set_of(phrases: Iterable[str], sets: Mapping[str, _PhraseNode], fillers: Set[str]) -> _PhraseNode:
    """A named set, for `<…>` in the phrases that are added later."""
    root = _PhraseNode()
    for phrase in phrases:
        _add(root, phrase, ("", ""), sets, fillers)
    return root


def _add(
    root: _PhraseNode, phrase: str, end: tuple[str, str], sets: Mapping[str, _PhraseNode], fillers: Set[str]
) -> None:
    if _SYMBOLS.isdisjoint(phrase) and (words := _kept(phrase, fillers)):
        reduce(_followed, words, root).ends.add((end[0], None, None))
        return
    if not _BRACKETS.isdisjoint(_PARTS.sub("", phrase)):
        raise SettingsError(f"The phrase {phrase!r} has a bracket that is not closed. Write (a|b), [a] or <set>.")
    parts = [_choices(found, phrase, sets, fillers) for found in _PARTS.finditer(phrase)]
    for choice in product(*(_as_set(part) if at else part for at, part in enumerate(parts))):
        node, closes, opens = root, False, False
        for step in (step for part in choice for step in part):
            opens, closes = opens or step == "^", step == "$"
            node = node if step == "^" or closes else _followed(node, step)
        if node is root:
            raise SettingsError(
                f"The phrase {phrase!r}{f' of {end[0]!r}' if end[0] else ''} has no words but fillers. "
                "Write words, (a|b), [a], <set>, …, ^ and $."
            )
        node.ends.add((end[0], end[1] if closes else None, end[1] if opens else None))


_Step = str | _PhraseNode
"""A word, `…`, `$`, or a set of phrases."""


def _choices(
    found: re.Match[str], phrase: str, sets: Mapping[str, _PhraseNode], fillers: Set[str]
) -> list[tuple[_Step, ...]]:
    """What a part of a phrase may be, each a row of steps."""
    if (name := found["set"]) is not None:
        if name not in sets:
            known = ", ".join(sorted(sets)) or "none"
            raise SettingsError(f"The phrase {phrase!r} names the set <{name}>. Sets here: {known}.")
        return [(sets[name],)]
    if found["gap"] or found["edge"]:
        return [(found[0],)]
    if found["words"] is not None:
        return [_kept(found["words"], fillers)]
    several = [_steps(option, fillers) for option in (found["one"] or found["maybe"] or "").split("|")]
    return [*several, ()] if found["maybe"] is not None else [each for each in several if each]


def _as_set(choices: list[tuple[_Step, ...]]) -> list[tuple[_Step, ...]]:
    """Many choices within a phrase as one set of phrases, so that what follows is kept once."""
    if len(choices) < _MANY or any(step == "$" or not choice for choice in choices for step in choice or ("$",)):
        return choices
    root = _PhraseNode()
    for choice in choices:
        node = root
        for step in choice:
            node = _followed(node, step)
        node.ends.add(("", None, None))
    return [(root,)]


def _steps(option: str, fillers: Set[str]) -> tuple[_Step, ...]:
    return tuple(
        step
        for part in re.split("([…$])", option)
        for step in ((part,) if part in ("…", "$") else _kept(part, fillers))
    )


def _kept(text: str, fillers: Set[str]) -> tuple[_Step, ...]:
    return tuple(word for word in words_of(text) if word not in fillers)


def _followed(node: _PhraseNode, step: _Step) -> _PhraseNode:
    if isinstance(step, str) and step != "…":
        if (known := node.words.get(step)) is None:
            known = node.words[step] = _PhraseNode()
        return known
    if isinstance(step, str):
        node.gap = node.gap or _PhraseNode()
        return node.gap
    after = next((after for root, after in node.sets if root is step), None)
    if after is None:
        after = _PhraseNode()
        node.sets.append((step, after))
        node.by_first_word = None
    return after


def _firsts(node: _PhraseNode) -> Iterator[str]:
    yield from node.words
    for root, _ in node.sets:
        yield from _firsts(root)


def _seconds(node: _PhraseNode, word: str, behind: tuple[_PhraseNode, ...] = ()) -> Set[str] | None:
    """The words that may follow one with which something begins here; `None` where it may end with it, or skip words.

    `behind` is what follows the sets that this is a part of, the innermost first.
    """
    if node.gap is not None or node.ends:
        return None
    each = [_next(node.words[word], behind)] if word in node.words else []
    each += [_seconds(root, word, (after, *behind)) for root, after in node.sets_with(word)]
    known = [words for words in each if words is not None]
    return frozenset().union(*known) if len(known) == len(each) else None


def _next(node: _PhraseNode, behind: tuple[_PhraseNode, ...]) -> Set[str] | None:
    """The words that may come next; `None` where any may, or none has to."""
    if _opens_anyhow(node):
        return None
    words = frozenset(_firsts(node))
    if not node.ends:
        return words
    more = _next(behind[0], behind[1:]) if behind else None
    return None if more is None else words | more


def _opens_anyhow(node: _PhraseNode) -> bool:
    """Whether any word may come next, as where words are skipped."""
    return node.gap is not None or any(root.ends or _opens_anyhow(root) for root, _ in node.sets)


def _walk(node: _PhraseNode, words: Sequence[str], at: int, ends: list[tuple[int, _End]]) -> None:
    """Adds where phrases that go on from here end, and what they are for."""
    if node.ends:
        ends += [(at, end) for end in node.ends]
    if at < len(words):
        word = words[at]
        if (follows := node.words.get(word)) is not None:
            _walk(follows, words, at + 1, ends)
        for root, after in node.sets_with(word) if node.sets else ():
            within: list[tuple[int, _End]] = []
            _walk(root, words, at, within)
            for behind in {behind for behind, _ in within}:
                _walk(after, words, behind, ends)
    if node.gap is not None:
        for skipped in range(min(_GAP, len(words) - at) + 1):
            _walk(node.gap, words, at + skipped, ends)
