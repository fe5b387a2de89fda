"""The kind of a file, from its first bytes; whether it is JSON, from all of it."""

from __future__ import annotations

import json
from typing import Any

from earwitness.errors import StoryError

from .limits import read_bytes
from .text_encoding import MARK, decoded

_BINARY = (b"\x89PNG", b"\xff\xd8\xff", b"PK\x03\x04", b"RIFF", b"GIF8", b"SQLite")


def is_text(head: bytes) -> bool:
    """Whether a file begins like text."""
    return not head.startswith(_BINARY) and (head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" not in head)


def json_in(path: str, head: bytes) -> Any:
    """The JSON value in a file, or `None` when it is not JSON. Where there is no such file, the head is parsed."""
    if not is_text(head) or not text_of(head).startswith(("{", "[")):
        return None
    try:
        data = read_bytes(path)
    except StoryError:
        data = head
    try:
        return json.loads(decoded(data).text, strict=False)
    except (ValueError, RecursionError):
        return None


def text_of(head: bytes) -> str:
    """The first bytes as text, without a character that is cut off at their end."""
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = decoded(head).text if wide else head.decode("utf-8", errors="replace")
    return text.removeprefix(MARK).lstrip()
