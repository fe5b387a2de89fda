"""Messages with private pieces, and open ones that look like them, as people write them; half of them never looked at.

`¦bob¦only for Bob¦¦`, `¦-¦for the speaker alone¦¦`; a line `<< Bob: …` comes before the message that follows it. The
half that was not looked at while the rules were made is told by a hash of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

PIECES = Path(__file__).parent / "pieces"
CASTS = {
    "ru": ("Алиса", "Борис", "\u0412\u0435\u0440\u0430", "Глеб"),
    "ja": ("アリス", "ボブ", "カロル", "デイヴ"),
    "zh": ("爱丽丝", "鲍勃", "卡萝", "戴夫"),
}
ENGLISH_CAST = ("Alice", "Bob", "Carol", "Dave")
IDS = ("alice", "bob", "carol", "dave")
_PIECE = re.compile("¦([^¦]*)¦([^¦]*)¦¦")
_QUOTED = re.compile('"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」|(?<!\\w)‘[^‘]*?’(?!\\w)')
_TOLD = re.compile(
    '(?s)(?:\\A\\*[^*"“«\uff1a:]+\\*\\s*|(?:note|phone|papers?|Zettel|nota|mot|bilhete|записк|メモ|纸条)[^"“«「]*)'
    '(["“«「]?[^*\\s].*)'
)
"""That something is passed or said in a low voice may be seen; what it is may not."""
Span = tuple[int, int]


@dataclass(frozen=True)
class WrittenMessage:
    """One message, without its labels."""

    group: str
    """File and style, such as `en_private whispers`."""
    names: tuple[str, ...]
    """What those with the ids of `IDS` are called here."""
    speaker: str
    """Id of the speaker."""
    before: tuple[str, str] | None
    """Speaker and text of the message before."""
    text: str
    """The message."""
    private: tuple[tuple[Span, frozenset[str]], ...]
    """Offsets of what is private, and ids of those whom it is for, the speaker counted."""

    @property
    def unseen(self) -> bool:
        """Whether it is in the half that nobody looked at."""
        return sha256(self.text.encode()).digest()[0] % 2 == 0

    @property
    def open(self) -> tuple[Span, ...]:
        """Offsets of what everybody perceives: all of it, or the quotes outside what is private."""
        if not self.private:
            return ((0, len(self.text)),)
        quotes = (match.span() for match in _QUOTED.finditer(self.text))
        return tuple(
            (start, end)
            for start, end in quotes
            if not any(begin < end and start < stop for (begin, stop), _ in self.private)
        )


def written_messages(kind: str) -> Iterator[WrittenMessage]:
    """Every message of the files of this kind, `private` or `open`."""
    for path in sorted(PIECES.glob(f"*_{kind}.txt")):
        group, before = "", None
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("== "):
                group = line[3:]
            elif line.startswith("<< "):
                who, _, said = line[3:].partition(": ")
                before = (who.casefold(), said)
            elif line and not line.startswith("#"):
                yield _message(
                    f"{path.stem} {group}", CASTS.get(group, ("Alice", "Bob", "Carol", "Dave")), before, line
                )
                before = None


def _message(group: str, names: tuple[str, ...], before: tuple[str, str] | None, line: str) -> WrittenMessage:
    speaker, line = ("narrator", line[3:]) if line.startswith("N: ") else ("alice", line)
    text, private, at = "", [], 0
    for piece in _PIECE.finditer(line):
        text += line[at : piece.start()]
        at = piece.end()
        if piece[1] != "*":
            for_whom = {id for id in piece[1].split(",") if id != "-"} | {speaker}
            kept = _TOLD.search(piece[2])
            private.append(
                ((len(text) + (kept.start(1) if kept else 0), len(text) + len(piece[2])), frozenset(for_whom))
            )
        text += piece[2]
    return WrittenMessage(group, names, speaker, before, text + line[at:], tuple(private))
