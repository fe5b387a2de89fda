"""What was kept of a bubble falls with what it was kept from, and is undone, even when the bubble is gone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness
from earwitness.errors import InputError, NotPermitted

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


async def test_an_earlier_bubble_of_the_same_name_keeps_what_was_kept_of_it(open_app: Open) -> None:
    story, _ = await kept(open_app)
    await story._app.forget("s1~au")
    anew = await story.bubble("au")
    await anew.say("kenji", "My dog is grey.", key="dog", audience=["alice"], channel=SQUARE)
    await anew.retract("dog")
    assert len(await held(story)) == 2


async def test_what_was_kept_is_undone_after_its_bubble_was_forgotten(open_app: Open) -> None:
    story, _ = await kept(open_app)
    await story._app.forget("s1~au")
    with pytest.raises(NotPermitted, match="only if nobody else plays in it"):
        await story.canon.acting(role="player", user="u2").undo("au")
    undone = await story.canon.acting(role="player", user="u1").undo("au")
    assert str(undone).splitlines() == [
        "au: 2 memories taken back",
        "  gone: Kenji: My cat is white.",
        "  gone: Kenji: I bite at night.",
    ]
    assert await held(story) == []
    with pytest.raises(InputError, match="bubble 'au' is gone: there is nothing to undo"):
        await story.canon.undo("au")


async def test_an_undo_puts_nothing_back_that_a_forgotten_story_wrote(open_app: Open) -> None:
    ew = await open_app(relationships={"canon": "personal"})
    other: Any = await ew.session("s2", cast=["alice", KENJI])
    await (await other.say("kenji", "My cat is black.", audience=["alice"], channel=SQUARE)).settled()
    story: Any = await ew.session("s1", cast=["alice", KENJI])
    bubble = await story.bubble("au")
    await bubble.say("kenji", "My cat is white.", audience=["alice"], channel=SQUARE)
    done = await bubble.end(keep_as="personal", mode="replace")
    assert [each.action for each in done.memories] == ["replace"]
    await ew.forget("s2")
    undone = await story.canon.undo("au")
    assert (len(undone.gone), undone.restored, len(undone.stays)) == (1, (), 1)


async def test_a_branch_does_not_undo_what_its_parent_has_kept(open_app: Open) -> None:
    story, _ = await kept(open_app)
    branch = await story.fork("b1")
    with pytest.raises(InputError, match="bubble 'au' was reconciled by story 's1': undo it there"):
        await branch.canon.undo("au")
    assert len(await held(story)) == 2


async def test_what_is_still_known_outside_is_not_called_discarded(open_app: Open) -> None:
    story, _ = await kept(open_app)
    await (await story.bubble("au")).end()
    for dry_run in (True, False):
        with pytest.raises(InputError, match="bubble 'au' was kept before, and 2 memories are still recalled: undo"):
            await story.canon.reconcile("au", keep_as="discard", dry_run=dry_run)
    await story.canon.undo("au")
    await story.canon.reconcile("au", keep_as="discard", dry_run=False)
    assert [each.status for each in await story.canon.bubbles()] == ["discarded"]
    assert str(await story.canon.undo("au")) == "au: no longer discarded"


async def test_an_undo_says_what_an_earlier_reconciliation_still_keeps(open_app: Open) -> None:
    story, _ = await kept(open_app)
    bubble = await story.bubble("au")
    await bubble.say("kenji", "I sleep by day.", audience=["alice"], channel=SQUARE)
    await bubble.end(keep_as="personal")
    first, second = await story.canon.undo("au"), await story.canon.undo("au")
    assert (first.gone, first.kept) == (("Kenji: I sleep by day.",), 2)
    assert "2 memories kept by an earlier reconciliation: undo once more" in str(first)
    assert (len(second.gone), second.kept, await held(story)) == (2, 0, [])


@pytest.mark.parametrize("first", ["white", "again"])
async def test_what_was_said_twice_stays_as_long_as_one_of_them_stands(open_app: Open, first: str) -> None:
    ew = await open_app(relationships={"canon": "personal"})
    story: Any = await ew.session("s1", cast=["alice", KENJI])
    bubble = await story.bubble("au")
    for key in ("white", "again"):
        await bubble.say("kenji", "My cat is white.", key=key, audience=["alice"], channel=SQUARE)
    done = await bubble.end(keep_as="personal")
    assert [each.action for each in done.memories] == ["add", "support"]
    assert await held(story) == ["Kenji: My cat is white."]
    await (await bubble.retract(first)).settled()
    assert await held(story) == ["Kenji: My cat is white."]
    await (await bubble.retract("again" if first == "white" else "white")).settled()
    assert await held(story) == []


async def test_what_was_said_twice_is_undone_once(open_app: Open) -> None:
    ew = await open_app(relationships={"canon": "personal"})
    story: Any = await ew.session("s1", cast=["alice", KENJI])
    bubble = await story.bubble("au")
    for channel in (Channel(context="dm", persona_id="p1"), SQUARE):
        await bubble.say("kenji", "My cat is white.", audience=["alice"], channel=channel)
    await bubble.end(keep_as="personal")
    assert len(await held(story)) == 1
    undone = await story.canon.undo("au")
    assert undone.gone == ("Kenji: My cat is white.",)
    assert await held(story) == []


async def test_what_two_personas_took_part_in_is_in_the_prompt_once(open_app: Open) -> None:
    ew = await open_app(relationships={"canon": "personal"})
    mary = Character("mary", kind="persona", user_id="u2", persona_id="p2")
    story = await ew.session("s1", cast=["alice", KENJI, mary])
    bubble = await story.bubble("au")
    await bubble.say("kenji", "My cat is white.", audience=["alice", "mary"], channel=SQUARE)
    await bubble.end(keep_as="personal")
    assert await held(story) == ["Kenji: My cat is white."]
    for told in (story, await ew.session("s2", cast=["alice", KENJI, mary])):
        turn = await told.turn("alice", query="a cat", in_prompt=[], channel=SQUARE)
        assert [each.text for each in turn.memories] == ["Kenji: My cat is white."]
