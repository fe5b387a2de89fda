"""Who is named in a text: ids, names, aliases, and the parts of a full name that can mean only one of the cast."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from unicodedata import combining, normalize

from earwitness.patterns import lazy_pattern
from earwitness.records.character import Character

WordSequence = tuple[str, ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# WordSequence that stand in names but name nobody by themselves.
_NO_NAMES = _words(
    """
    the of and de del della di da du la le van von der den el al bin ibn mr mrs ms miss mister sir madam
    saint old young big little great first second third fourth junior senior jr sr ii iii iv vi vii viii ix
    two three four five six seven eight nine ten eleven twelve
    """
)
# Titles stand for their bearer also in small letters, after `the`.
_TITLES = _words(
    """
    king queen prince princess duke duchess earl count countess baron baroness lord lady captain doctor
    professor general colonel major sergeant lieutenant commander admiral bishop friar judge mayor sheriff
    chief nurse
    """
)
# Names that are everyday words too: they name somebody only with a capital.
_EVERYDAY = _words(
    """
    will may mark rose hope grace faith joy bill art rob sue pat drew chase hunter angel dawn summer autumn
    april june august guy miles gene dean rich frank iris lily ivy violet ruby pearl amber crystal jade sky
    star raven robin wren sage basil ginger heather daisy fern holly jasmine olive poppy penny max
    king queen prince duke knight captain doctor nurse maid page host ghost fox wolf bear cat dog storm
    shadow ash reed cliff dale glen stone wood rain snow river brook lane ray
    lance pierce rusty sandy skip wade guest user one all you me i he she it they we us
    """
)
# What in a name or alias says whether it is a woman's or a man's.
_WOMEN = _words(
    """
    queen princess duchess countess baroness lady madam mistress mrs ms miss sister mother aunt grandmother empress
    abbess priestess witch nun widow maid woman girl daughter wife goddess hostess
    """
)
_MEN = _words(
    """
    king prince duke earl count baron lord sir mr mister brother father uncle grandfather emperor abbot priest monk
    friar wizard man boy son husband god
    """
)
_WORD = lazy_pattern(r"[^\W_]+")
_WITHIN = lazy_pattern(r"(?:[ '’_.-]|\. )\Z")
_UNSPACED = lazy_pattern("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CYRILLIC = lazy_pattern("[\u0400-\u04ff]{2,}")
_POSSESSIVE = lazy_pattern(r"['’]s?(?!\w)")
_NEGATED = lazy_pattern(r"['’]t\b", re.IGNORECASE)  # the Don of don't
_BEARER = lazy_pattern(r"\s+(?:of\s+(?:the\s+)?)?([A-Z][^\W_]*)")
_BETWEEN_PARTS = (" ", " of ", " of the ")
_AND = "and|&|or|und|sowie|oder|et|ou|y|e|o|u|и|или|да"
_LIST_GAP = lazy_pattern(
    rf"\s*(?:(?:,\s*(?:{_AND})?|{_AND})\s+(?:(?:the|my|his|her|their|Sir|Lord|Lady|der|die|das|den|le|la|les|el|los|las|"
    r"os?|as?)\s+)?|,|[、\uff0c]\s*|と|や|和|跟|与|及|、?と)\Z"
)


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
class _NameForm:
    """One way of naming somebody, or several at once (`guards`); with no ids, it could mean more than one."""

    words: WordSequence
    ids: tuple[str, ...]
    capital: bool
    title: bool


class Names:
    """The names of one cast, ready to be found in texts. A name that could mean two of them finds neither."""

    def __init__(self, members: Sequence[Character]) -> None:
        self._by_first: dict[str, list[_NameForm]] = {}
        for form in sorted(_forms(members), key=lambda form: -len(form.words)):
            self._by_first.setdefault(form.words[0], []).append(form)
        self._unspaced = _unspaced(members)
        self._found = lru_cache(maxsize=512)(self._find)
        self._inflected = _inflected(members)
        self._words = {member.id: {word for name in member.names for word in _name_words(name)} for member in members}
        self.epithets = _epithets(self._words)
        """A word in only one member's name, of several → their id: `the courier` is Courier Quddus."""

    def may_be(self, pronoun: str, id: str) -> bool | None:
        """Whether `he` or `she` can mean them: by a title in their name; `None` where nothing says so."""
        return may_be(pronoun, self._words.get(id, frozenset()))

    def find(self, text: str) -> tuple[Mention, ...]:
        """Every mention in reading order, the longest name first; none overlap, but for several named by one word."""
        return self._found(text)

    def inflected(self, text: str) -> tuple[str, ...]:
        """Ids of all who are named, in other cases too: `шепчет Борису`, `in Annas Ohr`."""
        found = [mention.id for mention in self.find(text)]
        genitives = [word for word in _WORD.findall(text) if word.endswith("s")]
        found += [mention.id for word in genitives for mention in self.find(word[:-1])]
        if self._inflected:
            words = [word for word in map(fold, _WORD.findall(text)) if not word.isascii()]
            found += [id for stem, id in self._inflected.items() if any(map(stem.fullmatch, words))]
        return tuple(dict.fromkeys(found))

    def _find(self, text: str) -> tuple[Mention, ...]:
        found = _joined(self._spaced(text), text)
        if self._unspaced:
            found = sorted({*found, *self._without_spaces(text)}, key=lambda mention: (mention.start, mention.id))
        return tuple(found)

    def _spaced(self, text: str) -> Iterator[Mention]:
        if self._by_first.keys().isdisjoint(_only_words(text)):
            return  # as most texts
        words = _folded(text)
        behind = 0
        for at, (word, start, _) in enumerate(words):
            if start < behind or word not in self._by_first:
                continue
            for form in self._by_first[word]:
                if (end := _ends(form, words, at, text)) is not None and not self._is_anothers_title(form, text, end):
                    behind = end
                    possessive = bool(_POSSESSIVE.match(text, end))
                    yield from (Mention(id, start, end, possessive) for id in form.ids)
                    break

    def _is_anothers_title(self, form: _NameForm, text: str, end: int) -> bool:
        """`the Duke of York`, `King Lewis`: not ours, when the cast has only a Duke of Kent and a King Edward."""
        bearer = _BEARER.match(text, end) if form.title else None
        return bearer is not None and not any(fold(bearer[1]) in self._words[id] for id in form.ids)

    def _without_spaces(self, text: str) -> Iterator[Mention]:
        for name, id in self._unspaced.items():
            for match in re.finditer(re.escape(name), text):
                yield Mention(id, match.start(), match.end(), possessive=False)


def may_be(pronoun: str, words: Set[str]) -> bool | None:
    """Whether `he` or `she` can mean somebody with these words in their names; `None` where nothing says so."""
    she, he = bool(words & _WOMEN), bool(words & _MEN)
    return None if she == he else she == (pronoun.lower() == "she")


def lists(text: str, mentions: Sequence[Mention]) -> list[list[Mention]]:
    """Mentions grouped where they form a list: `Alice, Bob and the Queen`."""
    groups: list[list[Mention]] = []
    for mention in mentions:
        together = groups and groups[-1][-1].start == mention.start
        if together or (groups and _LIST_GAP.match(text[groups[-1][-1].end : mention.start])):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    return groups


@lru_cache(maxsize=1024)
def own_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """What somebody with these names calls themselves: all of them, and the last part of each (`Finch`, `Tiro`)."""
    last = (name.rsplit(maxsplit=1)[-1] for name in names if " " in name.strip())
    return tuple(dict.fromkeys((*names, *(part for part in last if part[:1].isupper() and len(part) > 2))))


def opening_name(text: str, names: Iterable[str]) -> str | None:
    """Which of the names the text opens with."""
    start = text.lstrip().casefold()
    found = (name for name in names if start.startswith(name.casefold()) and not start[len(name) :][:1].isalnum())
    return next(found, None)


def fold(word: str) -> str:
    """The word in small letters, without accents."""
    return word.lower() if word.isascii() else _without_accents(word)


@lru_cache(maxsize=4096)
def _without_accents(word: str) -> str:
    return "".join([letter for letter in normalize("NFKD", word.casefold()) if not combining(letter)])


def _only_words(text: str) -> Iterable[str]:
    """The same words, without their positions."""
    return _WORD.findall(text.lower()) if text.isascii() else map(fold, _WORD.findall(text))


def _folded(text: str) -> list[tuple[str, int, int]]:
    """Every folded word, with its position."""
    if text.isascii():
        return [(match[0], *match.span()) for match in _WORD.finditer(text.lower())]
    return [(fold(match[0]), *match.span()) for match in _WORD.finditer(text)]


def _joined(mentions: Iterable[Mention], text: str) -> list[Mention]:
    """`Captain Vance` and `the Duke of Kent` are one mention each, though they are two parts of a name."""
    found: list[Mention] = []
    for mention in mentions:
        if found and found[-1].id == mention.id and text[found[-1].end : mention.start] in _BETWEEN_PARTS:
            found[-1] = replace(mention, start=found[-1].start)
        else:
            found.append(mention)
    return found


def _forms(members: Sequence[Character]) -> Iterator[_NameForm]:
    """Every way to name each of them. A full name beats a part of another's."""
    full, parts = _owners(members, lambda words: (words,)), _owners(members, _parts)
    for words, ids in full.items():
        yield _NameForm(words, tuple(sorted(ids)) if len(ids) == 1 else (), _needs_capital(words), title=False)
    for words, ids in parts.items():
        if words not in full:
            together = len(ids) == 1 or (_singular(words[0]) is not None and _are_numbered(ids, members))
            yield _NameForm(words, tuple(sorted(ids)) if together else (), capital=True, title=words[-1] in _TITLES)
    for words, ids in _plurals(parts).items():
        if words not in full:
            yield _NameForm(words, tuple(sorted(ids)), capital=False, title=False)


def _are_numbered(ids: set[str], members: Sequence[Character]) -> bool:
    """`Guards 1` and `Guards 2` are the guards; two people called James are not a group."""
    names = (_name_words(member.name) for member in members if member.id in ids)
    return len({tuple(word for word in words if word.isalpha() and word not in _NO_NAMES) for words in names}) == 1


def _owners(
    members: Sequence[Character], forms: Callable[[WordSequence], Iterable[WordSequence]]
) -> dict[WordSequence, set[str]]:
    owners: dict[WordSequence, set[str]] = {}
    for member in members:
        for name in member.names:
            for form in forms(_name_words(name)):
                if form:
                    owners.setdefault(form, set()).add(member.id)
    return owners


def _name_words(name: str) -> WordSequence:
    return tuple(fold(word) for word in _WORD.findall(normalize("NFC", name)))


def _parts(words: WordSequence) -> Iterator[WordSequence]:
    """Titles, the first name and the last: what stands for a full name where it can mean no other."""
    for title in _TITLES.intersection(words):
        yield ("the", title)
        yield (title,)
    plain = [word for word in words if word not in _NO_NAMES and word not in _TITLES]
    for word in {*plain[:1], *plain[-1:]}:
        if len(words) > 1 and len(word) > 2 and word.isalpha():
            yield (word,)
            if singular := _singular(word):
                yield (singular,)


def _singular(word: str) -> str | None:
    """`guards` → `guard`; `None` where nothing says that the word is a plural."""
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else None


def _plurals(parts: dict[WordSequence, set[str]]) -> dict[WordSequence, set[str]]:
    """`guards` names all whose name holds `Guard`, as long as there are several."""
    return {(f"{words[0]}s",): ids for words, ids in parts.items() if len(words) == 1 and len(ids) > 1}


def _needs_capital(words: WordSequence) -> bool:
    return len(words) == 1 and (words[0] in _EVERYDAY or len(words[0]) < 3)


def _ends(form: _NameForm, words: Sequence[tuple[str, int, int]], at: int, text: str) -> int | None:
    """Where the name ends in the text, or `None` if it does not begin at this word."""
    last = at + len(form.words) - 1
    if last >= len(words) or any(words[at + i][0] != word for i, word in enumerate(form.words)):
        return None
    if any(not _WITHIN.match(text[words[i][2] : words[i + 1][1]]) for i in range(at, last)):
        return None
    start = words[at][1]
    if _NEGATED.match(text, words[last][2]):
        return None
    if form.capital and text[start].islower() and form.words[0] != "the":
        return None
    return words[last][2]


def _epithets(words: Mapping[str, Set[str]]) -> dict[str, str]:
    owners: dict[str, list[str]] = {}
    for id, each in words.items():
        for word in each if len(each) > 1 else ():
            if len(word) > 2 and word.isalpha() and word not in _NO_NAMES:
                owners.setdefault(word, []).append(id)
    return {word: ids[0] for word, ids in owners.items() if len(ids) == 1}


def _inflected(members: Iterable[Character]) -> dict[re.Pattern[str], str]:
    """Cyrillic names in any case, as far as no two can be meant."""
    stems: dict[str, set[str]] = {}
    for member in members:
        for name in member.names:
            if _CYRILLIC.fullmatch(name):
                folded = fold(name)
                stems.setdefault(folded[:-1] if folded[-1] in "аеийоуыьэюя" else folded, set()).add(member.id)
    single = {stem: next(iter(ids)) for stem, ids in stems.items() if len(ids) == 1 and len(stem) > 1}
    return {re.compile(re.escape(stem) + "[\u0430-\u044f]{0,3}"): id for stem, id in single.items()}


def _unspaced(members: Iterable[Character]) -> dict[str, str]:
    owners: dict[str, set[str]] = {}
    for member in members:
        for name in member.names:
            if not name.isascii() and _UNSPACED.search(name):
                owners.setdefault(name, set()).add(member.id)
    return {name: next(iter(ids)) for name, ids in owners.items() if len(ids) == 1}
