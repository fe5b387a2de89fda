"""Texts that are too long for a screen."""

from __future__ import annotations

MOST = 2_000
"""Characters of one memory that are shown."""


def shortened(text: str, most: int = MOST) -> str:
    """The beginning of a text of more than `most` characters, with how much is left out and how to see all of it."""
    left_out = len(text) - most
    return text if left_out <= 0 else f"{text[:most]}… ({left_out:,} more characters; --json shows all)"
