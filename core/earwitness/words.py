"""Splitting text into words, for searches, detectors and backstage questions.

Case and accents are folded, English is stemmed lightly, stop words are known, and CJK text becomes single characters
and bigrams (SQLite's `porter` and `unicode61` tokenizers find no CJK word inside a sentence). Pure functions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import log

from .patterns import lazy_pattern

VERSION = 1
"""Increase it whenever the results of `terms` or `plain` change: indexes made with another version are rebuilt."""

_FUNCTION_WORDS = """
    a an the this that these those such
    i me my mine myself you your yours yourself he him his himself she her hers herself it its itself
    we our ours ourselves they them their theirs themselves
    who whom whose which what when where why how
    am is are was were be been being do does did doing done have has had having
    can could would should shall might must
    of in on at by to for from with about into onto over under as than then there here
    and or but nor if so because while though
    not no yes too very just also ever any some
    s t d m ll re ve don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Question words, and words that occur in any sentence; folded, not stemmed. `will`, `may` and `us` are left out: they
are names too, and where they are frequent they weigh little anyway."""

# Scripts without spaces between words: every character counts, and every pair of neighbours. Korean has spaces, but
# attaches particles to its words. Pairs of syllables match regardless of the particle.
UNSPACED = "\u0e01-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17d3\u3005-\u3007\u3041-\u30ff\u3130-\u318f\u31f0-\u31ff"
UNSPACED += "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
"""Ranges of these characters, for the inside of a regular expression's `[…]`."""
_PARTS = lazy_pattern(f"([{UNSPACED}]+)|[^{UNSPACED}]+")
# A word consists of letters and digits. The signs of Indic scripts belong to their letters; the danda does not.
_WORD = lazy_pattern(r"[\w\u0900-\u0963\u0966-\u109f\u1780-\u17d3]+")
_ASCII_WORD = lazy_pattern("[a-z0-9]+")
_FOREIGN = lazy_pattern(r"[^\x00-\x7f]+")
_UNDECOMPOSED = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i", "ħ": "h"}
)
_NUKTA_VOICING_VIRAMA = frozenset({0, 7, 8, 9})

_CLOSING = "What are the relevant memories"
_FURNITURE = lazy_pattern(
    rf"(?m)^(?:###[^#\n]+###|Game Day: [-+.\de]+|{_CLOSING}[^\n]*)$|^Message: |\.? GameDay: [-+.\de]+$"
)

_LONGEST = 60
_VOWELS = frozenset("aeiouy")
_DOUBLES = frozenset({"bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"})


def terms(text: str) -> list[str]:
    """The text's terms in order, repeats included: folded and stemmed words, single ideographs, and pairs of them.

    A term has at most 60 characters. Only the beginning of a longer run counts.
    """
    return [_stem(word) for word in words(text)]


def query_terms(text: str) -> list[str]:
    """The distinct terms of a question in order, without stop words and without our own headings and labels.

    Only the names and contents of the messages remain of a recall query; see `plain`. If a question consists of stop
    words only, all of its terms are kept.
    """
    return list(query_words(text).values())


def query_words(text: str) -> dict[str, str]:
    """The words of a question: folded word → the term it is looked up by. See `query_terms`."""
    found = words(plain(text))
    kept = [word for word in found if word not in STOP_WORDS] or found
    by_term: dict[str, str] = {}
    for word in kept:
        by_term.setdefault(_stem(word), word)
    return {word: term for term, word in by_term.items()}


def coverage(query: str, text: str) -> float:
    """The share of the query's distinct terms that occur in the text, 0 to 1; 0 for a query without terms."""
    wanted = query_terms(query)
    if not wanted:
        return 0.0
    there = set(terms(plain(text)))
    return sum(term in there for term in wanted) / len(wanted)


def idf(documents: int, containing: int) -> float:
    """Inverse document frequency: the weight of a term that occurs in `containing` of `documents`.

    ln(1 + (N - n + 0.5) / (n + 0.5)), never negative (Robertson and Zaragoza, "The Probabilistic Relevance Framework:
    BM25 and Beyond", 2009, as in Lucene).
    """
    return log(1 + (documents - containing + 0.5) / (containing + 0.5))


def plain(text: str) -> str:
    """The text without the headings and labels of our own formats, which are the same in every memory.

    Removed are `###…###` headings, `Game Day: n` lines, the `Message: ` in front of a name, `GameDay: n` at the end of
    a line, and the closing question of a recall query. Names and contents stay. If nothing else is left, the text is
    returned unchanged.
    """
    if "Message: " not in text and "Day: " not in text and "###" not in text:
        return text
    return _FURNITURE.sub("", text).strip() or text


def words(text: str) -> list[str]:
    """The text's words in order, folded but not stemmed. Scripts without spaces are split as by `terms`."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    found: list[str] = []
    for word in _WORD.findall(folded(text).replace("_", " ")):
        if word.isascii():
            found.append(word)
        else:
            found.extend(_parted(word))
    return found


def folded(text: str) -> str:
    """Lower case, without accents and invisible characters; full-width and other compatibility forms become plain."""
    return _FOREIGN.sub(lambda run: _fold_run(run[0]), text.casefold())


def _fold_run(run: str) -> str:
    parted = unicodedata.normalize("NFKD", run).casefold().translate(_UNDECOMPOSED)
    kept = [each for each in parted if _stays(each)]  # `filter` would let no other thread run in a long text
    return unicodedata.normalize("NFC", "".join(kept))


@lru_cache(maxsize=32_768)
def _stays(character: str) -> bool:
    """Whether folding keeps the character. Accents and invisible characters go.

    Marks that make another letter (nukta, か → が) stay.
    """
    if unicodedata.combining(character) not in _NUKTA_VOICING_VIRAMA:
        return False
    return unicodedata.category(character) not in {"Cf", "Cc"} or character.isspace()


def _parted(word: str) -> Iterator[str]:
    for part in _PARTS.finditer(word):
        if run := part[1]:
            yield from run
            yield from map("".join, pairwise(run))
        else:
            yield part[0]


# ── stemming ────────────────────────────────────────────────────────────────────────────────────────────────────────
# Steps 1 and 5 of Snowball's English stemmer ("Porter2", Porter 2001): plurals, past and -ing forms, final e and y.
# The steps in between split derivations (relational → relate). In short texts that confuses more than it finds.


@lru_cache(maxsize=32_768)
def _stem(word: str) -> str:
    if len(word) < 4 or word[-1] not in "sdgye" or len(word) > _LONGEST or not word.isascii():
        return word[:_LONGEST]
    return _without_final_e(_soft_y(_without_ed_ing(_without_s(word))))


def _without_s(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us")):
        return word
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2] if len(word) > 4 else word[:-1]
    return word[:-1] if _has_vowel(word[:-2]) else word


def _without_ed_ing(word: str) -> str:
    if word.endswith("ied"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _region(word) <= len(word) - 3 else word
    for ending in ("ed", "ing", "edly", "ingly"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            return _mended(stem) if _has_vowel(stem) else word
    return word


def _mended(stem: str) -> str:
    """Restore the stem before -ed or -ing: hop(p)ing, hop(e)d, conflat(e)d."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-2:] in _DOUBLES:
        return stem[:-1]
    return stem + "e" if _region(stem) >= len(stem) and _ends_short(stem) else stem


def _soft_y(word: str) -> str:
    return word[:-1] + "i" if len(word) > 2 and word[-1] == "y" and word[-2] not in _VOWELS else word


def _without_final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    first = _region(word)
    second = first + _region(word[first:])
    last = len(word) - 1
    return word[:-1] if second <= last or (first <= last and not _ends_short(word[:-1])) else word


def _region(word: str) -> int:
    """The index where R1 starts: after the first consonant that follows a vowel, or at the end if there is none."""
    for place in range(1, len(word)):
        if word[place] not in _VOWELS and word[place - 1] in _VOWELS:
            return place + 1
    return len(word)


def _ends_short(word: str) -> bool:
    """Whether the word ends in consonant, vowel, consonant other than w and x, or is a vowel and a consonant."""
    if len(word) < 2 or word[-1] in _VOWELS or word[-2] not in _VOWELS:
        return False
    return len(word) == 2 or (word[-1] not in "wx" and word[-3] not in _VOWELS)


def _has_vowel(text: str) -> bool:
    return not _VOWELS.isdisjoint(text)
