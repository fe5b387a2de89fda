"""Files that people write by hand (YAML, TOML), with the line of everything in them, for errors to point at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from ..errors import InputError, meant

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Loc = tuple[str | int, ...]
TAG = "kind"
MOST = 20


class Problem(NamedTuple):
    """Something wrong in a file."""

    loc: Loc
    """Where."""
    message: str
    """The bad value, what is allowed, what was probably meant."""


@dataclass(frozen=True)
class Located:
    """What a file says, and where it says it."""

    path: str
    """As the user named it."""
    value: Any
    """Plain data: dicts, lists, text, numbers, booleans, `None`."""
    find: Callable[[Loc], int]
    """The line (from 1) of a place that exists; asked only once an error must be shown."""
    failure: type[InputError]
    """What an error in this file is."""

    def line_of(self, loc: Loc) -> int:
        """The line of a key, item or value, or of the nearest thing around it that the file holds."""
        while loc and not exists(self.value, loc):
            loc = loc[:-1]
        return self.find(loc)

    def error(self, loc: Loc, message: str) -> InputError:
        """`story.yaml:12: message`, ready to raise."""
        return self.failure(f"{self.path}:{self.line_of(loc)}: {message}")

    @contextmanager
    def at(self, loc: Loc) -> Iterator[None]:
        """Whatever of ours is raised within is about this place of the file."""
        try:
            yield
        except ValidationError as invalid:
            raise self.error(loc, _plain_message(invalid)) from None
        except InputError as error:
            raise self.error(loc, str(error)) from None

    def explain(self, invalid: ValidationError, model: type[BaseModel], prefix: Loc = ()) -> InputError:
        """One error for everything that pydantic found wrong in the part of the file at `prefix`."""
        return self.refusal(self.problems(invalid, model, prefix))

    def problems(self, invalid: ValidationError, model: type[BaseModel], prefix: Loc = ()) -> list[Problem]:
        """What pydantic found wrong in the part of the file at `prefix`, one problem a place.

        What is missing beside an unknown key was probably meant by that key, and is left out.
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
        """One error for several problems, by line: each as `story.yaml:12: message`."""
        found = sorted({(self.line_of(loc), message) for loc, message in problems})
        lines = [f"{self.path}:{line}: {message}" for line, message in found]
        if len(lines) == 1:
            return self.failure(lines[0])
        more = [f"and {len(lines) - MOST} more."] if len(lines) > MOST else []
        return self.failure("\n  ".join([f"{self.path}: {len(lines)} problems.", *lines[:MOST], *more]))

    def _as_written(self, prefix: Loc, problem: ErrorDetails) -> Loc:
        """The place without what pydantic adds to it, such as the member of a union that it tried."""
        loc = problem["loc"]
        shortest = len(loc) if problem["type"] == "missing" else 0
        while len(loc) > shortest and not exists(self.value, prefix + loc):
            loc = loc[:-1]
        return loc


def read_yaml(path: str | Path, failure: type[InputError]) -> Located:
    """Read a YAML file. Raises `failure` for one that is not there, not UTF-8, not YAML, or says a key twice."""
    return yaml_text(_text(path, failure), str(path), failure)


def yaml_text(text: str, path: str, failure: type[InputError]) -> Located:
    """Read YAML (the 1.2 core schema, so that `No` and `2026-01-02` stay text)."""
    from .yamltree import YamlTree

    tree = YamlTree(text, path, failure)
    return Located(path, tree.value, tree.line_of, failure)


def read_toml(path: str | Path, failure: type[InputError]) -> Located:
    """Read a TOML file. Raises `failure` for one that is not there, not UTF-8 or not TOML."""
    import tomllib

    text = _text(path, failure)
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise failure(f"{path}: not TOML: {error}.") from error
    return Located(str(path), value, TomlLines(text).line_of, failure)


class TomlLines:
    """Where things stand in a TOML text.

    tomlkit keeps a document's layout when a value is replaced: put a mark in its place, and see where it comes out.
    """

    MARK = "earwitness-looks-for-this-line"

    def __init__(self, text: str) -> None:
        self.text = text

    def line_of(self, loc: Loc) -> int:
        """The line of the value; of its header, for a table that has one."""
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


def _text(path: str | Path, failure: type[InputError]) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise failure(f"{path}: there is no such file.") from error
    except UnicodeDecodeError as error:
        raise failure(f"{path}: not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except OSError as error:
        raise failure(f"{path}: cannot be read: {error.strerror or error}.") from error


def exists(value: Any, loc: Loc) -> bool:
    """Whether plain data holds this place."""
    for part in loc:
        inside = part in value if isinstance(value, dict) else isinstance(value, list) and _is_index(part, value)
        if not inside:
            return False
        value = value[part]
    return True


def _is_index(part: str | int, items: list[Any]) -> bool:
    return isinstance(part, int) and 0 <= part < len(items)


# ── saying what is wrong ────────────────────────────────────────────────────────────────────────────────────────────


def describe(problem: ErrorDetails, model: type[BaseModel]) -> str:
    """One pydantic problem in our words: the bad value, what is allowed, what was probably meant."""
    loc, value = problem["loc"], problem["input"]
    context = problem.get("ctx", {})
    match problem["type"]:
        case "extra_forbidden":
            return unknown_key(str(loc[-1]), fields_at(model, loc[:-1]), path_text(loc[:-1]))
        case "missing":
            return f"{_within(loc[:-1])}the key {loc[-1]!r} is missing."
        case "literal_error":
            allowed = str(context["expected"])
            return f"{path_text(loc)}: {_short(value)} is not allowed. Allowed: {allowed}.{_guess(value, allowed)}"
        case "value_error":
            return f"{_within(loc)}{context['error']}"
    return f"{path_text(loc)}: {_unusable(value)}: {_wanted(problem)}."


# What is wanted, by pydantic's type of error; the rest is left to pydantic's own words.
WANTED = {
    "string_type": "text is needed{quoted}",
    "string_too_short": "it is empty",
    "tuple_type": "a list is needed{listed}",
    "list_type": "a list is needed{listed}",
    "dict_type": "keys with values are needed",
    "model_type": "keys with values are needed",
    "model_attributes_type": "keys with values are needed",
    "bool_type": "true or false is needed",
    "bool_parsing": "true or false is needed",
    "int_type": "a whole number is needed",
    "int_parsing": "a whole number is needed",
    "int_from_float": "a whole number is needed",
    "float_type": "a number is needed",
    "float_parsing": "a number is needed",
    "finite_number": "a finite number is needed",
    "greater_than": "it must be more than {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than": "it must be less than {lt}",
    "less_than_equal": "it must be at most {le}",
    "too_short": "at least {min_length} needed",
}


def _wanted(problem: ErrorDetails) -> str:
    wanted = WANTED.get(problem["type"])
    if wanted is None:
        return problem["msg"][:1].lower() + problem["msg"][1:]
    value = problem["input"]
    plain = isinstance(value, str | int | float)
    return wanted.format(
        quoted=f": {json.dumps(str(value))}" if plain and not isinstance(value, bool) else "",
        listed=f": {json.dumps([value], ensure_ascii=False)}" if plain else "",
        **problem.get("ctx", {}),
    )


def _unusable(value: object) -> str:
    return "nothing stands there" if value is None else f"{_short(value)} cannot be used"


def unknown_key(key: str, allowed: Iterable[str], where: str = "") -> str:
    """`unknown key 'contnet' in a step. Allowed: … Did you mean 'content'?`."""
    names = sorted(allowed)
    place = f" in {where}" if where else ""
    return f"unknown key {key!r}{place}. Allowed: {', '.join(names) or 'none'}.{meant(key, names)}"


def path_text(loc: Loc) -> str:
    """`("steps", 3, "say")` → `steps[3].say`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).removeprefix(".")


def fields_at(model: type[BaseModel], loc: Loc) -> list[str]:
    """The keys that the record at this place of the model takes; a part of `loc` may be the kind of a tagged record."""
    records, implied = [model], set[str]()
    for part in loc:
        if isinstance(part, str):
            tagged = _tagged(records, part)
            records = tagged or [found for record in records for found in _inside(record, part)]
            implied = {TAG} if tagged else set()
    return sorted({name for record in records for name in record.model_fields} - implied)


def _tagged(records: list[type[BaseModel]], kind: str) -> list[type[BaseModel]]:
    return [
        record
        for record in records
        if TAG in record.model_fields and kind in get_args(record.model_fields[TAG].annotation)
    ]


def _inside(record: type[BaseModel], field: str) -> list[type[BaseModel]]:
    return _records_in(record.model_fields[field].annotation) if field in record.model_fields else []


def _records_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _records_in(part)]


def _plain_message(invalid: ValidationError) -> str:
    problem = invalid.errors()[0]
    return str(problem.get("ctx", {}).get("error", problem["msg"]))


def _guess(value: object, expected: str) -> str:
    return meant(value, re.findall(r"'([^']*)'", expected))


def _within(loc: Loc) -> str:
    return f"{path_text(loc)}: " if loc else ""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
