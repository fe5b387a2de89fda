"""A bubble is a session of its own: nothing leaks out of it, and nothing into it that is not allowed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from earwitness import Channel, Character, Derivation, Earwitness, MessageAnswer, MessageEvent, Plugin, Session, sync
from earwitness.containers import pantheon_container
from earwitness.errors import InputError, UnknownName

Open = Callable[..., Awaitable[Earwitness]]
KENJI = Character("kenji", kind="persona", user_id="u1", persona_id="p1")
WORDS = ("global", "personal", "user", "lived", "card")
HUB = pantheon_container("olympus")


async def begin(open_app: Open, **given: Any) -> Session:
    """A story of Alice, Bob and Kenji's persona."""
    ew = await open_app(relationships={"canon": "personal"}, **given)
    return await ew.session("s1", cast=["alice", "bob", KENJI], state={"game_day": 3, "current_scene": "tavern"})


async def found(story: Any, character: str = "alice", query: str = "sword") -> list[str]:
    """What a character recalls when asked for a sword."""
    turn = await story.turn(character, query=query, in_prompt=[])
    assert turn.failures == ()
    return [each.text for each in turn.memories]


async def test_a_bubble_has_the_cast_and_the_day_of_its_story_and_none_of_its_memories(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", "I have a sword.", audience=["alice"])
    bubble = await story.bubble("vampire-au")
    assert (bubble.session.id, bubble.cast.ids) == ("s1~vampire-au", story.cast.ids)
    assert (bubble.state.game_day, bubble.state.current_scene) == (3, "tavern")
    assert await found(bubble) == []
    assert [str(each) for each in await story.canon.bubbles()] == ["vampire-au (s1~vampire-au): open"]


async def test_what_happens_in_a_bubble_is_known_in_it_alone(open_app: Open) -> None:
    story = await begin(open_app)
    bubble = await story.bubble("vampire-au")
    await bubble.say("kenji", "I bite with a sword.", audience=["alice"])
    await bubble.delivered()
    assert len(await found(bubble)) == 1
    assert await found(story) == []
    other = await story._app.session("s2", cast=["alice", "bob", KENJI])  # type: ignore[call-arg]
    assert await found(other) == []
    ew: Any = story._app
    assert await ew.containers(kind="persona") == ()


async def test_the_same_name_is_the_same_bubble(open_app: Open) -> None:
    story = await begin(open_app)
    await (await story.bubble("au")).say("kenji", "A sword.", audience=["alice"])
    again = await story.bubble("au")
    assert len(await found(again)) == 1
    await again.end()
    assert [each.status for each in await story.canon.bubbles()] == ["ended"]
    assert len(await found(await story.bubble("au"))) == 1
    assert [each.status for each in await story.canon.bubbles()] == ["open"]


async def test_an_ended_bubble_takes_no_messages_until_it_is_gone_on_with(open_app: Open) -> None:
    story = await begin(open_app)
    bubble = await story.bubble("au")
    await bubble.say("kenji", "A sword.", audience=["alice"])
    turn = await bubble.turn("alice")
    await bubble.end()
    for call in (
        bubble.say("kenji", "Another.", audience=["alice"]),
        bubble.change(game_day=7),
        bubble.enter("bob"),
        turn.say("Another."),
        (await bubble.turn("alice")).say("Another."),
        bubble.close_conversation(),
        bubble.channel(Channel(channel_id="c1"), ["alice"]),
        bubble.canon.add("Another sword.", scope="session", character="alice"),
    ):
        with pytest.raises(InputError, match=r"bubble 'au' has ended.*story\.bubble\('au'\)"):
            await call
    assert len(await found(bubble)) == 1
    await story.bubble("au")
    await bubble.say("kenji", "Another sword.", audience=["alice"])
    assert len(await found(bubble)) == 2


@pytest.mark.parametrize(
    ("knows", "known"),
    [
        ((), set()),
        (("cards",), {"card"}),
        (("global",), {"global"}),
        (("global", "personal"), {"global", "personal"}),
        (("users",), {"user"}),
        (("story",), {"lived", "card"}),
    ],
)
async def test_what_is_allowed_of_ordinary_life_is_known_in_it(
    open_app: Open, knows: tuple[str, ...], known: set[str]
) -> None:
    story = await begin(open_app)
    add = story.canon.add
    await add("A sword is in her global crest.", scope="global", character="alice", role="owner")
    await add("A personal sword.", scope="personal", character="alice", persona="p1")
    await add("The user collects each sword.", scope="user", user="u1")
    await story.say("alice", "I have lived with this sword.")
    await story.prepare(cards={"alice": "On her card is a sword."})
    await story.delivered()
    ordinary = " ".join(await found(story))
    assert [word for word in WORDS if word not in ordinary] == []
    inside = " ".join(await found(await story.bubble("au", knows=knows)))
    # what was written in the story's unnamed channel is known in the bubble's, since Kenji alone plays both
    assert {word for word in WORDS if word in inside} == known


async def test_a_bubble_begins_with_who_its_characters_are(open_app: Open) -> None:
    story = await begin(open_app)
    await story.prepare(
        plot="A sword is lost.",
        cards={"alice": "Alice fears the sword.", "bob": "Bob has no sword."},
        examples={"alice": ["I have no sword.", "Leave the sword."]},
        lore=[
            {"key": "sword", "text": "The sword is old.", "words": ["blade"]},
            {"text": "Bob stole a sword.", "known_by": ["bob"]},
        ],
    )
    await story.prepare(plot={"second": "A sword is found."}, lore=["Nobody has a sword."], key="gone")
    await story.prepare(cards={"alice": "Alice loves the sword."})
    await story.retract("gone")
    await story.say("alice", "I have lived with this sword.", audience=["bob"])
    for told in (story, await story.bubble("au")):
        known = [each for each in await found(told) if "lived" not in each]
        assert sorted(known) == [
            "A sword is lost.",
            "Alice loves the sword.",
            "I have no sword.",
            "Leave the sword.",
            "The sword is old.",
        ]
    bubble = await story.bubble("au")
    assert "Bob stole a sword." in await found(bubble, "bob")
    assert "The sword is old." in await found(bubble, query="blade")
    assert not any("lived" in each for each in await found(bubble))


async def test_nothing_of_a_bubble_reaches_a_container_that_outlives_it(open_app: Open) -> None:
    class Hub(Plugin):
        def on_message(self, event: MessageEvent) -> MessageAnswer:
            return MessageAnswer(derived=(Derivation(content="Heard of a sword.", container=HUB.name),))

    story = await begin(open_app, plugins=[Hub()])
    ew: Any = story._app
    await ew.register(HUB)
    bubble = await story.bubble("au")
    await bubble.say("kenji", "A sword.", audience=["alice"])
    await bubble.remember(None, "A sword by hand.", container=HUB)
    await bubble.delivered()
    assert list(await ew.engine.store.list(HUB.name)) == []
    (delivery, *_) = await ew.engine.ledger.deliveries("s1~au", container=HUB.name)
    assert (delivery.status, delivery.reason) == (
        "struck",
        "guard:relationships: what happens in a bubble stays in it",
    )
    await story.say("kenji", "A sword.", audience=["alice"])
    await story.delivered()
    assert len(await ew.engine.store.list(HUB.name)) == 1


@pytest.mark.parametrize("scope", ["global", "personal", "user"])
async def test_canon_that_would_outlive_a_bubble_is_refused_in_it(open_app: Open, scope: Any) -> None:
    bubble = await (await begin(open_app)).bubble("au")
    given: Any = {"character": "alice", "persona": "p1", "user": "u1", "role": "owner"}
    with pytest.raises(InputError, match=f"stays in it: write {scope} canon in story 's1', or session canon here"):
        await bubble.canon.add("Alice has a sword.", scope=scope, **given)
    await bubble.canon.add("Alice has a sword.", scope="session", character="alice")
    assert len(await found(bubble)) == 1


@pytest.mark.parametrize("seed", range(6))
async def test_no_memory_crosses_the_wall_of_a_bubble_in_random_talk(open_app: Open, seed: int) -> None:
    """Every message says which side it is of. Whoever recalls anything recalls it on that side."""
    random = Random(seed)
    ew = await open_app(relationships={"canon": random.choice(["personal", "session"])})
    story = await ew.session("s1", cast=["alice", "bob", KENJI])
    sides = {"ordinary": story, "vampire": await story.bubble("vampire"), "pirate": await story.bubble("pirate")}
    other = await ew.session("s2", cast=["alice", "bob", KENJI])
    ids = ["alice", "bob", "kenji"]
    for number in range(30):
        side = random.choice([*sides])
        context = random.choice(["dm", "private_channel", "public_channel"])
        heard = random.sample(ids, random.randint(0, 3))
        await sides[side].say(random.choice(ids), f"A {side} sword, number {number}.", audience=heard, context=context)
        if random.random() < 0.2:
            owner = random.choice(ids)
            await sides[side].remember(owner, f"A {side} note on swords, number {number}.")
    for each in (*sides.values(), other):
        await each.delivered()
    for side, told in {**sides, "ordinary too": other}.items():
        for reader in ids:
            for context in ("dm", "private_channel", "public_channel"):
                turn = await told.turn(reader, query="sword notes", in_prompt=[], context=context, memories=100)
                wrong = [each.text for each in turn.memories if side.split()[0] not in each.text]
                assert wrong == []


async def test_a_bubble_has_no_bubbles_and_needs_the_table(open_app: Open) -> None:
    story = await begin(open_app)
    bubble = await story.bubble("au")
    with pytest.raises(InputError, match="is a bubble itself"):
        await bubble.bubble("inner")
    with pytest.raises(
        InputError, match=r"knows: 'all' is not one of cards, global, personal, users, pantheons, story"
    ):
        await story.bubble("other", knows=["all"])
    with pytest.raises(UnknownName, match="bubble 'ua'"):
        await story.canon.end("ua")
    plain = await (await open_app()).session("s1", cast=["alice"])
    with pytest.raises(InputError, match=r"needs a table \[relationships\]"):
        await plain.bubble("au")


async def test_bubbles_survive_a_restart(tmp_path: Any) -> None:
    given = {"relationships": {"canon": "personal"}, "embedder": "none", "detector": "none", "world_agent": "none"}
    async with Earwitness.open(tmp_path / "e.db", **given) as ew:
        story = await ew.session("s1", cast=["alice", KENJI])
        await (await story.bubble("au", knows=[])).say("kenji", "A sword.", audience=["alice"])
        await story.say("kenji", "An ordinary sword.", audience=["alice"])
    async with Earwitness.open(tmp_path / "e.db", **given) as ew:
        story = await ew.open_session("s1")
        assert len(await found(await story.bubble("au"))) == 1
        assert len(await found(await ew.open_session("s1~au"))) == 1
        assert [each.status for each in await story.canon.bubbles()] == ["open"]


def test_the_synchronous_face_has_bubbles_canon_and_personas(tmp_path: Any) -> None:
    given = {"relationships": {"canon": "personal"}, "embedder": "none", "detector": "none", "world_agent": "none"}
    with sync.Earwitness.open(tmp_path / "e.db", **given) as ew:
        story = ew.session("s1", cast=["alice", KENJI])
        bubble = story.bubble("au")
        bubble.say("kenji", "A sword.", audience=["alice"]).settled()
        done = bubble.end(keep_as="personal")
        assert [each.text for each in done.memories] == ["Kenji: A sword."]
        assert [each.status for each in story.canon.bubbles()] == ["kept"]
        assert [hit.memory.content for hit in ew.personas.search("sword", persona="p1")] == ["Kenji: A sword."]


async def test_two_processes_agree_about_a_bubble(tmp_path: Any) -> None:
    given = {"relationships": {"canon": "personal"}, "embedder": "none", "detector": "none", "world_agent": "none"}
    path = tmp_path / "e.db"
    async with Earwitness.open(path, **given) as here, Earwitness.open(path, **given) as there:
        mine, theirs = [await ew.session("s1", cast=["alice", KENJI]) for ew in (here, there)]
        for number, story in enumerate((mine, theirs)):
            await (await story.bubble("au")).say("kenji", f"Sword {number}.", audience=["alice"])
        await mine.canon.end("au")
        assert [str(each) for each in await theirs.canon.bubbles()] == ["au (s1~au): ended"]
        done = await theirs.canon.reconcile("au", keep_as="personal", dry_run=False)
        assert [each.text for each in done.memories] == ["Kenji: Sword 0.", "Kenji: Sword 1."]
        with pytest.raises(InputError, match="kept already"):
            await mine.canon.reconcile("au", keep_as="personal", dry_run=False)
        assert len(await found(mine)) == 2
        await mine.canon.undo("au")
        assert [each.status for each in await theirs.canon.bubbles()] == ["ended"]
        assert await found(theirs) == []


async def test_of_two_who_reconcile_at_once_one_is_told_to_look_again(open_app: Open) -> None:
    story = await begin(open_app)
    await (await story.bubble("au")).say("kenji", "A sword.", audience=["alice"])
    await story.canon.end("au")
    both = [story.canon.reconcile("au", keep_as=keep_as, dry_run=False) for keep_as in ("personal", "discard")]
    answers = await asyncio.gather(*both, return_exceptions=True)
    assert sorted(type(each).__name__ for each in answers) == ["InputError", "Reconciliation"]
    assert [each.status for each in await story.canon.bubbles()] != ["ended"]


async def test_a_bubble_that_knows_the_story_reconciles_only_what_happened_in_it(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", "An ordinary sword.", audience=["alice"])
    bubble = await story.bubble("au", knows=["story"])
    await bubble.say("kenji", "A vampire's sword.", audience=["alice"])
    await bubble.end()
    for keep_as in ("personal", "global"):
        planned = await story.canon.reconcile("au", keep_as=keep_as, role="owner", publish=True)
        assert [each.text for each in planned.memories] == ["Kenji: A vampire's sword."]


async def test_a_later_story_of_the_same_id_does_not_go_on_with_the_bubbles_of_the_first(open_app: Open) -> None:
    story = await begin(open_app)
    ew: Any = story._app
    await (await story.bubble("au")).say("kenji", "My secret sword.", audience=["alice"])
    await ew.forget("s1")
    again = await ew.session("s1", cast=["alice", "bob", KENJI])
    with pytest.raises(InputError, match="'s1~au' is a bubble of an earlier story 's1'"):
        await again.bubble("au")
    await ew.forget("s1~au")
    assert await found(await again.bubble("au")) == []


async def test_a_bubble_whose_session_is_gone_says_so_and_may_begin_anew(open_app: Open) -> None:
    story = await begin(open_app)
    ew: Any = story._app
    await story.bubble("au")
    await ew.forget("s1~au")
    assert [str(each) for each in await story.canon.bubbles()] == ["au (s1~au): gone"]
    with pytest.raises(InputError, match="bubble 'au' is gone: there is no session 's1~au'"):
        await story.canon.end("au")
    branch = await story.fork("s2")
    assert [each.status for each in await branch.canon.bubbles()] == ["gone"]
    await story.bubble("au")
    assert [each.status for each in await story.canon.bubbles()] == ["open"]


async def test_a_session_does_not_become_a_bubble_by_its_name(open_app: Open) -> None:
    story = await begin(open_app)
    ew: Any = story._app
    stranger = await ew.session("s1~au", cast=["alice"])
    await stranger.say("alice", "I have a sword.")
    before = len(await stranger.backstage().journal()), len(await story.backstage().journal())
    with pytest.raises(InputError, match=r"'s1~au' that is not a bubble of story 's1'. Choose another name than 'au'"):
        await story.bubble("au")
    assert before == (len(await stranger.backstage().journal()), len(await story.backstage().journal()))
    assert await story.canon.bubbles() == ()


async def test_a_bubble_that_a_branch_inherits_by_name_alone_is_gone(open_app: Open) -> None:
    story = await begin(open_app)
    await story.bubble("au")
    branch = await story.fork("b1")
    await (story._app).session("b1~au", cast=["alice"])  # type: ignore[call-arg]
    assert [each.status for each in await branch.canon.bubbles()] == ["gone"]
    with pytest.raises(InputError, match="is gone"):
        await branch.canon.end("au")


async def test_what_was_cut_short_when_a_bubble_began_is_made_whole(open_app: Open) -> None:
    story = await begin(open_app)
    await story.prepare(cards={"alice": "Alice has a sword."})
    await story.change(facts={"canon": [{"bubble": "au"}]})
    await (story._app).session("s1~au", cast=["alice", "bob", KENJI])  # type: ignore[call-arg]
    assert await found(await story.bubble("au")) == ["Alice has a sword."]


async def test_a_bubble_begins_with_the_relations_and_channels_of_its_story(open_app: Open) -> None:
    story = await begin(open_app)
    await story.relationships.relate("alice", "bob", "mentor", weight=0.9)
    letters, cellar = Channel(context="dm", channel_id="d7"), Channel(channel_id="cellar")
    await story.channel(letters, ["alice", "kenji"])
    await story.channel(cellar, ["alice", "bob"], place="cellar")
    await story.move("bob", "tavern")
    bubble = await story.bubble("au")
    told = {name: each.members for name, each in bubble.state.channels.items()}
    assert told == {"dm/d7": ("alice", "kenji"), "cellar": ("alice",)}
    assert bubble.state.whereabouts["alice"].place == "cellar"
    assert bubble.state.facts_of("relationships") == story.state.facts_of("relationships")
    await bubble.relationships.end("alice", "bob", "mentor")
    assert bubble.state.facts_of("relationships") != story.state.facts_of("relationships")
