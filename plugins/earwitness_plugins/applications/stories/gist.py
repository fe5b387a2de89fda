"""A memory in a few words, for people: its text without headings, and how it got there."""

from __future__ import annotations

import re

from earwitness.formats import CURRENT_TIME, KNOWLEDGE, MESSAGE
from earwitness.records.memory import Memory

NEWS = "– "
_SECTION = re.compile(r"(?m)^(###[^#\n]+###)$")


def gist(memory: Memory) -> str:
    """What is remembered, without headings and the words that find it; news of the world after a dash."""
    sections = _sections(memory.content)
    if CURRENT_TIME not in sections or not sections.keys() & {MESSAGE, KNOWLEDGE}:
        return memory.content.partition("\n")[2] if "words" in memory.metadata else memory.content
    said = sections.get(MESSAGE, "").removeprefix("Message: ")
    news = [f"{NEWS}{line}" for line in sections.get(KNOWLEDGE, "").splitlines()]
    return "\n".join([*filter(None, [said]), *news])


def _sections(content: str) -> dict[str, str]:
    """Heading → what stands below it."""
    parts = _SECTION.split(content)
    return dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True))


def how(memory: Memory) -> str:
    """How the memory got there: `said it`, `heard it`, `saw it happen to others`, `from bob`."""
    if memory.permanent:
        return "knew it before"
    if _only_news(memory):
        return "news of the world"
    if memory.metadata.get("isSpeaker") is True:
        return "said it"
    interaction, teller = memory.metadata.get("interactionType", "direct"), memory.metadata.get("sharedFrom")
    if interaction == "shared":
        return f"from {teller}" if teller else "was told"
    return "witnessed it" if interaction == "witnessed" else "heard it"


def _only_news(memory: Memory) -> bool:
    """What was told along with a message that is left out, since it stands in the prompt already."""
    sections = _sections(memory.content)
    return CURRENT_TIME in sections and KNOWLEDGE in sections and MESSAGE not in sections
