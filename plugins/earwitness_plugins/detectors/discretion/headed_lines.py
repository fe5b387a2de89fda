"""Lines that say before their text for whom alone it is, or that it is thought: `[Vex → Talia]: …`, `Ann (denkt): …`.

Chat logs, scripts and language models head lines so. What such a line holds goes on to the next head or empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from earwitness.patterns import lazy_pattern

from . import languages

_SIGNS = frozenset("[(\uff08【{*_~:\uff1a/@→>")
_OPEN = r"[\[(\uff08【{<*_]{0,3}"
_SHUT = r"[\])\uff09】}>*_]{1,3}"
_ENDS = rf"\s*(?:{_SHUT}\s*[:\uff1a]?|[:\uff1a]{_SHUT}?|[:\uff1a])"
_WHO = r"[^\n\[\](){}\uff08\uff09【】:\uff1a→*]{1,60}?"
_ARROW = r"(?:→|⇒|➜|➡|->|=>|>>)"
_SENT = r"(?:(?:dm|pm|priv(?:ate(?:ly)?|é|ado)?|(?:sends?|sent)\s+only|text|sms|message|msg|channel|chat|line)\s*)"
_HEADS = lazy_pattern(
    rf"""[ \t]*(?:
      {_OPEN} (?P<from>[^\n\[\](){{}}\uff08\uff09【】:\uff1a→>*]{{0,40}}?) \s* {_ARROW} \s* (?P<to>{_WHO}){_ENDS}
    | (?: [\[(\uff08【{{] | (?=[^\n*_]{{1,60}}[:\uff1a]) ) (?:[\w'’-]+[:,]?\s+)?? {_SENT}{{1,3}}
        (?:to|for|with|w/|an|para|pour|à|@) \s* (?P<sent>{_WHO}){_ENDS}
    | @(?P<called>[\w.'’-]+) \s* [\[(] \s* (?:dm|pm|private|priv|psst) \s* [\])] \s* [:\uff1a]?
    | [\w'’\ -]{{1,24}} [:\uff1a] \s* /(?:w|whisper|msg|tell|t|dm|pm|p) \s+ (?P<slash>[\w'’-]+) \b
    | \[ [\w'’\ -]{{1,24}}? \s+ to \s+ (?P<low>[^\])\n,]{{1,40}}) , [^\])\n]*
        \b(?:mouth\w*|whisper\w*|quiet\w*|low|signing|aside|privately|under\s+\w+\s+breath|behind\s[^\])\n]{{1,30}}\sback)\b
        [^\])\n]* \] \s* :? )""",
    re.IGNORECASE | re.VERBOSE,
)
"""`[Vex → Talia]:`, `[private to Kip + Vera]`, `DM to Dee:`, `@Ann (dm):`, `nico: /p zoe`, `[OZZIE to FERN, low]:`."""
_SAYS_SENT = lazy_pattern(rf"{_SENT}+", re.IGNORECASE)
_ALL = lazy_pattern(
    r"\b(?:all|every(?:one|body)|the\s+(?:room|group|party|table|others?|channel|rest|whole\s+\w+)|group|room|party|team|crew|"
    r"public|open|todos|todas|tous|alle|tutti)\b|всем|大家|全員|みんな",
    re.IGNORECASE,
)
_AND = lazy_pattern(r"\s*[+&/|]\s*")
_LABEL_HEAD = lazy_pattern(
    r"""[ \t]*(?:[>\#•-][ \t]*)? (?:
        (?:[\w'’\ -]{1,24}[:>]\s*)? (?: [\[{\uff08【] | \(\( | \*{2,3}[\[(]? )
          (?P<label>[^\n\[\]{}\uff08\uff09【】*:]{1,60}?) [:\uff1a]?
          (?: [\]}\uff09】] | \)\) ){0,2} \*{0,3} (?<=[\]}\uff09】)*]) \s* [:\uff1a]?
      | (?P<star>[*_]) (?P<log>[^\n*_]{1,60}) (?P=star) \s
      | (?P<name>(?=\w)[^\n:\uff1a"“«!?]{1,40}?) [:\uff1a] )""",
    re.VERBOSE,
)
"""What may be a label: between brackets or in bold, between asterisks, or before a colon."""
_SAYS_THOUGHT = lazy_pattern(
    r"""\b(?:inner|internal|mental)(?=\W*\Z|\W+(?:voice|thought|monolog|dialog|speech|note|log|state|reaction)|\s+self\b)
    | \b(?:internally|inwardly|mentally|thoughts?|monologue|reasoning|scratchpad|v\.\s?o\.?|voice[- ]?over)(?!\w)
    | \b(?:thinking|thinks)\W*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_LOG = lazy_pattern(
    r"""\W*[\w'’\ ]{0,24}
        \b(?:(?:private|personal|secret|encrypted)\s+(?:log|journal|diary|notes?|entry)|note\s+to\s+self)\b
    | (?:internally|inwardly|mentally)\s+\w+ing\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMES_UNSAID = lazy_pattern(
    r"""(?:.*\b(?:does|do|did)(?:n['’]?t|\s+not)\s+(?:\w+\s+)?say
    | what\s+(?:s?he|[\w'’-]+)\s+(?:really\s+|actually\s+)?(?:thinks?|thought|means?|meant|wants?\s+to\s+say|feels?)
    | [\w'’-]+['’]s\s+(?:brain|mind|head|heart|conscience|gut|inner\s+\w+)
    | (?:[\w'’-]+\s+)?(?:log|journal|diary|notes?)\b.*\b(?:private|personal|secret|encrypted|eyes\s+only)
    | [^\n:(\uff08]{1,24}[(\uff08](?:v\.?\s?o\.?|inner(?:\s+\w+)?|internal(?:ly)?)[)\uff09])\W*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""Before a colon: `he doesnt say: …`, `what Ann thinks: …`, `Ann's brain: …`, `ANN (V.O.): …`."""
_BRACKET = lazy_pattern(r"[(\uff08]")
_NO_THOUGHT = lazy_pattern(r"\b(?:aloud|out\s+loud|reads?|says?\W*\Z|sound|peace|strength)\b", re.IGNORECASE)
_VOICE_OVER = lazy_pattern(
    r"[ \t]*[\w'’ -]{1,24}[(\uff08](?:v\.?\s?o\.?|inner\s+\w+|thinking|thoughts?)[)\uff09]\s*\Z", re.IGNORECASE
)
"""A line of a script above what its speaker thinks: `ANN (V.O.)`."""
_SIGNED = lazy_pattern(
    r"\W*[(\[](?:(?:inner|internal|private)\s+)?(?:thoughts?|thinking|monologue)\b[^()\[\]\n]{0,40}[)\]]\W*\Z",
    re.IGNORECASE,
)
"""A last line that says of all before it that it is thought."""
_NOTE = lazy_pattern(r"\W*(?:(?:mental\s+)?note\s+to\s+self|dear\s+diary)\b", re.IGNORECASE)
_NEXT = lazy_pattern(r"[ \t]*(?:\Z|\n|[\[(\uff08【{<@*_/\"“«„「]|[\w'’ -]{1,24}[:>\uff1a])")
"""How a line begins in which what the one before it said does not go on."""
_NAME = 40
"""A name before a colon has no more letters."""
_LONGEST = 400
"""A label and what follows it on its line are looked at up to so many letters."""
_WORDS = 8
"""A label has no more words."""


@dataclass(frozen=True, slots=True)
class HeadedBlock:
    """Lines that are perceived in one way."""

    start: int
    """Offset of its first character."""
    end: int
    """Offset behind its last character."""
    kind: Literal["whisper", "thought"] | None
    """`None`: nothing is said of it."""
    to: str = ""
    """Whom a whisper is for, as it is written."""
    labelled: bool = False
    """Whether it begins with the name of its speaker."""


def blocks(text: str, own: Sequence[str]) -> list[HeadedBlock]:
    """The text in blocks; none where no line has a head of its own. `own` are the speaker's names."""
    if _SIGNS.isdisjoint(text) and not _NOTE.match(text):
        return []
    if (last := text.rstrip().rfind("\n")) > 0 and _SIGNED.match(text, last):
        return [HeadedBlock(0, len(text), "thought")]
    names = frozenset(name.casefold() for name in own)
    found: list[HeadedBlock] = []
    for start, end in _lines(text):
        block = _block(text, start, end, names)
        before = found[-1] if found else None
        if block is None and before is not None and _goes_on(text, before, text[start:end], names):
            found[-1] = replace(before, end=end)
        else:
            found.append(block or HeadedBlock(start, end, None, labelled=_is_of_speaker(text[start:end], names)))
    labelled = sum(each.labelled for each in found)
    return found if labelled > 1 or any(each.kind for each in found) else []


def _block(text: str, start: int, end: int, own: frozenset[str]) -> HeadedBlock | None:
    """What a line begins with its head; `None` where it has none."""
    line = text[start:end]
    if (to := _told(line, own)) is not None:
        return HeadedBlock(start, end, "whisper", to)
    return HeadedBlock(start, end, "thought") if _NOTE.match(line) or _label(line) is not None else None


def _goes_on(text: str, before: HeadedBlock, line: str, own: frozenset[str]) -> bool:
    """Whether a line without a head belongs to what stands before it."""
    if before.kind is None:
        return not _is_of_speaker(line, own)
    head = text[before.start : min(before.end, before.start + _LONGEST)]
    behind = _label(head) if before.kind == "thought" else None
    if behind is not None and not behind.strip():
        return True  # a mere label, whose text follows
    return _NEXT.match(line) is None


def _is_of_speaker(line: str, own: frozenset[str]) -> bool:
    """Whether a line begins with the speaker's name, as each does in a script or a log."""
    name, mark, _ = line[:_NAME].partition(":")
    return mark != "" and name.strip(" \t*_[]").casefold() in own


def _told(line: str, own: frozenset[str]) -> str | None:
    """Whom a line is for, by its head; `None` where it does not say so, or is for everybody."""
    found = _HEADS.match(line)
    if found is None:
        return None
    to = next(found[name] for name in ("to", "sent", "called", "slash", "low") if found[name])
    by = (found["from"] or "").strip("@ ").casefold()
    is_own = not by or by in own or _SAYS_SENT.fullmatch(by) is not None
    return _AND.sub(", ", to) if is_own and not _ALL.search(to) and to.casefold() not in own else None


def _label(line: str) -> str | None:
    """What stands behind a label that says that it is thought; `None` without one."""
    if _VOICE_OVER.match(line):
        return ""
    head = _LABEL_HEAD.match(line)
    if head is None:
        return None
    words = head["label"] or head["log"] or head["name"]
    if len(words.split()) > _WORDS or (not head["name"] and _NO_THOUGHT.search(words)):
        return None
    if head["label"]:
        tells = bool(_SAYS_THOUGHT.search(words) or _LOG.match(words)) or languages.tells_thought(words)
    elif head["log"]:
        tells = _LOG.match(words) is not None
    else:
        tells = bool(_NAMES_UNSAID.match(words) or (_BRACKET.search(words) and languages.tells_thought(words)))
    return line[head.end() :] if tells else None


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        yield at, end
        at = end
