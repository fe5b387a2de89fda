"""Who is named in a text: ids, names, aliases, and the parts of a full name that can mean only one of the cast."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, normalize

from earwitness.records.character import Character

# Words that stand in names but name nobody by themselves.
_NO_NAMES = frozenset(
    "the of and de del della di da du la le van von der den el al bin ibn mr mrs ms miss mister sir madam saint "
    "old young big little great first second third fourth junior senior".split()
)
# Titles stand for their bearer also in small letters, after `the`.
_TITLES = frozenset(
    "king queen prince princess duke duchess earl count countess baron baroness lord lady captain doctor professor "
    "general colonel major sergeant lieutenant commander admiral bishop friar judge mayor sheriff chief nurse".split()
)
# Names that are everyday words too: they name somebody only with a capital.
_EVERYDAY = frozenset(
    "will may mark rose hope grace faith joy bill art rob sue pat drew chase hunter angel dawn summer autumn april june "
    "august guy miles gene dean rich frank iris lily ivy violet ruby pearl amber crystal jade sky star raven robin wren "
    "sage basil ginger heather daisy fern holly jasmine olive poppy penny jack nick max king queen prince duke knight "
    "captain doctor nurse maid page host ghost fox wolf bear cat dog storm shadow ash reed cliff dale glen stone wood "
    "rain snow river brook lane ray bob don hank harry jean jimmy josh lance pierce rusty sandy skip ty wade you me "
    "i he she it they we us all one user guest".split()
)
_WORD = re.compile(r"[^\W_]+")
_WITHIN = re.compile(r"(?:[ '’_.-]|\. )\Z")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_POSSESSIVE = re.compile(r"['’]s?(?!\w)")
_LIST_GAP = re.compile(r"\s*(?:,\s*(?:and|&|or)?|and|&|or)\s+(?:(?:the|my|his|her|their|Sir|Lord|Lady)\s+)?\Z")


@dataclass(frozen=True, slots=True)
class Mention:
    """One place in a text where one of the cast is named."""

    id: str
    """Character id."""
    start: int
    """Offset of the name's first character."""
    end: int
    """Offset behind its last character, a possessive's `'s` not counted."""
    possessive: bool
    """Written as the owner of something: `Bob's`."""


@dataclass(frozen=True, slots=True)
class _Form:
    words: tuple[str, ...]
    id: str | None
    capital: bool


class Names:
    """The names of one cast, ready to be found in texts. A name that could mean two of them finds neither."""

    def __init__(self, members: Sequence[Character]) -> None:
        owners = _owners(members)
        forms = [_Form(words, next(iter(ids)) if len(ids) == 1 else None, cap) for (words, cap), ids in owners.items()]
        self._by_first: dict[str, list[_Form]] = {}
        for form in sorted(forms, key=lambda form: -len(form.words)):
            self._by_first.setdefault(form.words[0], []).append(form)
        self._unspaced = _unspaced(members)

    def find(self, text: str) -> tuple[Mention, ...]:
        """Every mention in reading order, the longest name first; none overlap."""
        found = list(self._spaced(text))
        if self._unspaced:
            found = sorted({*found, *self._without_spaces(text)}, key=lambda mention: mention.start)
        return tuple(found)

    def _spaced(self, text: str) -> Iterator[Mention]:
        words = [(fold(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]
        behind = 0
        for at, (word, start, _) in enumerate(words):
            if start < behind or word not in self._by_first:
                continue
            for form in self._by_first[word]:
                if (end := _ends(form, words, at, text)) is not None:
                    behind = end
                    if form.id is not None:
                        yield Mention(form.id, start, end, bool(_POSSESSIVE.match(text, end)))
                    break

    def _without_spaces(self, text: str) -> Iterator[Mention]:
        for name, id in self._unspaced.items():
            for match in re.finditer(re.escape(name), text):
                yield Mention(id, match.start(), match.end(), possessive=False)


def lists(text: str, mentions: Sequence[Mention]) -> list[list[Mention]]:
    """Mentions grouped where they form a list: `Alice, Bob and the Queen`."""
    groups: list[list[Mention]] = []
    for mention in mentions:
        if groups and _LIST_GAP.match(text[groups[-1][-1].end : mention.start]):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    return groups


def fold(word: str) -> str:
    """The word in small letters, without accents."""
    if word.isascii():
        return word.lower()
    return "".join(letter for letter in normalize("NFKD", word.casefold()) if not combining(letter))


def _owners(members: Iterable[Character]) -> dict[tuple[tuple[str, ...], bool], set[str]]:
    """(Words of a name, whether it needs a capital) → whose it may be. A full name beats a part of another's."""
    full: dict[tuple[str, ...], set[str]] = {}
    parts: dict[tuple[str, ...], set[str]] = {}
    for member in members:
        for name in member.names:
            if words := tuple(fold(word) for word in _WORD.findall(normalize("NFC", name))):
                full.setdefault(words, set()).add(member.id)
                for part in _parts(words):
                    parts.setdefault(part, set()).add(member.id)
    owners = {(words, _needs_capital(words)): ids for words, ids in full.items()}
    return owners | {(words, True): ids for words, ids in parts.items() if words not in full}


def _parts(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for word in words:
        if len(words) > 1 and len(word) > 2 and word.isalpha() and word not in _NO_NAMES:
            yield (word,)
        if word in _TITLES:
            yield ("the", word)


def _needs_capital(words: tuple[str, ...]) -> bool:
    return len(words) == 1 and (words[0] in _EVERYDAY or len(words[0]) < 3)


def _ends(form: _Form, words: Sequence[tuple[str, int, int]], at: int, text: str) -> int | None:
    """Where the name ends in the text, or `None` when it does not stand at this word."""
    last = at + len(form.words) - 1
    if last >= len(words) or any(words[at + i][0] != word for i, word in enumerate(form.words)):
        return None
    if any(not _WITHIN.match(text[words[i][2] : words[i + 1][1]]) for i in range(at, last)):
        return None
    start = words[at][1]
    if form.capital and text[start].islower() and form.words[0] != "the":
        return None
    return words[last][2]


def _unspaced(members: Iterable[Character]) -> dict[str, str]:
    owners: dict[str, set[str]] = {}
    for member in members:
        for name in member.names:
            if _UNSPACED.search(name):
                owners.setdefault(name, set()).add(member.id)
    return {name: next(iter(ids)) for name, ids in owners.items() if len(ids) == 1}
