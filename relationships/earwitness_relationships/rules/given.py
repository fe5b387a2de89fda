"""Rules that a program hands over, in any of the forms of a rule file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from earwitness.loading.located import Located
from earwitness.loading.problems import Position, describe

from ..errors import RulesError
from .draft import FileKey, RuleDraft
from .forms import rules
from .records import Rules

GivenRules: TypeAlias = Rules | Mapping[str, Any] | Sequence[str | Mapping[str, Any]] | str | None
"""`{"delay": 2}`, `["gossip_about_others", {"max_hops": 2}]`, `"propagate_all"`, `Rules(…)` or nothing."""
Made = TypeVar("Made", bound=BaseModel)


def given_rules(given: GivenRules) -> Rules:
    """The rules as a record. Raises `RulesError` with what is wrong and what is allowed."""
    if given is None or isinstance(given, Rules):
        return given or Rules()
    value = _plain(given)
    draft = RuleDraft(Located("rules", {"rules": value}, lambda _: Position(1, 1), RulesError))
    values = rules(draft, ("rules",), FileKey(("rules",), value))
    if draft.problems:
        raise RulesError(draft.problems[0].message)
    return checked_record(Rules, values)


def checked_record(record: type[Made], values: Mapping[str, Any]) -> Made:
    """The record. Raises `RulesError` for the first value that it cannot hold."""
    try:
        return record.model_validate(values)
    except ValidationError as invalid:
        raise RulesError(describe(invalid.errors()[0], record)) from None


def _plain(given: Any) -> Any:
    """Tables and lists as a file has them."""
    match given:
        case Mapping():
            return {key: _plain(value) for key, value in given.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(each) for each in given]
    return given
