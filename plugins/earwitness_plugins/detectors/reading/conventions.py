"""The conventions of role-play text: what is said aloud, done, whispered, thought, meant for nobody in the story.

A message is cut into pieces. `"…"` and bare text are spoken, `*…*`, `_…_`, `/me …` and the prose around quotes are
action, `[…]` and `*thinks …*` are thought, `(to Bob)`, `/w Bob …` and `*whispers to Bob*` are whispers, `(aside)` is an
aside, `((…))` and `(OOC: …)` are out of character. `(aside to Bob)` is a whisper, but in a play it is for the house.
Quotes inside bare speech are quoted: somebody else's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from unicodedata import normalize

Kind = Literal["spoken", "action", "quoted", "whisper", "thought", "aside", "ooc"]
PRIVATE: frozenset[Kind] = frozenset({"thought", "aside", "ooc"})

_OUT = re.compile(r"\(\(.*?(?:\)\)|\Z)|^[ \t]*ooc\s*:[^\n]*", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_DIRECTIONS = r"""
      (?P<bracket> \[ [^\]]* (?:\]|\Z) )
    | (?P<paren>   (?<![:;=]) (?<![:;=]-) \( [^()]* (?:\)|\Z) )
    | (?P<star>    (?:(?<![\w*])|(?<=\w\*)) \*++ (?=[^\s*]) [^*]*? (?:\*++|\n[^\S\n]*+\n|\Z) )
    | (?P<under>   (?<!\w) _ (?=[^\s_]) [^_\n]+ _ (?!\w) )
    """
_QUOTES = r"""(?P<quote> "[^"]*(?:"|\Z) | “[^”]*(?:”|\Z) | «[^»]*(?:»|\Z) | „[^“”]*(?:[“”]|\Z) | 「[^」]*(?:」|\Z) )"""
_INNER_MARK = re.compile(_DIRECTIONS, re.VERBOSE | re.DOTALL)
_MARK = re.compile(f"{_DIRECTIONS} | {_QUOTES}", re.VERBOSE | re.DOTALL)
_ANY = re.compile(r'[\[(*_"“«„「]')
_COMMAND = re.compile(r"\s*/(?P<name>\w+)\b\s*(?P<rest>.*)\Z", re.DOTALL)
_COMMANDS: dict[str, Kind] = {
    **dict.fromkeys(("w", "whisper", "msg", "tell", "t", "dm", "pm"), "whisper"),
    **dict.fromkeys(("me", "em", "emote", "do"), "action"),
    **dict.fromkeys(("think", "thought"), "thought"),
    **dict.fromkeys(("ooc", "o", "b"), "ooc"),
}
_OOC = re.compile(r"\W*(?:ooc|out of character)\b", re.IGNORECASE)
_ASIDE = re.compile(
    r"\W*(?:(?:speaks?|speaking|says|spoken)\s+)?(?:aside|apart)\b"
    r"|\W*(?:(?:says?|speaks?|mutters?|murmurs?|mumbles?|whispers?|saying|muttering|murmuring|whispering)\s+)?"
    r"(?:quietly\s+|softly\s+)?to\s+(?:my|him|her|them|it|one|your)sel(?:f|ves)\b",
    re.IGNORECASE,
)
_ASIDE_TO = re.compile(
    r"\W*(?:\w+\s+)?(?:aside|apart)\b\W*(?=to\s+(?!(?:my|him|her|them|it|one|your)sel(?:f|ves)\b))", re.IGNORECASE
)
_THOUGHT = re.compile(
    r"\W*(?:\w+\s+){0,3}?(?<!\bin\s)(?<!\ba\s)"
    r"(?:thinks?|thought|wonder(?:s|ed)?|ponder(?:s|ed)?|mus(?:es|ed)|daydream(?:s|ed)?)\b(?!\s+(?:aloud|out loud|for|"
    r"about it|it over|hard|carefully|briefly|twice|a\s+(?:moment|second|bit|while|minute|beat))\b)"
    r"|\W*(?:thinking|in\s+(?:my|his|her|their)\s+(?:head|mind|thoughts))\b(?!\s+(?:hard|for)\b)",
    re.IGNORECASE,
)
_SAYS = r"(?:say|speak|tell|ask|add|murmur|mutter|breathe|hiss|talk|repl(?:y|ie)|answer)(?:s|es|ed|ing)?"
_QUIETLY = (
    r"(?:quietly|softly|secretly|privately|discreetly|sotto\s+voce|under\s+(?:my|his|her|their)\s+breath|"
    r"in\s+an?\s+(?:low|hushed|quiet|soft)\s+(?:voice|tone)|in\s+a\s+whisper)"
)
_WHISPER = re.compile(
    rf"""
      \bwhisper(?:s|ed|ing)?\b
    | \b(?:lean|bend|lips|mouth|{_SAYS})\w*\b .{{0,40}} \b(?:in|into|to|by|near|against|at)\s
          [\w\s'’-]{{1,40}} \bears?\b
    | \b{_SAYS}\b .{{0,40}} \b{_QUIETLY} ,?\s (?:\w+\s){{0,2}}to\s
    | \b{_QUIETLY} ,?\s {_SAYS} \b .{{0,40}} \bto\s
    | \b{_QUIETLY} ,?\s (?:tell|ask)(?:s|ed|ing)? \b
    | \A\W* {_QUIETLY} ,?\s to\s
    | \b(?:pull|take|draw|lead)(?:s|ing)?\s (?:him|her|them|(?-i:[A-Z])[\w\s'’-]{{0,40}})\s aside\b
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_TO = re.compile(r"\W*to\s+(?!all\b|every|the\s+(?:room|group|others|crowd|table|party|rest|company)\b)", re.IGNORECASE)
_OPENS_WITH_WHISPER = re.compile(r"\W*(?:I\s+)?(?:\w+ly\s+)?whispers?\b", re.IGNORECASE)
_OPENS_WITH_DEED = re.compile(r"\s+(?:\w+ly\s+)?(?!(?:is|was|has|does|says|plus|as|his)\b)[a-z]+(?:s|ed)\b")
_DIALOGUE_END = re.compile(r"[,.!?…—–-]\W*\Z")
_SENTENCE_END = re.compile(r"(?:[.!?…*)\]]|\n)\s*\Z")
_SENTENCE_GAP = re.compile(r"(?<=[.!?…])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)\s+|\n+")
_BRACKETS = str.maketrans(dict.fromkeys("()[]", ","))
_MARKUP = "*_ \t\n"
_NEAR = 40


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a message that is perceived in one way."""

    kind: Kind
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


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a message from one mark to the next, with what it was read as."""

    mark: str
    """How it is set off: `bare`, `quote`, `star`, `paren`, …, `command`."""
    text: str
    """As written."""
    pieces: tuple[Piece, ...]
    """What it holds; a whisper's direction is followed by the action it may tell besides."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """What the marks of a text mean where it was written."""

    staged: bool = False
    """A play: `(to Bob)` says whom a line is for, and everybody hears it."""
    own: tuple[tuple[str, Kind], ...] = ()
    """Marks of one's own and what stands between them: `("{…}", "thought")`."""

    @property
    def marks(self) -> re.Pattern[str]:
        """What sets off a stretch, own marks first."""
        return _with_own(self.own, _MARK.pattern)

    def kind(self, mark: str) -> Kind | None:
        """What a mark of one's own means; `None` for the usual marks."""
        return self.own[int(mark[3:])][1] if mark.startswith("own") else None


ROLE_PLAY = Conventions()


def pieces(
    content: str, *, own: Sequence[str] = (), narrator: bool = False, conventions: Conventions = ROLE_PLAY
) -> tuple[Piece, ...]:
    """The message cut into pieces. `own` are the speaker's names; a narrator's bare text is action, brackets too."""
    found = stretches(content, own=own, narrator=narrator, conventions=conventions)
    return tuple(piece for stretch in found for piece in stretch.pieces)


def stretches(
    content: str, *, own: Sequence[str] = (), narrator: bool = False, conventions: Conventions = ROLE_PLAY
) -> tuple[Stretch, ...]:
    """The message from mark to mark, each stretch with its pieces."""
    text = normalize("NFC", content)
    if (command := _COMMAND.match(text)) and (kind := _COMMANDS.get(command["name"].lower())):
        return (Stretch("command", text, tuple(_commanded(kind, command["rest"]))),)
    chunks = tuple(_chunks(_unbracketed(text) if narrator else text, conventions.marks))
    bare: Kind = "action" if narrator or _is_prose(chunks, own) else "spoken"
    quote: Kind = "quoted" if narrator or (bare == "spoken" and any(_is_bare(chunk) for chunk in chunks)) else "spoken"
    return tuple(
        Stretch(chunk.mark, chunk.text, tuple(_read(chunk, bare, quote, own, conventions))) for chunk in chunks
    )


@lru_cache(maxsize=32)
def _with_own(own: tuple[tuple[str, Kind], ...], usual: str) -> re.Pattern[str]:
    """The usual marks, and before them one's own: what stands between `{` and `}`, up to the end when unclosed."""
    if not own:
        return _MARK
    ends = (mark.split("…", 1) for mark, _ in own)
    groups = [f"(?P<own{at}> {re.escape(begin)} .*? (?:{re.escape(end)}|\\Z) )" for at, (begin, end) in enumerate(ends)]
    return re.compile(" | ".join([*groups, usual]), re.VERBOSE | re.DOTALL)


def _commanded(kind: Kind, rest: str) -> Iterator[Piece]:
    """A command holds for the whole message, and what is private within it stays so: `/me nods ((brb))`."""
    if kind == "whisper":
        yield Piece("whisper", f"to {rest}")
    else:
        yield from _with_action(_direction(rest) or kind if kind == "action" else kind, rest)
    yield from (Piece("ooc", out[0]) for out in _OUT.finditer(rest))
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
    return text if "((" in text or _OOC.match(text) else text.translate(_BRACKETS)


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


def _read(chunk: _Chunk, bare: Kind, quote: Kind, own: Sequence[str], conventions: Conventions) -> Iterator[Piece]:
    if kind := conventions.kind(chunk.mark):
        yield Piece(kind, chunk.text)
    elif chunk.mark == "ooc":
        inner = chunk.text.strip(_MARKUP + "()")
        if conventions.staged and (direction := _direction(inner)) != "ooc":
            yield from _with_action(direction or "action", inner)
        else:
            yield Piece("whisper" if _TO.match(inner) else "ooc", inner)
    elif chunk.mark == "quote":
        inner = chunk.text[1:-1] if len(chunk.text) > 1 else ""
        yield Piece(quote, inner)
        yield from _hidden(inner)
    elif chunk.mark == "bare" and bare != "action":
        yield from _bare_speech(chunk.text, bare, own)
    elif chunk.mark == "bare":
        for sentence in sentences(chunk.text):
            yield from _deed(sentence)
    else:
        yield from _directed(chunk, bare, conventions)


def _directed(chunk: _Chunk, bare: Kind, conventions: Conventions) -> Iterator[Piece]:
    inner = chunk.text.strip(_MARKUP + "()[]")
    kind = _direction_kind(chunk, inner, bare)
    if kind == "aside" and not conventions.staged and (to := _ASIDE_TO.match(inner)):
        kind, inner = "whisper", inner[to.end() :]
    only_for = conventions.staged and kind == "whisper" and not _direction(inner)
    yield from _with_action("action" if only_for else kind, inner)
    yield from _hidden(inner)


def _with_action(kind: Kind, direction: str) -> Iterator[Piece]:
    """A direction that says to whom one whispers may go on to say who leaves."""
    yield Piece(kind, direction)
    if kind == "whisper" and not _TO.match(direction):
        yield Piece("action", direction)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a narration, in order."""
    return (sentence for sentence in _SENTENCE_GAP.split(text) if sentence.strip())


def _hidden(inner: str) -> Iterator[Piece]:
    """Whispers and thoughts within quotes or another mark; a movement that is told in there is only told."""
    for part in _marked(inner, _INNER_MARK):
        direction = part.text.strip(_MARKUP + "()[]")
        kind = "spoken" if part.mark == "bare" else _direction_kind(part, direction, "spoken")
        if kind in PRIVATE or kind == "whisper":
            yield Piece(kind, direction)


def _bare_speech(text: str, bare: Kind, own: Sequence[str]) -> Iterator[Piece]:
    """Bare text is spoken, unless it opens with a direction, `whispers to Bob: run!`, or tells of oneself by name."""
    named = next((name for name in own if _starts_with_any(text, (name,))), "")
    opening = text.lstrip()[len(named) :]
    if bare == "spoken" and _OPENS_WITH_WHISPER.match(opening):
        direction, _, text = re.split(r"([:.!?,\n]|\Z)", opening, maxsplit=1)
        yield Piece("whisper", direction)
    elif bare == "spoken" and named and _OPENS_WITH_DEED.match(opening):
        yield from (piece for sentence in sentences(text) for piece in _deed(sentence))
        return
    yield Piece(bare, text)


def _deed(sentence: str) -> Iterator[Piece]:
    return _with_action(_direction(sentence) or "action", sentence)


def _direction_kind(chunk: _Chunk, inner: str, beside: Kind) -> Kind:
    """What a marked stretch is. What confines it is asked before what might make it mere emphasis: fail closed."""
    private = _direction(inner)
    if private and not (private == "thought" and _is_emphasis(chunk, inner)):
        return private
    if _TO.match(inner):
        return "whisper"
    if chunk.mark == "bracket":
        return "action" if beside == "action" else "thought" if _stands_alone(chunk) else "spoken"
    if chunk.mark == "paren":
        return "action" if _stands_alone(chunk) else "spoken"
    return "spoken" if _is_emphasis(chunk, inner) else "action"


def _direction(text: str) -> Kind | None:
    if _OOC.match(text):
        return "ooc"
    if _ASIDE.match(text):
        return "aside"
    if _WHISPER.search(text):
        return "whisper"
    return "thought" if _THOUGHT.match(text) else None


def _stands_alone(chunk: _Chunk) -> bool:
    """At the edge of the text, of a line or of a sentence; not in the middle of one."""
    before, after = chunk.before.rstrip(" \t"), chunk.after.lstrip(" \t")
    return not before or not after or before[-1] in '.!?…\n"”*' or after[0] == "\n"


def _is_emphasis(chunk: _Chunk, inner: str) -> bool:
    """`I *really* mean it`, `you *left* me`: a word or two that carry stress within a sentence."""
    before, after = chunk.before.rstrip(" "), chunk.after.lstrip(" ")
    inside = bool(before) and (before[-1].isalnum() or before[-1] in ",'’") and bool(after)
    return inside and (after[0].islower() or len(inner.split()) <= 2)
