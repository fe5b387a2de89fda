"""Strategies as the command line names them: `rules`, `recent_speakers(n=5)`, `neo4j(uri="bolt://localhost:7687")`."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from earwitness.errors import InputError
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.patterns import lazy_pattern

_PART = lazy_pattern(r'"[^"]*"|\'[^\']*\'|[(\[{]|[)\]}]|,|[^"\'(\[{)\]},]+|.')
_NAMED = lazy_pattern(r"(?P<name>[\w.:-]+)(?:\((?P<given>.*)\))?", re.DOTALL)


def strategy_in(text: str) -> StrategySpec:
    """The strategy that a text names. Raises `InputError` for text that names none."""
    found = _NAMED.fullmatch(text.strip())
    if found is None:
        raise InputError(f"cannot read {text!r}. Write name or name(setting=value).")
    return StrategySpec(name=found["name"], settings=settings_in(text, found["given"]))


def settings_in(text: str, given: str | None) -> dict[str, Any]:
    """Parse `n=5, who=["a"]`, whose values are written as in TOML. `text` is what errors quote."""
    settings: dict[str, Any] = {}
    for part in parts(given or ""):
        try:
            settings.update(tomllib.loads(part))
        except tomllib.TOMLDecodeError as error:
            raise InputError(
                f"cannot read {part!r} in {text!r}: write setting=value as in TOML: text in quotes, a "
                "table as {rules = {weight = 2}}."
            ) from error
    return settings


def parts(text: str) -> list[str]:
    """Split at commas, but not at those within brackets or quotes."""
    found, depth = [""], 0
    for piece in _PART.findall(text):
        depth += (piece in "([{") - (piece in ")]}")
        if piece == "," and depth == 0:
            found.append("")
        else:
            found[-1] += piece
    return [part.strip() for part in found if part.strip()]
