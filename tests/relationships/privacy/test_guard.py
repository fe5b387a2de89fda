"""The guard `relationships`, in stories: what is recalled where, what is marked, and what is struck."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from itertools import combinations
from typing import Any

import pytest

from earwitness import Channel, Character, Container, Earwitness, Session, Share, SharingEvent, Turn
from earwitness.containers import global_canon_container, user_container
from earwitness.errors import InputError, NotPermitted, SettingsError, UnknownName

Open = Callable[..., Awaitable[Earwitness]]
ALICE, KENJI = Character("alice"), Character("kenji", kind="persona", user_id="u1", persona_id="p1")
MARY = Character("mary", kind="persona", user_id="u2", persona_id="p2")
DM = Channel(context="dm", channel_id="d1", persona_id="p1")
OTHER_DM = Channel(context="dm", channel_id="d2", persona_id="p2")
TAVERN = Channel(context="private_channel", channel_id="c1", guild_id="g1")
CELLAR = Channel(context="private_channel", channel_id="c2", guild_id="g1")
SQUARE = Channel(context="public_channel", channel_id="c3", guild_id="g1")
MARKET = Channel(context="public_channel", channel_id="c4", guild_id="g1")
ABROAD = Channel(context="public_channel", channel_id="c5", guild_id="g2")
EVERYWHERE = (DM, OTHER_DM, TAVERN, CELLAR, SQUARE, MARKET, ABROAD)


class Gossip:
    """Tells Bob whatever Alice hears."""

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "alice" in event.knowers and "bob" not in event.knowers:
            yield Share(character="bob", shared_from="alice", rule="gossip")


async def begin(open_app: Open, privacy: Any = "graded", shared: Container | None = None, **given: Any) -> Session:
    """A story whose guard is the one of relationships. Alice may read the `shared` container."""
    ew = await open_app(relationships={"privacy": privacy}, **given)
    if shared is not None:
        await ew.register(shared)
        await ew.admit(shared, "alice")
    return await ew.session("s1", cast=[ALICE, "bob", KENJI, MARY])


async def recalled(story: Session, character: str, channel: Channel) -> Turn:
    """A turn in this channel, which asks for a sword."""
    return await story.turn(character, query="sword", in_prompt=[], channel=channel)


async def heard_in(story: Session, character: str) -> list[Channel]:
    """The channels in which this character remembers anything of a sword."""
    return [each for each in EVERYWHERE if (await recalled(story, character, each)).memories]


@pytest.mark.parametrize(
    ("learned", "known"),
    [
        (DM, [DM]),
        (TAVERN, [TAVERN]),
        (TAVERN.model_copy(update={"persona_id": "p1"}), [DM, TAVERN]),
        (SQUARE, [DM, TAVERN, CELLAR, SQUARE, MARKET]),
    ],
    ids=["dm", "private channel", "private channel of a persona", "public channel"],
)
async def test_what_kenji_said_comes_to_mind_where_its_listeners_are(
    open_app: Open, learned: Channel, known: list[Channel]
) -> None:
    story = await begin(open_app)
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=learned)
    assert await heard_in(story, "alice") == known


NO_PERSONA = [
    Channel(context="dm", channel_id="d1"),
    Channel(context="dm", channel_id="d2"),
    Channel(context="dm", channel_id="d1", guild_id="g1"),
    Channel(context="dm"),
    Channel(context="private_channel", channel_id="d1"),
    Channel(context="private_channel"),
]


@pytest.mark.parametrize("privacy", ["graded", "same_context"])
@pytest.mark.parametrize("learned", NO_PERSONA[:4], ids=str)
async def test_a_direct_message_without_a_persona_is_known_by_its_channel(
    open_app: Open, learned: Channel, privacy: str
) -> None:
    story = await begin(open_app, privacy)
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=learned)
    found = {str(each): bool((await recalled(story, "alice", each)).memories) for each in NO_PERSONA}
    assert [each for each, known in found.items() if known] == [str(learned)]


async def test_without_a_persona_no_direct_message_knows_of_a_private_channel(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=TAVERN)
    await story.say("mary", "I have found no sword.", audience=["alice"])
    found = {str(each): (await recalled(story, "alice", each)).text() for each in NO_PERSONA}
    assert not [each for each, text in found.items() if "found a sword" in text]
    assert [each for each, text in found.items() if "found no sword" in text] == ["dm", "private channel"]  # one user


async def test_the_same_context_keeps_it_in_its_context(open_app: Open) -> None:
    story = await begin(open_app, "same_context")
    for channel in (DM, TAVERN, SQUARE):
        await story.say("kenji", f"A sword, in {channel.channel_id}.", audience=["alice"], channel=channel)
    found = {each: len((await recalled(story, "alice", each)).memories) for each in EVERYWHERE}
    assert [each for each in EVERYWHERE if found[each]] == [each for each in EVERYWHERE if each != OTHER_DM]
    assert set(found.values()) == {0, 1}


async def test_who_gives_no_channel_is_in_the_unnamed_private_one_of_the_session(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", "I have found a sword.", audience=["alice"])
    assert (await story.turn("alice", query="sword", in_prompt=[])).memories
    assert await heard_in(story, "alice") == []


async def test_what_was_passed_on_stays_as_private_as_it_was_said(open_app: Open) -> None:
    story = await begin(open_app, sharing_rules=[Gossip()])
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=DM)
    assert await heard_in(story, "bob") == [DM]


STAFF = Channel(channel_id="c6", guild_id="g1", persona_id="p2")
NOBODYS_DM = Channel(context="dm", channel_id="d3")


ALL_PLACES = (*EVERYWHERE, STAFF, Channel(), NOBODYS_DM, Channel(context="dm"))


@pytest.mark.parametrize("grounds", [*combinations(ALL_PLACES, 2), (DM, STAFF, SQUARE)])
async def test_what_rests_on_several_messages_is_read_only_where_each_of_them_is(
    open_app: Open, grounds: tuple[Channel, ...]
) -> None:
    story = await begin(open_app)
    for number, channel in enumerate(grounds):
        await story.say("bob", f"A sword, {number}.", audience=["alice"], key=f"m{number}", channel=channel)
    keys = [f"m{number}" for number in range(len(grounds))]
    await story.remember("alice", "Swords!", rests_on=keys, key="note")
    await story.delivered()
    for channel in ALL_PLACES:
        found = [each.memory.type for each in (await recalled(story, "alice", channel)).memories]
        assert "note" not in found or found.count("message") == len(grounds), channel


async def test_what_rests_on_messages_of_one_persona_is_read_in_their_direct_messages(open_app: Open) -> None:
    story = await begin(open_app)
    of_persona = [each.model_copy(update={"persona_id": "p1"}) for each in (DM, TAVERN, ABROAD)]
    for number, channel in enumerate(of_persona):
        await story.say("bob", f"A sword, {number}.", audience=["alice"], key=f"m{number}", channel=channel)
    await story.remember("alice", "Swords!", rests_on=["m0", "m1", "m2"], key="note")
    await story.delivered()
    notes = [each for each in EVERYWHERE if "Swords!" in str((await recalled(story, "alice", each)).memories)]
    assert notes == [DM]


async def test_cards_and_lore_come_to_mind_everywhere(open_app: Open) -> None:
    story = await begin(open_app, "same_context")
    await story.prepare(plot="A sword is missing.", cards={"alice": "Alice collects swords: a sword a day."})
    assert await heard_in(story, "alice") == list(EVERYWHERE)


async def test_her_own_canon_is_withheld_nowhere(open_app: Open) -> None:
    canon = global_canon_container("alice")
    story = await begin(open_app, "same_context", canon, read_providers=["memberships"])
    await story.remember(None, "Alice was born with a sword.", container=canon)
    await story.delivered()
    assert await heard_in(story, "alice") == list(EVERYWHERE)


@pytest.mark.parametrize(
    ("context", "known"), [({}, list(EVERYWHERE)), ({"context_type": "dm"}, [DM])], ids=["by hand", "from a dm"]
)
async def test_facts_about_a_user_are_known_everywhere_but_those_from_a_dm(
    open_app: Open, context: dict[str, str], known: list[Channel]
) -> None:
    facts = user_container("u1")
    story = await begin(open_app, shared=facts, read_providers=["memberships"])
    await story.remember(None, "Collects swords, one sword a year.", container=facts, metadata=context)
    await story.delivered()
    assert await heard_in(story, "alice") == known


async def test_gossip_is_marked_in_public_and_a_note_says_who_is_listening(open_app: Open) -> None:
    story = await begin(open_app, sharing_rules=[Gossip()])
    await story.channel(SQUARE, ["bob", "mary"])
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=SQUARE)
    public, private = await recalled(story, "bob", SQUARE), await recalled(story, "bob", TAVERN)
    assert [each.unsayable for each in public.memories] == ["known at second hand (from: shared)"]
    assert "known at second hand (from: shared)" in public.text()
    (note,) = public.notes
    assert "Mary is listening" in note
    assert "public channel, channel 'c3', guild 'g1'" in note
    assert ([each.unsayable for each in private.memories], private.notes) == ([None], ())


async def test_the_note_names_all_who_listen_in_a_sentence(open_app: Open) -> None:
    story = await begin(open_app, sharing_rules=[Gossip()])
    await story.channel(SQUARE, ["bob", "mary", "alice", "kenji"])
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=SQUARE)
    (note,) = (await recalled(story, "bob", SQUARE)).notes
    assert "Mary, Alice and Kenji are listening in this" in note


async def test_the_note_names_the_mask_of_somebody_in_disguise_to_those_who_do_not_know_better(open_app: Open) -> None:
    story = await begin(open_app, sharing_rules=[Gossip()])
    await story.channel(SQUARE, ["bob", "mary"])
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=SQUARE)
    await story.say("mary", "Good evening.", speak_as="Madame Roux", channel=SQUARE)
    (note,) = (await recalled(story, "bob", SQUARE)).notes
    assert "Madame Roux is listening" in note
    await story.unmask("mary", audience=["bob"])
    (note,) = (await recalled(story, "bob", SQUARE)).notes
    assert "Mary is listening" in note


async def test_what_she_heard_herself_is_not_marked(open_app: Open) -> None:
    story = await begin(open_app, sharing_rules=[Gossip()])
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=SQUARE)
    turn = await recalled(story, "alice", MARKET)
    assert ([each.unsayable for each in turn.memories], turn.notes) == ([None], ())


async def test_discretion_is_a_setting(open_app: Open) -> None:
    story = await begin(open_app, {"discretion": []}, sharing_rules=[Gossip()])
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=SQUARE)
    turn = await recalled(story, "bob", SQUARE)
    assert [each.unsayable for each in turn.memories] == [None]


async def test_what_nobody_could_ever_read_is_passed_on_to_nobody(open_app: Open) -> None:
    story = await begin(open_app, {"tighten": {"dm": {"dm": []}}}, sharing_rules=[Gossip()])
    outcome = await story.say("kenji", "I have found a sword.", audience=["alice"], channel=DM)
    deliveries = (await outcome.settled()).deliveries
    reasons = {each.owner: each.reason for each in deliveries if each.owner != "world"}
    assert reasons["bob"] == "guard:relationships: nobody could ever read it: it was learned in 'dm'"
    assert (reasons["alice"], reasons["kenji"]) == (None, None)


def test_a_policy_that_does_not_exist_is_named() -> None:
    with pytest.raises(SettingsError, match=r"relationships\.privacy\.policy.*'gradd'.*same_context"):
        Earwitness.open(relationships={"privacy": "gradd"})


# ── what a persona's user allows ─────────────────────────────────────────────────────────────────────────────────────


async def test_a_personas_user_lets_it_be_known_elsewhere_and_may_take_that_back(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=DM)
    await story.say("mary", "I have lost a sword.", audience=["alice"], channel=OTHER_DM)
    await story.privacy.loosen("p1", user="u1", learned="dm", asked="private_channel", key="ok")
    turn = await recalled(story, "alice", CELLAR)
    assert [each.unsayable for each in turn.memories] == ["known at second hand (from: direct)"]
    assert "found a sword" in turn.memories[0].text
    assert await heard_in(story, "alice") == [DM, OTHER_DM, TAVERN, CELLAR]
    await story.retract("ok")
    assert await heard_in(story, "alice") == [DM, OTHER_DM]


async def test_or_be_said_there_too(open_app: Open) -> None:
    story = await begin(open_app)
    await story.say("kenji", "I have found a sword.", audience=["alice"], channel=DM)
    await story.privacy.loosen("p1", user="u1", learned="dm", asked="public_channel", sayable=True)
    turn = await recalled(story, "alice", SQUARE)
    assert [each.unsayable for each in turn.memories] == [None]
    assert [each.persona for each in story.privacy.loosened] == ["p1"]


@pytest.mark.parametrize("user", ["u2", "", "p1"])
async def test_nobody_else_loosens_it(open_app: Open, user: str) -> None:
    story = await begin(open_app)
    with pytest.raises(NotPermitted, match="may not loosen the privacy of persona 'p1'"):
        await story.privacy.loosen("p1", user=user, learned="dm", asked="public_channel")
    with pytest.raises(UnknownName, match="persona 'p9'"):
        await story.privacy.loosen("p9", user="u1", learned="dm", asked="public_channel")
    with pytest.raises(InputError, match="asked = 'public'"):
        await story.privacy.loosen("p1", user="u1", learned="dm", asked="public")
    assert story.privacy.loosened == ()
