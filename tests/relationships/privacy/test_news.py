"""News of the world follows the privacy table that stands."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness
from earwitness.testing.scripted import Crier

MARKET = Channel(context="public_channel", channel_id="1", guild_id="g")
CELLAR = Channel(channel_id="2", guild_id="g")
NEWS = "The market burned down. GameDay: 1"


@pytest.mark.parametrize(
    ("privacy", "told"),
    [
        ({}, True),
        ({"policy": "same_context"}, False),
        ({"tighten": {"public_channel": {"private_channel": ["same_channel"]}}}, False),
    ],
)
async def test_news_is_told_where_the_table_lets_it_be_recalled(
    open_app: Callable[..., Awaitable[Earwitness]], privacy: dict[str, Any], told: bool
) -> None:
    ew = await open_app(relationships={"privacy": privacy}, world_agent=Crier())
    story = await ew.session("s1", cast=[Character("ann"), Character("ben")], present=["ann", "ben"])
    await story.update("The market burned down", audience="public", channel=MARKET)
    heard = await (await story.say("ann", "Hush.", channel=CELLAR)).settled()
    assert heard.knowledge == (dict.fromkeys(("ann", "ben"), (NEWS,)) if told else {})
    heard = await (await story.say("ann", "Oh no!", channel=MARKET)).settled()
    assert heard.knowledge == dict.fromkeys(("ann", "ben"), (NEWS,))  # privacy may hide the cellar here
    heard = await (await story.say("ann", "Come.", channel=MARKET)).settled()
    assert heard.knowledge == {}
