"""Reads a rule file: YAML, TOML or JSON, in snake_case or camelCase, in any of the shapes of `forms`.

All its mistakes are reported at once, each with its line and column.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from earwitness.loading.files import json_text, read_json, read_toml, read_yaml, yaml_text
from earwitness.loading.located import Located, exists
from earwitness.loading.problems import Loc, Position, Problem, describe

from ..errors import RulesError
from .draft import RuleDraft
from .duplicates import duplicates
from .forms import book
from .records import RuleBook

READERS = {".json": read_json, ".toml": read_toml, ".yaml": read_yaml, ".yml": read_yaml}


@dataclass(frozen=True)
class RuleFile:
    """A rule file that was read."""

    path: str
    """The path as the user wrote it."""
    book: RuleBook
    """What it says."""
    draft: RuleDraft
    """Where it says it."""

    def position_of(self, loc: Loc) -> Position:
        """Line and column of a place in the rule book."""
        return self.draft.file.position_of(self.draft.place(loc))


def read_rules(path: str | Path) -> RuleBook:
    """Read and check a rule file. Raises `RulesError` with file, line, column and what is allowed."""
    return rule_file(path).book


def rule_file(path: str | Path) -> RuleFile:
    """Read and check a rule file, and keep where it says what. Raises as `read_rules`."""
    reader = READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise RulesError(f"{path}: a rule file ends in {', '.join(sorted(READERS))}.")
    return checked(reader(path, RulesError))


def rules_text(text: str, path: str = "rules.yaml") -> RuleBook:
    """Read rules from a text; the path, for errors, says whether it is YAML or JSON. Raises `RulesError`."""
    return rules_in(text, path).book


def rules_in(text: str, path: str = "rules.yaml") -> RuleFile:
    """Read rules from a text, and keep where it says what. Raises as `rules_text`."""
    read = json_text if path.endswith(".json") else yaml_text
    return checked(read(text, path, RulesError))


def checked(file: Located) -> RuleFile:
    """The rules in a file. Raises `RulesError` that lists every mistake."""
    if _is_story(file.value):
        raise RulesError(
            f"{file.path}: this is a story file, with a cast and steps, not a rule file. To play it: earwitness play "
            f"{shlex.quote(file.path)}. To check rules against its cast: earwitness rules check FILE --story "
            f"{shlex.quote(file.path)}"
        )
    draft = RuleDraft(file)
    values = book(draft)
    found: RuleBook | None = None
    try:
        found = RuleBook.model_validate(values)
    except ValidationError as invalid:
        draft.problems += _unusable(draft, values, invalid)
    draft.problems += (Problem(draft.place(loc), message) for loc, message in duplicates(values))
    if found is None or draft.problems:
        raise file.refusal(draft.problems)
    return RuleFile(file.path, found.with_version(), draft)


def _is_story(value: object) -> bool:
    """Whether a file has the lists of a story file. In a rule file, keys such as these would be pantheons."""
    return isinstance(value, dict) and any(isinstance(value.get(key), list) for key in ("cast", "steps"))


def _unusable(draft: RuleDraft, values: dict[str, Any], invalid: ValidationError) -> list[Problem]:
    """The problems that pydantic found, one for each place, worded as the file has it.

    A missing key beside an unknown one is left out, because the unknown one is probably a misspelling of it, and so is
    a key of something that is not a table. So is what holds another problem, because pydantic tries all types that a
    value may have.
    """
    slips = {at for problem in draft.problems for at in (problem.loc, problem.loc[:-1])}
    found: dict[Loc, Problem] = {}
    for error in invalid.errors():
        is_missing = error["type"] == "missing"
        loc = _plain(values, error["loc"][:-1] if is_missing else error["loc"])
        error["loc"] = at = draft.missing(loc, str(error["loc"][-1])) if is_missing else draft.place(loc)
        if not (is_missing and at[:-1] in slips):
            found.setdefault(at, Problem(at, describe(error, RuleBook)))
    around = {at[:end] for at in found for end in range(len(at))}
    return [problem for at, problem in found.items() if at not in around]


def _plain(values: Any, loc: Loc) -> Loc:
    """The place without the parts that pydantic adds, such as the type that it tried."""
    plain: Loc = ()
    for part in loc:
        plain = (*plain, part) if exists(values, (*plain, part)) else plain
    return plain
