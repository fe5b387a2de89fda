"""What is found on this machine: messages that the store does not have, and the long-term memory here."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from earwitness import Record
from earwitness.sentences import excerpt
from earwitness.words import STOP_WORDS, query_terms, query_words

from .context import words_of
from .documents import ROOM, unconfirmed
from .file import ConversationContent
from .lines_here import LinesHere
from .records import AssistantMessage

ALIKE = 0.4
"""What is less alike than this share of the best is not found. In LoCoMo's conversations 0.6 loses a fifth of the
evidence, and less than 0.4 finds hardly more."""
FEW = 10
"""So many lines for each that is wanted are looked at before all of them are: some say what others say."""


class LocalSearch(Record):
    """Where, and for whom, this machine is searched."""

    container: str
    """The container of all conversations."""
    key: str
    """The conversation that asks."""
    window: int
    """So many of its newest messages it has before it, unless they were closed."""
    is_away: bool
    """Whether the store has not answered: then messages that it has are searched here, too."""
    with_facts: bool
    """Whether the long-term memory is searched."""


class FoundHere(Record):
    """What was found on this machine, best first."""

    said: tuple[str, ...] = ()
    """Messages."""
    remembered: tuple[str, ...] = ()
    """Of the long-term memory."""


async def searched_here(
    contents: Sequence[ConversationContent], query: str, search: LocalSearch, limit: int, lines: LinesHere
) -> FoundHere:
    """What shares words with the query, and is about as alike as the best; never the query itself."""
    said = await asyncio.to_thread(_said, contents, query, search)
    facts = [fact for head, _ in contents for fact in (*head.facts, *head.history)] if search.with_facts else []
    if search.is_away:
        return FoundHere(remembered=await _best(lines, "all", [*said, *facts], query, limit))
    return FoundHere(
        said=await _best(lines, "said", said, query, limit),
        remembered=await _best(lines, "remembered", facts, query, limit),
    )


def _said(contents: Sequence[ConversationContent], query: str, search: LocalSearch) -> list[str]:
    return [str(each) for content in contents for each in _searched(content, search) if each.content != query]


def _searched(content: ConversationContent, search: LocalSearch) -> Iterator[AssistantMessage]:
    """The messages of a conversation that whoever asks does not have before them."""
    head, messages = content
    heard = head.first + len(messages) - search.window if head.key == search.key else head.first + len(messages)
    within = max(heard, head.closed) - head.first
    known = None if search.is_away else unconfirmed(search.container, head, messages)
    for place, each in enumerate(messages[: max(0, within)]):
        if known is None or head.first + place in known:
            yield each


async def _best(here: LinesHere, purpose: str, lines: Sequence[str], query: str, limit: int) -> tuple[str, ...]:
    """The best of these lines, each once, and none that another one holds; of a long one, what is about the query."""
    if not lines or not limit or STOP_WORDS.issuperset(query_words(query)):
        return ()
    few = FEW * limit
    hits = await here.ranked(purpose, lines, query, few)
    kept = _kept(hits, limit)
    if len(kept) < limit and len(hits) == few < len(lines):
        kept = _kept(await here.ranked(purpose, lines, query, len(lines)), limit)
    wanted = query_terms(query)
    return await asyncio.to_thread(lambda: tuple([excerpt(line, ROOM, wanted) for line in kept]))


def _kept(hits: Sequence[tuple[str, float]], limit: int) -> list[str]:
    kept: list[str] = []
    for line in (line for line, score in hits if score >= ALIKE * hits[0][1] > 0):
        if not any(words_of(line) in other for other in kept):
            kept = [*(other for other in kept if words_of(other) not in line), line]
        if len(kept) == limit:
            break
    return kept
