"""The engine tells whom the rules mean, and nobody else: compared with the reference over random cases.

`EARWITNESS_LEAK_CASES` says how many; `benchmarks/leaks.py` tries 100,000.
"""

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from earwitness import Channel
from earwitness.filters import matches
from earwitness_relationships.graph import Relation
from earwitness_relationships.privacy.place import Place, readable
from earwitness_relationships.privacy.settings import PrivacySettings
from earwitness_relationships.privacy.table import privacy_table
from earwitness_relationships.propagation.adjacency import Adjacency
from earwitness_relationships.propagation.records import Seed, Spread
from earwitness_relationships.propagation.walk import spread
from earwitness_relationships.rules import RuleBook
from earwitness_relationships.testing.leaks import LeakSuite


class Graph:
    """Relations by the node they start at."""

    def __init__(self, relations: Sequence[Relation]) -> None:
        self._found: dict[str, list[Relation]] = defaultdict(list)
        for each in relations:
            self._found[each.source].append(each)

    def relations_of(
        self, node: str, types: Collection[str] | None = None, min_weight: float = 0.0
    ) -> Iterable[Relation]:
        return [e for e in self._found[node] if (types is None or e.type in types) and e.weight >= min_weight]


class TestOurEngine(LeakSuite):
    cases = int(os.environ.get("EARWITNESS_LEAK_CASES", "2000"))

    def spread(self, book: RuleBook, relations: Sequence[Relation], seed: Seed) -> Spread:
        return spread(Adjacency(book, Graph(relations)), seed)

    def readable(self, policy: str, learned: Channel, asked: Channel, there: Collection[str]) -> bool:
        ids = {"channelId": learned.channel_id, "guildId": learned.guild_id, "personaId": learned.persona_id}
        stored = {name: value for name, value in ids.items() if value is not None}
        stored |= {"contextType": learned.context, "participants": sorted(there)}
        characters = () if asked.persona_id is None else (asked.persona_id,)
        place = Place("s1", asked.context, asked.channel_id, asked.guild_id, asked.persona_id, characters)
        privacy = privacy_table(PrivacySettings.model_validate({"policy": policy}))
        return matches(readable(privacy, place), stored)
