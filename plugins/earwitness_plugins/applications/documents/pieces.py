"""A text in pieces of a good size for recall: paragraphs together, long ones by sentences. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from earwitness import Record
from earwitness.sentences import sentences

ROOM = 900
"""Characters of a piece; a word that is longer is cut."""
_PARAGRAPHS = re.compile(r"\n[ \t]*\n+")
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<title>[^\n]*?)[ \t#]*")


class TextPiece(Record):
    """One piece of a document."""

    text: str
    """Its text."""
    section: str = ""
    """The Markdown heading that it is under; empty where there is none."""


def pieces(text: str, room: int = ROOM) -> list[TextPiece]:
    """The pieces in order. Each is under one heading, and none ends within a sentence that fits into one."""
    found: list[TextPiece] = []
    held, section = "", ""
    for paragraph in _paragraphs(text):
        if heading := _HEADING.fullmatch(paragraph):
            found += _piece(held, section)
            held, section = "", heading["title"]
            continue
        for part in _parts(paragraph, room):
            if held and len(held) + len(part) + 2 > room:
                found += _piece(held, section)
                held = ""
            held = f"{held}\n\n{part}" if held else part
    return [*found, *_piece(held, section)]


def _piece(text: str, section: str) -> list[TextPiece]:
    return [TextPiece(text=text, section=section)] if text.strip() else []


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, and headings by themselves."""
    for block in _PARAGRAPHS.split(text.replace("\r\n", "\n")):
        lines: list[str] = []
        for line in block.strip().split("\n"):
            if _HEADING.fullmatch(line):
                yield from filter(None, ["\n".join(lines)])
                yield line
                lines = []
            else:
                lines.append(line)
        yield from filter(None, ["\n".join(lines)])


def _parts(paragraph: str, room: int) -> Iterator[str]:
    """The paragraph, or sentences of it together, or parts of a sentence that is too long."""
    if len(paragraph) <= room:
        yield paragraph
        return
    held = ""
    for sentence in sentences(paragraph):
        for part in _cut(sentence, room):
            if held and len(held) + len(part) + 1 > room:
                yield held
                held = ""
            held = f"{held} {part}" if held else part
    yield held


def _cut(sentence: str, room: int) -> list[str]:
    """The sentence in lines of at most `room` characters, at blanks if there are any."""
    if len(sentence) <= room:
        return [sentence.strip()]
    return [each.strip() for each in re.findall(rf"(?s).{{1,{room}}}(?:\s+|\Z)|.{{1,{room}}}", sentence)]
