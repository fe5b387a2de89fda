"""Sentences of a narration."""

from __future__ import annotations

import re
from collections.abc import Iterator

_GAP = re.compile(r"(?<=[.!?…])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)\s+|\n+")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a narration, in order."""
    return (sentence for sentence in _GAP.split(text) if sentence.strip())
