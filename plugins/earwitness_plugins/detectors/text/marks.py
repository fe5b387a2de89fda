"""A message from mark to mark: quotes, asterisks, brackets, … and what is only for the speaker, cut out first.

Thoughts in brackets and the like are found before any quote or asterisk is: whatever else is open, nested or out of
balance around them, none of their text becomes part of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from earwitness.patterns import lazy_pattern

from ..discretion import out_of_character
from .directions import ASIDE_TO, OOC, TO, FragmentKind
from .directions import direction as direction_of
from .manners import manner
from .plain_text import odd_brackets, plain
from .thought_patterns import LABEL_STEMS, LABELLED_LINE
from .thoughts import Span, holds_its_thought, is_label

PRIVATE: frozenset[FragmentKind] = frozenset({"thought", "aside", "ooc"})
THOUGHT_MARKS = frozenset({"hidden", "brace", "xml", "tag", "label", "cloud", "inner"})
"""Marks that are for thoughts alone."""
MARKUP = "*_ \t\n"
QUOTE_MARKS = "\"“”«»„「」『』‘’'"

OUT_OF_CHARACTER = lazy_pattern(r"\(\(.*?(?:\)\)|\Z)|^[ \t]*ooc\s*:[^\n]*", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_FORMATS = r"(?!/?(?:i|b|u|s|em|strong|url|quote|color|size|center|img|sup|sub)(?:=[^\]\n]*)?\])"
_STAGE_BRACKET = r"(?P<bracket> \[ [^\]]* (?:\]|\Z) )"
_IN_BRACKET = r"\[ [^\[\]]*+ \]"
_IN_BRACKETS = rf"\[ (?: [^\[\]]++ | {_IN_BRACKET} )*+ \]"
_BRACKET = rf"\[{_FORMATS} (?: (?: [^\[\]]++ | {_IN_BRACKETS} )*+ \] | .*\Z )"
_STAGE_PAREN = r"(?P<paren> (?<![:;=]) (?<![:;=]-) \( [^()]* (?:\)|\Z) )"
_PAREN = r"""(?P<paren> (?<![:;=]) (?<![:;=]-)
    \( (?: (?: [^()]++ | \( [^()]*+ \) )*+ (?:\)|\Z) | [^()]*+ (?:\)|\Z) | [^\n]* (?: \n (?![^\S\n]*\n) [^\n]* )* ) )"""
_STAR_BEGINS = r"(?:(?<![\w*])|(?<=\w\*)) \*++ (?=[^\s*])"
_STAGE_STAR = rf"(?P<star> {_STAR_BEGINS} [^*]*? (?:\*++|\n[^\S\n]*+\n|\Z) )"
_STAR = rf"""(?P<star> {_STAR_BEGINS} (?:
      (?: [^*] | (?<=\s)\*++ (?=[^\s*]) [^*\n]*? (?<=[^\s*])\*++ (?!\w) )*? (?: (?<![\s*])\*++ | \n[^\S\n]*+\n | \Z )
    | [^*]*? (?:\*++|\n[^\S\n]*+\n|\Z) ) )"""
_STAGE_UNDER = r"(?P<under>   (?<!\w) _ (?=[^\s_]) [^_\n]+ _ (?!\w) )"
_UNDER = r"""(?P<under> (?<!\w) _{1,3} (?=[^\s_])
    (?: [^_\n] | (?<=[^\W_])_(?=[^\W_]) | \n (?![^\S\n]*\n) )+ _{1,3} (?!\w) )"""
_ITALIC = r"(?P<italic> <(?P<format>i|em|b|strong)\b[^>\n]*> .*? </(?P=format)\s*> )"
_QUOTES = r"""(?P<quote> "[^"]*(?:"|\Z) | “[^”]*(?:”|\Z) | «[^»]*(?:»|\Z) | „[^“”"]*(?:[“”"]|\Z) | 「[^」]*(?:」|\Z) |
    『[^』]*(?:』|\Z)"""
_SINGLE = r"""| (?<![\w'’])['‘] (?=[^\s'‘’]) [^'’‘\n]*+ (?: ['’]\w[^'’‘\n]*+ )*+ (?<=[,.!?…—–-]) ['’] (?!\w)"""
_BLOCK = r"(?P<block> ```.*?(?:```|\Z) | `[^`\n]+` | ^[ \t]*>[^\n]* )"
_FLAGS = re.VERBOSE | re.DOTALL | re.MULTILINE
_OPENS = r"""(?= [\[(*_"“«„「『`<'‘] | ^[ \t]*> )"""
_STAGE_MARKS = " | ".join((_BLOCK, _STAGE_BRACKET, _STAGE_PAREN, _STAGE_STAR, _STAGE_UNDER, f"{_QUOTES} )"))
_MARKS = " | ".join((_BLOCK, f"(?P<bracket> {_BRACKET} )", _PAREN, _STAR, _UNDER, _ITALIC, f"{_QUOTES} {_SINGLE} )"))
STAGE_MARKS = lazy_pattern(f"{_OPENS} (?: {_STAGE_MARKS} )", _FLAGS)
MARKS = lazy_pattern(f"{_OPENS} (?: {_MARKS} )", _FLAGS)
INNER_MARKS = lazy_pattern(
    f"{_STAGE_BRACKET} | {_STAGE_PAREN} | {_STAGE_STAR} | {_STAGE_UNDER}", re.VERBOSE | re.DOTALL
)
THOUGHT_WITHIN = lazy_pattern(f"{_PAREN} | {_STAR} | {_UNDER} | {_ITALIC}", re.VERBOSE | re.DOTALL)
"""What may set off a thought within a quote."""
_SETS_OFF = lazy_pattern(r"""[\[({*_"“«„「『`><💭]|(?<!\w)['‘]|^[ \t]*ooc\s*:""", re.MULTILINE | re.IGNORECASE)
_SIGNS = frozenset("[({*_\"“«„「『`><💭'‘")
_ANY = lazy_pattern(r"""[\[(*_"“«„「『`><]|(?<!\w)['‘]""")
_HIDDEN = lazy_pattern(
    rf"""(?=[\[(\{{</💭]) (?:
        (?P<ooc> \(\( (?: (?: [^()]++ | \([^()]*+\) )*+ \)\) | .*?(?:\)\)|\Z) ) )
      | (?P<bracket> {_BRACKET} )
      | (?P<tag> \{{(?P<braced>think\w*|thoughts?|inner\w*)\}} .*? \{{/(?P=braced)\}} )
      | (?P<brace> (?<![\{{:;=]) \{{ (?=[^\W\d]) [^\{{\}}]* (?:\}}|\Z) )
      | (?P<xml> <(?P<name>inner\w*|internal\w*|private|aside|secret|monologue|mind|think\w*|thought\w*|reason\w*)\b
            [^>\n]*> .*? (?:</(?P=name)\s*>|\Z) | <!-- .*? (?:-->|\Z) | /\* .*? \*/ )
      | (?P<cloud> 💭 [ ]* (?: \*[^*\n]+\* | _[^_\n]+_ )? [^\n*"“«„_]* )
    )""",
    _FLAGS | re.IGNORECASE,
)
_OPENERS = ("[", "((", "{", "<", "/*", "💭")
_OWN_PRIVATE = PRIVATE | {"whisper"}
_OPENING = lazy_pattern(r"""[^\[({.!?…"“*_]{0,80}""")
_COVER = "]"
_NEAR = 40
_FEW = 2
_FEW_WORDS = 6
"""As many words at most say only how what follows is said: `[prays silently]`."""
_GOES_ON_WITH = frozenset("abcdefghijklmnopqrstuvwxyz,.;:!?…—–-")
_SENTENCE_QUOTED = lazy_pattern(r"""[.!?…]["”»“」』’]\s*\Z""")
_MID_SENTENCE = lazy_pattern(r"(?:[^\W_]|,|(?<=\w)['’])\Z")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch between two marks, and the text close to it on either side."""

    mark: str
    """How it is set off: `bare`, `quote`, `star`, `paren`, `narrated`, …"""
    text: str
    """As it is read: in plain letters, marks included."""
    start: int
    """Offset of its first character."""
    before: str = ""
    """The characters just before it."""
    after: str = ""
    """The characters just behind it."""
    carried_on: bool = False
    """What continues after a thought within it."""
    thought: bool = False
    """A thought, or part of one, though its mark is not for thoughts alone."""

    @property
    def end(self) -> int:
        """Offset behind its last character."""
        return self.start + len(self.text)

    @property
    def stands_alone(self) -> bool:
        """At the edge of the text, of a line or of a sentence; not in the middle of one."""
        before, after = self.before.rstrip(" \t"), self.after.lstrip(" \t")
        return not before or not after or before[-1] in '.!?…\n"”*' or after[0] == "\n"

    def follows_sentence(self, chunks: Iterable[Chunk]) -> bool:
        """Whether the quote before it ends a sentence: `"Come in." She knew …`, not `"Come in," she knew …`."""
        before = next((each for each in chunks if each.end == self.start and each.mark == "quote"), None)
        ends = before is not None and _SENTENCE_QUOTED.search(before.text) is not None
        return ends and self.text.lstrip()[:1].isupper()

    @property
    def is_mid_sentence(self) -> bool:
        """Whether a sentence goes on around it."""
        before, after = self.before.rstrip(" "), self.after.lstrip(" ")
        return _MID_SENTENCE.search(before) is not None and after[:1] in _GOES_ON_WITH

    def is_emphasis(self, inner: str) -> bool:
        """`I *really* mean it`, `you *left* me`: words that carry stress within a sentence."""
        before, after = self.before.rstrip(" "), self.after.lstrip(" ")
        if not after or _MID_SENTENCE.search(before) is None:
            return False
        return after[0].islower() or len(inner.split()) <= _FEW

    def is_stressed(self, inner: str) -> bool:
        """Whether it is a few words that carry stress, and cannot be more than that."""
        return len(inner.split()) <= _FEW + 1 and self.is_emphasis(inner)

    def set_apart(self, spans: Iterable[Span], mark: str = "narrated") -> Iterator[Chunk]:
        """Bare text, with the thoughts that are told in it at these offsets, or what else it holds, as chunks apart."""
        at = 0
        for start, end in spans:
            yield from self._rest(at, start)
            part = self.text[start:end]
            yield replace(self, mark=mark, text=part, start=self.start + start, thought=mark == "narrated")
            at = end
        yield from self._rest(at, len(self.text))

    def _rest(self, start: int, end: int) -> Iterator[Chunk]:
        if self.text[start:end].strip():
            yield replace(self, text=self.text[start:end], start=self.start + start)


@dataclass(frozen=True, slots=True)
class Hidden:
    """A stretch that is for the speaker alone, or for those whom a mark of one's own names."""

    mark: str
    """`hidden`, `brace`, `ooc`, …"""
    start: int
    """Offset of its first character."""
    end: int
    """Offset behind its last character."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """What the marks of a text mean where it was written."""

    staged: bool = False
    """A play: `(to Bob)` says whom a line is for, and everybody hears it."""
    own: tuple[tuple[str, FragmentKind], ...] = ()
    """Marks of one's own and what stands between them: `("{…}", "thought")`."""
    quoting: bool = False
    """What its speaker says stands in quotation marks here, so that words without any are narration."""

    @property
    def brackets(self) -> frozenset[str]:
        """Brackets of other shapes among one's own marks."""
        return odd_brackets("".join(mark for mark, _ in self.own))

    @property
    def marks(self) -> re.Pattern[str]:
        """What sets off a stretch, own marks first."""
        usual = STAGE_MARKS if self.staged else MARKS
        return _with_own(self.own, usual.pattern, usual.flags) if self.own else usual

    def kind(self, mark: str) -> FragmentKind | None:
        """What a mark of one's own means; `None` for the usual marks."""
        return self.own[int(mark[3:])][1] if mark.startswith("own") else None

    def inner(self, chunk: Chunk) -> str:
        """What stands between the marks."""
        if chunk.mark.startswith("own"):
            begin, end = _ends(self.own[int(chunk.mark[3:])][0])
            return chunk.text.removeprefix(begin).removesuffix(end).strip(MARKUP)
        if chunk.mark == "italic":
            return re.sub(r"\A<[^>]*>|<[^>]*>\Z", "", chunk.text).strip(MARKUP)
        return chunk.text.strip(MARKUP + "()[]")

    def hidden(self, text: str) -> list[Hidden]:
        """What is cut out before the text is read on: thoughts, private marks of one's own, talk out of character."""
        usual = _usually_hidden(text)
        if not self.own:
            return _merged(sorted(usual, key=_start))
        own = [Hidden(str(match.lastgroup), *match.span()) for match in _own_marks(self.own).finditer(text)]
        begin = {each.start for each in own}
        private = [each for each in own if self.kind(each.mark) in _OWN_PRIVATE]
        return _merged(sorted((*private, *(each for each in usual if each.start not in begin)), key=_start))


def stage_chunks(text: str, marks: re.Pattern[str]) -> Iterator[Chunk]:
    """A play's or a narrator's text at its marks. Talk out of character comes first: no unclosed mark swallows it."""
    at = 0
    for out in OUT_OF_CHARACTER.finditer(text):
        yield from marked(text[at : out.start()], marks, at)
        yield Chunk("ooc", out[0], out.start())
        at = out.end()
    yield from marked(text[at:], marks, at)


def has_marks(text: str) -> bool:
    """Whether anything in a text could be a mark. Most chats have none, which is quickly seen."""
    out = out_of_character.may_hold(text.casefold())
    if _SIGNS.isdisjoint(text) and not out:
        return False
    return _SETS_OFF.search(text) is not None or (out and bool(out_of_character.spans(text)))


def covered(text: str, hidden: Sequence[Hidden]) -> str:
    """The text, with what is hidden covered by brackets that mean nothing."""
    found, at = [], 0
    for each in hidden:
        found += [text[at : each.start], _COVER * (each.end - each.start)]
        at = each.end
    return "".join([*found, text[at:]])


def marked(text: str, marks: re.Pattern[str], offset: int = 0) -> Iterator[Chunk]:
    """The text at its marks, and what stands bare between them."""
    at = 0
    bare = marks in (MARKS, STAGE_MARKS, INNER_MARKS) and not _ANY.search(text)
    for match in () if bare else marks.finditer(text):
        if text[at : match.start()].strip():
            yield Chunk("bare", text[at : match.start()], offset + at)
        before, after = text[max(0, match.start() - _NEAR) : match.start()], text[match.end() : match.end() + _NEAR]
        yield Chunk(match.lastgroup or "bare", match[0], offset + match.start(), before, after)
        at = match.end()
    if text[at:].strip():
        yield Chunk("bare", text[at:], offset + at)


def uncovered(chunk: Chunk, text: str, hidden: Sequence[Hidden]) -> Iterator[Chunk]:
    """The chunk as written, what is hidden in it as chunks of its own: `"Hello [I hate him] there."` makes three."""
    first = bisect_left(hidden, chunk.start, key=_start)
    if first and hidden[first - 1].end > chunk.start:  # an unclosed bracket ended within what covers it
        if hidden[first - 1].end >= chunk.end:
            return
        chunk = _part(chunk, text, hidden[first - 1].end, chunk.end, carried_on=chunk.carried_on)
    within = hidden[first : bisect_left(hidden, chunk.end, key=_start)]
    at, broken_off = chunk.start, False
    words_end = _words_end(text, chunk) if within else 0
    for each in within:
        begin = each.start if _has_words(text[at : each.start]) else at
        end = each.end if begin > at or each.end < words_end else chunk.end
        if begin > at:
            yield _part(chunk, text, at, begin, broken_off)
            broken_off = chunk.mark != "bare"
        yield Chunk(each.mark, text[begin:end], begin)
        at = end
    if at < chunk.end and (not within or text[at : chunk.end].strip()):
        yield _part(chunk, text, at, chunk.end, broken_off)


def _words_end(text: str, chunk: Chunk) -> int:
    """Offset behind the last word of a chunk."""
    return next((at + 1 for at in range(chunk.end - 1, chunk.start - 1, -1) if text[at].isalnum()), 0)


def is_bare(chunk: Chunk) -> bool:
    """Whether there are words without any mark."""
    return chunk.mark == "bare" and _has_words(chunk.text)


def _part(chunk: Chunk, text: str, start: int, end: int, carried_on: bool) -> Chunk:
    return replace(chunk, text=text[start:end], start=start, carried_on=carried_on)


def _has_words(text: str) -> bool:
    return any(letter.isalnum() for letter in text)


def _usually_hidden(text: str) -> Iterator[Hidden]:
    folded = text.lower()
    if any(opener in text for opener in _OPENERS):
        for match in _HIDDEN.finditer(text):
            if match.lastgroup != "bracket":
                yield Hidden(match.lastgroup or "", *match.span())
            elif _holds_thought(inner := match[0].strip("[] \t\n")):
                yield Hidden("ooc" if OOC.match(inner) else "hidden", *match.span())
    yield from (Hidden("ooc", *span) for span in out_of_character.spans(text))
    if any(stem in folded for stem in LABEL_STEMS):
        yield from (Hidden("label", *match.span()) for match in LABELLED_LINE.finditer(text))


_STAGE_DIRECTION = lazy_pattern(
    r"\s*[A-Z][A-Z'’-]+(?:\s+(?:and\s+)?[A-Z][A-Z'’-]+)*\s+(?!(?:is|was|has|thinks)\b)[a-z]+s\b"
)


def is_stage_direction(inner: str) -> bool:
    """Whether brackets hold a deed as in a script: `[ALICE hands BOB the map]`."""
    return _STAGE_DIRECTION.match(inner) is not None


def _holds_thought(inner: str) -> bool:
    """`[I hate him]`; but `[to Bob]`, `[whispers]`, `[aside]`, `[thinking]` say how what follows is said."""
    if holds_its_thought(inner):
        return True
    if TO.match(inner) or ASIDE_TO.match(inner) or is_label(inner) or is_stage_direction(inner):
        return False
    if len(inner.split()) <= _FEW_WORDS and not inner.startswith("I") and manner(inner):
        return False
    if len(inner.split()) <= _FEW_WORDS and direction_of(inner) == "aside":
        return False
    opening = _OPENING.match(inner)
    return direction_of(opening[0] if opening else "") != "whisper"


def _start(each: Hidden) -> int:
    return each.start


def _merged(found: Iterable[Hidden]) -> list[Hidden]:
    merged: list[Hidden] = []
    for each in found:
        if merged and each.start < merged[-1].end:
            merged[-1] = replace(merged[-1], end=max(merged[-1].end, each.end))
        else:
            merged.append(each)
    return merged


@lru_cache(maxsize=32)
def _with_own(own: tuple[tuple[str, FragmentKind], ...], usual: str, flags: int) -> re.Pattern[str]:
    """The usual marks, and before them one's own."""
    return re.compile(f"{_own_marks(own).pattern} | {usual}", flags)


@lru_cache(maxsize=32)
def _own_marks(own: tuple[tuple[str, FragmentKind], ...]) -> re.Pattern[str]:
    """What stands between `{` and `}`, or whatever one's own marks are; up to the end when unclosed."""
    folded = (map(re.escape, _ends(mark)) for mark, _ in own)
    return re.compile(
        " | ".join(f"(?P<own{at}> {begin} .*? (?:{end}|\\Z) )" for at, (begin, end) in enumerate(folded)), _FLAGS
    )


def _ends(mark: str) -> tuple[str, str]:
    begin, end = plain(mark, odd_brackets(mark)).split("…", 1)
    return begin, end


def says_to_whom(inner: str) -> bool:
    """Whether a mark for whispers only says to whom: `~to Bob~`, where `~Bob: he lies~` holds what is whispered."""
    return ":" not in inner and (TO.match(inner) is not None or direction_of(inner) == "whisper")


def without_brackets(text: str) -> str:
    """A narrator's text: its brackets stand within the narration, `Enter the lords (Bob among them) and Carol`."""
    return text if "((" in text or OOC.match(text) else text.translate(_BRACKETS)


_BRACKETS = str.maketrans(dict.fromkeys("()[]", ","))
