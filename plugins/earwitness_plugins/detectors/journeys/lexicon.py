"""The words by which a language tells of comings and goings, from `detectors/languages/journeys/*.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..acts.phrases import Phrases, set_of
from ..acts.tokens import words_of
from ..language_files import PHRASES, language_files

_VERBS = ("moves", "leaves", "ends", "leaves_what", "comes", "takes", "sends", "across")
_PLAIN = 5
"""Where one in so many words is among the commonest of English, the text is English."""


@dataclass(frozen=True, eq=False, slots=True)
class Lexicon:
    """One language."""

    words: Mapping[str, frozenset[str]]
    """List → its words, every form of each."""
    stays: Mapping[str, frozenset[str]]
    """A verb's form → the words with which it leads nowhere: `backs` → `off`."""
    verbs: frozenset[str]
    """Every form of every verb of motion."""
    phrases: Phrases
    """Phrases that tell by themselves of a leaving (`phrases`), of sleep (`sleeps`), of a coming (`arrives`)."""

    def has(self, name: str, word: str) -> bool:
        """Whether a list has this word."""
        return word in self.words[name]


@lru_cache(maxsize=1)
def lexicons() -> Mapping[str, Lexicon]:
    """Language → its lexicon."""
    files = language_files("journeys")
    lists = {name for file in files for name, each in file.items() if isinstance(each, list) and _is_list(name)}
    return {file["language"]: _lexicon(file, lists) for file in files}


def lexicon_of(words: Sequence[str]) -> Lexicon:
    """The lexicon of the language whose commonest words the text has most of, or else words that tell of movement.

    English where there are none: `*sort*`, `*läuft in den Garten*` are not.
    """
    known = lexicons()
    if sum(map(_only_english().__contains__, words)) * _PLAIN > len(words):
        return known["en"]
    counts = {each: sum(map(lexicon.words["common"].__contains__, words)) for each, lexicon in known.items()}
    most = max(counts.values())
    tied = [each for each, count in counts.items() if count == most]
    if len(tied) > 1:
        counts = {each: sum(map(known[each].verbs.__contains__, words)) for each in tied}
    return known[max(tied, key=lambda each: (counts[each], bool(known[each].phrases.find(words)), each == "en"))]


@lru_cache(maxsize=1)
def _only_english() -> frozenset[str]:
    """The commonest words of English that no other language has among its own."""
    known = lexicons()
    others = (lexicon.words["common"] for language, lexicon in known.items() if language != "en")
    return known["en"].words["common"].difference(*others)


def tells_of_movement_elsewhere(words: Sequence[str]) -> bool:
    """Whether the words of a text that tells of somebody in another language than English tell of a movement."""
    lexicon = lexicon_of(words)
    if lexicon is lexicons()["en"] or any(word in lexicon.words["i"] for word in words):
        return False
    return any(map(lexicon.verbs.__contains__, words)) or bool(lexicon.phrases.find(words))


def _lexicon(file: Mapping[str, Any], names: Iterable[str]) -> Lexicon:
    lists = {name: frozenset(_forms(file.get(name, ()))) for name in names}
    phrases, sets = Phrases(), dict[str, Any]()
    for name, each in file.get("sets", {}).items():
        sets[name] = set_of(each, sets, frozenset())
    for name in PHRASES:
        phrases.add(name, file.get(name, ()), sets, frozenset())
    verbs = frozenset().union(*(lists[name] for name in _VERBS))
    return Lexicon(lists, _stays(file), verbs, phrases)


def _is_list(name: str) -> bool:
    return name not in (*PHRASES, "stays")


def _forms(entries: Iterable[str]) -> Iterator[str]:
    """`go goes went` and `stroll/s/ed/ing`, word by word."""
    for form in (form for entry in entries for form in entry.split()):
        stem, *endings = form.split("/")
        yield from (word for ending in ("", *endings) for word in words_of(stem + ending))


def _stays(file: Mapping[str, Any]) -> Mapping[str, frozenset[str]]:
    """By every form of the verb, which is written in its first."""
    forms: dict[str, set[str]] = {}
    for entry in (entry for name in _VERBS for entry in file.get(name, ())):
        every = tuple(_forms([entry]))
        forms.setdefault(every[0] if " " in entry or "/e" not in entry else f"{every[0]}e", set()).update(every)
        forms.setdefault(every[0], set()).update(every)
    found: dict[str, set[str]] = {}
    for verb, word in (entry.split() for entry in file.get("stays", ())):
        for form in forms.get(verb, {verb}):
            found.setdefault(form, set()).add(word)
    return {form: frozenset(words) for form, words in found.items()}
