"""Who has lost their own copy of a message tells no summary of it, and what still stands is told anew."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Earwitness
from earwitness.errors import StorageError
from earwitness_relationships.model import RelationshipsModel

LOBBY = Channel(channel_id="lobby")
RULES = """
hotel:
  rules: {share_direct_interactions: true, share_with: [vaggie], when: conversation}
  members: [angel, charlie, vaggie]
"""


@pytest.fixture
async def hotel(open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path) -> Any:
    (tmp_path / "rules.yaml").write_text(RULES)
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    ew = await open_app(relationships={"rules": str(tmp_path / "rules.yaml"), "graph": graph})
    return await ew.session("s1", cast=["angel", "charlie", "vaggie", "sam"])


async def forget(story: Any, who: str, key: str) -> None:
    await story.delivered()
    memories = (await story.backstage().inspect(who)).memories
    own = next(each for each in memories if each.message_keys == (key,) and each.type == "message")
    await story.retract(own.id)


async def texts(story: Any, who: str = "vaggie") -> list[str]:
    await story.delivered()
    return sorted(each.content for each in (await story.backstage().inspect(who)).memories)


async def said(story: Any, *audience: str) -> None:
    await story.say("sam", "I lost my job.", audience=["charlie"], channel=LOBBY, key="job")
    await story.say("sam", "And my flat.", audience=["charlie", *audience], channel=LOBBY, key="flat")


async def test_what_a_teller_still_knows_is_told_anew_when_a_copy_of_theirs_is_retracted(hotel: Any) -> None:
    await said(hotel)
    await hotel.close_conversation("lobby")
    assert await texts(hotel) == ["Sam: I lost my job.\nSam: And my flat."]
    await forget(hotel, "charlie", "job")
    assert await texts(hotel) == ["Sam: And my flat."]
    await forget(hotel, "charlie", "flat")
    assert await texts(hotel) == []


async def test_what_another_teller_knows_is_told_by_them_and_nothing_twice(hotel: Any) -> None:
    await said(hotel, "angel")
    await hotel.close_conversation("lobby")
    assert await texts(hotel) == ["Sam: I lost my job.\nSam: And my flat."]
    await forget(hotel, "charlie", "flat")
    assert await texts(hotel) == ["Sam: And my flat.", "Sam: I lost my job."]
    assert (await hotel.close_conversation("lobby")).told == {}
    assert len(await texts(hotel)) == 2


async def test_what_is_lost_before_the_conversation_is_closed_is_not_told(hotel: Any) -> None:
    await said(hotel)
    await forget(hotel, "charlie", "job")
    assert (await hotel.close_conversation("lobby")).told == {"vaggie": "Sam: And my flat."}


async def test_a_graph_that_is_away_then_is_waited_for(hotel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    await said(hotel)
    await hotel.close_conversation("lobby")
    with monkeypatch.context() as patched:
        patched.setattr(RelationshipsModel, "picture", away)
        await forget(hotel, "charlie", "job")
    assert await texts(hotel) == []
    await hotel.close_conversation("lobby")
    assert await texts(hotel) == ["Sam: And my flat."]


async def away(*_: Any) -> Any:
    raise StorageError("no route to host")
