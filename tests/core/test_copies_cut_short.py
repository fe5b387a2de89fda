"""Branches and imports that were cut short are not opened, and are taken up again."""

from __future__ import annotations

from typing import Any

import pytest

from earwitness import (
    Plugin,
    RecallAnswer,
    RecallEvent,
)
from earwitness.errors import InputError, StorageFull
from earwitness.testing.reference import MemoryLedger

from .branched_stories import Begin, Counter, Memories, OpenApp, exported, keys, three_messages


class CutShort(MemoryLedger):
    """Has room for so many more plans."""

    left = 99

    async def record(self, *given: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise StorageFull("no room")
        return await super().record(*given)


@pytest.mark.parametrize("left", [0, 2, 3])
async def test_an_import_cut_short_is_not_opened_and_is_taken_up_again(
    begin: Begin, open_app: OpenApp, left: int
) -> None:
    lines = await exported(await three_messages(begin))
    ledger = CutShort()
    app = await open_app(ledger=ledger)
    ledger.left = left
    with pytest.raises(StorageFull):
        await app.import_session(lines)
    ledger.left = 99
    for opening in (app.session("s1", cast=["alice"]), app.open_session("s1")):
        with pytest.raises(
            InputError, match=r"'s1' is incomplete: its import or move was interrupted\. Import or move it again"
        ):
            await opening
    assert await exported(await app.import_session(lines)) == lines


@pytest.mark.parametrize("left", [0, 2, 3])
async def test_a_branch_cut_short_is_not_opened_and_is_taken_up_again(
    open_app: OpenApp, memories: Memories, left: int
) -> None:
    ledger = CutShort()
    app = await open_app(ledger=ledger, plugins=[Counter()])
    story = await three_messages(app.session, id="s1", cast=["alice", "bob"])
    await story.settled()
    ledger.left = left
    with pytest.raises(StorageFull):
        await story.fork("s2")
    ledger.left = 99
    with pytest.raises(InputError, match=r"'s2' is incomplete: forking it from 's1' at 4 .* Fork 's1' to 's2' at 4"):
        await app.session("s2", cast=["alice"])
    with pytest.raises(InputError, match="'s2' already exists"):
        await app.import_session(await exported(story), id="s2")
    await story.say("alice", "Later.", key="m4", audience=["bob"])
    branch = await story.fork("s2")
    assert await keys(memories, branch, "bob") == ["m1", "m2", "m3"]
    assert (await ledger.data("s2", "counter")) == {"count": 3}


async def test_a_branch_takes_along_what_recalls_have_kept(begin: Begin) -> None:
    class Counts(Plugin):
        def on_recall(self, event: RecallEvent) -> RecallAnswer:
            event.data["n"] = int(str(event.data.get("n", 0))) + 1
            return RecallAnswer(notes=(f"recall {event.data['n']}",))

    s1 = await begin(plugins=[Counts()])
    await s1.turn("alice")
    assert (await (await s1.fork("s2")).turn("alice")).notes == ("recall 2",)


async def test_whoever_watches_a_branch_or_an_import_being_written_sees_every_entry(
    begin: Begin, open_app: OpenApp
) -> None:
    story = await begin()
    for number in range(100):
        await story.say("alice", f"Step {number}.")
    written: list[int] = []
    branch = await story.fork("s2", seen=written.append)
    assert (sum(written), branch.state.message_count) == (101, 100)
    written.clear()
    await (await open_app()).import_session(await exported(story), seen=written.append)
    assert sum(written) == 101
