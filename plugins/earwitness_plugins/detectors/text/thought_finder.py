"""Finds what a role-play message tells of thoughts, mark by mark, before anything else is read in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from earwitness.patterns import lazy_pattern

from ..discretion import inner_prose, languages, set_off
from ..discretion.secret_deeds import is_secret
from . import thoughts
from .directions import TO, direction
from .marks import QUOTE_MARKS, THOUGHT_WITHIN, Chunk, Conventions, marked
from .narration import is_unmarked, tells_of_oneself

_MAY_BE_THOUGHT = frozenset({"star", "under", "italic", "paren", "bracket", "block"})
_FLAT = frozenset({"star", "under", "italic"})
_ITALIC = frozenset({"under", "italic"})
_SHUTS_DIRECTION = frozenset("*)]")
"""What follows a direction is said, not told."""
_DEPTH = 2
"""So many marks within marks are looked into."""
_BRACKETED = lazy_pattern(r"[*_\s]+\(.*\)[*_\s]+\Z", re.DOTALL)
_ITALIC_BLOCK = lazy_pattern(r"[ \t]*>\s*([*_])(?=\w)[^\n]+\1\s*\Z")
"""`> *The fool.*`: what somebody thinks, set in a block of its own between deeds."""
_CLOSES = {'"': '"', "“": "”", "«": "»", "„": '“”"', "「": "」", "『": "』", "'": "'’", "‘": "'’"}
_APOSTROPHES = "'‘’"


@dataclass(frozen=True, slots=True)
class ThoughtFinder:
    """One message, cut at its marks, with what is hidden in it covered."""

    text: str
    """The whole message, what is hidden covered."""
    own: tuple[str, ...]
    """The speaker's names."""
    conventions: Conventions
    """What its marks mean."""
    prose: bool
    """Bare text is narration."""
    untold: bool = False
    """It is narration as a whole: where what is said stands in quotation marks, it has none."""
    third: bool = False
    """The narration tells of its speaker in the third person."""
    among_deeds: bool = False
    """Bare text tells of deeds, so that asterisks need not."""

    def set_apart(self, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        """The chunks, with what is thought set apart.

        Where quotes are out of balance they say nothing, and a message that tells of thoughts is one as a whole.
        """
        if any(map(_is_unbalanced, chunks)) and self._tells_anywhere(chunks):
            yield replace(chunks[0], mark="narrated", text=self.text, start=0, thought=True)
            return
        if self.untold and inner_prose.is_mostly_inner(self.text, third=self.third):
            yield replace(chunks[0], mark="narrated", text=self.text, start=0, thought=True)
            return
        for run in _runs(chunks):
            whole = self._thought_across(run) if len(run) > 1 else None
            yield from (whole,) if whole else (part for chunk in run for part in self._parts(chunk))

    def _thought_across(self, run: Sequence[Chunk]) -> Chunk | None:
        """`I *hate* him, she thought.`: one thought, with the stressed words, quotes and brackets in it."""
        whole = replace(run[0], text=self.text[run[0].start : run[-1].end])
        quotes = any(chunk.mark == "quote" for chunk in run)
        spans = self._told(whole, prose=self.prose and not quotes)
        return replace(whole, mark="narrated", thought=True) if spans else None

    def _spans(self, chunk: Chunk) -> Sequence[thoughts.Span]:
        """Where bare text tells a thought, or holds one without saying so."""
        told, before = self._told(chunk, prose=self.prose), self.text[: chunk.start].rstrip()[-1:]
        told = self._of_its_sentence(
            chunk.text, _without_whispers(chunk.text, told), follows_quote=before != "" and before in QUOTE_MARKS
        )
        if (before and before in _SHUTS_DIRECTION) or not self._is_narration(chunk):
            return told
        after_quote = before != "" and before in QUOTE_MARKS
        inner = inner_prose.spans(chunk.text, after_quote=after_quote, is_told=_is_whispered, third=self.third)
        return thoughts.joined((*told, *inner)) if inner else told

    def _of_its_sentence(
        self, text: str, told: Sequence[thoughts.Span], *, follows_quote: bool
    ) -> Sequence[thoughts.Span]:
        """Behind `"He lies," she thought.` narration goes on; behind a thought without quotes nobody can know."""
        if not follows_quote or not told or told[0][0] > 0 or not thoughts.is_tag(text, self.own):
            return told
        end = next((last for _, last in inner_prose.sentences(text)), len(text))
        rest = thoughts.narrated(text[end:]) if self.prose else []
        return thoughts.joined(((0, end), *((end + first, end + last) for first, last in rest)))

    def _told(self, chunk: Chunk, *, prose: bool) -> Sequence[thoughts.Span]:
        if prose or tells_of_oneself(chunk.text, self.own):
            return thoughts.narrated(chunk.text)
        tagged = thoughts.tagged(chunk.text, self.own, follows=chunk.start > 0)
        return thoughts.joined((*tagged, *thoughts.introduced(chunk.text, self.own), *thoughts.led(chunk.text)))

    def _parts(self, chunk: Chunk) -> Iterator[Chunk]:
        if chunk.mark == "bare":
            told = chunk.set_apart(self._spans(chunk))
            secret = (part for each in told for part in self._secrets(each))
            yield from (part for each in secret for part in self._directions(each))
        elif self._is_thought(chunk, prose=self.prose):
            yield replace(chunk, thought=True)
        else:
            yield replace(chunk, mark="inner", thought=True) if self._is_set_off(chunk) else chunk

    def _secrets(self, chunk: Chunk) -> Iterator[Chunk]:
        """Narration, with the deeds apart that nobody sees."""
        if chunk.mark != "bare" or not self._is_narration(chunk) or not is_secret(chunk.text):
            return iter((chunk,))
        found = inner_prose.sentences(chunk.text)
        return chunk.set_apart((span for span in found if direction(chunk.text[slice(*span)]) == "secret"), "secret")

    def _directions(self, chunk: Chunk) -> Iterator[Chunk]:
        """Narration, with the sentences apart that say how something is said: what else it tells is for everybody."""
        found = list(inner_prose.sentences(chunk.text)) if chunk.mark == "bare" and self.prose else []
        spans = [span for span in found if direction(chunk.text[slice(*span)]) in ("whisper", "aside")]
        return chunk.set_apart(spans, "bare") if spans and len(found) > 1 else iter((chunk,))

    def _is_narration(self, chunk: Chunk) -> bool:
        return self.prose or tells_of_oneself(chunk.text, self.own) or is_unmarked(chunk.text, self.own)

    def _tells_anywhere(self, chunks: Sequence[Chunk]) -> bool:
        if thoughts.narrated(self.text) or thoughts.tagged(self.text, self.own):
            return True
        within = (part for chunk in chunks if chunk.mark == "quote" for part in marked(chunk.text, THOUGHT_WITHIN))
        return any(self._is_thought(part, prose=True) for part in within)

    def _is_thought(self, chunk: Chunk, *, prose: bool, depth: int = _DEPTH) -> bool:
        """Whether asterisks, underscores, … hold a thought rather than a deed or a stressed word; marks within, too."""
        if chunk.mark not in _MAY_BE_THOUGHT:
            return False
        inner = self.conventions.inner(chunk)
        if chunk.is_stressed(inner):
            return False
        if chunk.mark == "paren" and not self.prose and not chunk.stands_alone:
            return thoughts.holds_its_thought(inner)
        if (
            languages.holds_thought(inner)
            or thoughts.narrated(inner)
            or thoughts.holds_its_thought(inner)
            or _BRACKETED.match(chunk.text)
        ):
            return True
        within = marked(inner if chunk.mark in _FLAT else chunk.text[1:], THOUGHT_WITHIN) if depth else ()
        if any(self._is_thought(part, prose=True, depth=depth - 1) for part in within):
            return True
        return self._is_unlabelled_thought(chunk, inner, prose=prose)

    def _is_unlabelled_thought(self, chunk: Chunk, inner: str, *, prose: bool) -> bool:
        if chunk.mark == "bracket":
            return False
        if chunk.mark == "block":
            return chunk.stands_alone and thoughts.is_coded(chunk.text)
        if chunk.mark == "paren":
            directs = direction(inner) is not None or TO.match(inner)
            remark = thoughts.is_remark(inner) or languages.is_remark(inner)
            alone = chunk.stands_alone or chunk.before.rstrip(" ").endswith(":")
            return alone and not directs and remark and not set_off.is_deed(inner)
        return not chunk.is_emphasis(inner) and thoughts.is_inner(inner, italic=chunk.mark in _ITALIC, prose=prose)

    def _is_set_off(self, chunk: Chunk) -> bool:
        """Whether asterisks hold no deed and no direction, but a thought that nothing calls one."""
        if chunk.mark == "block":
            quoted = chunk.stands_alone and _ITALIC_BLOCK.match(chunk.text) is not None
            return quoted and (self.prose or set_off.is_thought(chunk.text.strip("> \t*_"), among_deeds=True))
        inner = self.conventions.inner(chunk)
        if chunk.mark != "star" or chunk.text.startswith("**") or chunk.is_emphasis(inner):
            return False
        if chunk.before.rstrip(" ").endswith(":"):
            return False
        directs = direction(inner) is not None or TO.match(inner) is not None
        return not directs and set_off.is_thought(inner, among_deeds=self.among_deeds)


def _without_whispers(text: str, told: Sequence[thoughts.Span]) -> Sequence[thoughts.Span]:
    """The thoughts without the sentences among them that say how something is whispered: these are for its hearer."""
    kept: list[thoughts.Span] = []
    for start, end in told:
        at = start
        for first, last in inner_prose.sentences(text[start:end]):
            if _is_whispered(sentence := text[start + first : start + last]) and not thoughts.narrated(sentence):
                kept += [(at, start + first)] if start + first > at else []
                at = start + last
        kept += [(at, end)] if end > at else []
    return kept


def _is_whispered(sentence: str) -> bool:
    return direction(sentence) == "whisper"


def _is_unbalanced(chunk: Chunk) -> bool:
    """A quote that goes on to the end of the text, that is but a stray mark, or in which another begins."""
    if chunk.mark != "quote":
        return False
    begins, within, ends = chunk.text[0], chunk.text[1:-1], chunk.text[-1]
    return len(chunk.text) < 2 or ends not in _CLOSES[begins] or (begins in within and begins not in _APOSTROPHES)


def _runs(chunks: Sequence[Chunk]) -> Iterator[Sequence[Chunk]]:
    """Chunks in runs: what is set off in the middle of a sentence goes with the words around it."""
    run: list[Chunk] = []
    for chunk in chunks:
        if run and (chunk.is_mid_sentence if run[-1].mark == "bare" else chunk.mark == "bare"):
            run.append(chunk)
            continue
        if run:
            yield run
        run = [chunk] if chunk.mark == "bare" else []
        if not run:
            yield (chunk,)
    if run:
        yield run
