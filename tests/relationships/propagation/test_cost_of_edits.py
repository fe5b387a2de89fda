"""An edit of an early message, gossip about which arrived since, costs no more the longer the story goes on."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Session

GOSSIP = "town: {rules: {propagate_all: true, delay: 2}, members: [ann, ben, dan]}"
Opener = Callable[..., Awaitable[Earwitness]]


class Story:
    """A story whose second message is told on, two days later; and how much is read from its ledger."""

    def __init__(self, ew: Earwitness, session: Session) -> None:
        self.session = session
        self.day = 1
        self.plans = self.entries = 0
        self._ledger: Any = ew.engine.ledger
        self._plan, self._entries = self._ledger.plan, self._ledger.entries
        self._ledger.plan, self._ledger.entries = self._counted_plan, self._counted_entries

    async def _counted_plan(self, *args: Any) -> Any:
        self.plans += 1
        return await self._plan(*args)

    async def _counted_entries(self, *args: Any, **given: Any) -> Any:
        found = await self._entries(*args, **given)
        self.entries += len(found)
        return found

    async def goes_on(self, days: int, messages: int = 20) -> None:
        """So many days, each of so many messages."""
        for _ in range(days):
            for number in range(messages):
                await self.session.say("ann", f"Hm, {number}.", audience=[])
            self.day += 1
            await self.session.change(game_day=self.day)
        await self.session.delivered()

    async def edited(self, text: str, key: str = "k1") -> tuple[int, int]:
        """Plans and entries that one edit reads. Dan, who was told of the message, knows the new words then."""
        self.plans = self.entries = 0
        await self.session.edit(key, text)
        await self.session.delivered()
        found = self.plans, self.entries
        turn = await self.session.turn("dan", query=text, in_prompt=[])
        assert any(text in each.memory.text for each in turn.memories)
        return found


@pytest.fixture
async def story(open_app: Opener, tmp_path: Path) -> Story:
    (tmp_path / "rules.yaml").write_text(GOSSIP)
    ew = await open_app(relationships={"rules": str(tmp_path / "rules.yaml"), "graph": "networkx"})
    story = Story(ew, await ew.session("s1", cast=[*map(Character, ("ann", "ben", "dan"))]))
    await story.session.say("ann", "It is day 0.", key="k0", audience=[])
    await story.session.say("ann", "The old words.", key="k1", audience=[])
    await story.goes_on(days=3)
    return story


async def test_what_came_after_the_last_day_on_which_it_was_told_is_not_read(story: Story) -> None:
    await story.edited("The zebra one.")
    short = await story.edited("The zebra two.")
    await story.goes_on(days=6)
    await story.edited("The zebra three.")
    long = await story.edited("The zebra four.")
    assert long[0] < short[0] + 10 < 80
    assert long[1] < 10


async def test_a_long_day_is_read_once(story: Story) -> None:
    await story.session.say("ann", "And then, words.", key="k2", audience=[])
    await story.goes_on(days=1, messages=200)
    await story.goes_on(days=2)
    first = await story.edited("The zebra five.", "k2")
    again = await story.edited("The zebra six.", "k2")
    assert first[0] > 200
    assert again[0] < 100
    assert again[1] < 10
