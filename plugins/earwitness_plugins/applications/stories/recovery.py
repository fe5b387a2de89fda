"""Reads what can be read of a broken story, so that the rest of it is checked in the same run."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from pydantic import ValidationError

from earwitness.loading.located import exists, value_at
from earwitness.loading.problems import Loc

from .steps import NoteStep
from .story import Story

UNREAD = NoteStep(text="This step could not be read.").model_dump()
SOMEBODY = "\0"
"""Stands for a member of the cast whose id could not be read. In such a cast, no character is unknown."""
ROUNDS = 4

_STAND_INS: dict[str, Any] = {"story": "story", "cast": [SOMEBODY], "steps": [], "text": "…"}
_IN_LISTS: dict[str, Any] = {"cast": SOMEBODY, "steps": UNREAD, "lore": {"text": "…"}}


def readable(values: dict[str, Any]) -> Story | None:
    """The story without its broken parts. Items of a list keep their numbers."""
    rest = deepcopy(values)
    for _ in range(ROUNDS):  # without a broken value, its record may be incomplete, and is taken out in the next round
        try:
            return Story.model_validate(rest)
        except ValidationError as invalid:
            for problem in invalid.errors():
                _take_out(rest, _without_kind(problem["loc"]), extra=problem["type"] == "extra_forbidden")
    return None


def _without_kind(loc: Loc) -> Loc:
    """The location of a problem without the kind of step, which pydantic adds."""
    return (*loc[:2], *loc[3:]) if loc[:1] == ("steps",) else loc


def _take_out(values: Any, loc: Loc, *, extra: bool = False) -> None:
    if loc and loc[-1] in _STAND_INS and not extra and isinstance(around := value_at(values, loc[:-1]), dict):
        around[loc[-1]] = deepcopy(_STAND_INS[str(loc[-1])])
        return
    while not exists(values, loc):
        loc = loc[:-1]
    if loc:
        _take_out_what_is_there(values, loc)


def _take_out_what_is_there(values: Any, loc: Loc) -> None:
    *before, last = loc
    around = value_at(values, tuple(before))
    if isinstance(around, dict):
        del around[last]
    elif before[-1] in _IN_LISTS:
        around[last] = deepcopy(_IN_LISTS[str(before[-1])])
    else:
        _take_out_what_is_there(values, tuple(before))
