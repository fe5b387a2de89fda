"""Nobody tells on the part of a message that they did not perceive: not in other words, and not in a hub."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness

PARTLY_WHISPERED = 'The dinner is ready. *whispers to Bob* "The sword is in the lake."'
WHISPERED = "sword"
TO_VAGGIE = """
hotel:
  rules: {share_direct_interactions: true, share_with: [vaggie], retell: RETELL}
  members: [charlie, vaggie]
"""
THROUGH_VAGGIE = """
hotel:
  rules: {share_direct_interactions: true, share_with: [vaggie], max_hops: 3}
  members: [charlie, vaggie]
staff:
  rules: {hub_from: 2, propagate_all: true, max_hops: 5}
  members: [vaggie, angel, husk]
"""


@pytest.fixture
def dinner(open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path) -> Callable[..., Awaitable[Any]]:
    """A story in which Charlie hears what is said aloud, and Bob all."""

    async def opened(rules: str) -> tuple[Earwitness, Any]:
        (tmp_path / "rules.yaml").write_text(rules)
        graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
        table = {"rules": str(tmp_path / "rules.yaml"), "graph": graph}
        ew = await open_app(relationships=table, detector="rules")
        people = [Character(id) for id in ("alice", "bob", "charlie", "vaggie", "angel", "husk")]
        story = await ew.session("s1", cast=people, present=["alice", "bob", "charlie"])
        await story.say("alice", PARTLY_WHISPERED)
        await story.delivered()
        return ew, story

    return opened


@pytest.mark.parametrize("retell", ["verbatim", "summary"])
async def test_a_teller_rewords_only_what_they_heard(dinner: Any, retell: str) -> None:
    _, story = await dinner(TO_VAGGIE.replace("RETELL", retell))
    (told,) = (await story.backstage().inspect("vaggie")).memories
    assert "The dinner is ready." in told.content
    assert WHISPERED not in told.content


async def test_what_was_heard_in_part_is_told_to_a_hub_in_part(dinner: Any) -> None:
    ew, _ = await dinner(THROUGH_VAGGIE)
    (told,) = await ew.engine.store.list("pantheon-staff")
    assert told.text == "Alice: The dinner is ready."
