"""The engine tells whom the rules mean, and nobody else: compared with the reference over random cases.

`EARWITNESS_LEAK_CASES` says how many; `.ci/run` tries 100,000 of them.
"""

import os
from collections.abc import Collection, Sequence

import pytest

from earwitness import Channel
from earwitness.filters import matches
from earwitness_relationships.graph import Fact, Relation
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.privacy.place import Place, readable
from earwitness_relationships.privacy.table import privacy_table
from earwitness_relationships.propagation import Adjacency, Seed, Spread, spread
from earwitness_relationships.rules import RuleBook
from earwitness_relationships.settings import PrivacySettings
from earwitness_relationships.testing.leaks import LeakSuite

CASES = int(os.environ.get("EARWITNESS_LEAK_CASES", "1600"))
PARTS = 16


class OurEngine(LeakSuite):
    cases = CASES // PARTS

    def spread(self, book: RuleBook, relations: Sequence[Relation], seed: Seed) -> Spread:
        return spread(Adjacency(book, GraphView.of(Fact(relation=each) for each in relations)), seed)

    def readable(self, policy: str, learned: Channel, asked: Channel, there: Collection[str]) -> bool:
        ids = {"channelId": learned.channel_id, "guildId": learned.guild_id, "personaId": learned.persona_id}
        stored = {name: value for name, value in ids.items() if value is not None}
        stored |= {"contextType": learned.context, "participants": sorted(there)}
        characters = () if asked.persona_id is None else (asked.persona_id,)
        place = Place("s1", asked.context, asked.channel_id, asked.guild_id, asked.persona_id, characters)
        privacy = privacy_table(PrivacySettings.model_validate({"policy": policy}))
        return matches(readable(privacy, place), stored)


@pytest.mark.parametrize("part", range(PARTS))
def test_nobody_recalls_what_no_chain_of_rules_allows(part: int) -> None:
    ours = OurEngine()
    ours.first = part * ours.cases
    ours.test_nobody_recalls_what_no_chain_of_rules_allows()
