"""Memories ranked by the words they share with a query: for those that no store ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from .long_texts import LONG, aside
from .records.memory import Hit, Memory
from .words import STOP_WORDS, plain, query_words, terms


class AtHand(NamedTuple):
    """A memory that is decided, and not in the store yet."""

    memory: Memory
    """The memory, as the store will have it."""
    words: frozenset[str]
    """The words by which a query finds it."""


async def ranked_by_words(memories: Sequence[Memory], query: str, limit: int) -> Sequence[Hit]:
    """The best of these memories by the share of the query's words that they have."""
    return list(islice(by_share(await with_words(memories), await asked_words(query)), limit))


async def with_words(memories: Sequence[Memory]) -> list[AtHand]:
    """The memories with the words by which a query finds them."""
    characters = sum(len(each.content) for each in memories)
    return await aside(characters, lambda: [AtHand(each, _words_of(each.content)) for each in memories])


async def asked_words(query: str) -> set[str]:
    """The words that a query asks for."""
    words = await aside(len(query), lambda: query_words(plain(query)))
    return {term for word, term in words.items() if word not in STOP_WORDS}


def by_share(memories: Sequence[AtHand], asked: set[str]) -> Iterator[Hit]:
    """Rank by the share of the query's words that each memory contains. Among equals, the newest comes first."""
    counts = [len(asked & each.words) for each in memories]
    for place in sorted(range(len(memories)), key=lambda place: (counts[place], place), reverse=True):
        share = counts[place] / (len(asked) or 1)
        yield Hit(memory=memories[place].memory, score=share, parts={"at hand": share})


def _words_of(content: str) -> frozenset[str]:
    return (_words if len(content) <= LONG else _words.__wrapped__)(content)


@lru_cache(maxsize=1_024)
def _words(content: str) -> frozenset[str]:
    """The words of a memory: turn after turn looks at the same ones until the store holds them."""
    return frozenset(terms(plain(content)))
