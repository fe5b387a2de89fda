"""Whether words without marks are narration, or said."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness.patterns import lazy_pattern

from ..acts.tokens import words_of
from ..journeys.lexicon import tells_of_movement_elsewhere
from .guards import guarded_pattern
from .marks import Chunk, is_bare
from .names import opening_name

_DIALOGUE_END = lazy_pattern(r"[,.!?…—–。-]\W*\Z")
_SENTENCE_END = lazy_pattern(r"(?:[.!?…*_)\]>]|\n)\s*\Z")
_APOSTROPHES = "'‘’"
_SAYS = lazy_pattern(
    r"\b(?:sa(?:id|ys?)|ask(?:s|ed)?|repl(?:y|ies|ied)|answer(?:s|ed)?|th(?:inks?|ought)|cr(?:y|ies|ied)|call(?:s|ed)?|"
    r"add(?:s|ed)?|whisper(?:s|ed)?|murmur(?:s|ed)?|mutter(?:s|ed)?|laugh(?:s|ed)?|wonder(?:s|ed)?|shout(?:s|ed)?)\b"
)
_DEED = lazy_pattern(
    r"\s+(?:\w+ly\s+)?(?!(?:is|was|has|does|says|plus|as|his)\b)(?:[a-z]+(?:s|ed)|had|went|took|came|stood|sat|got|put|made|ran|held|let|felt|saw|kept|gave|found|left|could)\b"
)
_SENTENCE = 3
"""As many words at least, within single quotes, are a sentence that somebody says."""
_TELLERS = frozenset({"i", "he", "she"})
_UNMARKED_TAG = lazy_pattern(
    r"[,!?…]\s+(?:(?P<who>I|he|she|[A-Z][\w'’-]+)\s+(?:say|said|tell|told|ask|asked|shout|shouted|answer|answered|whisper|whispered|reply|"
    r"replied|call|called|agreed)s?(?:\s+(?:him|her|them|both|all|back|quietly|aloud)){0,2}|(?:says?|said|asks?|asked|shouts?|answers?|answered)\s+(?:[A-Z][\w'’-]+))"
    r"(?=\s*(?:[.,;:!?…]|\Z))"
)
_VERBS = (
    r"(?:sa(?:id|ys?)|ask(?:s|ed)?|repl(?:y|ies|ied)|answer(?:s|ed)?|call(?:s|ed)?|cr(?:y|ies|ied)|whisper(?:s|ed)?|murmur(?:s|ed)?|tells?|told|"
    r"shout(?:s|ed)?|look(?:s|ed)?|turn(?:s|ed)?|nod(?:s|ded)?|sat|sits?|st(?:ood|ands?)|went|go(?:es)?|took|takes?|put|puts|smile[sd]?|laugh(?:s|ed)?)"
)
_FIRST_TELLER = guarded_pattern(
    rf"\bI\s+(?:\w+ly\s+)?{_VERBS}\b|\b(?:said|asked|answered|cried)\s+I\b|"
    r"\b(?:dis|fis|sagte|fragte)[- ](?:je|ich)\b|\bich\s+(?:sagte|fragte)\b"
)
_THIRD_TELLER = guarded_pattern(
    rf"\b(?:[Hh]e|[Ss]he)\s+(?:\w+ly\s+)?{_VERBS}\b|\b(?:said|says|asked|asks|answered|replied|cried|called|whispered|murmured)\s+(?:the\s+)?[A-Z]|"
    r"\b[A-Z][\w'’-]+\s+(?:said|says|asked|asks|answered|replied|cried|called|whispered|murmured)\b|"
    r"\b(?:sagte|sagt|fragte|fragt|rief|ruft|antwortete|dijo|preguntó|dit|demanda|fit|répondit|disse|perguntou|сказал|сказала|спросил|"
    r"спросила)\s+(?!ich\b|je\b|yo\b|eu\b)(?:er|sie|il|elle|он|она|\w+)|[他她](?:说|問|问|笑)|(?:と|って)\w{0,6}(?:言った|聞いた)"
)
_NARRATES = lazy_pattern(r"\W*(?:She|He)\s+(?:\w+ly\s+)?(?!(?:is|was|has|said)\b)[a-z]+(?:s|ed|t|d|ld)\b")
"""How narration opens that leads to what is said: `She answers him in their tongue: "…"`."""
_GOES_ON = lazy_pattern(r"\s+[^\W\d_A-Z]")
_TAG_WORDS = 3
"""A tag such as `said Bob` has no more words."""
_NO_WORD = lazy_pattern(r"\A\W+")


def is_prose(chunks: Sequence[Chunk], own: Sequence[str]) -> bool:
    """Whether bare text is narration: quotes stand as dialogue in it, not as words quoted within speech."""
    quotes = [chunk for chunk in chunks if chunk.mark == "quote"]
    bare = next((chunk.text for chunk in chunks if is_bare(chunk)), "")
    if not quotes or not bare:
        return False
    first = quotes[0]
    if (
        first.text[0] in _APOSTROPHES
        and not _is_speech(first)
        and not (_SAYS.search(first.after) or not first.before.strip())
    ):
        return opening_name(bare, own) is not None and bool(_DIALOGUE_END.search(first.text))
    stands_alone = not first.before.strip() or _SENTENCE_END.search(first.before)
    opens = not first.before.strip() and first.text[0] in "«„" and first.after.lstrip()[:1].islower()
    told = _NARRATES.match(bare) is not None and first.before.rstrip(" ")[-1:] in (":", ",")
    is_dialogue = opens or _DIALOGUE_END.search(first.text) or first.after.lstrip()[:1] in (",", "と", "—", "–")
    return opening_name(bare, own) is not None or bool((stands_alone or told) and is_dialogue)


def _is_speech(quote: Chunk) -> bool:
    """`She laughed. ‘Not today, my dear.’`: whole sentences in single quotes, behind a whole sentence."""
    words = len(quote.text.split())
    return words >= _SENTENCE and bool(_SENTENCE_END.search(quote.before) and _DIALOGUE_END.search(quote.text))


def tells_of_oneself(text: str, own: Sequence[str]) -> bool:
    """Whether the text opens with a deed of the speaker's, told by name: `Alice nods and thinks of home.`."""
    opening = _NO_WORD.sub("", text)
    named = opening_name(opening, own)
    if named is None:
        return False
    return _DEED.match(opening, len(named)) is not None or _moves_elsewhere(opening, len(named))


def _moves_elsewhere(text: str, at: int) -> bool:
    """`Clara ging hinaus`, `Clara se leva et sortit`; not `Clara, sort !`."""
    return _GOES_ON.match(text, at) is not None and tells_of_movement_elsewhere(words_of(text[at:]))


def is_in_third_person(chunks: Sequence[Chunk], own: Sequence[str]) -> bool:
    """Whether narration tells of its speaker as `he`, `she` or by name: `said Otar`, `she said`; not `I said`."""
    told = [chunk.text for chunk in chunks if chunk.mark == "bare"]
    if any(_FIRST_TELLER.search(text) for text in told):
        return False
    return any(_THIRD_TELLER.search(text) for text in told) or any(tells_of_oneself(text, own) for text in told)


def is_more_than_tag(chunk: Chunk) -> bool:
    """Whether a stretch without marks tells more than who speaks: `…, I told him, tugging my sleeve`."""
    return chunk.mark == "bare" and len(chunk.text.split()) > _TAG_WORDS


def tells_who_speaks(text: str) -> bool:
    """Whether narration tells of what somebody says or does: `said Otar`, `I nodded`."""
    return _THIRD_TELLER.search(text) is not None or _FIRST_TELLER.search(text) is not None


def is_unmarked(text: str, own: Sequence[str]) -> bool:
    """Whether a text without quotes is prose that tells what is said: `A braai, I tell her. The fool. He nods.`."""
    for tag in _UNMARKED_TAG.finditer(text):
        if tag["who"] is None or tag["who"].casefold() in _TELLERS or opening_name(tag["who"], own) is not None:
            return True
    return False
