"""The conventions of role-play text: what is said aloud, done, whispered, thought, meant for nobody in the story.

A message is cut into fragments. `"…"` and bare text are spoken, `*…*`, `_…_`, `/me …` and the prose around quotes are
action, `[…]`, `*thinks …*` and `…, she thought` are thought, `(to Bob)`, `/w Bob …` and `*whispers to Bob*` are
whispers, `(aside)` is an aside, `((…))` and `(OOC: …)` are out of character. `(aside to Bob)` is a whisper, but in a
play it is for the house. What `*slips Bob a note: "…"*` says is whispered on paper. Quotes inside bare speech are
quoted: somebody else's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from unicodedata import normalize

from earwitness.patterns import lazy_pattern
from earwitness.sentences import sentences

from ..discretion import dashes, headed_lines, languages, odd_marks
from ..discretion.opening_whispers import hissed, opening_whisper
from . import notes, thoughts, told_directions
from .directions import ASIDE_TO, TO, FragmentKind
from .directions import direction as direction_of
from .manners import manner
from .marks import (
    INNER_MARKS,
    MARKUP,
    OUT_OF_CHARACTER,
    PRIVATE,
    QUOTE_MARKS,
    THOUGHT_MARKS,
    Chunk,
    Conventions,
    covered,
    has_marks,
    is_bare,
    is_stage_direction,
    marked,
    says_to_whom,
    stage_chunks,
    uncovered,
    without_brackets,
)
from .names import opening_name
from .narration import is_in_third_person, is_more_than_tag, is_prose, is_unmarked, tells_of_oneself
from .plain_text import plain, shown
from .stretches import Fragment, Stretch
from .thought_finder import ThoughtFinder
from .thought_patterns import LABELLED_LINE

_COMMAND = lazy_pattern(r"\s*/(?P<name>\w+)\b\s*(?P<rest>.*)\Z", re.DOTALL)
_COMMANDS: dict[str, FragmentKind] = {
    **dict.fromkeys(("w", "whisper", "msg", "tell", "t", "dm", "pm"), "whisper"),
    **dict.fromkeys(("me", "em", "emote", "do"), "action"),
    **dict.fromkeys(("think", "thought"), "thought"),
    **dict.fromkeys(("ooc", "o", "b"), "ooc"),
}
_NAMES_LISTENER = lazy_pattern(r"[^\W\d][^:\n]{0,60}:")
_UNGOVERNING = frozenset({"ooc", "secret"})
_DIRECTS: frozenset[FragmentKind] = PRIVATE | {"whisper"}
_DIRECTION_FOLLOWS = lazy_pattern(r"\.?\s*[(\[]")
_ONE_CLAUSE = lazy_pattern(r"\s*[^,.!?…:;\n]{1,80}[.:]?\s*\Z")
_ONLY_TO = lazy_pattern(r"[^.!?…\n\[(]{1,60}\Z")


ROLE_PLAY = Conventions()


def fragments(
    content: str, *, own: Sequence[str] = (), narrator: bool = False, conventions: Conventions = ROLE_PLAY
) -> tuple[Fragment, ...]:
    """The message in fragments. `own` are the speaker's names; a narrator's bare text is action, brackets too."""
    found = stretches(content, own=own, narrator=narrator, conventions=conventions)
    return tuple(fragment for stretch in found for fragment in stretch.fragments)


def stretches(
    content: str, *, own: Sequence[str] = (), narrator: bool = False, conventions: Conventions = ROLE_PLAY
) -> tuple[Stretch, ...]:
    """The message from mark to mark, each stretch with its fragments. Recent messages are remembered."""
    return _stretches(content, tuple(own), narrator, conventions)


@lru_cache(maxsize=256)
def _stretches(content: str, own: tuple[str, ...], narrator: bool, conventions: Conventions) -> tuple[Stretch, ...]:
    written = as_written(content)
    if not (narrator or conventions.staged) and (headed := headed_lines.blocks(written, own)):
        return tuple(stretch for block in headed for stretch in _headed(block, written, own, conventions))
    text = plain(written, conventions.brackets)
    if not (narrator or conventions.staged or conventions.own):
        text = dashes.as_quotes(odd_marks.as_usual(text, _is_private, thoughts.begins_within))
    if (command := _COMMAND.match(text)) and (kind := _COMMANDS.get(command["name"].lower())):
        return (Stretch("command", written, tuple(_commanded(kind, command["rest"]))),)
    if not (narrator or conventions.staged) and (later := told_directions.LATER_COMMAND.search(text)):
        at = later.start("command")
        before = _stretches(written[:at], own, narrator, conventions)
        return (*before, *_stretches(written[at:], own, narrator, conventions))
    if not narrator and conventions == ROLE_PLAY and _is_plain_speech(text, own):
        return (Stretch("bare", written, (Fragment("spoken", text),)),)
    if narrator or conventions.staged:
        reader = _staged(text, own, conventions, narrator=narrator)
    else:
        reader = _role_play(text, own, conventions)
    return tuple(reader.stretch(chunk, written) for chunk in reader.chunks)


def _headed(
    block: headed_lines.HeadedBlock, written: str, own: tuple[str, ...], conventions: Conventions
) -> tuple[Stretch, ...]:
    """The stretches of lines with a head of their own, or of those between."""
    text = written[block.start : block.end]
    if block.kind is None:
        found = _stretches(text, own, False, conventions) if text.strip() else ()
        return (replace(found[0], fresh=block.labelled), *found[1:]) if found else ()
    said = f"to {block.to}" if block.kind == "whisper" else text
    return (Stretch("command", text, (Fragment(block.kind, said),), governs=False),)


def as_written(content: str) -> str:
    """The text whose parts the stretches are."""
    return normalize("NFC", shown(content))


def _is_private(inner: str) -> bool:
    return direction_of(inner) in _DIRECTS or TO.match(inner) is not None or thoughts.is_label(inner)


def _is_plain_speech(text: str, own: Sequence[str]) -> bool:
    """Whether nothing in it could be a mark, a thought, a whisper or the speaker's own deed, as in most chats."""
    if not text.strip() or has_marks(text) or opening_name(text, own) is not None:
        return False
    if thoughts.may_tell(text) or is_unmarked(text, own) or told_directions.tells(text, own):
        return False
    return opening_whisper(text) is None


def _staged(text: str, own: Sequence[str], conventions: Conventions, *, narrator: bool) -> _FragmentReader:
    """A play's or a narrator's text: brackets are directions, and only they tell of thoughts."""
    chunks = tuple(stage_chunks(without_brackets(text) if narrator else text, conventions.marks))
    bare: FragmentKind = "action" if narrator or is_prose(chunks, own) else "spoken"
    return _FragmentReader(chunks, bare, _quoted(chunks, bare, narrator=narrator), tuple(own), conventions)


def _role_play(text: str, own: Sequence[str], conventions: Conventions) -> _FragmentReader:
    """Role play: what is thought is cut out before anything else is read."""
    text = _without_cue(text, own)
    hidden = conventions.hidden(text)
    over = covered(text, hidden) if hidden else text
    chunks = tuple(marked(over, conventions.marks))
    untold = conventions.quoting and all(chunk.mark == "bare" for chunk in chunks)
    prose = untold or is_prose(chunks, own)
    bare: FragmentKind = "action" if prose else "spoken"
    third = prose and is_in_third_person(chunks, own)
    chunks_with_thoughts = ThoughtFinder(
        over,
        tuple(own),
        conventions,
        prose,
        untold,
        third,
        (prose or opening_name(text, own) is not None) and any(map(is_more_than_tag, chunks)),
    ).set_apart(chunks)
    noted = notes.apart(tuple(chunks_with_thoughts), lambda chunk: _is_open_deed(chunk, bare, own, conventions))
    cut = tuple(part for chunk in noted for part in uncovered(chunk, text, hidden)) if hidden else tuple(noted)
    return _FragmentReader(cut, bare, _quoted(chunks, bare, narrator=False), tuple(own), conventions)


def _without_cue(text: str, own: Sequence[str]) -> str:
    """A script's `ALICE (thinking): …` without the name before the direction; as long as it was."""
    name = opening_name(text, own)
    begins = len(text) - len(text.lstrip()) + len(name or "")
    if name is None or LABELLED_LINE.search(text) or not _DIRECTION_FOLLOWS.match(text, begins):
        return text
    bare = text.lstrip()
    return text[: len(text) - len(bare)] + "." * len(name) + bare[len(name) :]


def _is_open_deed(chunk: Chunk, bare: FragmentKind, own: Sequence[str], conventions: Conventions) -> bool:
    return not chunk.thought and all(each.kind == "action" for each in _directed(chunk, bare, own, conventions))


def _quoted(chunks: Sequence[Chunk], bare: FragmentKind, *, narrator: bool) -> FragmentKind:
    return "quoted" if narrator or (bare == "spoken" and any(is_bare(chunk) for chunk in chunks)) else "spoken"


@dataclass(frozen=True, slots=True)
class _FragmentReader:
    """Reads the chunks of one message, each by what the message as a whole is."""

    chunks: Sequence[Chunk]
    bare: FragmentKind
    """What words without marks are: spoken, or action where quotes stand as dialogue."""
    quote: FragmentKind
    """What quotes are: spoken, or quoted."""
    own: tuple[str, ...]
    """The speaker's names."""
    conventions: Conventions

    def stretch(self, chunk: Chunk, written: str) -> Stretch:
        """A chunk as written, with its fragments. One's own mark for actions is as good as an asterisk."""
        found = tuple(self._fragments(chunk))
        own_direction = any(each.kind == "action" for each in found) or self._is_direction_only(chunk)
        mark = "star" if chunk.mark.startswith("own") and own_direction else chunk.mark
        return Stretch(
            mark=mark,
            text=written[chunk.start : chunk.end],
            fragments=found,
            carried_on=chunk.carried_on,
            thought=chunk.thought,
            governs=self._governs(chunk, mark, found),
            tags=self._tags(chunk),
        )

    def _tags(self, chunk: Chunk) -> bool:
        if chunk.mark == "narrated":
            ended = chunk.follows_sentence(self.chunks)
            return thoughts.is_tag(chunk.text, self.own, ended=ended) or languages.is_thought_tag(chunk.text)
        return chunk.thought and thoughts.is_only_tag(self.conventions.inner(chunk), self.own)

    def _is_direction_only(self, chunk: Chunk) -> bool:
        """`~to Bob~`, where `~…~` is a whisper: what is whispered follows."""
        kind = self.conventions.kind(chunk.mark)
        return kind == "whisper" and says_to_whom(self.conventions.inner(chunk))

    def _governs(self, chunk: Chunk, mark: str, found: Sequence[Fragment]) -> bool:
        """Whether it may say how the following text is meant: `*thinks of home*`, but not `[I hate him.]`."""
        if chunk.mark == "narrated":
            return not thoughts.is_over(chunk.text) or self._prays(chunk)
        if chunk.mark in ("written", "secret"):
            return False
        if mark.startswith("own") or mark in THOUGHT_MARKS or found[0].kind in _UNGOVERNING:
            return False
        inner = self.conventions.inner(chunk)
        if chunk.thought:
            directs = direction_of(inner) is not None or thoughts.is_label(inner)
            holds = thoughts.holds_its_thought(inner) or languages.holds_thought(inner)
            return directs and not holds
        return True

    def _prays(self, chunk: Chunk) -> bool:
        """`Alice prays silently. "Mother, help me."`; not `"Help me," she prayed silently.`, a tag."""
        if (chunk.start and self._tags(chunk)) or not _ONE_CLAUSE.match(chunk.text):
            return False
        return manner(chunk.text) == "unheard"

    def _fragments(self, chunk: Chunk) -> Iterator[Fragment]:
        if kind := self.conventions.kind(chunk.mark):
            return _own(kind, self.conventions.inner(chunk))
        if chunk.mark in THOUGHT_MARKS:
            return iter((Fragment("thought", chunk.text.strip(MARKUP + "[]{}")),))
        if chunk.mark == "narrated":
            return _narrated_thought(chunk.text, self.own)
        if chunk.mark == "ooc":
            return _doubled(chunk.text.strip(MARKUP + "()"), self.conventions)
        if chunk.mark == "written":
            return _written(chunk)
        if chunk.mark == "secret":
            return _with_action("secret", chunk.text)
        if chunk.mark in ("quote", "block"):
            return self._quoted(chunk)
        return self._bare(chunk) if chunk.mark == "bare" else _directed(chunk, self.bare, self.own, self.conventions)

    def _quoted(self, chunk: Chunk) -> Iterator[Fragment]:
        quote = chunk.mark == "quote"
        kind: FragmentKind = self.quote if quote else "thought" if chunk.thought else "quoted"
        inner = chunk.text.strip(QUOTE_MARKS if quote else "`> \t")
        if kind == "spoken" and (hiss := hissed(inner)):
            yield Fragment("whisper", hiss)
        yield Fragment(kind, inner)
        yield from _hidden(inner if quote else chunk.text)

    def _bare(self, chunk: Chunk) -> Iterator[Fragment]:
        text = chunk.text
        if self.bare != "action":
            told = told_directions.found(chunk, self.chunks, self.own)
            if told:
                return (Fragment(kind, each) for kind, each in (*told, ("spoken", text)))
            return _bare_speech(text, self.own)
        return (fragment for sentence in sentences(text) for fragment in _deed(sentence))


def _narrated_thought(text: str, own: Sequence[str]) -> Iterator[Fragment]:
    """A thought, and what is plainly done besides: `This is good, thought Alice, and left the room.`."""
    yield Fragment("thought", text)
    yield from (Fragment("action", deed) for deed in thoughts.deeds(text, own))


def _written(chunk: Chunk) -> Iterator[Fragment]:
    yield Fragment("whisper", chunk.before, written=True)
    yield from _hidden(chunk.text.strip(QUOTE_MARKS))


def _commanded(kind: FragmentKind, rest: str) -> Iterator[Fragment]:
    """A command holds for the whole message, and what is private within it stays so: `/me nods ((brb))`."""
    if kind == "whisper":
        yield Fragment("whisper", f"to {rest}")
    else:
        yield from _with_action(direction_of(rest) or kind if kind == "action" else kind, rest)
        hidden = any(each.mark != "ooc" for each in ROLE_PLAY.hidden(rest))
        yield from (Fragment("thought", rest),) if hidden or thoughts.narrated(rest) else ()
        if kind == "action" and (note := notes.written(rest)):
            yield Fragment("whisper", rest[: note[0]], written=True)
    yield from (Fragment("ooc", out[0]) for out in OUT_OF_CHARACTER.finditer(rest))
    yield from _hidden(rest)


def _doubled(inner: str, conventions: Conventions) -> Iterator[Fragment]:
    """`((…))`: out of character, but for `((to Bob))`; in a play, a direction like any other."""
    if conventions.staged and (direction := direction_of(inner)) != "ooc":
        yield from _with_action(direction or "action", inner)
    else:
        yield Fragment("whisper" if _ONLY_TO.match(inner) and TO.match(inner) else "ooc", inner)


def _own(kind: FragmentKind, inner: str) -> Iterator[Fragment]:
    """What stands between marks of one's own: `{he lies}`, `~to Bob~`, `~Bob: he lies~`, `~whispers to Bob~`."""
    if kind == "action":
        yield from _with_action(direction_of(inner) or kind, inner)
    elif kind == "whisper" and not says_to_whom(inner) and _NAMES_LISTENER.match(inner):
        yield Fragment(kind, inner if TO.match(inner) else f"to {inner}")
    else:
        yield Fragment(kind, inner)
    if kind not in PRIVATE:
        yield from _hidden(inner)


def _directed(chunk: Chunk, bare: FragmentKind, own: Sequence[str], conventions: Conventions) -> Iterator[Fragment]:
    inner = conventions.inner(chunk)
    kind = _direction_kind(chunk, inner, bare, staged=conventions.staged)
    if chunk.thought:
        yield from _narrated_thought(inner, own)
        if kind not in _DIRECTS or kind in ("thought", "secret"):
            return
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
    if kind == "secret" or (kind == "whisper" and not TO.match(direction)):
        yield Fragment("action", direction)


def _hidden(inner: str) -> Iterator[Fragment]:
    """Whispers and thoughts within quotes or another mark; a movement mentioned in there has not happened."""
    for part in marked(inner, INNER_MARKS):
        direction = part.text.strip(MARKUP + "()[]")
        kind = "spoken" if part.mark == "bare" else _direction_kind(part, direction, "spoken", staged=True)
        if kind in PRIVATE or kind in ("whisper", "secret"):
            yield Fragment(kind, direction)


def _bare_speech(text: str, own: Sequence[str]) -> Iterator[Fragment]:
    """Bare text is spoken, unless it opens with a direction, `whispers to Bob: run!`, or tells of oneself by name."""
    opening = text.lstrip()[len(opening_name(text, own) or "") :]
    if whisper := opening_whisper(opening):
        direction, text = whisper
        yield Fragment("whisper", direction)
    elif tells_of_oneself(text, own):
        yield from (fragment for sentence in sentences(text) for fragment in _deed(sentence))
        return
    yield Fragment("spoken", text)


def _deed(sentence: str) -> Iterator[Fragment]:
    return _with_action(direction_of(sentence) or "action", sentence)


def _direction_kind(chunk: Chunk, inner: str, beside: FragmentKind, *, staged: bool = False) -> FragmentKind:
    """What a marked stretch is. What confines it is asked before what might make it mere emphasis: fail closed."""
    private = direction_of(inner) or ("thought" if not staged and thoughts.is_label(inner) else None)
    if private and not (private == "thought" and chunk.mark != "bracket" and chunk.is_stressed(inner)):
        return private
    if TO.match(inner):
        return "whisper"
    if chunk.mark == "bracket" and is_stage_direction(inner):
        return "action"
    if chunk.mark == "bracket":
        return _bracketed(chunk, beside) if staged else "thought"
    if chunk.mark == "paren":
        return "action" if chunk.stands_alone else "spoken"
    return "spoken" if chunk.is_emphasis(inner) else "action"


def _bracketed(chunk: Chunk, beside: FragmentKind) -> FragmentKind:
    """Brackets in a play, or within what is whispered: a thought only where they stand alone."""
    return "action" if beside == "action" else "thought" if chunk.stands_alone else "spoken"
