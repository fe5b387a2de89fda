"""A memory in a few words, for people: its text without headings."""

from __future__ import annotations

from earwitness.formats import CURRENT_TIME, KNOWLEDGE, MESSAGE
from earwitness.patterns import lazy_pattern
from earwitness.records.memory import Memory

NEWS = "– "
_SECTION = lazy_pattern(r"(?m)^(###[^#\n]+###)$")


def gist(memory: Memory) -> str:
    """What is remembered, without headings and the words that find it; news of the world after a dash."""
    sections = _sections(memory.content)
    if CURRENT_TIME not in sections or not sections.keys() & {MESSAGE, KNOWLEDGE}:
        return memory.text
    said = sections.get(MESSAGE, "").removeprefix("Message: ")
    news = [f"{NEWS}{line}" for line in sections.get(KNOWLEDGE, "").splitlines()]
    return "\n".join([*filter(None, [said]), *news])


def _sections(content: str) -> dict[str, str]:
    """Heading → the text below it."""
    parts = _SECTION.split(content)
    return dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True))
