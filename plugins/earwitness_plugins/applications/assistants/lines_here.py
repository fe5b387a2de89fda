"""Lines on this machine, ranked by the words of a question. What was ranked before is not read again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count

from earwitness import Memory
from earwitness_plugins.ranking import MemoryIndex, MemoryRanker


class LinesHere:
    """Keeps an index for each purpose. Of the lines, it counts exactly those that a question is asked about."""

    def __init__(self) -> None:
        self._ranker = MemoryRanker(None)
        self._indexes: dict[str, tuple[MemoryIndex, dict[str, str]]] = {}
        """Purpose → its index, and each line in it → its id."""
        self._numbers = count()
        self._alone = asyncio.Lock()

    async def ranked(self, purpose: str, lines: Sequence[str], query: str, limit: int) -> list[tuple[str, float]]:
        """The best of the lines, each once, that have words of the query, best first, each with its score."""
        async with self._alone:
            index, known = self._indexes.setdefault(purpose, (self._ranker.new_index(), {}))
            wanted = dict.fromkeys(lines)
            gone = [line for line in known if line not in wanted]
            index.remove([known.pop(line) for line in gone])
            new = [
                Memory(id=f"{next(self._numbers):012d}", container="here", content=line, metadata={})
                for line in wanted
                if line not in known
            ]
            await index.put_in_slices(await self._ranker.indexed(new, [int(each.id) for each in new]))
            known |= {each.content: each.id for each in new}
            hits = await self._ranker.search(index, query, limit=limit)
            return [(hit.memory.content, hit.score) for hit in hits]
