"""Reading files that people write by hand: YAML and TOML."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ..errors import InputError
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
    import tomllib

    from .toml_file import TomlLines

    text = _text(path, failure)
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise failure(f"{path}: not TOML: {error}.") from error
    return Located(str(path), value, TomlLines(text).line_of, failure)


def _text(path: str | Path, failure: type[InputError]) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise failure(f"{path}: there is no such file.") from error
    except UnicodeDecodeError as error:
        raise failure(f"{path}: not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except OSError as error:
        raise failure(f"{path}: cannot be read: {error.strerror or error}.") from error
