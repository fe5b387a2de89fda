"""YAML as plain data and as a tree that knows its lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from ..errors import InputError

if TYPE_CHECKING:
    from .located import Loc


class CoreSchemaLoader(yaml.SafeLoader):
    """PyYAML with the scalars of YAML 1.2's core schema: in a story, `No`, `on` and `12:30` are things people say."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # PyYAML's own way; filled once, below


_SCALARS = {
    "null": (r"~|null|Null|NULL|", "~nN"),
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    "float": (r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
}
for _name, (_pattern, _first) in _SCALARS.items():
    _starts = [*_first, ""] if _name == "null" else list(_first)
    CoreSchemaLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(f"^(?:{_pattern})$"), _starts)


class YamlTree:
    """One document: its data, and the line of everything in it."""

    def __init__(self, text: str, path: str, failure: type[InputError]) -> None:
        self._path, self._failure = path, failure
        loader = CoreSchemaLoader(text)
        try:
            self._root = loader.get_single_node()
            self._refuse_repeated_keys(self._root)
            self.value = loader.construct_document(self._root) if self._root else None
        except yaml.MarkedYAMLError as error:
            raise failure(f"{path}:{_line(error)}: not YAML: {error.problem or error.context}.") from error
        except (yaml.YAMLError, ValueError, TypeError) as error:
            raise failure(f"{path}: not YAML: {error}.") from error
        finally:
            loader.dispose()

    def line_of(self, loc: Loc) -> int:
        """The line (from 1) of a key or item; of the whole, for `()`."""
        node, line = self._root, 1
        for part in loc:
            line, node = _step(node, part)
        return line

    def _refuse_repeated_keys(self, node: yaml.Node | None) -> None:
        seen: set[str] = set()
        for key, child in _children(node):
            if key is not None and key.value in seen:
                raise self._failure(f"{self._path}:{key.start_mark.line + 1}: the key {key.value!r} stands here twice.")
            if key is not None:
                seen.add(str(key.value))
            self._refuse_repeated_keys(child)


def _children(node: yaml.Node | None) -> list[tuple[yaml.Node | None, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        return list(node.value)
    return [(None, child) for child in node.value] if isinstance(node, yaml.SequenceNode) else []


def _step(node: yaml.Node | None, part: str | int) -> tuple[int, yaml.Node]:
    for position, (key, child) in enumerate(_children(node)):
        if (key.value == str(part)) if key is not None else (position == part):
            return (key or child).start_mark.line + 1, child
    raise KeyError(part)


def _line(error: yaml.MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1
