"""Contents of files with the lines and columns of their values, for errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import getitem
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from ..errors import LONGEST_MESSAGE, InputError
from .problems import Loc, Position, Problem, describe, plain_message

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MAX_PROBLEMS = 20
"""The most problems that an error shows; of more, only these are looked up in the file."""


@dataclass(frozen=True)
class Located:
    """The contents of a file, and the positions of its values."""

    path: str
    """The path as the user wrote it."""
    value: Any
    """Plain data: dicts, lists, text, numbers, booleans, `None`."""
    find: Callable[[Loc], Position]
    """Returns the position of an existing place. It is called only when an error is shown."""
    failure: type[InputError]
    """The class of errors in this file."""

    def line_of(self, loc: Loc) -> int:
        """The line of a key, item or value, or of the nearest enclosing one that exists."""
        return self.position_of(loc).line

    def position_of(self, loc: Loc) -> Position:
        """The position of a key, item or value, or of the nearest enclosing one that exists."""
        while loc and not exists(self.value, loc):
            loc = loc[:-1]
        try:
            return self.find(loc)
        except (ValueError, LookupError, TypeError, RecursionError):  # the file was read; this is about it
            return Position(1, 1)

    def error(self, loc: Loc, message: str) -> InputError:
        """An error with the text `story.yaml:12:3: message`."""
        return self.failure(f"{self._place(self.position_of(loc))}: {message}")

    @contextmanager
    def at(self, loc: Loc) -> Iterator[None]:
        """Raise errors of this block as errors at this place in the file."""
        try:
            yield
        except ValidationError as invalid:
            raise self.error(loc, plain_message(invalid)) from None
        except InputError as error:
            raise self.error(loc, str(error)) from None

    def explain(self, invalid: ValidationError, model: type[BaseModel], prefix: Loc = ()) -> InputError:
        """One error for all problems that pydantic found below `prefix`."""
        return self.refusal(self.problems(invalid, model, prefix))

    def problems(self, invalid: ValidationError, model: type[BaseModel], prefix: Loc = ()) -> list[Problem]:
        """The problems that pydantic found below `prefix`, one for each place.

        A missing key next to an unknown one is left out, because the unknown one is probably a misspelling of it.
        """
        found: dict[Loc, ErrorDetails] = {}
        for problem in invalid.errors():
            problem["loc"] = self._as_written(prefix, problem)
            found.setdefault(prefix + problem["loc"], problem)
        slips = {loc[:-1] for loc, problem in found.items() if problem["type"] == "extra_forbidden"}
        return [
            Problem(loc, describe(problem, model))
            for loc, problem in found.items()
            if problem["type"] != "missing" or loc[:-1] not in slips
        ]

    def refusal(self, problems: Iterable[Problem]) -> InputError:
        """One error for several problems, in the order of their lines, each as `error` words it.

        Of very many, only the first in the file are looked up there.
        """
        every = list(dict.fromkeys(problems))
        looked_up = every if len(every) <= MAX_PROBLEMS else first_in(self.value, every)[:MAX_PROBLEMS]
        found = {(self.position_of(loc), message) for loc, message in looked_up}
        lines = list(dict.fromkeys(f"{self._place(at)}: {message}" for at, message in sorted(found)))
        number = len(lines) + len(every) - len(looked_up)
        if number == 1:
            return self.failure(lines[0])
        first = f"{self.path}: {number} problems."
        fitting = _first_that_fit(lines, LONGEST_MESSAGE - len(first.encode()), number)
        more = [f"and {number - len(fitting)} more."] if number > len(fitting) else []
        return self.failure("\n  ".join([first, *fitting, *more]))

    def _place(self, at: Position) -> str:
        return f"{self.path}:{at.line}:{at.column}"

    def _as_written(self, prefix: Loc, problem: ErrorDetails) -> Loc:
        """The place without the parts that pydantic adds, such as the union member that it tried."""
        loc = problem["loc"]
        shortest = len(loc) if problem["type"] == "missing" else 0
        while len(loc) > shortest and not exists(self.value, prefix + loc):
            loc = loc[:-1]
        return loc


def first_in(value: Any, problems: Iterable[Problem]) -> list[Problem]:
    """Problems in the order in which their places stand in a document. Pure."""
    numbers: dict[Loc, dict[str | int, int]] = {}

    def number(loc: Loc) -> int:
        around, part = loc[:-1], loc[-1]
        if around not in numbers:
            inner = value_at(value, around)
            numbers[around] = {key: at for at, key in enumerate(inner)} if isinstance(inner, dict) else {}
        return numbers[around].get(part, part if isinstance(part, int) else -1)

    return sorted(problems, key=lambda each: [number(each.loc[:end]) for end in range(1, len(each.loc) + 1)])


def _first_that_fit(lines: Sequence[str], room: int, number: int) -> Sequence[str]:
    """The first of these lines, at least one: as many as fit into so many bytes, each on a line of its own. `number` is
    how many there are in all."""
    sizes = list(accumulate(len(line.encode()) + len("\n  ") for line in lines))
    if number <= MAX_PROBLEMS and sizes[-1] <= room:
        return lines
    return lines[: max(1, min(MAX_PROBLEMS, sum(size <= room - len("\n  and 99999 more.") for size in sizes)))]


def exists(value: Any, loc: Loc) -> bool:
    """Whether plain data has this place."""
    for part in loc:
        inside = part in value if isinstance(value, dict) else isinstance(value, list) and _is_index(part, value)
        if not inside:
            return False
        value = value[part]
    return True


def value_at(value: Any, loc: Loc) -> Any:
    """What plain data has at this place; `None` if nothing is there."""
    return reduce(getitem, loc, value) if exists(value, loc) else None


def _is_index(part: str | int, items: list[Any]) -> bool:
    return isinstance(part, int) and 0 <= part < len(items)
