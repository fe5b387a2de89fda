"""Whole stories in which much happens: nobody recalls what no chain of rules and no privacy allows.

`EARWITNESS_LEAK_STORIES` says how many.
"""

import os
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness, Share, SharingEvent
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_relationships.testing.eventful_stories import eventful_case, eventful_disagreements

STORIES = int(os.environ.get("EARWITNESS_LEAK_STORIES", "24"))
PARTS = 4


def in_memory(settings: dict[str, Any]) -> AbstractAsyncContextManager[Earwitness]:
    parts = {"embedder": "none", "detector": "none", "world_agent": "none", "strict": True}
    return Earwitness.open(store=MemoryStore(), ledger=MemoryLedger(), **parts, **settings)


@pytest.mark.parametrize("part", range(PARTS))
async def test_nobody_recalls_what_no_chain_of_rules_allows(part: int, tmp_path: Path) -> None:
    found = []
    for number in range(part, STORIES, PARTS):
        folder = tmp_path / str(number)
        folder.mkdir()
        found += await eventful_disagreements(eventful_case(number), folder, in_memory)
    assert "\n".join(map(str, found)) == ""


class Gossip:
    """A sharing rule that tells everybody everything."""

    def share(self, event: SharingEvent) -> list[Share]:
        speaker = event.message.speaker
        return [Share(character=each, shared_from=speaker) for each in event.cast.ids if each not in event.knowers]


def leaking(settings: dict[str, Any]) -> AbstractAsyncContextManager[Earwitness]:
    return in_memory({**settings, "sharing_rules": [Gossip()]})


async def test_a_rule_that_tells_everybody_everything_leaks(tmp_path: Path) -> None:
    found = []
    for number in range(3):
        (folder := tmp_path / str(number)).mkdir()
        found += await eventful_disagreements(eventful_case(number), folder, leaking)
    assert any("recalls" in str(each) for each in found)
