"""Cells of tables in which long names fold behind `_`, `:` and the like, not in the middle of a word."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from earwitness.patterns import lazy_pattern

_WORD = lazy_pattern(r"\S+\s*")
_PIECE = lazy_pattern(r"[^_:./\-\s]*[_:./\-]+\s*|[^_:./\-\s]+\s*")
"""The shortest parts that stay together, each with the signs behind which a line may end."""


class FoldedCell:
    """A text that folds at spaces; a word that is longer than a line folds behind its punctuation."""

    def __init__(self, text: Text | str) -> None:
        self.text = Text(text) if isinstance(text, str) else text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As rich asks: the lines."""
        ends = list(_line_ends(self.text.plain, options.max_width))
        for line in self.text.divide(ends):
            line.rstrip()
            line.overflow = "fold"
            yield line

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """As rich asks: the longest piece, and the whole text in one line."""
        pieces = [cell_len(piece.rstrip()) for piece in _PIECE.findall(self.text.plain)]
        longest = max((cell_len(line) for line in self.text.plain.split("\n")), default=0)
        return Measurement(max(pieces, default=0), longest).with_maximum(options.max_width)


def _line_ends(text: str, width: int) -> Iterator[int]:
    """Where a new line begins, besides the first one."""
    used = 0
    for begin, end in _unbroken(text, width):
        size = cell_len(text[begin:end].rstrip())
        if used and (used + size > width or "\n" in text[begin - 1 : begin]):
            yield begin
            used = 0
        used += cell_len(text[begin:end])


def _unbroken(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Begin and end of each word that fits into a line, and of each piece of the others."""
    for word in _WORD.finditer(text):
        if cell_len(word[0].rstrip()) <= width:
            yield word.span()
        else:
            yield from (piece.span() for piece in _PIECE.finditer(text, *word.span()))
