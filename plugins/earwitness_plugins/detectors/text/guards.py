"""Patterns that are tried only where the text holds words that they need: most sentences hold none, quickly seen.

Of a pattern with alternatives only those are tried, and compiled, whose words are there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import or_
from re import _compiler, _parser  # type: ignore[attr-defined]
from re import _constants as ops  # type: ignore[attr-defined]
from typing import Any, cast

from .pattern_needs import needs
from .word_table import bits_of, known

_MOST = 100
"""So many alternatives at most are tried one by one."""
_REMEMBERED = 1 << 10
"""Of so many mixtures of words at most it is remembered which alternatives are worth trying."""
_ANY = -1
"""Of a text that holds nothing in particular."""
_Parts = Sequence[Any]


class _Alternative:
    """One alternative of a pattern, compiled when a text first holds what it needs."""

    def __init__(self, state: Any, flags: int, parts: _Parts, groups: Sequence[frozenset[str]]) -> None:
        self.bits = bits_of(groups)
        self.rarest = bits_of(groups[:1]) or _ANY
        self._search: Callable[..., re.Match[str] | None] | None = None
        self._parsed = (_parser.SubPattern(state, list(parts)), flags)

    def search(self, text: str, *where: int) -> re.Match[str] | None:
        """As of a pattern."""
        if self._search is None:
            self._search = _compiler.compile(*self._parsed).search
        return self._search(text, *where)


class _GuardedPattern:
    """Stands in for a pattern; its methods look for what it needs first."""

    def __init__(self, regex: str, flags: int) -> None:
        self.pattern, self._flags = regex, flags

    def __reduce__(self) -> tuple[Any, ...]:
        return guarded_pattern, (self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        if name in ("_alternatives", "_rarest", "_wanted", "_chosen"):
            self._alternatives = _alternatives(self.pattern, self._flags)
            self._wanted = reduce(or_, (each.bits for each in self._alternatives))
            self._chosen: dict[int, tuple[_Alternative, ...]] = {}
            self._rarest = reduce(or_, (each.rarest for each in self._alternatives))
        elif name == "_compiled":
            self._compiled = re.compile(self.pattern, self._flags)
        elif name.startswith("_"):
            raise AttributeError(name)
        else:
            self.__dict__[name] = getattr(self._compiled, name)
        return self.__dict__[name]

    def search(self, text: str, *where: int) -> re.Match[str] | None:
        """As of a pattern."""
        first: re.Match[str] | None = None
        for each in self._tried(text, *where):
            match = each.search(text, *where)
            if match is not None and (first is None or match.start() < first.start()):
                first = match
        return first

    def _tried(self, text: str, *where: int) -> tuple[_Alternative, ...]:
        """The alternatives that may be found in a text, by its words."""
        rarest = self._rarest  # first: its words are made known before a text is asked for them
        held = known.table.held(text[: where[1]] if len(where) > 1 else text)
        return () if rarest >= 0 and not held & rarest else self._worth_trying(held & self._wanted)

    def _worth_trying(self, held: int) -> tuple[_Alternative, ...]:
        """The alternatives all of whose needs are held."""
        chosen = self._chosen.get(held)
        if chosen is None:
            if len(self._chosen) >= _REMEMBERED:
                self._chosen.clear()
            chosen = tuple(each for each in self._alternatives if held & each.bits == each.bits)
            self._chosen[held] = chosen
        return chosen

    def may_be_in(self, text: str) -> bool:
        """Whether a text holds all that one of the alternatives needs."""
        rarest = self._rarest
        found = known.table.held(text)
        return rarest < 0 or bool(found & rarest and self._worth_trying(found & self._wanted))

    def finditer(self, text: str, *where: int) -> Iterator[re.Match[str]]:
        """As of a pattern."""
        begin, end = (*where, 0)[0], where[1:]
        tried = self._tried(text, *where)
        found = [each.search(text, begin, *end) for each in tried]
        while match := min(filter(None, found), key=re.Match.start, default=None):
            yield match
            begin = match.end() + (match.start() == match.end())
            for at, last in enumerate(found):  # what lies behind is still the next of its alternative
                if last is not None and last.start() < begin:
                    found[at] = tried[at].search(text, begin, *end)

    def match(self, text: str, *where: int) -> re.Match[str] | None:
        """As of a pattern."""
        rarest = self._rarest
        found = known.table.held(text[: where[1]] if len(where) > 1 else text)
        return self._compiled.match(text, *where) if rarest < 0 or found & rarest else None

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """As of a pattern."""
        return self._compiled.sub(replacement, text) if self.search(text) else text

    def split(self, text: str, maxsplit: int = 0) -> list[str | Any]:
        """As of a pattern."""
        return self._compiled.split(text, maxsplit) if self.search(text) else [text]


def guarded_pattern(regex: str, flags: int = 0) -> re.Pattern[str]:
    """As `lazy_pattern`, for patterns that are searched for in every sentence and rarely found."""
    return cast("re.Pattern[str]", _GuardedPattern(regex, flags))


def may_find(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a guarded pattern may be found in a text, by its words; then no part of the text need be tried."""
    return cast("_GuardedPattern", pattern).may_be_in(text)


def _alternatives(regex: str, flags: int) -> list[_Alternative]:
    parsed = _parser.parse(regex, flags)
    cut = list(_cut(list(parsed)))
    found = [(parts, needs(parts)) for parts in (cut if len(cut) <= _MOST else [list(parsed)])]
    bits_of(group for _, groups in found for group in groups)  # all at once: the table of words is made anew
    return [_Alternative(parsed.state, flags, parts, groups) for parts, groups in found]


def _cut(parts: list[Any]) -> Iterator[list[Any]]:
    """A sequence that ends with alternatives, as a sequence for each: `^(?:a|b)` as `^a` and `^b`."""
    if not parts or any(kind not in (ops.AT, ops.ASSERT, ops.ASSERT_NOT) for kind, _ in parts[:-1]):
        yield parts
        return
    *before, (kind, of) = parts
    if kind is ops.BRANCH:
        for branch in of[1]:
            yield from _cut([*before, *branch])
    elif kind is ops.SUBPATTERN:
        *group, inner = of
        for each in _cut(list(inner)):
            yield [*before, (kind, (*group, _parser.SubPattern(inner.state, each)))]
    else:
        yield parts
