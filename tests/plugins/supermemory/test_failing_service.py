"""A story over a service of which many requests fail: what is written without a look-up is written once, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from earwitness import Earwitness
from earwitness_plugins.testing.supermemory import Emulator, Faults
from earwitness_plugins.testing.supermemory.faults import FAULTS

from .conftest import KEY


async def test_nothing_is_lost_or_written_twice(service: Emulator, tmp_path: Path) -> None:
    store: dict[str, Any] = {"name": "supermemory", "path": str(tmp_path / "buffer.db"), "api_key": KEY}
    store |= {"base_url": service.url, "timeout": 0.2, "search_timeout": 0.2, "pause": 0.05}
    service.faults = Faults(rate=0.3, kinds=FAULTS, seed=1, hang=0.3, slow=0.05, retry_after="0")
    said = [f"Message {number} about the sword." for number in range(16)]
    for begin in (0, 8):  # the second start takes up what the first has left
        async with Earwitness.open(str(tmp_path / "story.db"), store=store) as ew:
            story = await ew.session("s1", cast=["alice", "bob"])
            for number in range(begin, begin + 8):
                await (await story.say("alice", said[number], key=f"m{number}", audience=["bob"])).decided()
                if number % 5 == 0:
                    await (await story.edit(f"m{number}", f"{said[number]} Twice.")).decided()
    service.faults = Faults()
    async with Earwitness.open(str(tmp_path / "story.db"), store=store) as ew:
        assert await ew.spool.replay("s1", timeout=10) == ()
    edited = {number: f"{text} Twice." if number % 5 == 0 else text for number, text in enumerate(said)}
    for container in ("s1-alice", "s1-bob", "s1-world"):
        written = [each.content.split("Message: Alice: ")[-1] for each in service.content(KEY)[container].values()]
        assert sorted(written) == sorted(f"{text} GameDay: 1" for text in edited.values())
