"""Whole stories under random rules: groups with hubs answer as if everybody had a copy. `EARWITNESS_HUB_STORIES` says
how many."""

import os
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_relationships.testing.hubs import CHANGES, hub_case, hub_disagreements

STORIES = int(os.environ.get("EARWITNESS_HUB_STORIES", "30"))
MIXES = (
    *((change, "fork", "nothing") for change in ("edit", "retract", "retract own", "relate")),
    ("join the story", "join", "edit", "say"),
    ("join", "leave", "remove", "say"),
    ("say", "disguise", "unmask", "join"),
    ("say again", "retract own", "nothing", "join"),
    ("tell", "tell", "archive", "edit", "fork", "join the story", "retract own"),
    ("note", "retract own", "edit", "archive", "tell"),
    ("haste", "haste", "before", "nothing"),
    ("join", "leave", "remove", "remove the pantheon", "take back a change", "take back a change", "say"),
    ("other days", "other days", "join", "leave", "take back a change", "take back a change", "say"),
    ("import", "remove", "archive", "say", "edit"),
    ("bubble", "fork", "say", "reroll", "retract"),
    CHANGES,
)
"""What happens in the stories of each part."""


def in_memory(settings: dict[str, Any]) -> AbstractAsyncContextManager[Earwitness]:
    parts = {"embedder": "none", "detector": "everyone", "world_agent": "none", "strict": True}
    return Earwitness.open(store=MemoryStore(), ledger=MemoryLedger(), **parts, **settings)


@pytest.mark.parametrize("part", range(len(MIXES)))
async def test_a_group_answers_alike_with_a_hub_and_without(part: int, tmp_path: Path) -> None:
    found = []
    for number in range(part, STORIES, len(MIXES)):
        folder = tmp_path / str(number)
        folder.mkdir()
        found += await hub_disagreements(hub_case(number), folder, in_memory, MIXES[part])
    assert "\n".join(found) == ""


async def test_a_planted_difference_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("earwitness_relationships.propagation.sharing_rule.in_hub", lambda *given: iter(()))
    assert await hub_disagreements(hub_case(9), tmp_path, in_memory, ("nothing",)) != []
