"""Whoever is told a summary tells it on when it arrives: each hop on its day, by the rules of that day."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from earwitness import Channel, Character
from earwitness.errors import StorageError
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_relationships.model import RelationshipsModel
from earwitness_relationships.propagation.conversations import Conversations

LOBBY = Channel(channel_id="lobby")
CHAIN = """
hotel:
  rules: {when: conversation, delay: 1, max_hops: 9}
  members: [charlie, vaggie, angel, alastor]
  relationships:
    - {from: charlie, to: vaggie, type: friend, rules: {share_direct_interactions: true}}
    - from: vaggie
      to: angel
      type: friend
      rules: {gossip_about_others: true, conditions: {flags: {curfew: false}}}
    - {from: angel, to: alastor, type: friend, rules: {gossip_about_others: true}}
"""
"""Three hops, a day each."""


async def begun(open_app: Any, tmp_path: Path, rules: str = CHAIN, **given: Any) -> Any:
    (tmp_path / "rules.yaml").write_text(rules)
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    table = {"rules": str(tmp_path / "rules.yaml"), "graph": graph}
    ew = await open_app(relationships=table, path=str(tmp_path / "story.db"), **given)
    people = [Character(id) for id in ("charlie", "vaggie", "angel", "alastor")]
    return await ew.session("s1", cast=[*people, Character("sam", kind="persona", user_id="u1")])


async def said(story: Any, *lines: str) -> None:
    for line in lines:
        await story.say("sam", line, audience=["charlie"], channel=LOBBY)


async def away(*_: Any) -> Any:
    raise StorageError("no route to host")


async def learned(story: Any) -> dict[str, object]:
    """Who was told the summary → the day."""
    await story.delivered()
    found = {who: (await story.backstage().inspect(who)).memories for who in ("vaggie", "angel", "alastor")}
    return {who: each.learned_day for who, memories in found.items() for each in memories}


@pytest.mark.parametrize("reopened", [True, False])
@pytest.mark.parametrize("entry", ["message", "change"])
async def test_a_hop_that_was_broken_off_is_told_with_the_next_entry(
    open_app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, reopened: bool
) -> None:
    given = {"store": MemoryStore(), "ledger": MemoryLedger()}
    hotel = await begun(open_app, tmp_path, strict=False, **given)
    await hotel.change(flags={"curfew": False})
    await said(hotel, "I lost my job.")
    await hotel.close_conversation("lobby")
    await hotel.delivered()
    with monkeypatch.context() as patch:
        patch.setattr(Conversations, "go_on", away)
        await hotel.change(game_day=3)
        assert await learned(hotel) == {"vaggie": 2}
        if reopened:
            await hotel._app.close()
    hotel = await begun(open_app, tmp_path, strict=False, **given) if reopened else hotel
    assert await learned(hotel) == {"vaggie": 2}
    await (hotel.say("sam", "Hello?", audience=[]) if entry == "message" else hotel.change(flags={"curfew": False}))
    assert await learned(hotel) == {"vaggie": 2, "angel": 3}


@pytest.mark.parametrize("days", [(2, 3, 4), (2, 9), (9,)], ids=str)
async def test_each_hop_is_told_on_its_day_however_the_days_pass(
    open_app: Any, tmp_path: Path, days: tuple[int, ...]
) -> None:
    hotel = await begun(open_app, tmp_path)
    await hotel.change(flags={"curfew": False})
    await said(hotel, "I lost my job.", "And my flat.")
    await hotel.close_conversation("lobby")
    assert await learned(hotel) == {}
    for day in days:
        await hotel.change(game_day=day)
    assert await learned(hotel) == {"vaggie": 2, "angel": 3, "alastor": 4}
    (told,) = (await hotel.backstage().inspect("alastor")).memories
    assert told.content == "Sam: I lost my job.\nSam: And my flat."
    before = len(await hotel.backstage().journal())
    await hotel.change(game_day=10)
    assert len(await hotel.backstage().journal()) == before + 1


async def test_a_later_hop_asks_the_rules_of_its_day(open_app: Any, tmp_path: Path) -> None:
    hotel = await begun(open_app, tmp_path)
    await hotel.change(flags={"curfew": False})
    await said(hotel, "I lost my job.")
    await hotel.close_conversation("lobby")
    await hotel.change(game_day=2, flags={"curfew": True})
    await hotel.change(game_day=9)
    assert await learned(hotel) == {"vaggie": 2}


async def test_a_later_hop_takes_a_relationship_that_was_made_meanwhile(open_app: Any, tmp_path: Path) -> None:
    hotel = await begun(open_app, tmp_path)
    await said(hotel, "I lost my job.")
    await hotel.close_conversation("lobby")
    rules = ["gossip_about_others", {"delay": 3}]
    await hotel.relationships.relate("vaggie", "alastor", "penfriend", rules=rules, pantheon="hotel")
    for day in (2, 4, 5):
        await hotel.change(game_day=day)
    assert await learned(hotel) == {"vaggie": 2, "alastor": 5}


async def test_a_summary_whose_teller_has_left_meanwhile_does_not_arrive_and_goes_no_further(
    open_app: Any, tmp_path: Path
) -> None:
    hotel = await begun(open_app, tmp_path)
    await hotel.change(flags={"curfew": False})
    await said(hotel, "I lost my job.")
    await hotel.close_conversation("lobby")
    await hotel.relationships.end("charlie", "vaggie", "friend", until=1)
    await hotel.change(game_day=2)
    await hotel.change(game_day=9)
    assert await learned(hotel) == {}


@pytest.mark.parametrize("by", ["day", "closing"])
async def test_a_hop_that_failed_is_made_up_for_with_the_next_day_or_closing(
    open_app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, by: str
) -> None:
    hotel = await begun(open_app, tmp_path)
    await hotel.change(flags={"curfew": False})
    await said(hotel, "I lost my job.")
    await hotel.close_conversation("lobby")
    with monkeypatch.context() as patched:
        patched.setattr(RelationshipsModel, "picture", away)
        await hotel.change(game_day=2)
    assert "could not pass on what has arrived with the day" in caplog.text
    await (hotel.change(game_day=3) if by == "day" else hotel.close_conversation("lobby"))
    await hotel.change(game_day=3)
    assert await learned(hotel) == {"vaggie": 2, "angel": 3}


COUPLES = """
town:
  rules: {when: conversation, max_hops: 3}
  members: [charlie, vaggie, angel, alastor]
  relationships:
    - {from: charlie, to: vaggie, type: friend, rules: [share_direct_interactions, {delay: 1, when: conversation}]}
    - from: vaggie
      to: angel
      type: friend
      rules: [share_direct_interactions, gossip_about_others, {delay: 1, when: conversation}]
"""


async def test_a_store_that_hangs_holds_up_no_change_of_the_day(
    open_app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = await begun(open_app, tmp_path, rules=COUPLES, store="sqlite", ledger="sqlite")
    await story.say("charlie", "The bridge is closed until spring.", audience=["alastor"], channel=LOBBY)
    await story.delivered()
    await story.close_conversation("lobby")
    await story.delivered()
    store, over = story._engine.store, anyio.Event()
    put = store.put

    async def hanging(*given: Any, **named: Any) -> Any:
        await over.wait()
        return await put(*given, **named)

    monkeypatch.setattr(store, "put", hanging)
    with anyio.fail_after(8):  # the store's own time limit is 10 s
        await story.change(game_day=2)
        await story.change(game_day=3)
    over.set()
    assert await learned(story) == {"alastor": 1, "vaggie": 2, "angel": 3}
