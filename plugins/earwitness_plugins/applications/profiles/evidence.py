"""Which of a character's memories are about somebody, and what each of them says. Pure.

A name counts as the character heard it: what somebody said in disguise is of the mask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from earwitness import Cast, Character, Recalled
from earwitness.formats import as_written, parts_of


@dataclass(frozen=True, slots=True)
class AboutSomebody:
    """A memory about somebody."""

    recalled: Recalled
    """The memory."""
    speaker: str | None
    """The name under which it was said; `None` for what is not a message."""
    text: str
    """What was said, or the whole memory, in one line."""
    is_theirs: bool
    """Whether the other one said it."""
    is_own: bool
    """Whether the character said it."""

    @property
    def id(self) -> str:
        """Id of the memory."""
        return self.recalled.memory.id

    @property
    def day(self) -> float:
        """The game day on which it was learned; 0 for what was known before."""
        return self.recalled.memory.learned_day or 0.0


def about(memories: Iterable[Recalled], character: Character, other: Character, cast: Cast) -> list[AboutSomebody]:
    """The memories that the other one said, that name them, or that the character said to them by name."""
    named = _pattern(other)
    found = [_read(each, character, other, cast) for each in memories]
    return [each for each in found if each.is_theirs or named.search(each.text)]


def names_of(member: Character) -> Sequence[str]:
    """All names of a member of the cast."""
    return tuple(dict.fromkeys((member.name, member.id, *member.aliases)))


def _pattern(other: Character) -> re.Pattern[str]:
    names = sorted(map(re.escape, names_of(other)), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)", re.IGNORECASE)


def _read(recalled: Recalled, character: Character, other: Character, cast: Cast) -> AboutSomebody:
    parts = parts_of(recalled.memory.content)
    speaker = parts.name
    who = cast.of_name(speaker) if speaker else None
    told = " ".join([as_written(parts.text), *parts.knowledge]) if speaker else recalled.memory.text
    return AboutSomebody(
        recalled=recalled,
        speaker=speaker,
        text=" ".join(told.split()),
        is_theirs=who is not None and who.id == other.id,
        is_own=who is not None and who.id == character.id,
    )
