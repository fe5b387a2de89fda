"""The conventions of role-play text: what is said aloud, done, whispered, thought, meant for nobody in the story.

A message is cut into pieces. `"…"` and bare text are spoken, `*…*`, `_…_`, `/me …` and the prose around quotes are
action, `[…]` and `*thinks …*` are thought, `(to Bob)`, `/w Bob …` and `*whispers to Bob*` are whispers, `(aside)` is an
aside, `((…))` and `(OOC: …)` are out of character. `(aside to Bob)` is a whisper, but in a play it is for the house.
Quotes inside bare speech are quoted: somebody else's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from unicodedata import normalize

from .directions import ASIDE_TO, OOC, TO, FragmentKind
from .directions import direction as direction_of
from .plain_text import plain

PRIVATE: frozenset[FragmentKind] = frozenset({"thought", "aside", "ooc"})

_OUT = re.compile(r"\(\(.*?(?:\)\)|\Z)|^[ \t]*ooc\s*:[^\n]*", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_DIRECTIONS = r"""
      (?P<bracket> \[ [^\]]* (?:\]|\Z) )
    | (?P<paren>   (?<![:;=]) (?<![:;=]-) \( [^()]* (?:\)|\Z) )
    | (?P<star>    (?:(?<![\w*])|(?<=\w\*)) \*++ (?=[^\s*]) [^*]*? (?:\*++|\n[^\S\n]*+\n|\Z) )
    | (?P<under>   (?<!\w) _ (?=[^\s_]) [^_\n]+ _ (?!\w) )
    """
_QUOTES = r"""(?P<quote> "[^"]*(?:"|\Z) | “[^”]*(?:”|\Z) | «[^»]*(?:»|\Z) | „[^“”]*(?:[“”]|\Z) | 「[^」]*(?:」|\Z) |
    『[^』]*(?:』|\Z) )"""
_BLOCK = r"(?P<block> ```.*?(?:```|\Z) | `[^`\n]+` | ^[ \t]*>[^\n]* )"
_INNER_MARK = re.compile(_DIRECTIONS, re.VERBOSE | re.DOTALL)
_MARK = re.compile(f"{_BLOCK} | {_DIRECTIONS} | {_QUOTES}", re.VERBOSE | re.DOTALL | re.MULTILINE)
_ANY = re.compile(r'[\[(*_"“«„「『`>]')
_QUOTE_MARKS = '"“”«»„「」『』'
_THOUGHT_MARK = r"(?P<bracket> \[ [^\]]* (?:\]|\Z) )"
_COMMAND = re.compile(r"\s*/(?P<name>\w+)\b\s*(?P<rest>.*)\Z", re.DOTALL)
_COMMANDS: dict[str, FragmentKind] = {
    **dict.fromkeys(("w", "whisper", "msg", "tell", "t", "dm", "pm"), "whisper"),
    **dict.fromkeys(("me", "em", "emote", "do"), "action"),
    **dict.fromkeys(("think", "thought"), "thought"),
    **dict.fromkeys(("ooc", "o", "b"), "ooc"),
}
_NAMES_LISTENER = re.compile(r"[^\W\d][^:\n]{0,60}:")
_OPENS_WITH_WHISPER = re.compile(r"\W*(?:I\s+)?(?:\w+ly\s+)?whispers?\b", re.IGNORECASE)
_OPENS_WITH_DEED = re.compile(r"\s+(?:\w+ly\s+)?(?!(?:is|was|has|does|says|plus|as|his)\b)[a-z]+(?:s|ed)\b")
_DIALOGUE_END = re.compile(r"[,.!?…—–-]\W*\Z")
_SENTENCE_END = re.compile(r"(?:[.!?…*)\]]|\n)\s*\Z")
_SENTENCE_GAP = re.compile(r"(?<=[.!?…])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)\s+|\n+")
_BRACKETS = str.maketrans(dict.fromkeys("()[]", ","))
_MARKUP = "*_ \t\n"
_HOLDS_THOUGHTS = frozenset({"quote", "star", "under"})
_NEAR = 40


@dataclass(frozen=True, slots=True)
class Fragment:
    """A stretch of a message that is perceived in one way."""

    kind: FragmentKind
    """How it is perceived."""
    text: str
    """Its words without the marks around them; for a whisper, the direction that says to whom."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A stretch between two marks, and what stands close by on either side."""

    mark: str
    text: str
    before: str = ""
    after: str = ""
    carried_on: bool = False
    """What goes on behind a thought that stands within it."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a message from one mark to the next, with what it was read as."""

    mark: str
    """How it is set off: `bare`, `quote`, `star`, `paren`, …, `command`."""
    text: str
    """As written."""
    pieces: tuple[Fragment, ...]
    """What it holds; a whisper's direction is followed by the action it may tell besides."""
    carried_on: bool = False
    """It goes on what a thought in brackets broke off: `"Hello [I hate him] there."`."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """What the marks of a text mean where it was written."""

    staged: bool = False
    """A play: `(to Bob)` says whom a line is for, and everybody hears it."""
    own: tuple[tuple[str, FragmentKind], ...] = ()
    """Marks of one's own and what stands between them: `("{…}", "thought")`."""

    @property
    def marks(self) -> re.Pattern[str]:
        """What sets off a stretch, own marks first."""
        return _with_own(self.own, _MARK.pattern)

    @property
    def thoughts(self) -> re.Pattern[str]:
        """What is cut out of quotes and asterisks: thoughts in brackets, and one's own private marks."""
        return _with_own(self.own, _THOUGHT_MARK)

    def kind(self, mark: str) -> FragmentKind | None:
        """What a mark of one's own means; `None` for the usual marks."""
        return self.own[int(mark[3:])][1] if mark.startswith("own") else None

    def inner(self, chunk: _Chunk) -> str:
        """What stands between the marks."""
        if chunk.mark.startswith("own"):
            begin, end = (plain(mark) for mark in self.own[int(chunk.mark[3:])][0].split("…", 1))
            return chunk.text.removeprefix(begin).removesuffix(end).strip(_MARKUP)
        return chunk.text.strip(_MARKUP + "()[]")


ROLE_PLAY = Conventions()


def pieces(
    content: str, *, own: Sequence[str] = (), narrator: bool = False, conventions: Conventions = ROLE_PLAY
) -> tuple[Fragment, ...]:
    """The message cut into pieces. `own` are the speaker's names; a narrator's bare text is action, brackets too."""
    found = stretches(content, own=own, narrator=narrator, conventions=conventions)
    return tuple(piece for stretch in found for piece in stretch.pieces)


def stretches(
    content: str, *, own: Sequence[str] = (), narrator: bool = False, conventions: Conventions = ROLE_PLAY
) -> tuple[Stretch, ...]:
    """The message from mark to mark, each stretch with its pieces."""
    written = normalize("NFC", content)
    text = plain(written)
    if (command := _COMMAND.match(text)) and (kind := _COMMANDS.get(command["name"].lower())):
        return (Stretch("command", written, tuple(_commanded(kind, command["rest"]))),)
    chunks = tuple(_chunks(_unbracketed(text) if narrator else text, conventions.marks))
    bare: FragmentKind = "action" if narrator or _is_prose(chunks, own) else "spoken"
    quote: FragmentKind = (
        "quoted" if narrator or (bare == "spoken" and any(_is_bare(chunk) for chunk in chunks)) else "spoken"
    )
    cut = chunks if narrator or conventions.staged else (part for chunk in chunks for part in _cut(chunk, conventions))
    found = (_stretch(chunk, tuple(_read(chunk, bare, quote, own, conventions)), conventions) for chunk in cut)
    return tuple(found) if narrator or text == written else tuple(_as_written(found, text, written))


def _stretch(chunk: _Chunk, read: tuple[Fragment, ...], conventions: Conventions) -> Stretch:
    """One's own mark for actions is as good as an asterisk."""
    own_direction = any(piece.kind == "action" for piece in read) or _is_direction_only(chunk, conventions)
    mark = "star" if chunk.mark.startswith("own") and own_direction else chunk.mark
    return Stretch(mark, chunk.text, read, chunk.carried_on)


def _is_direction_only(chunk: _Chunk, conventions: Conventions) -> bool:
    """`~to Bob~`, where `~…~` is a whisper: what is whispered follows."""
    return conventions.kind(chunk.mark) == "whisper" and _says_to_whom(conventions.inner(chunk))


def _says_to_whom(inner: str) -> bool:
    return ":" not in inner and (TO.match(inner) is not None or direction_of(inner) == "whisper")


def _as_written(found: Iterable[Stretch], text: str, written: str) -> Iterator[Stretch]:
    at = 0
    for stretch in found:
        at = text.index(stretch.text, at)
        yield replace(stretch, text=written[at : at + len(stretch.text)])
        at += len(stretch.text)


def _cut(chunk: _Chunk, conventions: Conventions) -> Iterator[_Chunk]:
    """A thought within quotes or asterisks is one of its own: `"Hello [I hate him] there."`."""
    at = 0
    for thought in conventions.thoughts.finditer(chunk.text) if chunk.mark in _HOLDS_THOUGHTS else ():
        mark = thought.lastgroup or "bracket"
        kind = conventions.kind(mark) or direction_of(thought[0].strip("[]")) or "thought"
        if not _is_cut_out(mark, kind, thought[0]):
            continue
        begin, end = thought.start() if _has_words(chunk.text[at : thought.start()]) else at, thought.end()
        end = end if begin > at or _has_words(chunk.text[end:]) else len(chunk.text)
        if begin > at:
            yield replace(chunk, text=chunk.text[at:begin], carried_on=at > 0)
        yield _Chunk(mark, chunk.text[begin:end])
        at = end
    if at < len(chunk.text):
        yield replace(chunk, text=chunk.text[at:], carried_on=at > 0)


def _is_cut_out(mark: str, kind: FragmentKind, text: str) -> bool:
    """Private; but `[to Bob]` and the like direct what stands around them."""
    return kind in PRIVATE and not TO.match(text) if mark == "bracket" else kind in PRIVATE or kind == "whisper"


def _has_words(text: str) -> bool:
    return any(letter.isalnum() for letter in text)


@lru_cache(maxsize=32)
def _with_own(own: tuple[tuple[str, FragmentKind], ...], usual: str) -> re.Pattern[str]:
    """The usual marks, and before them one's own: what stands between `{` and `}`, up to the end when unclosed."""
    if not own:
        return _MARK if usual == _MARK.pattern else re.compile(usual, re.VERBOSE)
    ends = (mark.split("…", 1) for mark, _ in own)
    folded = ((re.escape(plain(begin)), re.escape(plain(end))) for begin, end in ends)
    groups = [f"(?P<own{at}> {begin} .*? (?:{end}|\\Z) )" for at, (begin, end) in enumerate(folded)]
    return re.compile(" | ".join([*groups, usual]), re.VERBOSE | re.DOTALL | re.MULTILINE)


def _commanded(kind: FragmentKind, rest: str) -> Iterator[Fragment]:
    """A command holds for the whole message, and what is private within it stays so: `/me nods ((brb))`."""
    if kind == "whisper":
        yield Fragment("whisper", f"to {rest}")
    else:
        yield from _with_action(direction_of(rest) or kind if kind == "action" else kind, rest)
    yield from (Fragment("ooc", out[0]) for out in _OUT.finditer(rest))
    yield from _hidden(rest)


def _chunks(text: str, marks: re.Pattern[str]) -> Iterator[_Chunk]:
    """The text at its marks. Talk out of character comes first: no unclosed quote or asterisk swallows it."""
    at = 0
    for out in _OUT.finditer(text):
        yield from _marked(text[at : out.start()], marks)
        yield _Chunk("ooc", out[0])
        at = out.end()
    yield from _marked(text[at:], marks)


def _marked(text: str, marks: re.Pattern[str]) -> Iterator[_Chunk]:
    at = 0
    plain = marks in (_MARK, _INNER_MARK) and not _ANY.search(text)
    for match in () if plain else marks.finditer(text):
        if text[at : match.start()].strip():
            yield _Chunk("bare", text[at : match.start()])
        before, after = text[max(0, match.start() - _NEAR) : match.start()], text[match.end() : match.end() + _NEAR]
        yield _Chunk(match.lastgroup or "bare", match[0], before, after)
        at = match.end()
    if text[at:].strip():
        yield _Chunk("bare", text[at:])


def _unbracketed(text: str) -> str:
    """A narrator's brackets stand within the narration, `Enter the lords (Bob among them) and Carol`."""
    return text if "((" in text or OOC.match(text) else text.translate(_BRACKETS)


def _is_bare(chunk: _Chunk) -> bool:
    return chunk.mark == "bare" and any(letter.isalnum() for letter in chunk.text)


def _is_prose(chunks: Sequence[_Chunk], own: Sequence[str]) -> bool:
    """Whether bare text is narration: quotes stand as dialogue in it, not as words quoted within speech."""
    quotes = [chunk for chunk in chunks if chunk.mark == "quote"]
    bare = next((chunk.text for chunk in chunks if _is_bare(chunk)), "")
    if not quotes or not bare:
        return False
    first = quotes[0]
    stands_alone = not first.before.strip() or _SENTENCE_END.search(first.before)
    return _starts_with_any(bare, own) or bool(stands_alone and _DIALOGUE_END.search(first.text))


def _starts_with_any(text: str, names: Sequence[str]) -> bool:
    start = text.lstrip().casefold()
    return any(start.startswith(name.casefold()) and not start[len(name) :][:1].isalnum() for name in names)


def _read(
    chunk: _Chunk, bare: FragmentKind, quote: FragmentKind, own: Sequence[str], conventions: Conventions
) -> Iterator[Fragment]:
    if kind := conventions.kind(chunk.mark):
        yield from _own(kind, conventions.inner(chunk))
    elif chunk.mark == "ooc":
        yield from _doubled(chunk.text.strip(_MARKUP + "()"), conventions)
    elif chunk.mark == "quote":
        inner = chunk.text.strip(_QUOTE_MARKS)
        yield Fragment(quote, inner)
        yield from _hidden(inner)
    elif chunk.mark == "block":
        yield Fragment("quoted", chunk.text.strip("`> \t"))
        yield from _hidden(chunk.text)
    elif chunk.mark == "bare" and bare != "action":
        yield from _bare_speech(chunk.text, bare, own)
    elif chunk.mark == "bare":
        for sentence in sentences(chunk.text):
            yield from _deed(sentence)
    else:
        yield from _directed(chunk, bare, conventions)


def _doubled(inner: str, conventions: Conventions) -> Iterator[Fragment]:
    """`((…))`: out of character, but for `((to Bob))`; in a play, a direction like any other."""
    if conventions.staged and (direction := direction_of(inner)) != "ooc":
        yield from _with_action(direction or "action", inner)
    else:
        yield Fragment("whisper" if TO.match(inner) else "ooc", inner)


def _own(kind: FragmentKind, inner: str) -> Iterator[Fragment]:
    """What stands between marks of one's own: `{he lies}`, `~to Bob~`, `~Bob: he lies~`, `~whispers to Bob~`."""
    if kind == "action":
        yield from _with_action(direction_of(inner) or kind, inner)
    elif kind == "whisper" and not _says_to_whom(inner) and _NAMES_LISTENER.match(inner):
        yield Fragment(kind, inner if TO.match(inner) else f"to {inner}")
    else:
        yield Fragment(kind, inner)
    if kind not in PRIVATE:
        yield from _hidden(inner)


def _directed(chunk: _Chunk, bare: FragmentKind, conventions: Conventions) -> Iterator[Fragment]:
    inner = conventions.inner(chunk)
    kind = _direction_kind(chunk, inner, bare, staged=conventions.staged)
    if kind == "aside" and not conventions.staged and (to := ASIDE_TO.match(inner)):
        kind, inner = "whisper", inner[to.end() :]
    if kind == "aside" and not conventions.staged and TO.match(inner):
        kind = "whisper"
    only_for = conventions.staged and kind == "whisper" and not direction_of(inner)
    yield from _with_action("action" if only_for else kind, inner)
    yield from _hidden(inner)


def _with_action(kind: FragmentKind, direction: str) -> Iterator[Fragment]:
    """A direction that says to whom one whispers may go on to say who leaves."""
    yield Fragment(kind, direction)
    if kind == "whisper" and not TO.match(direction):
        yield Fragment("action", direction)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a narration, in order."""
    return (sentence for sentence in _SENTENCE_GAP.split(text) if sentence.strip())


def _hidden(inner: str) -> Iterator[Fragment]:
    """Whispers and thoughts within quotes or another mark; a movement that is told in there is only told."""
    for part in _marked(inner, _INNER_MARK):
        direction = part.text.strip(_MARKUP + "()[]")
        kind = "spoken" if part.mark == "bare" else _direction_kind(part, direction, "spoken", staged=True)
        if kind in PRIVATE or kind == "whisper":
            yield Fragment(kind, direction)


def _bare_speech(text: str, bare: FragmentKind, own: Sequence[str]) -> Iterator[Fragment]:
    """Bare text is spoken, unless it opens with a direction, `whispers to Bob: run!`, or tells of oneself by name."""
    named = next((name for name in own if _starts_with_any(text, (name,))), "")
    opening = text.lstrip()[len(named) :]
    if bare == "spoken" and _OPENS_WITH_WHISPER.match(opening):
        direction, _, text = re.split(r"([:.!?,\n]|\Z)", opening, maxsplit=1)
        yield Fragment("whisper", direction)
    elif bare == "spoken" and named and _OPENS_WITH_DEED.match(opening):
        yield from (piece for sentence in sentences(text) for piece in _deed(sentence))
        return
    yield Fragment(bare, text)


def _deed(sentence: str) -> Iterator[Fragment]:
    return _with_action(direction_of(sentence) or "action", sentence)


def _direction_kind(chunk: _Chunk, inner: str, beside: FragmentKind, *, staged: bool = False) -> FragmentKind:
    """What a marked stretch is. What confines it is asked before what might make it mere emphasis: fail closed."""
    private = direction_of(inner)
    if private and not (private == "thought" and chunk.mark != "bracket" and _is_emphasis(chunk, inner)):
        return private
    if TO.match(inner):
        return "whisper"
    if chunk.mark == "bracket":
        return _bracketed(chunk, beside) if staged else "thought"
    if chunk.mark == "paren":
        return "action" if _stands_alone(chunk) else "spoken"
    return "spoken" if _is_emphasis(chunk, inner) else "action"


def _bracketed(chunk: _Chunk, beside: FragmentKind) -> FragmentKind:
    """Brackets in a play, or within what is whispered: a thought only where they stand alone."""
    return "action" if beside == "action" else "thought" if _stands_alone(chunk) else "spoken"


def _stands_alone(chunk: _Chunk) -> bool:
    """At the edge of the text, of a line or of a sentence; not in the middle of one."""
    before, after = chunk.before.rstrip(" \t"), chunk.after.lstrip(" \t")
    return not before or not after or before[-1] in '.!?…\n"”*' or after[0] == "\n"


def _is_emphasis(chunk: _Chunk, inner: str) -> bool:
    """`I *really* mean it`, `you *left* me`: a word or two that carry stress within a sentence."""
    before, after = chunk.before.rstrip(" "), chunk.after.lstrip(" ")
    inside = bool(before) and (before[-1].isalnum() or before[-1] in ",'’") and bool(after)
    return inside and (after[0].islower() or len(inner.split()) <= 2)
