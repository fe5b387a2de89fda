"""Where a text says that it happens: headings (`CELLAR.`, `[Upstairs]`, `INT. HALL – NIGHT`) and openings of sentences.

`Meanwhile, in the kitchen, Ann hums.` `[CH 2] Base, over.` The words are in `detectors/languages/places`, a file a
language. Only a text that is told counts for the quiet forms: whoever says `In the kitchen we have mice` is nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from earwitness.patterns import lazy_pattern

from ..language_files import language_files
from .directions import direction
from .names import fold

_LABEL = (
    r"(?:scene|location|setting|place|bg|background|int|ext|szene|ort|escena|lugar|scène|lieu|cena|local|сцена|место)"
)
_LABELLED = lazy_pattern(rf"{_LABEL}\b[\s.:/#-]*(?:(?:\d+|[ivxl]+)\b[\s.:–—-]*)?", re.IGNORECASE)
_INT = lazy_pattern(r"(?:INT|EXT|I/E)(?:\.?/EXT)?\b(?P<mark>[./]?)[ ]*(?P<place>[^\W\d_][^\n–—.:(-]{2,39})")
_OPEN = lazy_pattern(r"\s*(?:\#{1,6}\s*|[-=~]{2,}\s*|\*{1,3}|_{1,2}|[\[(\uff08【]|📍\s*)+")
_CLOSE = lazy_pattern(r"\s*[\])\uff09】*_=~-]*[\s.:\uff1a,–—-]*")
_MARKED_END = lazy_pattern(r"[\])\uff09】*_\n]|\Z")
_TIME = lazy_pattern(
    r"(?:[\s,.;:–—-]+(?:night|day|morning|evening|afternoon|noon|midnight|dawn|dusk|later|continuous|same\s+time|now|"
    r"\d{1,2}[:.]\d\d(?:\s*[ap]\.?m\.?)?))*[\s.=~-]*\Z",
    re.IGNORECASE,
)
_DETAIL = lazy_pattern(r",\s+(?:\w+[ ,]*){1,3}\Z")
_CAPITALS = lazy_pattern(r"(?P<run>[^\Wa-z_][^a-zß-öø-ÿа-я\n.:;(—–!?\"“]{1,48}?)\s*(?=[.:;(\n—–]|,\s+[a-zß-öø-ÿа-я])")
_SENTENCE = lazy_pattern(r"(?:\A|(?<=[.!?…])[\"”»’*_)]*\s+|\n\s*)(?=\S)")
_FIRST = lazy_pattern(r"[\W_]*([^\W_]+)")
_TWO_WORDS = lazy_pattern(r"[^\W_][\w'’-]*\s+[\w'’-]+[.,:]")
_WORD = lazy_pattern(r"[^\W_][\w'’/]*")
_UNSPACED = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff]")
_QUOTE_OPENS, _QUOTE_CLOSES = "“«„「", "”»“」"
_GOES_ON = lazy_pattern(
    r"[\s,.…–—-]*(?:there|here|where|i|we|you|he|she|it|they|that|this|is|are|was|were|has|have|of\s+course|obviously|"
    r"naturally|nobody|everybody|everyone|somebody|someone|just|all|not|no|hay|estamos|está|es|gibt|sind|ist|natürlich|"
    r"il\s+y\s+a|on|nous|bien\s+sûr|claro|há|tem|конечно|есть)\b",
    re.IGNORECASE,
)
"""Behind `In the garden`: the words of a sentence, and not of a heading."""
_TELLS = frozenset('"“”«»„「『*')
"""What stands in a text that tells, and does not only say."""
_LONGEST = 120
"""A heading is found within so many characters."""
_FEWEST = 3
"""Letters of a heading in capitals."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Words that say where what follows is said or done."""

    place: str
    """The place as an id: `second_floor`; empty for everywhere."""
    kind: Literal["place", "channel", "everywhere"]
    """A `channel` reaches whoever is on it, wherever they are."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset behind it."""
    set_off: bool
    """Whether it stands by itself; else it is a part of the sentence."""
    cuts: bool = False
    """Whether it says that the story looks elsewhere: `Meanwhile, …`"""


@dataclass(frozen=True, slots=True)
class _PlaceWords:
    """The words of all languages, put together."""

    named: re.Pattern[str]
    """A place, with the words before its noun."""
    leading: re.Pattern[str]
    """`Meanwhile, in the …` up to a place."""
    alone: re.Pattern[str]
    """`Upstairs,` by itself."""
    unspaced: re.Pattern[str]
    channel: re.Pattern[str]
    everywhere: re.Pattern[str]
    kinds: frozenset[str]
    stems: tuple[str, ...]
    articles: frozenset[str]
    meanwhile: re.Pattern[str]
    first: frozenset[str]
    """Words with which one that is not a place itself may begin."""
    heads: frozenset[str]
    """First letters of the words of places, and of channels."""


@lru_cache(maxsize=4096)
def heading(text: str, *, told: bool) -> Heading | None:
    """The heading that a message opens with; of quiet ones, only where the text is `told` and not said."""
    found = _at(text[:_LONGEST], 0, told=told)
    return None if found and not told and _may_be_thought(text, found) else found


def is_set_by_speaker(text: str, found: Heading) -> bool:
    """Whether a character's message is headed so that nobody can just be saying it.

    `THE BEACH. That is where I want to go.` is said, `HOUSE: 3 bed, 2 bath` and `(In the garden there are roses)` too.
    A heading in capitals has a line of its own, or a text that tells; one between marks is nothing but a place.
    """
    if found.kind == "channel":
        return True
    opened = _OPEN.match(text)
    written = text[: found.end].strip()
    if opened is None:
        on_its_line = "\n" in text[: found.end + 1] or _scene_line(text, 0) is not None
        behind = text[found.end :]
        return not written.isupper() or (bool(behind.strip()) and (on_its_line or not _TELLS.isdisjoint(behind)))
    closed = _MARKED_END.search(text, opened.end())
    inner = text[opened.end() : closed.start() if closed else None].lower()
    label = _LABELLED.match(inner)
    lead = _lists().leading.match(inner, label.end() if label else 0)
    named = _lists().named.match(inner, lead.end() if lead else label.end() if label else 0)
    if label is None and (not {"!", "?"}.isdisjoint(inner) or (named and _GOES_ON.match(inner, named.end()))):
        return False
    return closed is None or not text[closed.start() :].lstrip("*_])").startswith(",")


def _scene_line(text: str, begin: int) -> re.Match[str] | None:
    """`INT. HALL – NIGHT`; not `INT 18` and not `INT. stands for interior.`."""
    scene = _INT.match(text, begin)
    if scene is None or not (scene["mark"] or scene["place"].isupper()):
        return None
    ends = text[scene.end() : scene.end() + 1] in ("", "\n", "-", "–", "—")
    return scene if scene["place"].isupper() or (ends and scene["place"][0].isupper()) else None


def _may_be_thought(text: str, found: Heading) -> bool:
    """`[big room] "Shiny!"`, in small letters on the line of what is said, is as likely thought."""
    opening = text.lstrip(" \t\n*_")
    on_its_line = "\n" not in text[: found.end + 1].lstrip()
    return opening[:1] == "[" and opening[1:2].islower() and opening[1:2].isascii() and on_its_line


@lru_cache(maxsize=512)
def headings(text: str) -> tuple[Heading, ...]:
    """Every heading in a told text, in order; none within a quotation."""
    found = (_at(text[at : at + _LONGEST], at, told=True) for at in _beginnings(text))
    return tuple(each for each in found if each and (each.set_off or each.cuts or _begins_paragraph(text, each.start)))


def _begins_paragraph(text: str, at: int) -> bool:
    return "\n" in text[:at].lstrip()[-1:] or not text[:at].strip() or text[:at].rstrip(" \t").endswith("\n")


def place_id(written: str) -> str:
    """The id of a place as written: `the second floor` → `second_floor`, `the old kitchen` → `kitchen`."""
    words = [word for word in map(fold, _WORD.findall(written)) if word not in _lists().articles]
    found = _lists().named.search(" ".join(words))
    return _key(found) if found else "_".join(words)


def _beginnings(text: str) -> Iterator[int]:
    """Offsets of the sentences that stand outside of quotations."""
    behind, level = 0, 0
    for match in _SENTENCE.finditer(text):
        part = text[behind : match.end()]
        level += part.count('"') % 2 + sum(map(part.count, "“«「")) - sum(map(part.count, "”»」"))
        behind = match.end()
        if level % 2 == 0:
            yield match.end()


def _at(text: str, at: int, *, told: bool) -> Heading | None:
    """The heading with which a text begins, whose first character is at this offset."""
    opened = _OPEN.match(text)
    begin = opened.end() if opened else 0
    first = _FIRST.match(text, begin)
    if first is None or not (_may_open(first[1], marked=opened is not None, told=told) or _is_brief(text, told)):
        return None
    found = _channel(text, begin, marked=opened is not None) or _in_capitals(text, begin)
    if found is None and opened is not None:
        found = _marked(text, begin)
    if found is None and told:
        found = _quiet(text, begin)
    if found is None:
        return None
    place, kind, end, set_off = found
    if set_off and (closed := _CLOSE.match(text, end)):
        end = closed.end()
    cuts = _lists().meanwhile.match(text[begin:].lower()) is not None
    return Heading(place, kind, at, at + end, set_off, cuts)


_Found = tuple[str, Literal["place", "channel", "everywhere"], int, bool]


def _may_open(word: str, *, marked: bool, told: bool) -> bool:
    """Whether a heading can begin with a word: few do, which is quickly seen."""
    if len(word) >= _FEWEST and word.isupper():
        return True
    lists, folded = _lists(), fold(word)
    if not (marked or told):
        return False
    return folded in lists.first or folded[:2] in lists.heads or marked or not word.isascii()


def _is_brief(text: str, told: bool) -> bool:
    """`Third floor. …`: two words by themselves."""
    return told and _TWO_WORDS.match(text) is not None


def _channel(text: str, begin: int, *, marked: bool) -> _Found | None:
    match = _lists().channel.match(text, begin)
    if match is None or not (marked or match[0].isupper()):
        return None
    words = _WORD.findall(fold(match["band"] or "on air"))
    end = _MARKED_END.search(text, match.end())
    only = marked and end is not None and end.start() == match.end()
    return "_".join(words), "channel", match.end(), only


def _in_capitals(text: str, begin: int) -> _Found | None:
    if scene := _scene_line(text, begin):
        end = text.find("\n", scene.end())
        return place_id(scene["place"]), "place", len(text) if end < 0 else end, True
    match = _CAPITALS.match(text, begin)
    if match is None or sum(map(str.isalpha, match["run"])) < _FEWEST or match["run"].upper() != match["run"]:
        return None
    for part in reversed(match["run"].split(",")):
        if _lists().everywhere.match(part.strip().lower()):
            return "", "everywhere", match.end(), True
        named = _lists().named.fullmatch(_without_lead(part.strip().lower()))
        if named:
            return _key(named), "place", match.end(), True
    return None


def _without_lead(written: str) -> str:
    lead = _lists().leading.match(written)
    return written[lead.end() :] if lead else written


def _marked(text: str, begin: int) -> _Found | None:
    """A heading between marks: `[Upstairs]`, `**Scene 2: The Great Hall**`, `(in the kitchen, whispering)`."""
    closed = _MARKED_END.search(text, begin)
    inner = text[begin : closed.start() if closed else None].lower()
    label = _LABELLED.match(inner)
    lead = _lists().leading.match(inner, label.end() if label else 0)
    start = lead.end() if lead else label.end() if label else 0
    named = _lists().named.match(inner, start) or _unspaced(inner, start)
    if named is None or not (lead or label or _is_bare(named)):
        return None
    rest = inner[named.end() :]
    if (not (lead or label) and rest[:1] not in ("", ",", ".", ":", ";", "-", "–", "—", " ", "、")) or rest[:2] == "'s":
        return None
    alone = _TIME.match(rest) is not None or (_DETAIL.match(rest) is not None and direction(rest) is None)
    if not (lead or label or alone or rest[:1] in (",", ".", ":", ";", "、") or rest[:3] in (" – ", " — ", " - ")):
        return None
    return _key(named), "place", begin + (len(inner) if alone else named.end()), alone


def _quiet(text: str, begin: int) -> _Found | None:
    """A place with which a told sentence opens: `Meanwhile, in the kitchen, …`, `Outside, …`."""
    folded = text.lower()
    if match := _unspaced(folded, begin):
        return _key(match), "place", match.end(), False
    if match := _lists().alone.match(folded, begin):
        return _key(match), "place", match.end(), False
    lead = _lists().leading.match(folded, begin)
    named = _lists().named.match(folded, lead.end() if lead else begin)
    if named is None or folded[named.end() : named.end() + 2] in ("'s", "’s"):
        return None
    if lead is None and (folded[named.end() : named.end() + 1] not in (".", ":", ",") or not _is_bare(named)):
        return None
    return _key(named), "place", named.end(), False


def _is_bare(named: re.Match[str]) -> bool:
    """Whether it is nothing but a place: `Kitchen.`, `Third floor,`; not `She loves the kitchen.`."""
    words = len((named.groupdict().get("before") or "").split())
    return words <= (named["noun"] in _lists().kinds or named["noun"].rstrip("аеиоуыюя") in _lists().kinds)


def _unspaced(text: str, begin: int) -> re.Match[str] | None:
    if not _UNSPACED.match(text, begin):
        return None
    return _lists().unspaced.match(text, begin)


def _key(match: re.Match[str]) -> str:
    """The noun, with a number behind it; a noun that says little, with the word before it too."""
    noun, lists = match["noun"], _lists()
    stem = next((stem for stem in lists.stems if noun.startswith(stem)), noun)
    words = [*_WORD.findall(stem)]
    groups = match.groupdict()
    if noun in lists.kinds or stem in lists.kinds:
        before = [word for word in _WORD.findall(groups.get("before") or "") if fold(word) not in lists.articles]
        words = [*(word for word in before[-1:] if len(word) >= _FEWEST), *words]
    words += _WORD.findall(groups.get("number") or "")
    return "_".join(fold(word) for word in words).replace("/", "_")


@lru_cache(maxsize=1)
def _lists() -> _PlaceWords:
    read = language_files("places")
    unspaced = [each for each in read if any(map(_UNSPACED.search, each["nouns"][:1]))]
    spaced = [each for each in read if each not in unspaced]
    kinds = _all(spaced, "kinds")
    numbered = rf"(?:{_any_of(_all(spaced, 'numbered'))})(?=\s+\d)"
    nouns = f"{_any_of([*_all(spaced, 'nouns'), *kinds])}|{numbered}"
    articles, leads = _all(spaced, "the"), _all(spaced, "in")
    meanwhile, bands = [*_all(spaced, "meanwhile"), *_all(spaced, "far")], _all(spaced, "channels")
    the = _any_of(articles)
    before = rf"(?:(?:{the})\b['’\s]\s*)?(?P<before>(?:[\w'’-]+\s+){{0,3}}?)"
    named = rf"{before}(?P<noun>{nouns})\b(?:\s+(?P<number>\d[\w/]*|[a-z]\b(?!\s+\w)))?"
    on_air = _any_of(_all(read, "on_air"))
    band = rf"(?:[A-Z][\w-]*\s+)?(?:{_any_of(bands)})\b(?:\s*\#?(?:\d+(?![:.]?\d)|[A-Za-z])\b)?"
    far = rf"(?:(?:{_any_of(meanwhile)})\b[\s,:—–]*)"
    places = "|".join(sorted(map(re.escape, _all(unspaced, "nouns")), key=len, reverse=True))
    then = "|".join(map(re.escape, _all(unspaced, "meanwhile")))
    return _PlaceWords(
        named=re.compile(named),
        leading=re.compile(rf"{far}*(?:{_any_of(leads)})\s+(?=(?:(?:{the})\b|[\w'’-]+\s+(?:{nouns})|(?:{nouns})))"),
        alone=re.compile(rf"{far}*(?P<noun>{_any_of(_all(spaced, 'alone'))})\b(?=\s*[,.:;—–])"),
        unspaced=re.compile(
            rf"(?:(?:{then})[、,\uff0c]?\s*)?在?(?P<noun>{places})(?=で|では|にて|里|内|上|中|\uff0c|、|。|[\s】\])\uff09]|\Z)"
        ),
        channel=re.compile(rf"(?P<band>{band})|(?:[^\])\n]{{0,20}}?\b)?(?:{on_air})\b", re.IGNORECASE),
        everywhere=re.compile(rf"(?:(?:{the})\s+)?(?:{_any_of(_all(spaced, 'everywhere'))})\b"),
        kinds=frozenset(word.removesuffix("-") for word in kinds),
        stems=tuple(word[:-1] for word in [*_all(spaced, "nouns"), *kinds] if word.endswith("-")),
        articles=frozenset(map(fold, articles)),
        meanwhile=re.compile(_any_of(_all(read, "meanwhile"))),
        first=frozenset(fold(word.split()[0]) for word in (*meanwhile, *leads, *_all(spaced, "alone"))),
        heads=frozenset(
            fold(word)[:2]
            for each in read
            for key in ("nouns", "kinds", "numbered", "channels")
            for word in each.get(key, ())
        ),
    )


def _all(read: Sequence[Mapping[str, Any]], key: str) -> list[str]:
    return list(dict.fromkeys(word for each in read for word in each.get(key, ())))


def _any_of(words: Sequence[str]) -> str:
    longest = sorted(dict.fromkeys(words), key=len, reverse=True)
    return "|".join(re.escape(word[:-1]) + r"\w*" if word.endswith("-") else re.escape(word) for word in longest)
