"""What was kept of a bubble falls with what it was kept from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness

Open = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
SQUARE = Channel(context="public_channel", channel_id="c1", guild_id="g1")


async def kept(open_app: Open, keep_as: str = "personal") -> tuple[Any, Any]:
    """A story, and its bubble: two messages of it were kept."""
    ew = await open_app(relationships={"canon": "personal"})
    story = await ew.session("s1", cast=["alice", KENJI])
    await story.privacy.loosen("p1", user="u1", learned="dm", asked="public_channel", sayable=True)
    bubble = await story.bubble("au")
    await bubble.say("kenji", "My cat is white.", key="cat", audience=["alice"], channel=SQUARE)
    await bubble.say("kenji", "I bite at night.", key="bite", audience=["alice"], channel=SQUARE)
    await bubble.end()
    await story.canon.reconcile("au", keep_as=keep_as, role="owner", publish=True, dry_run=False)
    return story, bubble


async def held(story: Any, keep_as: str = "personal") -> list[str]:
    """What is kept with Alice."""
    await story.delivered()
    name = "persona-p1-alice" if keep_as == "personal" else "global-canon-alice"
    return [each.content for each in await story._engine.store.list(name)]


@pytest.mark.parametrize("keep_as", ["personal", "global"])
@pytest.mark.parametrize("how", ["retracted", "edited"])
async def test_what_is_corrected_in_a_bubble_is_gone_from_what_was_kept_of_it(
    open_app: Open, how: str, keep_as: str
) -> None:
    story, bubble = await kept(open_app, keep_as)
    assert await held(story, keep_as) == ["Kenji: My cat is white.", "Kenji: I bite at night."]
    outcome = await (bubble.retract("cat") if how == "retracted" else bubble.edit("cat", "My cat is black."))
    await outcome.settled()
    assert await held(story, keep_as) == ["Kenji: I bite at night."]


async def test_a_retraction_in_a_forgotten_storys_bubble_is_no_error(open_app: Open, caplog: Any) -> None:
    story, bubble = await kept(open_app)
    await story._app.forget("s1")
    await (await bubble.retract("cat")).settled()
    assert caplog.records == []
