"""Text as PostgreSQL can hold it: everything but NUL, which is written in another way, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from earwitness.records.memory_types import Metadata
from earwitness.words import terms

_ESCAPE = "\x1a"
_NUL, _ITSELF = f"{_ESCAPE}0", f"{_ESCAPE}1"
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def kept(text: str) -> str:
    """The text without NUL. Different texts stay different."""
    if "\x00" not in text and _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE, _ITSELF).replace("\x00", _NUL)


def given(text: str) -> str:
    """The text as it was."""
    return text.replace(_NUL, "\x00").replace(_ITSELF, _ESCAPE) if _ESCAPE in text else text


def kept_terms(text: str) -> list[str]:
    """The terms of a plain text, as the table of words has them."""
    return [*map(kept, terms(text))]


class KeptMetadata(NamedTuple):
    """Metadata as JSON."""

    text: str
    """For filters."""
    exact: str | None
    """The same once more, if `jsonb` would write a number in another way."""


def kept_metadata(metadata: Metadata) -> KeptMetadata:
    """Metadata as it is stored. Raises `ValueError` or `TypeError` for what no metadata may hold."""
    text = _JSON.encode(metadata)
    if "\\u0000" in text or "\\u001a" in text:
        text = _JSON.encode({kept(key): _each(value, kept) for key, value in metadata.items()})
    return KeptMetadata(text, text if any(map(_is_odd, metadata.values())) else None)


def given_metadata(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata as it was, from what the driver read."""
    if not any(_ESCAPE in key or _has_escape(value) for key, value in stored.items()):
        return dict(stored)
    return {given(key): _each(value, given) for key, value in stored.items()}


def _each(value: Any, turned: Any) -> Any:
    if isinstance(value, str):
        return turned(value)
    return [turned(each) for each in value] if isinstance(value, list | tuple) else value


def _has_escape(value: Any) -> bool:
    return _ESCAPE in value if isinstance(value, str) else isinstance(value, list) and any(map(_has_escape, value))


def _is_odd(value: object) -> bool:
    """Whether it is a number that `jsonb` spells out, so that it is read back as an integer, or loses its sign."""
    return isinstance(value, float) and ("e" in (text := repr(value)) or text == "-0.0")
