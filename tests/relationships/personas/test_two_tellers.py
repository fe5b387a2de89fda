"""Of two who tell the same at once, personal canon shows the teller whom the story shows."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from earwitness import Character, Earwitness, Session

RULES = """
pantheons:
- {slug: guests, members: [fay, dan, ann], rules: {propagate_all: true, hub_from: FROM}}
- {slug: staff, members: [cyd, dan, ben], rules: {propagate_all: true, hub_from: FROM, reliability: 0.5}}
"""


@pytest.mark.parametrize("hub_from", [99, 2])
async def test_the_more_trusted_teller_is_shown_in_later_stories_too(tmp_path: Path, hub_from: int) -> None:
    (tmp_path / "rules.yaml").write_text(RULES.replace("FROM", str(hub_from)))
    table = {"rules": str(tmp_path / "rules.yaml"), "canon": "personal"}
    cast = ["ann", "ben", "cyd", "dan", "fay", Character("sam", kind="persona", user_id="u", persona_id="p1")]
    async with Earwitness.open(tmp_path / "e.db", detector="everyone", strict=True, relationships=table) as ew:
        story = await ew.session("s1", cast=cast)
        await story.say("cyd", "The vulture is here.", audience=["sam", "fay"])
        await story.delivered()
        later = await ew.session("s2", cast=cast)
        assert await tellers(story) == await tellers(later) == ["fay"]


async def tellers(story: Session) -> Sequence[str | None]:
    turn = await story.turn("dan", query="vulture", in_prompt=[])
    return [each.memory.metadata.get("sharedFrom") for each in turn.memories]
