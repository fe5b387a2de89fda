"""YAML 1.2's core schema, read by ruamel.yaml. In a story, `No`, `on` and `12:30` are things people say."""

from __future__ import annotations

import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode
from ruamel.yaml.resolver import VersionedResolver

from ..errors import InputError, named, shortened
from .limits import check
from .problems import Loc

HINT = "Text that holds one of : ? # , [ ] { } or begins with * needs quotes."


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


def load(text: str, path: str, failure: type[InputError]) -> Any:
    """The document as plain data. Raises `failure` with the line, also for a duplicate key."""
    try:
        return check(_yaml().load(text), path, failure, length=len(text))
    except failure:
        raise
    except DuplicateKeyError as error:
        key = str(error.problem).partition(" with value")[0].removeprefix("found ")
        raise failure(f"{path}:{_line(error)}: {key}. Each key may be there once.") from None
    except MarkedYAMLError as error:
        raise failure(f"{path}:{_line(error)}: not YAML: {error.problem or error.context}. {HINT}") from error
    except RecursionError:
        raise failure(f"{path}: not YAML that can be read: it is nested too deeply.") from None
    except (YAMLError, ValueError, TypeError, LookupError) as error:  # ruamel lets some of them through
        raise failure(f"{path}: not YAML: {shortened(named(error))}.") from error


def line_of(text: str, loc: Loc) -> int:
    """The line (from 1) of a key or item, or of the nearest enclosing one that is in the text."""
    node, line = _yaml().compose(text), 1
    for part in loc:
        if (step := _step(node, part)) is None:
            break
        line, node = step
    return line


def _yaml() -> YAML:
    yaml = YAML(typ="safe", pure=True)
    yaml.Resolver = CoreSchemaResolver
    return yaml


def _step(node: Node | None, part: str | int) -> tuple[int, Node] | None:
    if isinstance(node, MappingNode):
        steps = ((key.start_mark.line + 1, child) for key, child in node.value if key.value == str(part))
    elif isinstance(node, SequenceNode):
        steps = ((child.start_mark.line + 1, child) for at, child in enumerate(node.value) if at == part)
    else:
        return None
    return next(steps, None)


def _line(error: MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1
