"""The text formats of memories and queries, and the escaping that keeps a message from forging them.

A message is data. A line that could pass for one of our headings, or for the start of a message, gets a backslash in
front (Markdown's own escape). A placeholder gets a backslash inside. The text stays readable, and the escaping can be
undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from .invisible import IN_LINE
from .patterns import lazy_pattern
from .records.state import day_text

CURRENT_TIME = "###Current time###"
MESSAGE = "###Message###"
RECENT = "###Recent messages###"
KNOWLEDGE = "###Newly discovered world knowledge###"
PLACEHOLDERS = ("###SUPERMEMORY###", "###SUPERMEORY###")
BLOCK_OPEN = "<earwitness-memories>"
BLOCK_CLOSE = "</earwitness-memories>"

_LINE_BREAKS = lazy_pattern(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNUSUAL_BREAKS = frozenset("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
# What may stand before a heading without hiding it: what nobody sees, and Markdown's marks of a list or quote.
_MARKS = r">*+\-_~|`•‣"
_NUMBER = r"[(\[]?+(?:\d{1,9}|[a-z])[.)\]]"
_LEAD = rf"(?:[{IN_LINE}{_MARKS}]|{_NUMBER})*+"
_ESCAPED_LEAD = rf"(?:[{IN_LINE}{_MARKS}\\]|{_NUMBER})*+"
_GAP = rf"[{IN_LINE}\n]*+"
_OURS = rf"(?:\#[{IN_LINE}]*+\#|(?:message|game{_GAP}day){_GAP}:|what are the relevant memories)"
_FORGERY = lazy_pattern(rf"(?im)^(?={_ESCAPED_LEAD}{_OURS})")
_FORGERY_STEMS = ("message", "game", "what are the")
"""Without one of them, folded, or a `#`, there is no forgery, and the pattern need not be tried at every line."""
_PLACEHOLDER = lazy_pattern(r"(?i)(?<=###)(?=\\*\s*SUPERMEM?ORY\s*###)")
_ESCAPED = lazy_pattern(rf"(?im)^\\(?={_ESCAPED_LEAD}{_OURS})")
_ESCAPED_PLACEHOLDER = lazy_pattern(r"(?i)(?<=###)\\(?=\\*\s*SUPERMEM?ORY\s*###)")
# As above, unless it is escaped already. A line of knowledge may begin by quoting one message of the world.
_BARE_FORGERY = lazy_pattern(rf"(?m)^(?!\AMessage: )(?i:(?={_LEAD}{_OURS}))")
_DAY = lazy_pattern(r"-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?")
_ON_DAY = " GameDay: "
_BARE_PLACEHOLDER = lazy_pattern(r"(?i)(?<=###)(?=\s*SUPERMEM?ORY\s*###)")
_BLOCK = lazy_pattern(r"(?is)<\s*earwitness-memories\s*>.*?(?:<\s*/\s*earwitness-memories\s*>|\Z)")
_BLOCK_TAG = lazy_pattern(r"(?i)<(?=\s*+/?\s*+earwitness-memories\s*+>)")
_REASONING_NAME = (
    r"(?:think(?:s|ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis|rationale|deliberation|planning|"
    r"cot(?:[-_]\w+)?|(?:think(?:ing)?|thought|reasoning)[-_ ]?(?:process|content|blocks?|steps?|trace)|"
    r"(?:chain|train)[-_ ]of[-_ ]thoughts?|"
    r"(?:inner|internal)[-_ ](?:monologue|thoughts?|voice|dialogue|reasoning))"
)
_REASONING_STEMS = (
    "think",
    "thought",
    "reason",
    "reflection",
    "scratchpad",
    "analysis",
    "rationale",
    "deliberation",
    "cot",
    "monologue",
    "planning",
    "inner",
    "internal",
    "unused9",
    "channel",
)
_REASONING_MARKS = ("<", "&", "◁", "[/", "[end_")
_ROUNDS = 8  # removing a tag may join the text around it to another tag
# `<think>`, `</ Thinking >`, `&lt;think&gt;`, `<seed:think time="3">`, `<antThinking>`, `◁/think▷`, `[/THINK]`,
# `<|begin_of_thought|>`, `<|END_THINKING|>`, `<|inner_prefix|>`, the channels of gpt-oss and Gemma, and what Command
# and MedGemma write.
_REASONING = lazy_pattern(
    rf"""(?xi)
      (?:<|&lt;|◁) \s*+[|\uff5c]?\s*+ (?P<ends>/)?\s*+ (?:begin_of_ | (?P<stops>end_(?:of_)?) | \w+[:_-] | ant)?
        {_REASONING_NAME} (?=[\s/>|\uff5c&▷])
        (?P<attributes> (?: "[^"]*" | '[^']*' | &(?![gl]t;) | [^<>"'&◁▷] )*+ ) (?:>|&gt;|▷)
    | (?P<square>\[) \s*+(?:(?P<square_ends>/ | end_) | begin_ | start_)?\s*+ {_REASONING_NAME} \s*+\]
    | <\|channel\|> \s* (?:(?P<final>final) | analysis | commentary) [^<]* <\|message\|>
    | <\|inner_(?:prefix|(?P<suffix>suffix))\|> | <unused9(?:4|(?P<unused>5))> | <\|channel> | (?P<channel><channel\|>)
    | (?P<around><\|(?:START|END)_(?:RESPONSE|TEXT)\|>)
    """
)

# How front ends fold it away: `<details type="reasoning">`, `<details><summary>💭 Thought for 5 seconds</summary>`.
_FOLDED_REASONING = lazy_pattern(
    r"""(?xis)
    <details\b (?: [^<>]{0,400} \b (?:type|class) \s*=\s* ["']? (?:reasoning|thinking)\b [^<>]{0,400} >
                | [^<>]{0,400} > \s* <summary> (?: [^\w<] | <[^<>]{0,40}> ){0,20}+
                  (?:thoughts? | think(?:s|ing)? | reason(?:s|ing|ed)?)\b )
    .*? (?: </details\s*> | \Z )
    """
)

# The channels of gpt-oss, of which a server has taken out the marks.
_UNMARKED_CHANNELS = lazy_pattern(r"(?s)\A\s*(?:assistant)?analysis.*assistantfinal\s*")

# As a program prints it on a terminal.
_PRINTED_REASONING = lazy_pattern(r"(?s)\A\s*Thinking\.\.\.[ \t]*\n.*?\n[ \t]*\.\.\.done thinking\.\s*")

# As a block of Markdown: "```thinking" up to the next "```" that opens no other block.
_FENCE_NAME = (
    r"(?:think(?:ing)?|thoughts?|reasoning|scratchpad|cot|chain[-_ ]of[-_ ]thoughts?|"
    r"(?:inner|internal)[-_ ](?:monologue|thoughts?))"
)
_FENCED_REASONING = lazy_pattern(
    rf"""(?xis)
    (?P<fence> `{{3,16}}+ | ~{{3,16}}+ ) (?: {_FENCE_NAME} (?=[\s:]) | [ \t]++ {_FENCE_NAME} [ \t:]*+ (?=\n) )
    .*? (?: (?P=fence) [`~]*+ (?! \w[\w+\#.-]{{0,20}}+ [ \t]*+ \n ) | \Z )
    """
)


def strip_block(text: str) -> str:
    """Remove every block of memories that Earwitness injected, so that it never comes back as a new fact."""
    if BLOCK_OPEN[1:-1] not in text.casefold():
        return text
    # Removing a block may join the text around it to another block's tag.
    return harmless_block(_BLOCK.sub("", text)).strip()


def strip_reasoning(text: str) -> str:
    """Remove a model's reasoning from the text: `<think>…</think>` and similar tags, in any letter case.

    So are blocks of Markdown that call themselves so, as "```thinking". Other blocks stay.
    A tag that is never closed reaches to the end of the text, unless it holds other words, as in `<thinks about it>`.
    One that was never opened reaches back to the beginning.
    `[think]` counts only together with a `[/think]`, because `[thinking] …` is a character's thought in role play.
    """
    if "<details" in text.casefold():
        text = _FOLDED_REASONING.sub("", text).strip()
    if "assistantfinal" in text:
        text = _UNMARKED_CHANNELS.sub("", text)
    if "...done thinking." in text:
        text = _PRINTED_REASONING.sub("", text)
    if "```" in text or "~~~" in text:
        text = _FENCED_REASONING.sub("", text).strip()
    for _ in range(_ROUNDS):
        if (left := _without_reasoning(text)) is None:
            return text
        text = left
    return text


def as_said(text: str) -> str:
    """The text of a message without our own block of memories and without a model's reasoning."""
    return strip_reasoning(strip_block(text))


def harmless(text: str) -> str:
    """Escape, with a backslash, every line that could pass for a heading or a message, and every placeholder."""
    unified = text if _UNUSUAL_BREAKS.isdisjoint(text) else _LINE_BREAKS.sub("\n", text)
    folded = unified.casefold()
    if "#" not in folded and not any(stem in folded for stem in _FORGERY_STEMS):
        return unified
    return _PLACEHOLDER.sub(r"\\", _FORGERY.sub(r"\\", unified))


def as_written(text: str) -> str:
    """Undo `harmless`, except for line breaks."""
    return _ESCAPED_PLACEHOLDER.sub("", _ESCAPED.sub("", text))


def message_text_of(memory: str) -> str:
    """The message text in a memory, as it was said; `""` if the memory is not a message."""
    parts = parts_of(memory)
    return as_written(parts.text) if parts.tail else ""


def holds_placeholder(text: str) -> bool:
    """Whether the text contains a placeholder that would be filled in a prompt."""
    return any(placeholder in text for placeholder in PLACEHOLDERS)


def harmless_block(text: str) -> str:
    """Escape everything in the text that would open or close our block of memories."""
    return _BLOCK_TAG.sub("&lt;", text)


@lru_cache(maxsize=16, typed=True)  # the same line is asked for by everyone who hears the message
def message_line(name: str, content: str, day: float) -> str:
    """`Message: {char_name}: {content} GameDay: {game_day}`."""
    return f"Message: {_stored_name(name)}: {harmless(content)} GameDay: {day_text(day)}"


def update_line(description: str, day: float) -> str:
    """`{description}. GameDay: {game_day}`."""
    return f"{harmless(description).rstrip().removesuffix('.')}. GameDay: {day_text(day)}"


@lru_cache(maxsize=16, typed=True)
def character_memory(name: str, content: str, said: float, now: float) -> str:
    """A character's memory of a message, without the knowledge section."""
    return f"{CURRENT_TIME}\nGame Day: {day_text(now)}\n\n{MESSAGE}\n{message_line(name, content, said)}"


def with_knowledge(body: str, lines: Iterable[str]) -> str:
    """Add the knowledge section to a memory. Without knowledge, the memory is returned as it is."""
    known = [sealed for line in lines if (sealed := _sealed(strip_block(line))).strip()]
    return "\n".join([f"{body}\n\n{KNOWLEDGE}", *known]) if known else body


def only_knowledge(content: str) -> str | None:
    """A memory without its message: the time and the knowledge section. `None` if it has no knowledge section."""
    body, found, known = content.rpartition(f"\n\n{KNOWLEDGE}\n")
    return f"{body.partition(f'{MESSAGE}')[0]}{KNOWLEDGE}\n{known}" if found else None


class MemoryParts(NamedTuple):
    """The parts of a stored memory: `head + text + tail`, and the lines below the heading of the knowledge section."""

    head: str
    """Time and headings, down to the name of whoever said it; `""` for a memory that is not a message."""
    text: str
    """What was said; the whole content of a memory that is not a message; `""` if there is only knowledge."""
    tail: str
    """` GameDay: {game_day}` after a message."""
    knowledge: tuple[str, ...] = ()
    """The lines of the knowledge section."""

    @property
    def name(self) -> str | None:
        """Name of the speaker; `None` for a memory that is not a message."""
        return self.head[_name_begins(self.head) :].removesuffix(": ") if self.tail else None

    @property
    def content(self) -> str:
        """The parts put together again."""
        known = "\n".join([f"\n\n{KNOWLEDGE}", *self.knowledge]) if self.knowledge else ""
        return f"{self.head}{self.text}{self.tail}{known}"


def parts_of(content: str, *speaker: str) -> MemoryParts:
    """The parts of a memory as a character or the world has it stored. `speaker` are names that it may have been said
    under, if known: one may hold a colon in stories of older versions."""
    body, separator, known = content.rpartition(f"\n\n{KNOWLEDGE}\n")
    body, knowledge = (body, tuple(known.split("\n"))) if separator else (content, ())
    begin, end = _name_begins(body), body.rfind(_ON_DAY)
    if begin < 0 or end < begin or not _DAY.fullmatch(body, end + len(_ON_DAY)):
        return MemoryParts(body, "", "", knowledge) if separator else MemoryParts("", content, "")
    name, _, _ = said_by(body[begin:end], *speaker)
    named = begin + len(name) if body.startswith(": ", begin + len(name)) else -1
    text = begin if named < 0 else named + len(": ")
    return MemoryParts(body[:text], body[text:end], body[end:], knowledge)


def said_by(line: str, *speaker: str) -> tuple[str, str, str]:
    """`{char_name}: {content}` as name, separator and content. It was said under one of these names, as far as known;
    the separator is `""` if there is no name."""
    known = [each for each in map(_stored_name, speaker) if each and line.startswith(f"{each}: ")]
    if name := max(known, key=len, default=""):
        return name, ": ", line[len(name) + len(": ") :]
    return line.partition(": ")


def _name_begins(body: str) -> int:
    """Where the name of the speaker begins in a stored message; -1 if it is none."""
    if body.startswith("Message: "):
        return len("Message: ")
    below = f"\n\n{MESSAGE}\nMessage: "
    found = body.find(below) if body.startswith(f"{CURRENT_TIME}\n") else -1
    return found + len(below) if found >= 0 else -1


def day_of(line: str) -> tuple[str, float | None]:
    """A line of knowledge without the `GameDay: {game_day}` at its end; and that day, if it has one."""
    text, found, day = line.rpartition(_ON_DAY)
    return (text, float(day)) if found and _DAY.fullmatch(day) else (line, None)


def recall_query(day: float, recent: Iterable[str], name: str) -> str:
    """The recall query of a turn. `recent` are message lines, oldest first. Without any, their section is omitted."""
    lines = list(recent)
    said = "\n".join([RECENT, *lines, "", ""]) if lines else ""
    return (
        f"{CURRENT_TIME}\nGame Day: {day_text(day)}\n\n{said}"
        "What are the relevant memories that are not in the recent three messages "
        f"to construct {_one_line(name)}'s message?"
    )


def camel(name: str) -> str:
    """`game_day` → `gameDay`. A name without underscores is unchanged."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest) if head else name


def snake(name: str) -> str:
    """`gameDay` → `game_day`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def is_game_day(name: str) -> bool:
    """Whether a key is the host's name for the game day: `game_day` or `game_time`, in snake, camel or Pascal case."""
    return snake(name) in {"game_day", "game_time"}


def metadata_key(name: str) -> str:
    """The key under which metadata is stored: camelCase, and `gameDay` for all names of the game day."""
    return "gameDay" if is_game_day(name) else camel(name)


def _without_reasoning(text: str) -> str | None:
    """The text outside the tags; `None` if there are no tags."""
    folded = text.casefold()
    if not any(mark in folded for mark in _REASONING_MARKS):
        return None
    if not any(stem in folded for stem in _REASONING_STEMS):
        return None
    tags = list(_REASONING.finditer(text))
    if not any(tag["square_ends"] for tag in tags):
        tags = [tag for tag in tags if not tag["square"]]
    last_end = max((tag.start() for tag in tags if _ends(tag)), default=-1)
    tags = [tag for tag in tags if tag.start() < last_end or not _is_prose(tag)]
    if not tags:
        return None
    kept: list[str] = []
    depth, after = 0, 0  # `after` is where text that may be kept continues
    for tag, is_empty in ((tag, _is_empty(tag)) for tag in tags):
        if is_empty and depth:
            continue
        if is_empty or not _ends(tag):
            kept += [] if depth else [text[after : tag.start()]]
            depth, after = (0, tag.end()) if is_empty else (depth + 1, len(text))
        else:
            kept = kept if depth else []  # a closing tag without an opening one: everything before it is reasoning
            depth, after = max(0, depth - 1), tag.end()
    return "".join([*kept, text[after:]]).strip()


def _is_empty(tag: re.Match[str]) -> bool:
    """`<think/>`, which opens nothing, and what an answer stands between."""
    return bool(tag["around"]) or (tag["attributes"] or "").rstrip().removesuffix("|").rstrip().endswith("/")


def _is_prose(tag: re.Match[str]) -> bool:
    """`<thinks about it>`: words in the place of attributes, which only a closing tag makes a tag."""
    words = (tag["attributes"] or "").strip("/|\uff5c \t\n")
    return bool(words) and "=" not in words and not _ends(tag)


def _ends(tag: re.Match[str]) -> bool:
    return any(tag[end] for end in ("ends", "stops", "square_ends", "final", "suffix", "unused", "channel"))


def _sealed(line: str) -> str:
    """Escape a line that a World Agent worded. It may quote text that is escaped already, which is left as it is."""
    unified = _LINE_BREAKS.sub("\n", line)
    return _BARE_PLACEHOLDER.sub(r"\\", _BARE_FORGERY.sub(r"\\", unified))


def _stored_name(name: str) -> str:
    return harmless(_one_line(name))


def _one_line(name: str) -> str:
    return " ".join(name.split())
