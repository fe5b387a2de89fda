"""What was learned in private becomes public with global canon only if it is asked for, and its user allows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from earwitness import Channel, Character, Earwitness
from earwitness.errors import InputError, UnknownName

Open = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
LETTERS = Channel(context="dm", channel_id="d1", persona_id="p1")
SQUARE = Channel(context="public_channel", channel_id="c1")
GLOBAL = "global-canon-alice"
OWNER: dict[str, Any] = {"keep_as": "global", "role": "owner"}


@pytest.fixture
async def story(open_app: Open) -> Any:
    """A story with a bubble that has ended: something was said in it in a letter, something in a room, something in
    public."""
    ew = await open_app(relationships={})
    story = await ew.session("s1", cast=["alice", KENJI])
    bubble = await story.bubble("au")
    await bubble.say("kenji", "My secret is garlic.", audience=["alice"], channel=LETTERS)
    await bubble.say("kenji", "The room has a mirror.", audience=["alice"])
    await bubble.say("kenji", "The square has a fountain.", audience=["alice"], channel=SQUARE)
    await bubble.end()
    return story


async def held(story: Any) -> list[str]:
    """What Alice's global canon holds."""
    await story.delivered()
    return [each.content for each in await story._engine.store.list(GLOBAL)]


def shown(planned: Any) -> list[tuple[str, str]]:
    return [(each.action, each.note) for each in planned.memories]


async def test_a_dry_run_names_what_was_learned_in_private_and_withholds_it(story: Any) -> None:
    planned = await story.canon.reconcile("au", **OWNER)
    assert shown(planned) == [
        ("withhold", "learned in a direct message of the persona 'p1', whose user has not allowed to say it in public"),
        ("withhold", "learned in a private channel; publish it to make it known everywhere"),
        ("add", ""),
    ]
    assert "  withhold for alice, in global-canon-alice: Kenji: My secret is garlic. (learned in" in str(planned)
    await story.canon.reconcile("au", **OWNER, dry_run=False)
    assert await held(story) == ["Kenji: The square has a fountain."]


async def test_who_publishes_it_is_told_what_becomes_public_and_direct_messages_stay_private(story: Any) -> None:
    planned = await story.canon.reconcile("au", **OWNER, publish=True)
    assert shown(planned)[1:] == [("add", "learned in a private channel, known everywhere then"), ("add", "")]
    await story.canon.reconcile("au", **OWNER, publish=True, dry_run=False)
    assert await held(story) == ["Kenji: The room has a mirror.", "Kenji: The square has a fountain."]
    (room, _) = await story._engine.store.list(GLOBAL)
    assert (room.metadata["publishedFrom"], "contextType" in room.metadata) == ("private_channel", False)


@pytest.mark.parametrize(("sayable", "kept"), [(True, 3), (False, 2)])
async def test_only_the_user_of_a_persona_lets_its_direct_messages_be_published(
    story: Any, sayable: bool, kept: int
) -> None:
    await story.privacy.loosen("p1", user="u1", learned="dm", asked="public_channel", sayable=sayable)
    await story.canon.reconcile("au", **OWNER, publish=True, dry_run=False)
    assert len(await held(story)) == kept


async def test_what_is_not_asked_for_stays_though_its_user_would_allow_it(story: Any) -> None:
    await story.privacy.loosen("p1", user="u1", learned="dm", asked="public_channel", sayable=True)
    await story.canon.reconcile("au", **OWNER, dry_run=False)
    assert await held(story) == ["Kenji: The square has a fountain."]


async def test_a_direct_message_of_nobody_known_is_never_published(open_app: Open) -> None:
    ew = await open_app(relationships={})
    other = Character("mei", kind="persona", user_id="u2", persona_id="p2")
    story = await ew.session("s1", cast=["alice", KENJI, other])
    bubble = await story.bubble("au")
    await bubble.say("kenji", "My secret is garlic.", audience=["alice"], context="dm")
    await bubble.end()
    planned = await story.canon.reconcile("au", **OWNER, publish=True)
    assert [each.action for each in planned.memories] == ["withhold"]


async def test_global_canon_is_not_written_by_hand_as_learned_in_private(story: Any) -> None:
    with pytest.raises(InputError, match="known everywhere: it cannot be learned in a direct message"):
        await story.canon.add("She is afraid.", scope="global", character="alice", role="owner", channel=LETTERS)


async def test_what_an_earlier_version_took_from_a_direct_message_into_global_canon_is_read_nowhere(story: Any) -> None:
    given: dict[str, Any] = {"scope": "global", "character": "alice", "role": "owner"}
    await story.canon.add("Her secret is garlic.", **given, metadata={"context_type": "dm"})
    await story.canon.add("She was born at sea.", **given)
    await story.delivered()
    for channel in (LETTERS, SQUARE, Channel()):
        turn = await story.turn("alice", query="secret", in_prompt=[], channel=channel)
        assert [each.text for each in turn.memories] == ["She was born at sea."]


async def test_an_id_that_is_no_memory_of_the_bubble_is_refused(story: Any) -> None:
    with pytest.raises(UnknownName, match="memory of the bubble 'nonsense'"):
        await story.canon.reconcile("au", keep_as="personal", only=["nonsense"])


# ── how it was learned ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_was_told_in_a_bubble_is_kept_as_told_with_its_chain(open_app: Open) -> None:
    ew = await open_app(relationships={"canon": "personal"})
    story = await ew.session("s1", cast=["alice", "bob", "carol", KENJI])
    bubble = await story.bubble("au")
    await bubble.say("kenji", "I bite.", key="bite", audience=["alice"])
    await bubble.tell("alice", "bob", "bite")
    await bubble.tell("bob", "carol", "bite")
    done = await bubble.end(keep_as="personal")
    assert [str(each) for each in done.memories][1:] == [
        "add for bob, in persona-p1-bob: Kenji: I bite. (shared by alice)",
        "add for carol, in persona-p1-carol: Kenji: I bite. (shared by bob)",
    ]
    await story.delivered()
    (memory,) = await ew.engine.store.list("persona-p1-carol")
    assert (memory.metadata["interactionType"], memory.metadata["sharedFrom"]) == ("shared", "bob")
    explained = await story.backstage().explain(memory.id)
    assert explained.chain.startswith("carol was told by bob on day 1")
    assert "who was told by alice on day 1" in explained.chain
    assert "who heard it from kenji on day 1" in explained.chain
    turn = await story.turn("carol", query="bite", in_prompt=[])
    assert "Bob told you (day 1): Kenji: I bite." in turn.text()
    (lived,) = await ew.engine.store.list("persona-p1-alice")
    assert lived.metadata["interactionType"] == "direct"


async def test_what_a_pantheon_told_in_a_bubble_is_found_by_the_pantheon(open_app: Open, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("hotel: {members: [alice, bob], rules: {propagate_all: {as: witnessed}}}\n")
    ew = await open_app(relationships={"canon": "personal", "rules": str(tmp_path / "rules.yaml")})
    story = await ew.session("s1", cast=["alice", "bob", KENJI])
    bubble = await story.bubble("au")
    await bubble.say("kenji", "I bite.", audience=["alice"])
    await bubble.end(keep_as="personal")
    await story.delivered()
    (hit,) = await ew.personas.search("bite", persona="p1", personality="bob", pantheon="hotel")
    assert hit.memory.metadata.items() >= {"interactionType": "witnessed", "sharedFrom": "alice", "hop": 1}.items()
    explained = await story.backstage().explain(hit.memory.id)
    assert "bob witnessed kenji saying it on day 1 through alice: hotel:propagate_all" in explained.chain


# ── nothing to keep ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("persona", "said", "why"),
    [
        (Character("kenji", kind="persona", user_id="u1"), True, "nobody in it has a persona_id"),
        (KENJI, False, "0 memories left in the bubble: nobody remembers anything of it"),
        (KENJI, True, "no persona was there, or several"),
    ],
)
async def test_where_nothing_can_be_kept_it_says_why(open_app: Open, persona: Character, said: bool, why: str) -> None:
    ew = await open_app(relationships={})
    story = await ew.session("s1", cast=["alice", "bob", persona])
    bubble = await story.bubble("au")
    if said:
        await bubble.say("alice", "A secret of ours.", audience=["bob"])
    await bubble.end()
    planned = await story.canon.reconcile("au", keep_as="personal")
    assert planned.memories == ()
    assert why in str(planned)
    assert ("2 memories left in the bubble: personal canon" in str(planned)) == said
