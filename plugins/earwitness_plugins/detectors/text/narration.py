"""Whether words without marks are narration, or said."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness.patterns import lazy_pattern

from .marks import Chunk, is_bare
from .names import opening_name

_DIALOGUE_END = lazy_pattern(r"[,.!?…—–。-]\W*\Z")
_SENTENCE_END = lazy_pattern(r"(?:[.!?…*_)\]>]|\n)\s*\Z")
_APOSTROPHES = "'‘’"
_SAYS = lazy_pattern(
    r"\b(?:sa(?:id|ys?)|ask(?:s|ed)?|repl(?:y|ies|ied)|answer(?:s|ed)?|th(?:inks?|ought)|cr(?:y|ies|ied)|call(?:s|ed)?|"
    r"add(?:s|ed)?|whisper(?:s|ed)?|murmur(?:s|ed)?|mutter(?:s|ed)?|laugh(?:s|ed)?|wonder(?:s|ed)?|shout(?:s|ed)?)\b"
)
_DEED = lazy_pattern(r"\s+(?:\w+ly\s+)?(?!(?:is|was|has|does|says|plus|as|his)\b)[a-z]+(?:s|ed)\b")
_TELLERS = frozenset({"i", "he", "she"})
_UNMARKED_TAG = lazy_pattern(
    r"[,!?…]\s+(?:(?P<who>I|he|she|[A-Z][\w'’-]+)\s+(?:say|said|tell|told|ask|asked|shout|shouted|answer|answered|whisper|whispered|reply|"
    r"replied|call|called)s?(?:\s+(?:him|her|them|back|quietly|aloud))?|(?:says?|said|asks?|asked|shouts?|answers?|answered)\s+(?:[A-Z][\w'’-]+))"
    r"(?=\s*(?:[.,;:!?…]|\Z))"
)
_NO_WORD = lazy_pattern(r"\A\W+")


def is_prose(chunks: Sequence[Chunk], own: Sequence[str]) -> bool:
    """Whether bare text is narration: quotes stand as dialogue in it, not as words quoted within speech."""
    quotes = [chunk for chunk in chunks if chunk.mark == "quote"]
    bare = next((chunk.text for chunk in chunks if is_bare(chunk)), "")
    if not quotes or not bare:
        return False
    first = quotes[0]
    if first.text[0] in _APOSTROPHES and not (_SAYS.search(first.after) or not first.before.strip()):
        return opening_name(bare, own) is not None and bool(_DIALOGUE_END.search(first.text))
    stands_alone = not first.before.strip() or _SENTENCE_END.search(first.before)
    opens = not first.before.strip() and first.text[0] in "«„" and first.after.lstrip()[:1].islower()
    is_dialogue = opens or _DIALOGUE_END.search(first.text) or first.after.lstrip()[:1] in (",", "と", "—", "–")
    return opening_name(bare, own) is not None or bool(stands_alone and is_dialogue)


def tells_of_oneself(text: str, own: Sequence[str]) -> bool:
    """Whether the text opens with a deed of the speaker's, told by name: `Alice nods and thinks of home.`."""
    opening = _NO_WORD.sub("", text)
    named = opening_name(opening, own)
    return named is not None and _DEED.match(opening, len(named)) is not None


def is_unmarked(text: str, own: Sequence[str]) -> bool:
    """Whether a text without quotes is prose that tells what is said: `A braai, I tell her. The fool. He nods.`."""
    for tag in _UNMARKED_TAG.finditer(text):
        if tag["who"] is None or tag["who"].casefold() in _TELLERS or opening_name(tag["who"], own) is not None:
            return True
    return False
