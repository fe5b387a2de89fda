"""A shared container is recalled while what hundreds have heard is still on its way to the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from earwitness import Earwitness
from earwitness.containers import pantheon_container

from ...unsteady_store import UnsteadyStore

HUB = pantheon_container("olympus")


@pytest.mark.parametrize("listeners", [3, 300])
async def test_a_shared_container_is_recalled_while_hundreds_wait(tmp_path: Path, listeners: int) -> None:
    store = UnsteadyStore()
    end = {"store_timeout": 0.1}
    gods = [f"god-{number}" for number in range(listeners)]
    async with Earwitness.open(
        tmp_path / "story.db", store=store, detector="everyone", read_providers=["memberships"], end=end
    ) as ew:
        await ew.register(HUB)
        await ew.admit(HUB, "god-1")
        story = await ew.session("s1", cast=gods)
        await story.remember(None, "The nectar is kept in the cellar.", container=HUB)
        await story.delivered()
        store.away = True
        await (await story.say("god-0", "The bells ring.")).decided()
        store.away = False
        turn = await story.turn("god-1", query="Where is the nectar?", in_prompt=[])
        assert [each.memory.container for each in turn.sections()["pantheon"]] == [HUB.name]
        await story.delivered()
