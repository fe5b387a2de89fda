"""MIDDLE: the last messages of a story as a conversation with a model. Pure functions.

Messages are data. No text opens a line with a name: only its first line is behind the name of whoever said it, and the
others are indented.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..formats import harmless, harmless_block
from ..start.recalled import PerceivedMessage
from .lines import one_line

INDENT = "  "


def conversation(messages: Iterable[PerceivedMessage], user: str = "") -> list[dict[str, str]]:
    """Messages with `role` and `content`, oldest first, and what the host says at the end. No two neighbours have the
    same role, which some servers refuse."""
    said = [("assistant" if each.own else "user", _worded(each)) for each in messages]
    found: list[dict[str, str]] = []
    for role, content in (*said, *((("user", user),) if user else ())):
        if found and found[-1]["role"] == role:
            found[-1]["content"] += f"\n{content}"
        else:
            found.append({"role": role, "content": content})
    return found


def _worded(message: PerceivedMessage) -> str:
    text = harmless_block(harmless(message.text))
    return text if message.own else f"{one_line(message.name)}: {text}".replace("\n", f"\n{INDENT}")
