"""Manners of saying, doing and writing in languages other than English: one file a language, in `languages/manners`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast, get_args

from earwitness.patterns import lazy_pattern

from ..language_files import language_files

ForeignManner = Literal["ooc", "secret", "whisper", "written", "aside", "thought"]
"""In the order in which they are tried."""
MANNERS = cast("tuple[ForeignManner, ...]", get_args(ForeignManner))
_LONG, _LONG_UNSPACED = 3, 6
"""A direction of more words, or of more letters without blanks, holds more than how something is said."""
_COLON_THEN_WORD = lazy_pattern(r"[:\uff1a]\s*\w")
_ENDS = lazy_pattern(r"[.!?…]\W*\Z")
_FLAGS = re.IGNORECASE
_TAG_BEGINS, _TAG_WORDS = frozenset(",—–-"), 5
_SENTENCE = lazy_pattern(r"(?<=[.!?…])\s")
_HEAD = 3
"""So many letters of a word tell whether it may begin a word of any list."""
_WORD = lazy_pattern(r"[^\W\d_]+")
_WHOLE = "="
"""What begins so stands for a direction that says nothing else: `=leise`, but not `öffnet leise die Tür`."""
_AROUND = " \t\n*_()[].,:;"
_TEXT_FOLLOWS = r"(?=[^\n]*[:\"„“«])"
"""What must stand behind words that end so: `den Brief…`, for a letter that is also read."""
_UNSPACED = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE_PARTICLE = lazy_pattern(
    r"(?:けど|のに|よ|ね|な|か|だ|ない|たい|だろう|でしょう|はず|くせに|って|吧|呢|啊|吗|嘛|呀)[*_)\]\s]*\Z"
)
"""How whole sentences end where brackets hold no full stop: `(返す気なんてないけど)`."""
_OTHER_LETTERS = lazy_pattern(
    "[\u0370-\u03ff\u0530-\u05ff\u0600-\u06ff\u0900-\u0dff\u0e00-\u0eff\u10a0-\u10ff\u1780-\u17ff\uac00-\ud7af]"
)
"""Of scripts in which none of our languages is written."""
_ODD_LATIN = lazy_pattern("[\u0100-\u0151\u0154-\u024f\u00c5\u00e5\u00c6\u00e6\u00d8\u00f8\u00de\u00fe\u00d0\u00f0]")
"""Letters of Turkish, Polish, Czech, Hungarian, Danish, … that none of our languages has."""


@dataclass(frozen=True, slots=True)
class _MannerWords:
    """The words of all languages, put together."""

    by_head: dict[str, re.Pattern[str]]
    """How words of spaced languages begin → the words of any manner that begin so, as groups of that name."""
    unspaced: re.Pattern[str]
    """The words of any manner, for languages that put no blanks between words."""
    openly: re.Pattern[str]
    """What is for everybody."""
    whole: dict[str, str]
    """What a direction may be as a whole → its manner."""
    common: frozenset[str]
    """Words of which every text of a few lines has some."""
    short_stems: tuple[int, ...]
    """How many letters stems have that are shorter than `_HEAD`: those of Korean, say."""
    letters: frozenset[str]
    """Letters that our languages do not have, and one of the host's own does."""
    scripts: frozenset[str]
    """The same for scripts: `GREEK`."""


def manner(text: str) -> ForeignManner | None:
    """How a direction in another language keeps what is said, done or written from others; `None` if it does not."""
    found = _found(text)
    if found is None or _lists().openly.search(text):
        return None
    return found


def is_open(text: str) -> bool:
    """Whether a text says in another language that something is said so that all hear it."""
    return not text.isascii() and _lists().openly.search(text) is not None


def tells_thought(text: str) -> bool:
    """Whether a sentence of narration in another language tells what somebody thinks."""
    return _found(text) == "thought"


def is_thought_tag(text: str) -> bool:
    """Whether narration in another language says of what stands before it that it is thought: `, — подумала она.`."""
    tag = _SENTENCE.split(text, maxsplit=1)[0]
    return tag.lstrip()[:1] in _TAG_BEGINS and len(_WORD.findall(tag)) <= _TAG_WORDS and tells_thought(tag)


def hands_over(text: str) -> bool:
    """Whether a direction tells that something written is passed."""
    return "written" in _kinds(text)


def holds_thought(text: str) -> bool:
    """Whether a direction holds what is thought besides saying so: `denkt: was für ein Trottel`, `ojalá no lo vea`."""
    if _found(text) != "thought":
        return False
    if _UNSPACED.search(text):
        return len(text) > _LONG_UNSPACED
    return len(_WORD.findall(text)) > _LONG or _COLON_THEN_WORD.search(text) is not None


def is_remark(text: str) -> bool:
    """Whether brackets that stand alone hold a whole sentence in another language, and so a thought."""
    if not text.isascii() and _UNSPACED.search(text):
        ends = text.rstrip("*_)] ")[-1:] in "。\uff01\uff1f!?.…" or _SENTENCE_PARTICLE.search(text) is not None
        return ends and len(text) > _LONG
    if not _ENDS.search(text) or not text[:1].isupper() or len(_WORD.findall(text)) <= 2:
        return False
    return not text.isascii() or not is_english(text)


def is_english(text: str) -> bool:
    """Whether most of its common words are English."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return len(words & _ENGLISH) > len(words & _lists().common)


def is_unreadable(text: str) -> bool:
    """Whether a direction is in a script or a language that no list here is of."""
    if text.isascii():
        return False
    if any(_script(letter) not in _lists().scripts for letter in _OTHER_LETTERS.findall(text)):
        return True
    first, *others = _WORD.findall(text) or [""]
    words = {first.casefold(), *(word.casefold() for word in others)}
    spelt = " ".join((first, *(word for word in others if not word[:1].isupper())))  # `said Matouš` is English
    return (
        len(words) > 1
        and not _UNSPACED.search(text)
        and any(letter.casefold() not in _lists().letters for letter in _ODD_LATIN.findall(spelt))
        and not (words & (_lists().common | _ENGLISH))
        and not _kinds(text)
    )


def _found(text: str) -> ForeignManner | None:
    kinds = _kinds(text)
    return next((each for each in MANNERS if each in kinds), None) if kinds else None


@lru_cache(maxsize=512)
def _kinds(text: str) -> frozenset[str | None]:
    """All manners of which a text holds a word. A direction is asked for several times while its message is read."""
    lists = _lists()
    if not text.isascii() and _UNSPACED.search(text):
        return frozenset(match.lastgroup for match in lists.unspaced.finditer(text))
    kinds: set[str | None] = set()
    if (whole := lists.whole.get(text.strip(_AROUND).casefold())) is not None:
        kinds.add(whole)
    for word in _WORD.finditer(text):
        for letters in (_HEAD, *lists.short_stems):
            words = lists.by_head.get(word[0][:letters].casefold())
            if words and (found := words.match(text, word.start())):
                kinds.add(found.lastgroup)
    return frozenset(kinds)


@lru_cache(maxsize=1)
def _lists() -> _MannerWords:
    """Read when the first direction may be in another language."""
    spaced: dict[str, list[str]] = {}
    unspaced: dict[str, list[str]] = {}
    whole: dict[str, str] = {}
    for language in language_files("manners"):
        into = unspaced if language["letters"] in ("kana", "han") else spaced
        for key in (*MANNERS, "openly", "common"):
            into.setdefault(key, []).extend(word for word in language[key] if not word.startswith(_WHOLE))
            whole |= {word[1:].casefold(): key for word in language[key] if word.startswith(_WHOLE)}
    every = " ".join(word for words in spaced.values() for word in words)
    return _MannerWords(
        by_head={head: _groups(words) for head, words in _by_head(spaced).items()},
        unspaced=_groups({key: [re.escape(word) for word in unspaced[key]] for key in MANNERS}),
        openly=re.compile(
            "|".join((*map(_spaced, spaced["openly"]), *map(re.escape, unspaced["openly"]))), re.IGNORECASE
        ),
        whole=whole,
        common=frozenset(word.casefold() for word in spaced["common"]),
        short_stems=_short_stems(word for key in MANNERS for word in spaced[key]),
        letters=frozenset(letter.casefold() for letter in _ODD_LATIN.findall(every)),
        scripts=frozenset(map(_script, _OTHER_LETTERS.findall(every))),
    )


def _short_stems(words: Iterable[str]) -> tuple[int, ...]:
    return tuple(sorted({len(_head(word)) for word in words if word.endswith("-")} - {_HEAD}))


def _script(letter: str) -> str:
    """The script of a letter, as Unicode names it: `GREEK`."""
    return unicodedata.name(letter, "").split(" ")[0]


def _head(word: str) -> str:
    """The letters of its first word by which a word or words are found."""
    return re.split(r"[\W_]", word)[0][:_HEAD].casefold()


def _by_head(words: dict[str, list[str]]) -> dict[str, dict[ForeignManner, list[str]]]:
    """How words begin → manner → the patterns of those that begin so."""
    found: dict[str, dict[ForeignManner, list[str]]] = {}
    for key in MANNERS:
        for word in words[key]:
            found.setdefault(_head(word), {}).setdefault(key, []).append(_spaced(word))
    return found


def _groups(words: dict[ForeignManner, list[str]]) -> re.Pattern[str]:
    return lazy_pattern("|".join(f"(?P<{key}>{'|'.join(each)})" for key, each in words.items()), re.IGNORECASE)


def _spaced(word: str) -> str:
    """A word or words as a whole. With `-` behind, every word that begins so; with `…`, only where a text follows.

    `…` within is any word.
    """
    escaped = re.escape(word.rstrip("-…").strip()).replace(r"\ ", r"\s+").replace("…", r"[\w'’-]+")
    if word.endswith("-"):
        return rf"\b{escaped}\w*"
    return rf"\b{escaped}(?!\w){_TEXT_FOLLOWS if word.endswith('…') else ''}"


_FEW_ENGLISH = """
    the a an to of and in on at is it i you he she we they his her my your with for from that this not no yes up down
    out off over into by as be was were are me him them us our their its but so oh then all
    """
_ENGLISH = frozenset(_FEW_ENGLISH.split())
