"""START: excerpts of memories that are longer than their share of the token budget. Nothing is done where all fit."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from ..formats import day_of, parts_of
from ..long_texts import aside
from ..sentences import excerpt
from ..words import query_terms
from .rank import CHARACTERS_A_TOKEN, cost, fair_share
from .recalled import Recalled


async def within(memories: Sequence[Recalled], budget: int | None, query: str, mark: str) -> Sequence[Recalled]:
    """The memories, those that are too long as excerpts round what was asked. `mark` is as for `chosen`."""
    if budget is None:
        return memories
    costs = [cost(each, mark) for each in memories]
    if sum(costs) <= budget:
        return memories
    share, wanted = fair_share(costs, budget), frozenset(await aside(len(query), query_terms, query))
    return [
        await asyncio.to_thread(_excerpt, each, share, wanted, mark) if costly > share else each
        for each, costly in zip(memories, costs, strict=True)
    ]


def _excerpt(recalled: Recalled, share: int, wanted: Collection[str], mark: str) -> Recalled:
    room = (share - cost(recalled, mark)) * CHARACTERS_A_TOKEN + len(recalled.text)
    return recalled.model_copy(update={"excerpt": shortened(recalled.text, room, wanted)})


def shortened(content: str, room: int, wanted: Collection[str]) -> str:
    """A stored memory in at most about `room` characters: its headings and days, and excerpts of its long parts."""
    parts = parts_of(content)
    texts = (parts.text, *(day_of(line)[0] for line in parts.knowledge))
    most = fair_share([len(each) for each in texts], max(0, room - len(content) + sum(map(len, texts))))
    said, *known = [excerpt(each, most, wanted) for each in texts]
    lines = [shown + line[len(text) :] for shown, text, line in zip(known, texts[1:], parts.knowledge, strict=True)]
    return parts._replace(text=said, knowledge=tuple(lines)).content
