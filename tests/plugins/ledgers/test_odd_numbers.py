"""Earlier versions kept NaN and infinities as `null`, and could not read them again. Such a story opens."""

from pathlib import Path

import apsw
import pytest

from earwitness import (
    Derivation,
    Earwitness,
    MessageAnswer,
    MessageEvent,
    Participant,
    Plugin,
    Update,
    WorldAgentEvent,
    WorldAnswer,
)
from earwitness_plugins.sqlite.blobs import deflated, inflated

ODD = 77.25
KEPT = (("ledger_shared", "data"), ("ledger_plans", "plan"), ("ledger_entries", "body"), ("ledger_messages", "message"))


class Measures(Plugin):
    """Updates and facts with a number."""

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        fact = Derivation(content="It rained.", owner="bob", metadata={"weight": ODD, "unit": "mm"})
        rain = Update(description="It rains", metadata={"pressure": ODD, "unit": "hPa"})
        return MessageAnswer(updates=(rain,), derived=(fact,))


class Agent:
    """Is sure to some degree."""

    def propose(self, event: WorldAgentEvent) -> WorldAnswer:
        return WorldAnswer(
            participants={
                "alice": Participant(role="speaker", confidence=1),
                "bob": Participant(role="present", confidence=ODD),
            }
        )


def blank(path: Path) -> int:
    """Write `null` for the number wherever the ledger keeps it, as an earlier version did for NaN."""
    connection, changed = apsw.Connection(str(path)), 0
    for table, column in KEPT:
        for row, blob in connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
            text = inflated(bytes(blob))
            if str(ODD) in text:
                new = deflated(text.replace(str(ODD), "null"))
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row))
                changed += 1
    connection.close()
    return changed


@pytest.mark.anyio
async def test_a_story_with_an_odd_number_in_its_ledger_opens_recalls_and_is_exported(tmp_path: Path) -> None:
    path = tmp_path / "story.db"
    async with Earwitness.open(path, detector="everyone", world_agent=Agent(), plugins=[Measures()]) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        await (await story.say("alice", "What weather!", key="m1")).settled()
        await story.delivered()
    assert blank(path) >= 5
    async with Earwitness.open(path) as ew:
        story = await ew.open_session("s1")
        await (await story.edit("m1", "What awful weather!", present=["bob"])).settled()
        assert any("awful" in each.content for each in await ew.engine.store.list("s1-bob"))
        assert len([each for each in await ew.engine.ledger.deliveries("s1") if "unit" in each.metadata]) >= 2
        copy = await ew.import_session([line async for line in story.backstage().export()], id="copy")
        assert await copy.backstage().who_knows("weather")
        branch = await story.fork("branch")
        assert await branch.backstage().who_knows("weather")
