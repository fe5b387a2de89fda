"""A rule file while it is read: its problems so far, and where each part of the rule book was written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from earwitness.formats import snake
from earwitness.loading.located import Located, exists
from earwitness.loading.problems import Loc, Problem, unknown_key
from earwitness.records.refusal import path_text

Spellings = Mapping[str, str]
"""Spelling of a key → the field that it means. The first spelling of a field is the one that errors show."""
PREFERRED = {"source": "from", "target": "to"}
"""Required field → how errors call it, where that differs."""
UNLISTED = frozenset({"owner", "confined_to", "created_at", "changed_at"})
"""Fields that applications export and nobody writes: they are read, and no error proposes them."""


@dataclass(frozen=True)
class FileKey:
    """A key of the file with its value."""

    at: Loc
    """Where it is written."""
    value: Any
    """What it holds."""


@dataclass
class RuleDraft:
    """What was read so far."""

    file: Located
    """The file."""
    problems: list[Problem] = field(default_factory=list)
    """What is wrong with it."""
    written: dict[Loc, Loc] = field(default_factory=dict)
    """Place in the rule book → place in the file."""

    def refuse(self, at: Loc, message: str) -> None:
        """Note a problem at a place of the file."""
        self.problems.append(Problem(at, message))

    def keys(
        self, at: Loc, given: object, names: Spellings, hint: Callable[[str, object], str] = lambda *_: ""
    ) -> dict[str, FileKey]:
        """Field → key, for a table of the file. `names` are the spellings it may have, with their fields.

        Notes a problem for what is not a table, for unknown keys, and for two keys of one meaning. Keys without a value
        are left out. `hint` is what the problem of an unknown key says beside, by key and value.
        """
        if not isinstance(given, dict):
            self.refuse(at, f"{_named(at)}{given!r:.80} cannot be used: keys with values are needed.")
            return {}
        found: dict[str, FileKey] = {}
        for key, value in given.items():
            name = names.get(snake(str(key)))
            if name is None:
                why = unknown_key(str(key), allowed(names), path_text(at))
                self.refuse((*at, key), why + hint(snake(str(key)), value))
            elif name in found:
                self.refuse((*at, key), f"{key!r} and {found[name].at[-1]!r} mean the same. Write one of them.")
            else:
                found[name] = FileKey((*at, key), value)
        return {name: key for name, key in found.items() if key.value is not None}

    def place(self, loc: Loc) -> Loc:
        """Where a place of the rule book is written, or the nearest enclosing one that is."""
        for end in range(len(loc), -1, -1):
            if loc[:end] in self.written:
                return self._deepest(self.written[loc[:end]], loc[end:])
        return ()

    def missing(self, loc: Loc, name: str) -> Loc:
        """Where a required key of this part of the rule book would be written."""
        return (*self.place(loc), PREFERRED.get(name, name))

    def _deepest(self, at: Loc, rest: Iterable[str | int]) -> Loc:
        for part in rest:
            if not exists(self.file.value, (*at, part)):
                break
            at = (*at, part)
        return at


def _named(at: Loc) -> str:
    return f"{path_text(at)}: " if at else ""


def allowed(names: Spellings) -> list[str]:
    """The first spelling of each field."""
    first: dict[str, str] = {}
    for spelling, name in names.items():
        if name not in UNLISTED:
            first.setdefault(name, spelling)
    return sorted(first.values())
