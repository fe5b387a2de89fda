"""Directions that are told rather than set off: `Softly, to Bob: "…"`, `Alice whispered to Bob that …`.

And commands that stand behind something else: `"Pass the bread." /w Bob …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from earwitness.patterns import lazy_pattern
from earwitness.sentences import sentences

from .directions import FragmentKind, direction
from .marks import Chunk
from .names import opening_name
from .thought_patterns import SPEAKER_OR_HEARER

LATER_COMMAND = lazy_pattern(
    r"(?:\n\s*|(?<=[.!?…\"”*)\]])[ \t]+)(?P<command>/(?:w|whisper|msg|tell|dm|pm|think|thought)\s+\S)", re.IGNORECASE
)
"""A private command behind something else: it holds for all that follows."""
_HOLDS_SPEECH = frozenset({"quote", "star", "under", "italic"})
_WHAT = lazy_pattern(r":|\b(?:that|how|what|where|whether)\b", re.IGNORECASE)
_THIRD = lazy_pattern(
    r"[\s*_]*(?:(?:then|and|but|softly|quietly),?\s+)?(?:she|he)\s+(?:\w+ly\s+)?[a-z]+(?:s|ed|ld|t|d)\b", re.IGNORECASE
)
_OPENING_CLAUSE = lazy_pattern(r"\A[\s*_]*[^\W\d_]+ing\b[^,.!?:\n]{0,40},(?=\s)", re.IGNORECASE)
"""`Leaning in, Alice told …`."""
_SHE_OR_HE = lazy_pattern(r"\bs?he\s", re.IGNORECASE)
_TOLD = lazy_pattern(
    r"[\s,.—–-]*(?:(?:he|she|they)\s+[a-z]+|(?:\w+ly\s+)?(?:whisper|murmur|mutter|hiss)(?:s|es|ed|ing)?\s+to\b)",
    re.IGNORECASE,
)
_I_TAG = lazy_pattern(
    r"""[,!?…—–]["”»']?\s+I\s+(?:\w+ly\s+)?(?:whisper|murmur|mutter|hiss|breathe)(?:e?d)?\s+(?:[\w'’]+\s+)?(?:to|in|into|at)\s
    [^.!?\n]{1,60}[.!?…]*\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""`…, I whisper to Bob.`: how the sentence before it is said."""


def found(chunk: Chunk, chunks: Sequence[Chunk], own: Sequence[str]) -> list[tuple[FragmentKind, str]]:
    """What bare text beside speech says of how something is said, and to whom.

    Without a quote beside it, only where it tells of the speaker by name. `own` are the speaker's names.
    """
    told = list(sentences(chunk.text))
    chosen = list(_of_the_teller(told, own))
    if told and _leads(chunk, chunks):
        chosen.append(told[-1])
    if told and _goes_on(chunk, chunks) and _TOLD.match(told[0]):
        chosen.append(told[0])
    return [(kind, each) for each in dict.fromkeys(chosen) if (kind := direction(each)) in ("whisper", "aside")]


def tells(text: str, own: Sequence[str]) -> bool:
    """Whether text without marks tells what its speaker says to some alone: `Alice told Bob quietly …`."""
    folded = text.casefold()
    if " I " not in text and _SHE_OR_HE.search(text) is None and not any(name.casefold() in folded for name in own):
        return False
    return any(direction(each) in ("whisper", "aside") for each in _of_the_teller(list(sentences(text)), own))


def _of_the_teller(told: Sequence[str], own: Sequence[str]) -> Iterator[str]:
    """The sentences that tell of the speaker by name, or end in a tag; as `she` where nothing before says who speaks or
    hears."""
    spoken = False
    for each in told:
        if (
            opening_name(_OPENING_CLAUSE.sub("", each).lstrip(" *_\t\n"), own) is not None
            or _I_TAG.search(each)
            or (not spoken and _THIRD.match(each) and not SPEAKER_OR_HEARER.search(_WHAT.split(each, maxsplit=1)[0]))
        ):
            yield each
        spoken = spoken or SPEAKER_OR_HEARER.search(each) is not None


def _leads(chunk: Chunk, chunks: Sequence[Chunk]) -> bool:
    """Whether a quote follows text that ends with a colon or a comma."""
    after = next((each for each in chunks if each.start >= chunk.end), None)
    return after is not None and after.mark in _HOLDS_SPEECH and chunk.text.rstrip()[-1:] in (":", ",")


def _goes_on(chunk: Chunk, chunks: Sequence[Chunk]) -> bool:
    """Whether text goes on behind a quote."""
    before = [each for each in chunks if each.end <= chunk.start]
    return bool(before) and before[-1].mark == "quote"
