"""Answers in JSON, as models give them: with prose around, reasoning before, broken, with parts of the wrong type."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from earwitness.errors import SettingsError, quoted
from earwitness.formats import strip_reasoning
from earwitness.patterns import lazy_pattern

from .records import ModelReply

A = TypeVar("A", bound=BaseModel)
LONGEST = 100_000
"""Characters of an answer that is mended; what is longer must be valid JSON as it stands."""
_BRACKET = lazy_pattern(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}]', re.DOTALL)
"""A text in quotes, or a bracket outside of one."""
CUT_OFF = frozenset(("length", "content_filter"))
"""Why a model stopped before the end of its answer."""
ROUNDS = 8
"""How often parts that do not fit are taken out."""


def read_answer(reply: ModelReply, model: type[A]) -> tuple[A, tuple[str, ...]]:
    """The answer in a reply, and what was left out of it and why. Raises `ValueError`, which says what is wrong."""
    value = _value(reply.text)
    if not isinstance(value, dict):
        raise ValueError("it holds no JSON object" if reply.text.strip() else "it is empty")  # noqa: TRY004 - one kind of error
    return _fitting(value, model)


def read_whole_answer(reply: ModelReply, model: type[A]) -> tuple[A, tuple[str, ...]]:
    """As `read_answer`, of a reply that is whole: half a sentence may say the opposite of all of it.

    Raises `ValueError`, also for one that was cut off.
    """
    if reply.finish in CUT_OFF or is_cut_off(reply.text):
        raise ValueError("it was cut off before its end")
    return read_answer(reply, model)


def is_cut_off(text: str) -> bool:
    """Whether a text begins a JSON object that it does not end."""
    said = strip_reasoning(text)
    depth, begin = 0, said.find("{")
    for found in _BRACKET.finditer(said, begin) if begin >= 0 else ():
        depth += (found[0] == "{") - (found[0] == "}")
        if not depth and found[0] == "}":
            return False
    return begin >= 0


def _value(text: str) -> Any:
    """The JSON object in a text: as it stands, or mended."""
    try:
        return from_json(text)
    except ValueError:
        pass
    if len(text) > LONGEST:
        raise ValueError(f"it is {len(text):,} characters long and not JSON")
    return _object(_mended(strip_reasoning(text)))


def _mended(text: str) -> Any:
    try:
        from json_repair import loads
    except ModuleNotFoundError as missing:
        raise SettingsError("answers of models need json-repair: pip install 'earwitness[model]'.") from missing
    begin = text.find("{")
    if begin < 0:
        return None
    try:
        return _readable(loads(text[begin:], skip_json_loads=True))
    except (ValueError, RecursionError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"it is not JSON: {type(error).__name__}") from error


def _readable(value: Any) -> Any:
    """The same with texts that can be stored: of an emoji's two halves, one by itself is not a character."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_readable(each) for each in value]
    if isinstance(value, dict):
        return {_readable(key): _readable(each) for key, each in value.items()}
    return value


def _object(value: Any) -> Any:
    """The object that was meant: of several, the one with the most in it."""
    if isinstance(value, list):
        return max((each for each in value if isinstance(each, dict)), key=len, default=None)
    return value


def _fitting(value: dict[str, Any], model: type[A]) -> tuple[A, tuple[str, ...]]:
    """The answer without the parts that do not fit."""
    left_out: list[str] = []
    for _ in range(ROUNDS):
        try:
            return model.model_validate(value), tuple(left_out)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_context=False)
            places = {_part(value, problem["loc"]): problem for problem in problems}
            if () in places:
                raise ValueError(_why(places[()])) from error
            left_out += [_why(problem) for problem in places.values()]
            for place in sorted(places, key=_backwards, reverse=True):  # later items of a list first
                _remove(value, place)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error
    raise ValueError("; ".join(left_out[-3:]))


def _part(value: Any, loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """The smallest part that can be taken out: the last item or field on the way that is there; `()` = none is."""
    found: tuple[int | str, ...] = ()
    for depth, key in enumerate(loc, 1):
        is_there = (isinstance(value, dict) and key in value) or (isinstance(value, list) and isinstance(key, int))
        if not is_there:
            break
        value = value[key]
        found = loc[:depth]
    while found and not isinstance(found[-1], int) and len(found) > 1 and any(isinstance(key, int) for key in found):
        found = found[:-1]  # an item with a part that does not fit goes as a whole
    return found


def _backwards(place: tuple[int | str, ...]) -> tuple[tuple[str, int], ...]:
    return tuple((str(key), 0) if isinstance(key, str) else ("", key) for key in place)


def _remove(value: Any, place: tuple[int | str, ...]) -> None:
    for key in place[:-1]:
        value = value[key]
    if isinstance(value, list):
        value.pop(int(place[-1]))
    else:
        value.pop(place[-1], None)


def _why(problem: Any) -> str:
    where = ".".join(map(str, problem["loc"])) or "the answer"
    return f"{where}: {problem['msg']}, not {quoted(problem['input'])[:80]}"
