"""What is written rather than said: a note passed to somebody, a text message, a sign held up to one of them.

Everybody sees it passed, but only whom it is passed to can read it. What nobody is known to read stays with the writer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from earwitness.patterns import lazy_pattern

from .manners import WRITES
from .marks import Chunk
from .names import Names, lists
from .stems import holds_any

_MAY_TELL = frozenset({"star", "under", "italic", "paren"})
_NEAR = 240
"""So many characters before what is written are looked at for who gets it."""
_STEMS = (
    *("note", "letter", "text", "messag", "card", "telegram", "memo", "mail", "paper", "parchment", "scroll", "napkin"),
    *("screen", "phone", "display", "page", "photo", "sign", "placard", "writ", "wrote", "dm", "type", "typing"),
)
_DOCUMENT = (
    r"(?:notes?|letters?|(?:text\s+)?messages?|texts?|(?:post)?cards?|telegrams?|memos?|e-?mails?|dms?|papers?|parchments?|"
    r"scrolls?|napkins?|signs?|placards?|screen|phone|display|photos?|photographs?|pages?)"
)
_GIVES = (
    r"(?:pass(?:es|ed|ing)?|hand(?:s|ed|ing)?|slip(?:s|ped|ping)?|slid(?:es?|ing)?|shov(?:es?|ed|ing)|"
    r"show(?:s|ed|n|ing)?|send(?:s|ing)?|sent|giv(?:es?|en|ing)|gave|push(?:es|ed|ing)?|press(?:es|ed|ing)?|"
    r"toss(?:es|ed|ing)?|throw(?:s|ing)?|threw|flick(?:s|ed|ing)?|hold(?:s|ing)?|held|flash(?:es|ed|ing)?|"
    r"tuck(?:s|ed|ing)?|deliver(?:s|ed|ing)?|drop(?:s|ped|ping)?|leav(?:es?|ing)|left)"
)
_SENDS = (
    r"(?:(?<!\bthe\s)(?<!\bher\s)(?<!\bhis\s)(?<!\bmy\s)(?<!\bof\s)(?:texts|texted|texting|messages|messaged|messaging|"
    r"dms|dmed|e?mails|e?mailed|e?mailing|(?<=\bI\s)(?:text|message|dm|e?mail))|(?:writes|wrote|writing|types|typed|typing)\s+(?:back\s+)?to)"
)
_A = r"(?:an?|the|his|her|their|its|my|this|that|another|one|some)"
_IT = rf"(?:it|this|them|(?:{_A}\s+)?(?:[\w-]+\s+){{0,4}}?{_DOCUMENT})"
_ON = r"(?:(?!(?:and|then|but|while|to|into)\b)[\w'’-]+,?\s+){0,6}?"
_TO = r"(?:to|into|for|towards?|in(?=\s+[\w'’-]{1,40}['’]s?\s))"
_SOMEBODY = rf"(?=(?:[\w'’-]+,?\s+){{1,4}}?{_A}\s+(?:[\w-]+\s+){{0,2}}?{_DOCUMENT}\b)"
_FLAGS = re.IGNORECASE | re.VERBOSE
_GIVEN = lazy_pattern(
    rf"\b{_GIVES}\s+(?:up\s+|over\s+)?{_IT}\s+{_ON}{_TO}\s+|\b{_GIVES}\s+(?:to\s+)?{_SOMEBODY}|\b{_SENDS}\s+",
    re.IGNORECASE,
)
_WRITTEN = lazy_pattern(rf"\b{WRITES}\s+(?:{_IT}\s+{_ON}(?:to|for)\s+|{_SOMEBODY})", re.IGNORECASE)
_TELLS = lazy_pattern(
    rf"\b(?:reads?|opens?|unfolds?|checks?|scrolls?)\b.*\b{_DOCUMENT}\b|"
    rf"\b(?:{_GIVES}|{WRITES})\b.*\b{_DOCUMENT}\b|\b{_DOCUMENT}\b.*\b(?:{_GIVES}|{WRITES})\b|\b{_SENDS}\s",
    re.IGNORECASE | re.DOTALL,
)
_OPEN = lazy_pattern(
    rf"\b(?:aloud|out\s+loud)\b|\b(?:to|for|with|{_GIVES})\s+(?:all(?!\s+(?:of|the|his|her|their)\b)|every(?:one|body)|the\s+(?:room|group|others|crowd|"
    r"whole|rest|company|party))\b",
    re.IGNORECASE,
)
_READS = (
    r"(?:read(?:s|ing)?|say(?:s|ing)?|said|tell(?:s|ing)|warn(?:s|ing)|ask(?:s|ing)|with\s+the\s+words?|in\s+which)"
)
_BEGINS = lazy_pattern(
    rf""": | \b{_DOCUMENT} (?:\s+(?:to|for)\s+[\w'’-]{{1,40}})?
        (?: \s+ (?:that\s+|which\s+)? {_READS}\b [:,]? | ,? (?=\s*["“«„]) )""",
    _FLAGS,
)
_SAYS = lazy_pattern(
    r"""(?<!\bthat\s)(?<!\bwhich\s)(?<!\bit\s) \b
    (?<!\bnote\s)(?<!\bletter\s)(?<!\bmessage\s)(?<!\btext\s)(?<!\bsign\s)
    (?:says?|said|saying|asks?|asked|asking|adds?|added|adding|calls?|called|calling|cr(?:y|ies|ied|ying)|
    shout(?:s|ed|ing)?|repl(?:y|ies|ied|ying)|answer(?:s|ed|ing)?|announc(?:es?|ed|ing)|whisper(?:s|ed|ing)?|
    murmur(?:s|ed|ing)?|mutter(?:s|ed|ing)?)\b [\w\s'’]{0,30} \Z""",
    _FLAGS,
)
_OPENS = lazy_pattern(r"""["“«„]""")
_SHUTS = '"”»“'
_FEW = 12
"""So many places in one deed are tried where what is written may begin."""
_ENDS = lazy_pattern(rf"(?::|\b{_READS}),?[\s*_)]*\Z", re.IGNORECASE)
_SENT = lazy_pattern(rf"\b{_SENDS}\s+[\w'’-]+(?:\s+[\w'’-]+){{0,3}}[.…]?[\s*_)]*\Z", re.IGNORECASE)
_SENT_TO = lazy_pattern(rf"\b{_SENDS}\s", re.IGNORECASE)
_ANY_GIVING = lazy_pattern(rf"\b{_GIVES}\b", re.IGNORECASE)
_OF_OURS = lazy_pattern(r"\b(?:me|us|you)\b", re.IGNORECASE)
_OPENS_LETTER = lazy_pattern(
    rf"[\W_]*(?:\w+\s+){{0,2}}?(?:reads?|opens?|unfolds?|unseals?|tears?\s+open)\s+(?:it|{_A}\s+(?:[\w-]+\s+){{0,2}}?(?:note|letter|card|telegram|envelope|e?mail|message|"
    r"text|scroll)s?)\b(?![^.]*\b(?:aloud|to\s+(?:all|every\w+|the)))[^.!?:\n]{0,30}[.:]?[\s*_)]*\Z",
    re.IGNORECASE,
)
_IT_SAYS = lazy_pattern(
    r"\s*,?\s*(?:it|(?:the|this|that|her|his|their)\s+(?:note|paper|letter|message|card|text|slip))\s+(?:said|says|reads?)\b",
    re.IGNORECASE,
)
"""Behind what is read on a paper that has been passed: `"Run," it said.`"""
_COMES = lazy_pattern(
    r"['’]s?\s+(?:text|message|reply|answer|dm|note|e-?mail)s?\b[^.!?\n]{0,40}\b(?:lit|lights|came|comes|arriv|pop|buzz|appear|flash|ping)"
    r"\w*\b[^.!?\n]*[.:]\s*\Z",
    re.IGNORECASE,
)
"""`Bob's message lit up her screen.`: what it says follows."""
_CLOSES = " \t\n*_)"
_DETERMINER = lazy_pattern(
    r"[\W_]*(?:(?:the|his|her|their|my|old|young|dear|good|poor|sir|lord|lady)\s+){0,2}\Z", re.IGNORECASE
)
_HIS_HAND = lazy_pattern(
    r"['’]s?\s+(?:\w+\s+){0,2}?(?:hands?|palms?|fingers|fist|pocket|sleeve|lap|bag|coat|phone|direction|way|side)\b",
    re.IGNORECASE,
)


def apart(chunks: Sequence[Chunk], is_open: Callable[[Chunk], bool]) -> Iterator[Chunk]:
    """The chunks, with what is written for somebody set apart as `written`, and the words that tell of it before it.

    `is_open` says whether everybody perceives a chunk as it stands: what is private already stays as it is.
    """
    if not any(_may_tell(chunk.text) for chunk in chunks):
        yield from chunks
        return
    before: Chunk | None = None
    passed: Chunk | None = None
    for chunk in chunks:
        if chunk.mark == "quote" and before is None and passed is not None and _IT_SAYS.match(chunk.after):
            before = passed
        if before is not None and (chunk.mark == "quote" or _is_written_bare(chunk, before)):
            yield replace(chunk, mark="written", before=before.text[-_NEAR:])
            before = None
            continue
        yield from _within(chunk) if chunk.mark in _MAY_TELL and is_open(chunk) else (chunk,)
        before = chunk if _is_followed(chunk) and (chunk.mark == "bare" or is_open(chunk)) else None
        if chunk.mark != "quote":
            passed = chunk if chunk.mark in ("bare", "secret") and _may_tell(chunk.text[-_NEAR:]) else None


def _is_written_bare(chunk: Chunk, before: Chunk) -> bool:
    """Words without marks are written behind `*slips Bob a note:*`; behind `*reads a letter*` they are said."""
    return chunk.mark == "bare" and before.mark != "bare" and not _OPENS_LETTER.match(before.text)


def written(text: str) -> tuple[int, int] | None:
    """Where in a deed what is written begins and ends; `None` if nothing is, or if it is for everybody."""
    if not _may_tell(text):
        return None
    for begins in islice(_BEGINS.finditer(text), _FEW):
        if _is_head(text[max(0, begins.end() - _NEAR) : begins.end()].rstrip(" :,")):
            return _content(text, begins.end())
    return None


def _content(text: str, at: int) -> tuple[int, int] | None:
    """What stands between the first quotation mark and the last; without any, everything."""
    opens = _OPENS.search(text, at)
    shuts = max(text.rfind(mark) for mark in _SHUTS) + 1
    span = (opens.start(), shuts) if opens and shuts > opens.end() else (at, len(text.rstrip(_CLOSES)))
    return span if span[0] < span[1] else None


def readers(head: str, names: Names) -> tuple[str, ...]:
    """Ids of those who get what is written, by the words that stand before it; nobody where that is not sure."""
    given = [each.end() for each in _GIVEN.finditer(head)]
    if not given and not _ANY_GIVING.search(head):
        given = [each.end() for each in islice(_WRITTEN.finditer(head), 1)]
    found = lists(head, names.find(head)) if given else ()
    for end in given:
        for group in found:
            if group[0].start >= end and _DETERMINER.match(head[end : group[0].start]):
                last = group[-1]
                gets = not last.possessive or _HIS_HAND.match(head, last.end)
                return tuple(dict.fromkeys(mention.id for mention in group)) if gets else ()
    return ()


def _may_tell(text: str) -> bool:
    return holds_any(text, _STEMS)


def _is_head(head: str) -> bool:
    """Whether these words tell that something is written for somebody, and not said."""
    near = head[-_NEAR:]
    if not _TELLS.search(near) or _OPEN.search(near):
        return False
    return not _SAYS.search(near) or _SENT_TO.search(near) is not None


def _within(chunk: Chunk) -> Iterator[Chunk]:
    """`*slips Bob a note: "Run." and winks*` in three."""
    found = written(chunk.text)
    if found is None:
        yield chunk
        return
    start, end = found
    head, note, rest = chunk.text[:start], chunk.text[start:end], chunk.text[end:]
    yield replace(chunk, text=head, before="", after="")
    yield Chunk("written", note, chunk.start + start, before=head[-_NEAR:])
    if rest:
        yield replace(chunk, text=rest, start=chunk.start + end, before="", after="")


def _is_followed(chunk: Chunk) -> bool:
    """Whether what is written follows: `*slips Bob a note:*`, `*texts Bob*`, `*opens the letter*`."""
    if chunk.mark != "bare" and not chunk.thought and _OPENS_LETTER.match(chunk.text) and not _OPEN.search(chunk.text):
        return not _SAYS.search(chunk.text.rstrip(_CLOSES))
    if chunk.thought or (chunk.mark != "bare" and chunk.mark not in _MAY_TELL) or not _may_tell(chunk.text[-_NEAR:]):
        return False
    near = chunk.text[-_NEAR:]
    if chunk.mark == "bare" and _COMES.search(near):
        return True
    if chunk.mark == "bare" and (_OF_OURS.search(near) or not _GIVEN.search(near)):
        return False
    if chunk.mark != "bare" and _SENT.search(near):
        return not _OPEN.search(near)
    return bool(_ENDS.search(near)) and _is_head(near.rstrip(_CLOSES + ":,"))
