"""Positions in a TOML text."""

from __future__ import annotations

import re
from typing import Any

from .problems import Loc, Position


class TomlLines:
    """The lines of a TOML text.

    tomlkit keeps the layout of a document when a value is replaced. So the value is replaced by a mark, which is then
    searched for.
    """

    MARK = "earwitness-looks-for-this-line"

    def __init__(self, text: str) -> None:
        self.text = text

    def position_of(self, loc: Loc) -> Position:
        """The position of a key, of an item's line, or of the header of a table."""
        line = self.line_of(loc)
        text = self.text.splitlines()[line - 1] if self.text else ""
        key = text.find(str(loc[-1])) if loc and isinstance(loc[-1], str) else -1
        return Position(line, 1 + (key if key >= 0 else len(text) - len(text.lstrip())))

    def line_of(self, loc: Loc) -> int:
        """The line of a value, or of the header of a table."""
        import tomlkit

        if not loc:
            return 1
        document: Any = tomlkit.parse(self.text)
        *around, last = loc
        container = document
        for part in around:
            container = container[part]
        if isinstance(container[last], dict):
            return self._header_above(self._first_leaf(loc, container[last]), last)
        container[last] = self.MARK
        return _line_with(self.MARK, tomlkit.dumps(document))

    def _first_leaf(self, loc: Loc, table: dict[str, Any]) -> int:
        keys = list(table)
        return self.line_of((*loc, keys[0])) if keys else self._header_of_empty(loc)

    def _header_of_empty(self, loc: Loc) -> int:
        return next((n for n, line in enumerate(self.text.splitlines(), 1) if _is_header(line, loc[-1])), 1)

    def _header_above(self, line: int, key: str | int) -> int:
        lines = self.text.splitlines()
        return next((n for n in range(line, 0, -1) if _is_header(lines[n - 1], key)), line)


def _is_header(line: str, key: str | int) -> bool:
    named = re.fullmatch(r"\s*\[+(.+?)\]+\s*(?:#.*)?", line)
    return named is not None and str(key) in {part.strip(" \"'") for part in named[1].split(".")}


def _line_with(mark: str, text: str) -> int:
    return text[: text.index(mark)].count("\n") + 1
