"""YAML as plain data and as a tree that knows its lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from ..errors import InputError

if TYPE_CHECKING:
    from .located import Loc


HINT = "Text that holds one of : ? # , [ ] { } or begins with * needs quotes."


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


def _whole_number(loader: CoreSchemaLoader, node: yaml.ScalarNode) -> int:
    """YAML 1.2 knows no octal by a leading zero: 08 is 8."""
    text = str(loader.construct_scalar(node))
    return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)


CoreSchemaLoader.add_constructor("tag:yaml.org,2002:int", _whole_number)


class YamlTree:
    """One document: its data, and the line of everything in it."""

    def __init__(self, text: str, path: str, failure: type[InputError]) -> None:
        self._path, self._failure = path, failure
        try:
            self._root, self.value = _composed(text)
        except yaml.MarkedYAMLError as error:
            raise failure(f"{path}:{_line(error)}: not YAML: {error.problem or error.context}. {HINT}") from error
        except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
            raise failure(f"{path}: not YAML: {error}.") from error
        self._refuse_repeated_keys(self._root, set())

    def line_of(self, loc: Loc) -> int:
        """The line (from 1) of a key or item, or of the nearest thing around it that stands in the text."""
        node, line = self._root, 1
        for part in loc:
            if (step := _step(node, part)) is None:
                break
            line, node = step
        return line

    def _refuse_repeated_keys(self, node: yaml.Node | None, visited: set[int]) -> None:
        if id(node) in visited:  # an alias: the same node again
            return
        visited.add(id(node))
        seen: set[str] = set()
        for key, child in _children(node):
            if key is not None and key.value in seen:
                raise self._failure(f"{self._path}:{key.start_mark.line + 1}: the key {key.value!r} stands here twice.")
            if key is not None:
                seen.add(str(key.value))
            self._refuse_repeated_keys(child, visited)


def _composed(text: str) -> tuple[yaml.Node | None, Any]:
    loader = CoreSchemaLoader(text)
    try:
        root = loader.get_single_node()
        return root, loader.construct_document(root) if root else None
    finally:
        loader.dispose()


def _children(node: yaml.Node | None) -> list[tuple[yaml.Node | None, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        return list(node.value)
    return [(None, child) for child in node.value] if isinstance(node, yaml.SequenceNode) else []


def _step(node: yaml.Node | None, part: str | int) -> tuple[int, yaml.Node] | None:
    for position, (key, child) in enumerate(_children(node)):
        if (key.value == str(part)) if key is not None else (position == part):
            return (key or child).start_mark.line + 1, child
    return None


def _line(error: yaml.MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1
