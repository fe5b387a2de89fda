"""A memory in a few words, for people: its text without headings, and how it got there."""

from __future__ import annotations

import re

from earwitness.formats import CURRENT_TIME, KNOWLEDGE, MESSAGE
from earwitness.records.memory import Memory

_SECTION = re.compile(r"(?m)^(###[^#\n]+###)$")


def gist(memory: Memory) -> str:
    """What is remembered, without headings and the words that find it; news of the world after a dash."""
    parts = _SECTION.split(memory.content)
    sections = dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True))
    if MESSAGE not in sections or CURRENT_TIME not in sections:
        return memory.content.partition("\n")[2] if "words" in memory.metadata else memory.content
    news = "".join(f"\n– {line}" for line in sections.get(KNOWLEDGE, "").splitlines())
    return sections[MESSAGE].removeprefix("Message: ") + news


def how(memory: Memory) -> str:
    """How the memory got there: `said it`, `heard it`, `saw it happen to others`, `from bob`."""
    if memory.permanent:
        return "knew it before"
    if memory.metadata.get("isSpeaker") is True:
        return "said it"
    interaction, teller = memory.metadata.get("interactionType", "direct"), memory.metadata.get("sharedFrom")
    if interaction == "shared":
        return f"from {teller}" if teller else "was told"
    return "witnessed it" if interaction == "witnessed" else "heard it"
