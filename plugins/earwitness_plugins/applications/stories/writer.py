"""Writing a story file that reads well: long texts as block scalars, nothing that a reader would take for a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from earwitness.loading.yamltree import CoreSchemaLoader

WIDTH = 110
LONG = 90


_SCHEMAS: tuple[dict[str, Any], ...] = (
    yaml.SafeDumper.yaml_implicit_resolvers,
    CoreSchemaLoader.yaml_implicit_resolvers,
)


class StoryDumper(yaml.SafeDumper):
    """Quotes whatever YAML 1.1 or the core schema would not take for text."""

    yaml_implicit_resolvers = {  # PyYAML's own way to say what a bare word would be read as
        first: [rule for schema in _SCHEMAS for rule in schema.get(first, [])]
        for first in {first for schema in _SCHEMAS for first in schema}
    }

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists below their key, as people do."""
        super().increase_indent(flow, False)


def _text(dumper: StoryDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else ">" if len(text) > LONG else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


StoryDumper.add_representer(str, _text)


def story_text(values: Mapping[str, Any], heading: str) -> str:
    """A story file: its heading as a comment, and its values. Each top-level key has an empty line before it."""
    parts = [
        yaml.dump({key: value}, Dumper=StoryDumper, sort_keys=False, allow_unicode=True, width=WIDTH)
        for key, value in values.items()
    ]
    comment = "".join(f"# {' '.join(line.split())}\n" for line in heading.splitlines())
    return "\n".join([comment, *parts])


def tidy(text: str) -> str:
    """The text without what keeps YAML from writing it as a block: tabs, and blanks at the ends of lines."""
    return "\n".join(line.expandtabs(4).rstrip() for line in text.splitlines()).strip()
