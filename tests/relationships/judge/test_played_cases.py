"""Whole stories under random rules: nobody recalls what no chain of rules and no privacy allows.

`EARWITNESS_LEAK_STORIES` says how many.
"""

import os
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_relationships.testing.cases import case
from earwitness_relationships.testing.played_cases import played_disagreements

STORIES = int(os.environ.get("EARWITNESS_LEAK_STORIES", "24"))
PARTS = 4


def in_memory(settings: dict[str, Any]) -> AbstractAsyncContextManager[Earwitness]:
    parts = {"embedder": "none", "detector": "everyone", "world_agent": "none", "strict": True}
    return Earwitness.open(store=MemoryStore(), ledger=MemoryLedger(), **parts, **settings)


@pytest.mark.parametrize("part", range(PARTS))
async def test_what_a_reader_recalls_is_what_the_references_allow(part: int, tmp_path: Path) -> None:
    found = []
    for number in range(part, STORIES, PARTS):
        folder = tmp_path / str(number)
        folder.mkdir()
        found += await played_disagreements(case(number), folder, in_memory)
    assert "\n".join(map(str, found)) == ""
