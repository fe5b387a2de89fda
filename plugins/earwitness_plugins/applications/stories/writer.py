"""Story files that read well: long texts are blocks, and whatever a reader could take for a number is quoted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import SafeRepresenter
from ruamel.yaml.resolver import implicit_resolvers

from earwitness.loading.yaml_file import CORE_SCHEMA, CoreSchemaResolver, Resolvers

WIDTH = 110
LONG = 90


def _with_yaml_1_1(rules: Resolvers) -> Resolvers:
    both = {first: [*each] for first, each in rules.items()}
    for versions, tag, pattern, firsts in implicit_resolvers:
        for first in firsts if (1, 1) in versions else ():
            both.setdefault(first, []).append((tag, pattern))
    return both


class QuotingResolver(CoreSchemaResolver):
    """Quotes every word that YAML 1.1 or the core schema would not read as text."""

    rules = _with_yaml_1_1(CORE_SCHEMA)


class StoryRepresenter(SafeRepresenter):
    """Writes texts of several lines, and long ones, as blocks."""

    def represent_text(self, text: str) -> ScalarNode:
        """A text, as a literal or folded block where that reads better."""
        style = "|" if "\n" in text else ">" if len(text) > LONG else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style if _fits_a_block(text) else None)


StoryRepresenter.add_representer(str, StoryRepresenter.represent_text)


def _fits_a_block(text: str) -> bool:
    """Blocks know no escapes, and readers cut the blanks at the ends of their lines."""
    return text.replace("\n", "").isprintable() and not re.search(r" (?:\n|\Z)", text)


def _dumped(key: str, value: Any) -> str:
    yaml = YAML(typ="safe", pure=True)
    yaml.Resolver, yaml.Representer = QuotingResolver, StoryRepresenter
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment] # ruamel declares it as None
    yaml.allow_unicode, yaml.width = True, WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = StringIO()
    yaml.dump({key: value}, stream)
    return stream.getvalue()


def story_text(values: Mapping[str, Any], heading: str) -> str:
    """A story file: its heading as a comment, then its values, with an empty line before each top-level key."""
    comment = "".join(f"# {' '.join(line.split())}\n" for line in heading.splitlines())
    return "\n".join([comment, *(_dumped(key, value) for key, value in values.items())])


def tidy(text: str) -> str:
    """The text without tabs and blanks at the ends of lines, which keep YAML from writing it as a block."""
    return "\n".join(line.expandtabs(4).rstrip() for line in text.splitlines()).strip()
