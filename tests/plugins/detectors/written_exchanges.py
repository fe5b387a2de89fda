"""Whole exchanges with private messages and pieces, as people write them; half of them never looked at.

`tests/plugins/detectors/exchanges/*.txt` says how they are written down. The half that was not looked at while the
rules were made is told by a hash of the scene.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

EXCHANGES = Path(__file__).parent / "exchanges"
PRIVATE_LINES = Path(__file__).parent / "private_lines"
"""Scenes written later, whole before any of them was judged; all of them were looked at after they had been counted."""
NARRATOR = "N"
_SCENE = re.compile("^== ", re.MULTILINE)
_LINE = re.compile(r"(?P<speaker>[^:>]+?)(?: > (?P<to>[^:]+))?: (?P<text>.*)", re.DOTALL)
_PIECE = re.compile("¦([^¦]*)¦([^¦]*)¦¦")
Span = tuple[int, int]


@dataclass(frozen=True)
class Said:
    """One message, without its labels."""

    speaker: str
    """Name of the speaker, `N` for a narrator."""
    text: str
    """The message."""
    audience: frozenset[str]
    """Names of all who perceive any of it, the speaker counted."""
    private: tuple[tuple[Span, frozenset[str]], ...]
    """Offsets of what only some of those perceive, and their names, the speaker counted."""


@dataclass
class Exchange:
    """One scene."""

    style: str
    """File and style, such as `en_talk novel_third`."""
    cast: tuple[str, ...]
    """Names of everybody in it."""
    unseen: bool
    """Whether it is in the half that nobody looked at."""
    here: list[frozenset[str]] = field(default_factory=list)
    """Who is here when each message is said."""
    said: list[Said] = field(default_factory=list)
    """The messages."""


def exchanges(folder: Path = EXCHANGES) -> Iterator[Exchange]:
    """Every scene of every file."""
    for path in sorted(folder.glob("*.txt")):
        for scene in _SCENE.split(path.read_text("utf-8"))[1:]:
            yield _exchange(path.stem, scene)


def _exchange(file: str, text: str) -> Exchange:
    head, *lines = text.rstrip("\n").split("\n")
    style, _, cast = head.partition(": ")
    names = tuple(name.strip() for name in cast.split(","))
    scene = Exchange(f"{file} {style}", names, unseen=sha256(text.encode()).digest()[0] % 2 == 0)
    here = frozenset(names)
    for line in lines:
        if line.startswith("@ "):
            here = frozenset(name.strip() for name in line[2:].split(","))
        elif line and not line.startswith("#"):
            scene.here.append(here)
            scene.said.append(_said(line, here))
    return scene


def _said(line: str, here: frozenset[str]) -> Said:
    found = _LINE.fullmatch(line)
    assert found, line
    speaker, to = found["speaker"], found["to"]
    audience = (here if to is None else _named(to)) | {speaker}
    text, private, at = "", [], 0
    for piece in _PIECE.finditer(found["text"]):
        text += found["text"][at : piece.start()]
        at = piece.end()
        private.append(((len(text), len(text) + len(piece[2])), _named(piece[1]) | {speaker}))
        text += piece[2]
    return Said(speaker, text + found["text"][at:], audience, tuple(private))


def _named(names: str) -> frozenset[str]:
    return frozenset(name.strip() for name in names.split(",") if name.strip() != "-")
