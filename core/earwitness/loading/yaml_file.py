"""YAML 1.2's core schema, read by ruamel.yaml. In a story, `No`, `on` and `12:30` are things people say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from sys import int_info
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError, DuplicateKeyError, SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode
from ruamel.yaml.reader import ReaderError
from ruamel.yaml.resolver import VersionedResolver

from ..errors import InputError, named, quoted, shortened
from .limits import check
from .problems import BOTH_HALVES, Loc, Position

HINT = "Text that holds one of : ? # , [ ] { } or begins with * needs quotes."

NOT_PLAIN = frozenset({"!!binary", "!!set"})
"""Tags of values that JSON does not know."""
Resolvers = dict[str, list[tuple[str, Any]]]
"""First character of an unquoted word → the tags it may have, each with the pattern of the whole word."""


def resolvers(*tags: tuple[str, str, str]) -> Resolvers:
    """Resolvers from (tag, pattern, first characters)."""
    found: Resolvers = {}
    for tag, pattern, firsts in tags:
        for first in [*firsts] if tag != "null" else [*firsts, ""]:
            found.setdefault(first, []).append((f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$")))
    return found


CORE_SCHEMA = resolvers(
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
)


class CoreSchemaResolver(VersionedResolver):
    """Types of unquoted words. ruamel's own rules for YAML 1.2 recognise more: dates, `1_000`, `<<`, `=`."""

    rules = CORE_SCHEMA

    @property
    def versioned_resolver(self) -> Resolvers:
        """The rules, whatever version a document claims to have."""
        return self.rules


class UnusableError(ConstructorError):
    """What YAML allows and no file of ours can use."""

    def __init__(self, problem: str, node: Node) -> None:
        super().__init__(None, None, problem, node.start_mark)


class PlainConstructor(SafeConstructor):
    """Makes plain data. A value that is not what its tag says is an error with its line."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """As ruamel does. Raises `UnusableError` for a key that is a list or a table."""
        for key, _ in node.value if isinstance(node, MappingNode) else ():
            if isinstance(key, MappingNode | SequenceNode):
                raise UnusableError(f"{_source(key)} cannot be a key. Write text or a number as the key", key)
        return super().construct_mapping(node, deep=deep)

    def construct_scalar(self, node: Any) -> Any:
        """As ruamel does, and joins the two halves of an escaped character. Raises `UnusableError` for half of one."""
        value = super().construct_scalar(node)
        if not isinstance(value, str) or value.isascii():
            return value
        try:
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError as error:
            half = quoted(chr(int.from_bytes(error.object[error.start : error.start + 2], "little")))
            raise UnusableError(f"{half} is half a character. {BOTH_HALVES[:-1]}", node) from None

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        """As ruamel does. Raises `ConstructorError` in place of whatever error a value of a wrong kind leads to."""
        tag = str(node.tag).replace("tag:yaml.org,2002:", "!!")
        if tag in NOT_PLAIN:
            raise ConstructorError(None, None, f"{tag} is not plain data. Write a list, or text", node.start_mark)
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, TypeError, LookupError):
            raise ConstructorError(None, None, _misfit(node, tag), node.start_mark) from None


def _source(node: Node) -> str:
    """A list or table as the file writes it, shortened, and which of them it is."""
    kind = "table" if isinstance(node, MappingNode) else "list"
    written = str(node.start_mark.buffer)[node.start_mark.index : node.end_mark.index]
    return f"the {kind} {quoted(' '.join(written.split()))}"


def _misfit(node: Node, tag: str) -> str:
    """Why a value is not what its tag says, whether that was written or is understood."""
    if tag == "!!int" and len(str(node.value)) > int_info.default_max_str_digits:
        return (
            f"a number of {len(node.value)} digits is too long. Write at most {int_info.default_max_str_digits} of them"
        )
    return f"{quoted(node.value)} is not what its tag {tag} says. Take the tag away"


def load(text: str, path: str, failure: type[InputError]) -> Any:
    """The document as plain data. Raises `failure` with line and column, also for a duplicate key."""
    try:
        return check(_yaml().load(text), path, failure, length=len(text), find=YamlPositions(text).of)
    except failure:
        raise
    except DuplicateKeyError as error:
        key = str(error.problem).partition(" with value")[0].removeprefix("found ")
        raise failure(f"{path}:{_place(error)}: {key}. Each key may appear only once.") from None
    except MarkedYAMLError as error:
        raise failure(f"{path}:{_why(error, text)}") from error
    except ReaderError as error:
        line, column = text[: error.position].count("\n") + 1, error.position - text.rfind("\n", 0, error.position)
        why = f"it holds the character U+{int(error.character):04X}, which no YAML may hold"
        raise failure(f"{path}:{line}:{column}: not YAML: {why}.") from None
    except RecursionError:
        raise failure(f"{path}: this YAML cannot be read: it is nested too deeply.") from None
    except (YAMLError, ValueError, TypeError, LookupError) as error:  # ruamel lets some of them through
        raise failure(f"{path}: not YAML: {shortened(named(error))}.") from error


def _why(error: MarkedYAMLError, text: str) -> str:
    """Where and why a text is not YAML, in words for somebody who writes a story."""
    problem, context = str(error.problem or error.context), str(error.context or "")
    if isinstance(error, UnusableError):
        return f"{_place(error)}: {problem}."
    if problem.startswith("but "):
        problem = f"{context}, {problem}"
    if "'\\t'" in problem:
        return f"{_place(error)}: not YAML: a tab cannot begin a line or an item. Indent with spaces."
    if "quoted scalar" in context and "end of stream" in problem:
        return f"{_at(error.context_mark)}: not YAML: the quotation mark that begins here is never closed."
    if "flow" in context and error.context_mark.line < error.problem_mark.line:
        bracket = _character(error.context_mark, text)
        return f"{_at(error.context_mark)}: not YAML: the {bracket!r} is not closed before line {_line(error)}."
    hint = "" if isinstance(error, ConstructorError) else f" {HINT}"
    colon = " Or a colon is missing in the line above." if problem.startswith("mapping values") else ""
    return f"{_place(error)}: not YAML: {problem}.{hint}{colon}"


class YamlPositions:
    """The positions of keys and items in a YAML text, which is read again when the first is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts: dict[int, dict[str | int, tuple[Position, Node]]] = {}
        """Identity of a node → its parts; each node is looked through once."""

    @cached_property
    def root(self) -> Node | None:
        """The document as nodes."""
        node: Node | None = _yaml().compose(self.text)
        return node

    def of(self, loc: Loc) -> Position:
        """The position of a key or item, or of the nearest enclosing one that is in the text."""
        node, position = self.root, Position(1, 1)
        for part in loc:
            key = str(part) if isinstance(node, MappingNode) else part
            if node is None or (step := self._parts_of(node).get(key)) is None:
                break
            position, node = step
        return position

    def _parts_of(self, node: Node) -> dict[str | int, tuple[Position, Node]]:
        if id(node) not in self._parts:
            self._parts[id(node)] = dict(_parts(node))
        return self._parts[id(node)]


def _yaml() -> YAML:
    yaml = YAML(typ="safe", pure=True)
    yaml.Resolver = CoreSchemaResolver
    yaml.Constructor = PlainConstructor
    return yaml


def _parts(node: Node) -> Iterator[tuple[str | int, tuple[Position, Node]]]:
    """The parts of a table or list."""
    if isinstance(node, MappingNode):
        keys = ((key, child) for key, child in reversed(node.value) if isinstance(key.value, str))
        yield from ((key.value, (_position(key.start_mark), child)) for key, child in keys)
    elif isinstance(node, SequenceNode):
        yield from ((at, (_position(child.start_mark), child)) for at, child in enumerate(node.value))


def _position(mark: Any) -> Position:
    return Position(mark.line + 1, mark.column + 1)


def _place(error: MarkedYAMLError) -> str:
    return _at(error.problem_mark or error.context_mark)


def _at(mark: Any) -> str:
    at = _position(mark) if mark else Position(1, 1)
    return f"{at.line}:{at.column}"


def _line(error: MarkedYAMLError) -> int:
    return _position(error.problem_mark).line


def _character(mark: Any, text: str) -> str:
    return text[mark.index : mark.index + 1]
