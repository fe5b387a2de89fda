"""Reading files that people write by hand: YAML, TOML and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import InputError
from ..patterns import lazy_pattern
from .limits import check
from .located import Located

_TOML_PLACE = lazy_pattern(r" \((?:at line (\d+), column (\d+)|at end of document)\)$")


def read_yaml(path: str | Path, failure: type[InputError]) -> Located:
    """Read a YAML file. Raises `failure` if it is missing, not UTF-8, not YAML, or has a key twice."""
    return yaml_text(_text(path, failure), str(path), failure)


def yaml_text(text: str, path: str, failure: type[InputError]) -> Located:
    """Read YAML by the core schema of YAML 1.2, in which `No` and `2026-01-02` are text. Raises as `read_yaml`."""
    from . import yaml_file

    value = yaml_file.load(text, path, failure)
    return Located(path, value, yaml_file.YamlPositions(text).of, failure)


def read_toml(path: str | Path, failure: type[InputError]) -> Located:
    """Read a TOML file. Raises `failure` if it is missing, not UTF-8 or not TOML."""
    from .toml_file import TomlLines

    text = _text(path, failure)
    return Located(str(path), toml_text(text, str(path), failure), TomlLines(text).position_of, failure)


def read_json(path: str | Path, failure: type[InputError]) -> Located:
    """Read a JSON file. Raises `failure` if it is missing, not UTF-8, not JSON, or has a key twice."""
    return json_text(_text(path, failure), str(path), failure)


def json_text(text: str, path: str, failure: type[InputError]) -> Located:
    """Read JSON. Raises as `read_json`."""
    from . import json_file

    value = json_file.load(text, path, failure)
    return Located(path, value, json_file.JsonPositions(text).of, failure)


def toml_text(text: str, path: str, failure: type[InputError]) -> dict[str, Any]:
    """Read TOML as plain data. Raises `failure`, which names the path."""
    import tomllib

    try:
        value = tomllib.loads(text)
    except RecursionError:
        raise failure(f"{path}: this TOML cannot be read: it is nested too deeply.") from None
    except ValueError as error:  # also for a number of thousands of digits
        raise failure(_not_toml(path, text, str(error))) from error
    from .toml_file import TomlLines

    checked: dict[str, Any] = check(value, path, failure, length=len(text), find=TomlLines(text).position_of)
    return checked


def _not_toml(path: str, text: str, error: str) -> str:
    """`story.toml:2:1: not TOML: Unclosed array.`: what the parser says, with its place in front."""
    found = _TOML_PLACE.search(error)
    if found is None:
        return f"{path}: not TOML: {error}."
    lines = text.split("\n")
    line, column = (found[1], found[2]) if found[1] else (len(lines), len(lines[-1]) + 1)
    return f"{path}:{line}:{column}: not TOML: {error[: found.start()]}."


def _text(path: str | Path, failure: type[InputError]) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise failure(f"{path}: there is no such file.") from error
    except UnicodeDecodeError as error:
        before = bytes(error.object[: error.start])
        line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2].decode()) + 1
        raise failure(f"{path}:{line}:{column}: not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except (OSError, ValueError) as error:  # `ValueError` for a NUL in the path, or half an emoji
        raise failure(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
