"""What a bot is told before it answers: what was found, the service's profile, the memory here; nothing twice. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from itertools import zip_longest
from typing import TypeVar

from earwitness.errors import EarwitnessError, named
from earwitness.records.backends import ServiceProfile
from earwitness.records.memory import Hit

from .records import AssistantContext

T = TypeVar("T")


async def tried(work: Awaitable[T]) -> T | EarwitnessError:
    """The answer, or why there is none."""
    try:
        return await work
    except EarwitnessError as error:
        return error


def context_of(
    hits: Sequence[Hit] | EarwitnessError,
    profile: ServiceProfile | EarwitnessError,
    said: Sequence[str],
    remembered: Sequence[str],
    *,
    limit: int,
    failures: Sequence[str],
) -> AssistantContext:
    """What was found, in turns with what was `said` and not uploaded yet; then what is `remembered` here besides."""
    why = hits if isinstance(hits, EarwitnessError) else profile  # a service that is away is named once
    found = () if isinstance(hits, EarwitnessError) else tuple(hit.memory.content for hit in hits)
    made = ServiceProfile() if isinstance(profile, EarwitnessError) else profile
    best = in_turns(found, _unsaid(said, found))
    memories = tuple(dict.fromkeys((*best, *_unsaid(remembered, best))))[:limit]
    static = _unsaid(made.static, memories)
    return AssistantContext(
        memories=memories,
        static=static,
        dynamic=_unsaid(made.dynamic, (*memories, *static)),
        failures=(*((named(why),) if isinstance(why, EarwitnessError) else ()), *failures),
    )


def in_turns(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """The best of the one, the best of the other, the second of the one, and so on."""
    return tuple(each for pair in zip_longest(one, other) for each in pair if each is not None)


def _unsaid(facts: Iterable[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Those of the facts that stand in none of the texts, each once."""
    return tuple(dict.fromkeys(each for each in facts if not any(words_of(each) in text for text in texts)))


def words_of(line: str) -> str:
    """What was said, without the role before it."""
    role, _, said = line.partition(": ")
    return said if said and role.isalpha() else line
