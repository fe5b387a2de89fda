"""What becomes of a bubble: kept in personal or global canon, or discarded; looked at first, and undone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from earwitness import Channel, Character, Derivation, Earwitness, MessageAnswer, MessageEvent, Plugin, Session
from earwitness.errors import InputError, NotPermitted, UnknownName

Open = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
PERSONAL, GLOBAL = "persona-p1-alice", "global-canon-alice"


async def begin(open_app: Open, **given: Any) -> Any:
    """A story with a bubble that has ended, in which Kenji became a vampire."""
    ew = await open_app(relationships={"canon": "personal"}, **given)
    story = await ew.session("s1", cast=["alice", "bob", KENJI])
    bubble = await story.bubble("vampire")
    await bubble.say("kenji", "I am a vampire now.", audience=["alice"], channel=Channel(context="dm", persona_id="p1"))
    await bubble.say("alice", "Bob will never know.", audience=["kenji"])
    await bubble.remember("bob", "Kenji looks pale.")
    await bubble.end()
    return story


async def held(story: Session, name: str = PERSONAL) -> dict[str, int]:
    """What a container holds, with the number of each version."""
    await story.delivered()
    memories = await story._engine.store.list(name)
    return {each.content: each.metadata.get("version", 1) for each in memories}  # type: ignore[misc]


async def test_a_dry_run_says_what_would_be_kept_and_does_nothing(open_app: Open) -> None:
    story = await begin(open_app)
    planned = await story.canon.reconcile("vampire", keep_as="personal")
    assert not planned.applied
    assert [(each.character, each.container, each.action, each.text) for each in planned.memories] == [
        ("alice", PERSONAL, "add", "Kenji: I am a vampire now."),
        ("alice", PERSONAL, "add", "Alice: Bob will never know."),
        ("bob", "persona-p1-bob", "add", "Kenji looks pale."),
    ]
    assert "vampire: personal, append, 3 memories (dry run)" in str(planned)
    assert await held(story) == {}
    assert [each.status for each in await story.canon.bubbles()] == ["ended"]


async def test_as_personal_canon_it_is_remembered_with_that_persona(open_app: Open) -> None:
    story = await begin(open_app)
    done = await story.canon.reconcile("vampire", keep_as="personal", dry_run=False)
    assert done.applied
    assert await held(story) == {"Kenji: I am a vampire now.": 1, "Alice: Bob will never know.": 1}
    (memory, _) = await story._engine.store.list(PERSONAL)
    assert (
        memory.metadata.items()
        >= {
            "type": "reconciled",
            "canonScope": "personal",
            "bubble": "vampire",
            "contextType": "dm",
            "personaId": "p1",
            "personalityId": "alice",
        }.items()
    )
    dm = Channel(context="dm", persona_id="p1")
    turn = await story.turn("alice", query="vampire", in_prompt=[], channel=dm)
    assert "Kenji: I am a vampire now." in [each.text for each in turn.sections()["personal_canon"]]
    assert (await story.turn("alice", query="vampire", context="public_channel")).memories == ()


async def test_as_global_canon_by_its_owner_alone(open_app: Open) -> None:
    story = await begin(open_app)
    with pytest.raises(NotPermitted, match=r"role 'author' may not write global canon\. These roles may: owner"):
        await story.canon.reconcile("vampire", keep_as="global")
    await story.privacy.loosen("p1", user="u1", learned="dm", asked="public_channel", sayable=True)
    await story.canon.reconcile("vampire", keep_as="global", role="owner", publish=True, dry_run=False)
    assert await held(story, GLOBAL) == {"Kenji: I am a vampire now.": 1, "Alice: Bob will never know.": 1}
    stranger = await story._app.session("s2", cast=["alice"])
    turn = await stranger.turn("alice", query="anything")
    assert len(turn.sections()["global_canon"]) == 2


async def test_what_is_discarded_stays_in_its_bubble_and_may_come_back(open_app: Open) -> None:
    story = await begin(open_app)
    done = await story.canon.reconcile("vampire", keep_as="discard", dry_run=False)
    assert (done.applied, done.memories) == (True, ())
    assert [each.status for each in await story.canon.bubbles()] == ["discarded"]
    with pytest.raises(InputError, match="discarded already"):
        await story.canon.reconcile("vampire", keep_as="personal")
    await story.canon.undo("vampire")
    assert [each.status for each in await story.canon.bubbles()] == ["ended"]
    assert len((await story.canon.reconcile("vampire", keep_as="personal")).memories) == 3


async def test_only_those_named_are_kept(open_app: Open) -> None:
    story = await begin(open_app)
    planned = await story.canon.reconcile("vampire", keep_as="personal")
    first = planned.memories[0].memory_id
    await story.canon.reconcile("vampire", keep_as="personal", only=[first], dry_run=False)
    assert await held(story) == {"Kenji: I am a vampire now.": 1}


async def test_versions_stand_side_by_side(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", "I am no vampire.", audience=["alice"])
    await story.delivered()
    (old,) = await story._engine.store.list(PERSONAL)
    done = await story.canon.reconcile("vampire", keep_as="personal", dry_run=False)
    assert [(each.action, each.versions) for each in done.memories[:2]] == [("beside", (old.id,)), ("add", ())]
    assert await held(story) == {
        "Kenji: I am no vampire.": 1,
        "Kenji: I am a vampire now.": 2,
        "Alice: Bob will never know.": 1,
    }
    new = next(each for each in await story._engine.store.list(PERSONAL) if "now" in each.content)
    assert new.metadata["versionOf"] == old.id


async def test_or_the_new_one_replaces_the_old_one_which_is_kept_out_of_recall(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", "I am no vampire.", audience=["alice"])
    await story.delivered()
    (old,) = await story._engine.store.list(PERSONAL)
    planned = await story.canon.reconcile("vampire", keep_as="personal", mode="replace")
    assert planned.memories[0].action == "replace"
    await story.canon.reconcile("vampire", keep_as="personal", mode="replace", dry_run=False)
    assert await held(story) == {"Kenji: I am a vampire now.": 2, "Alice: Bob will never know.": 1}
    (delivery,) = await story._engine.ledger.deliveries("s1", memory_ids=[old.id])
    assert delivery.status == "archived"
    await story.canon.undo("vampire")
    assert await held(story) == {"Kenji: I am no vampire.": 1}


async def test_an_old_version_of_another_story_is_replaced_too_and_stays_if_that_is_gone(open_app: Open) -> None:
    story = await begin(open_app)
    for id, text in (("s2", "I am no vampire."), ("s3", "I am not a vampire.")):
        other = await story._app.session(id, cast=["alice", KENJI])
        await other.say("kenji", text, audience=["alice"])
        await other.delivered()
    await story._app.forget("s3")
    done = await story.canon.reconcile("vampire", keep_as="personal", mode="replace", dry_run=False)
    assert len(done.stays) == 1
    assert set(await held(story)) == {
        "Kenji: I am not a vampire.",
        "Kenji: I am a vampire now.",
        "Alice: Bob will never know.",
    }
    await story.canon.undo("vampire")
    await story.delivered()
    await (await story._app.open_session("s2")).delivered()
    assert set(await held(story)) == {"Kenji: I am no vampire.", "Kenji: I am not a vampire."}


async def test_what_is_there_already_is_not_kept_twice(open_app: Open) -> None:
    story = await begin(open_app)
    await story.canon.reconcile("vampire", keep_as="personal", dry_run=False)
    bubble = await story.bubble("vampire")
    await bubble.say("kenji", "I bite.", audience=["alice"])
    done = await bubble.end(keep_as="personal")
    assert [each.action for each in done.memories] == ["skip", "skip", "add", "skip"]
    assert set(await held(story)) == {"Kenji: I am a vampire now.", "Alice: Bob will never know.", "Kenji: I bite."}
    await story.canon.undo("vampire")
    assert set(await held(story)) == {"Kenji: I am a vampire now.", "Alice: Bob will never know."}


async def test_what_a_bubble_says_again_later_keeps_what_it_said_before(open_app: Open) -> None:
    story = await begin(open_app)
    await story.canon.reconcile("vampire", keep_as="personal", dry_run=False)
    bubble = await story.bubble("vampire")
    await bubble.say("kenji", "I am a vampire now.", audience=["alice"])
    done = await bubble.end(keep_as="personal")
    assert [each.action for each in done.memories] == ["skip", "skip", "support", "skip"]
    assert len(await held(story)) == 2
    bubble = await story.bubble("vampire")
    assert {each.action for each in (await bubble.end(keep_as="personal")).memories} == {"skip"}
    first, *_ = await bubble.messages()
    bubble = await story.bubble("vampire")
    await bubble.retract(first.key)
    await bubble.delivered()
    await bubble.end()
    assert "Kenji: I am a vampire now." in await held(story)
    for _ in range(2):
        await story.canon.undo("vampire")
    assert "Kenji: I am a vampire now." not in await held(story)


async def test_an_open_bubble_is_not_reconciled_and_nothing_done_is_not_undone(open_app: Open) -> None:
    story = await begin(open_app)
    await story.bubble("open")
    with pytest.raises(InputError, match="bubble 'open' is still open: end it first"):
        await story.canon.reconcile("open", keep_as="personal")
    with pytest.raises(InputError, match="bubble 'vampire' is ended: there is nothing to undo"):
        await story.canon.undo("vampire")
    with pytest.raises(InputError, match="bubble 'vampire' is ended already"):
        await story.canon.end("vampire")
    with pytest.raises(UnknownName, match=r"bubble 'vampires'.*'vampire'"):
        await story.canon.undo("vampires")


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("role", ["author", "owner"])
async def test_a_scope_that_there_is_not_is_refused_with_those_there_are(open_app: Open, role: str) -> None:
    story = await begin(open_app)
    with pytest.raises(InputError, match=r"scope 'globl' must be one of global, personal, session, user\..*'global'"):
        await story.canon.add("x", scope="globl", character="alice", role=role)


async def test_a_memory_is_added_by_hand_into_any_scope(open_app: Open) -> None:
    story = await begin(open_app)
    add = story.canon.add
    await add("Alice was born at sea.", scope="global", character="alice", role="owner")
    await add("Kenji owes her a sword.", scope="personal", character="alice", persona="kenji")
    await add("The user likes short answers.", scope="user", user="u1")
    await add("The key is under the mat.", scope="session", character="alice", key="mat")
    await story.delivered()
    turn = await story.turn("alice", query="sword key answers", in_prompt=[])
    assert {name: [each.text for each in found] for name, found in turn.sections().items() if found} == {
        "memories": ["The key is under the mat."],
        "global_canon": ["Alice was born at sea."],
        "facts": ["Kenji owes her a sword."],
        "general_facts": ["The user likes short answers."],
    }
    text = turn.text()
    order = ["Who you are", "**What you remember about this user:**", "**General facts about this user:**"]
    assert [text.index(each) for each in order] == sorted(text.index(each) for each in order)
    assert "\n**What you remember about this user:**\n1. Fact: Kenji owes her a sword." in text
    bob = await story.turn("bob", query="sword key answers", in_prompt=[])
    assert [each.text for each in bob.memories] == ["The user likes short answers."]
    scopes = {name: len(found) for name, found in (await story.canon.memories("Alice")).items()}
    assert scopes == {GLOBAL: 1, PERSONAL: 1, "user-u1": 1, "vampire": 2}


async def test_every_character_the_user_talks_to_knows_what_is_known_of_the_user(open_app: Open) -> None:
    story = await begin(open_app)
    await story.canon.add("The user likes short answers.", scope="user", user="u1")
    await story.delivered()
    for id, cast, known in [("s2", ["carol", KENJI], 1), ("s3", ["carol"], 0)]:
        turn = await (await story._app.session(id, cast=cast)).turn("carol", query="answers")
        assert len(turn.memories) == known


async def test_the_numbers_and_headings_of_the_sections_are_settings(open_app: Open) -> None:
    personas = {"facts": 2, "facts_heading": "Of them", "general_facts": 1, "global_canon": 3}
    ew = await open_app(relationships={"personas": personas})
    story = await ew.session("s1", cast=["alice", KENJI])
    for number in range(9):
        await story.canon.add(f"A fact about tea {number}.", scope="personal", character="alice", persona="p1")
        await story.canon.add(f"A user's fact about tea {number}.", scope="user", user="u1")
        await story.canon.add(f"She is {number}.", scope="global", character="alice", role="owner")
    await story.delivered()
    turn = await story.turn("alice", query="tea", in_prompt=[])
    assert {name: len(found) for name, found in turn.sections().items() if found} == {
        "global_canon": 3,
        "facts": 2,
        "general_facts": 1,
    }
    assert [each.text for each in turn.sections()["global_canon"]] == ["She is 6.", "She is 7.", "She is 8."]
    assert "### Of them\n" in turn.text()


async def test_a_section_of_no_memories_is_left_out(open_app: Open) -> None:
    ew = await open_app(relationships={"personas": {"general_facts": 0}})
    story = await ew.session("s1", cast=["alice", KENJI])
    await story.canon.add("A fact about tea.", scope="personal", character="alice", persona="p1")
    await story.canon.add("A user's fact about tea.", scope="user", user="u1")
    await story.delivered()
    turn = await story.turn("alice", query="tea", in_prompt=[])
    assert [each.text for each in turn.memories] == ["A fact about tea."]
    assert turn.failures == ()


async def test_global_canon_is_read_only_but_for_its_owner(open_app: Open) -> None:
    story = await begin(open_app)
    with pytest.raises(NotPermitted, match="global canon"):
        await story.canon.add("Alice is a queen.", scope="global", character="alice")
    player = story.canon.acting(role="player", user="u1")
    with pytest.raises(NotPermitted, match="role 'player' may not write session canon"):
        await player.add("Alice is a queen.", scope="session", character="alice")
    with pytest.raises(InputError, match="role 'player' needs the user who acts"):
        await story.canon.add("Kenji sings.", scope="user", user="u1", role="player")
    with pytest.raises(UnknownName, match="role 'god'"):
        await story.canon.add("Alice is a queen.", scope="global", character="alice", role="god")


async def test_no_plugin_writes_global_canon(open_app: Open) -> None:
    class Eager(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer:
            return MessageAnswer(derived=(Derivation(content="Alice is a queen.", container=GLOBAL),))

    story = await begin(open_app, plugins=[Eager()], strict=False)
    await story.canon.add("Alice was born at sea.", scope="global", character="alice", role="owner")
    await story.say("kenji", "Queen Alice!", audience=["alice"])
    assert await held(story, GLOBAL) == {"Alice was born at sea.": 1}
    struck = await story._engine.ledger.deliveries("s1", container=GLOBAL, status="struck")
    assert [each.reason for each in struck] == ["guard:relationships: only its owner writes global canon"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"scope": "personal", "character": "alice"}, "personal canon needs its persona"),
        ({"scope": "user"}, "user canon needs its user"),
        ({"scope": "session"}, "session canon needs its character"),
    ],
)
async def test_a_scope_without_its_owner_is_named(open_app: Open, given: dict[str, Any], why: str) -> None:
    story = await begin(open_app)
    with pytest.raises(InputError, match=why):
        await story.canon.add("A fact.", **given)
    with pytest.raises(UnknownName, match="persona 'p9'"):
        await story.canon.add("A fact.", scope="personal", character="alice", persona="p9")


async def test_a_word_that_a_reconciliation_does_not_take_is_named_with_those_it_takes(open_app: Open) -> None:
    story = await begin(open_app)
    with pytest.raises(UnknownName, match=r"unknown keep_as 'personl'. Known: discard, global, personal"):
        await story.canon.reconcile("vampire", keep_as="personl")
    with pytest.raises(UnknownName, match=r"unknown mode 'beside'. Known: append, replace"):
        await story.canon.reconcile("vampire", keep_as="personal", mode="beside")
