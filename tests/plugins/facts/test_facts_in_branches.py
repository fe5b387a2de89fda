"""Facts that a model draws, in branches and in other words."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import FactModel
from .fact_stories import BAKER, BREAD, begun, facts


async def test_a_branch_keeps_its_facts_and_draws_none_twice(begin: Any, model: FactModel) -> None:
    model.says(BAKER)
    story = await begun(await begin({}))
    await story.say("kim", BREAD, audience=["alice"])
    assert await facts(story, "alice") == ["Kim is a baker."]
    branch = await story.fork("b1")
    before = len(await branch.backstage().journal())
    await branch.say("kim", "Well.", audience=["alice"])
    assert await facts(branch, "alice") == ["Kim is a baker."]
    assert len(await branch.backstage().journal()) == before + 1
    assert len(await branch.review.proposals()) == 1


@pytest.mark.parametrize(
    ("said", "told", "is_kept"),
    [
        ("I bake for a living.", "Kim bakes for a living.", True),
        ("I'm learning Python.", "Kim is learning Python.", True),
        ("I have two cats.", "Kim has two cats.", True),
        ("I live in Rome.", "Kim does not live in Rome.", False),
        ("I live in Rome.", "Kim lives in Rome with Bob.", False),
        ("I live in Rome.", "Kim lives in Rome, near the vault.", False),
    ],
)
async def test_a_sentence_may_put_it_otherwise_and_not_say_more(
    begin: Any, model: FactModel, said: str, told: str, is_kept: bool
) -> None:
    model.says({**BAKER, "about": "other", "value": "", "text": told, "quote": said})
    story = await begun(await begin({}))
    await story.say("kim", said, audience=["alice"])
    assert await facts(story, "alice") == [told if is_kept else f"Kim: “{said}”"]
