"""What a bot is told before it answers: what was found, the service's profile, the memory here; nothing twice. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
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
    here: Sequence[str],
    *,
    limit: int,
    failures: Sequence[str],
) -> AssistantContext:
    """What was found, then what is remembered `here` and not said by that already."""
    why = hits if isinstance(hits, EarwitnessError) else profile  # a service that is away is named once
    found = () if isinstance(hits, EarwitnessError) else tuple(hit.memory.content for hit in hits)
    made = ServiceProfile() if isinstance(profile, EarwitnessError) else profile
    memories = tuple(dict.fromkeys((*found, *_unsaid(here, found))))[:limit]
    static = _unsaid(made.static, memories)
    return AssistantContext(
        memories=memories,
        static=static,
        dynamic=_unsaid(made.dynamic, (*memories, *static)),
        failures=(*((named(why),) if isinstance(why, EarwitnessError) else ()), *failures),
    )


def _unsaid(facts: Iterable[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Those of the facts that stand in none of the texts, each once."""
    return tuple(dict.fromkeys(each for each in facts if not any(_words_of(each) in text for text in texts)))


def _words_of(fact: str) -> str:
    """What was said, without the role before it."""
    role, _, said = fact.partition(": ")
    return said if said and role.isalpha() else fact
