"""Reading files that people write by hand: YAML and TOML."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from ..errors import InputError
from .limits import check
from .located import Located


def read_yaml(path: str | Path, failure: type[InputError]) -> Located:
    """Read a YAML file. Raises `failure` if it is missing, not UTF-8, not YAML, or has a key twice."""
    return yaml_text(_text(path, failure), str(path), failure)


def yaml_text(text: str, path: str, failure: type[InputError]) -> Located:
    """Read YAML by the core schema of YAML 1.2, in which `No` and `2026-01-02` are text. Raises as `read_yaml`."""
    from . import yaml_file

    return Located(path, yaml_file.load(text, path, failure), partial(yaml_file.line_of, text), failure)


def read_toml(path: str | Path, failure: type[InputError]) -> Located:
    """Read a TOML file. Raises `failure` if it is missing, not UTF-8 or not TOML."""
    from .toml_file import TomlLines

    text = _text(path, failure)
    return Located(str(path), toml_text(text, str(path), failure), TomlLines(text).line_of, failure)


def toml_text(text: str, path: str, failure: type[InputError]) -> dict[str, Any]:
    """Read TOML as plain data. Raises `failure`, which names the path."""
    import tomllib

    try:
        value = tomllib.loads(text)
    except RecursionError:
        raise failure(f"{path}: not TOML that can be read: it is nested too deeply.") from None
    except ValueError as error:  # also for a number of thousands of digits
        raise failure(f"{path}: not TOML: {error}.") from error
    checked: dict[str, Any] = check(value, path, failure, length=len(text))
    return checked


def _text(path: str | Path, failure: type[InputError]) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise failure(f"{path}: there is no such file.") from error
    except UnicodeDecodeError as error:
        raise failure(f"{path}: not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except (OSError, ValueError) as error:  # `ValueError` for a NUL in the path, or half an emoji
        raise failure(f"{path!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
