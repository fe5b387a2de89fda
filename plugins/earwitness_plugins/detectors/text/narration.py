"""Whether words without marks are narration, or said."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness.patterns import lazy_pattern

from .marks import Chunk, is_bare
from .names import opening_name

_DIALOGUE_END = lazy_pattern(r"[,.!?…—–-]\W*\Z")
_SENTENCE_END = lazy_pattern(r"(?:[.!?…*_)\]>]|\n)\s*\Z")
_APOSTROPHES = "'‘’"
_SAYS = lazy_pattern(
    r"\b(?:sa(?:id|ys?)|ask(?:s|ed)?|repl(?:y|ies|ied)|answer(?:s|ed)?|th(?:inks?|ought)|cr(?:y|ies|ied)|call(?:s|ed)?|"
    r"add(?:s|ed)?|whisper(?:s|ed)?|murmur(?:s|ed)?|mutter(?:s|ed)?|laugh(?:s|ed)?|wonder(?:s|ed)?|shout(?:s|ed)?)\b"
)
_DEED = lazy_pattern(r"\s+(?:\w+ly\s+)?(?!(?:is|was|has|does|says|plus|as|his)\b)[a-z]+(?:s|ed)\b")
_NO_WORD = lazy_pattern(r"\A\W+")


def is_prose(chunks: Sequence[Chunk], own: Sequence[str]) -> bool:
    """Whether bare text is narration: quotes stand as dialogue in it, not as words quoted within speech."""
    quotes = [chunk for chunk in chunks if chunk.mark == "quote"]
    bare = next((chunk.text for chunk in chunks if is_bare(chunk)), "")
    if not quotes or not bare:
        return False
    first = quotes[0]
    if first.text[0] in _APOSTROPHES and not _SAYS.search(first.after):
        return False
    stands_alone = not first.before.strip() or _SENTENCE_END.search(first.before)
    is_dialogue = _DIALOGUE_END.search(first.text) or first.after.lstrip()[:1] in (",", "と", "—", "–")
    return opening_name(bare, own) is not None or bool(stands_alone and is_dialogue)


def tells_of_oneself(text: str, own: Sequence[str]) -> bool:
    """Whether the text opens with a deed of the speaker's, told by name: `Alice nods and thinks of home.`."""
    opening = _NO_WORD.sub("", text)
    named = opening_name(opening, own)
    return named is not None and _DEED.match(opening, len(named)) is not None
