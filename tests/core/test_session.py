"""A session as a host holds it: keys, names, state, who joins, who is forgotten, and taking a story up again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness import Character, Earwitness, Memory, Moment, Presence, Session, Settings, Whereabouts
from earwitness.errors import (
    ContainerCollision,
    InputError,
    InvalidId,
    KeyConflict,
    NotDecided,
    NotOpen,
    StorageError,
    UnknownName,
)
from earwitness.events import PlanEvent, ReadEvent, Strike, WorldAgentEvent, WorldAnswer
from earwitness.filters import EVERYTHING, Filter
from earwitness.protocols import Detector
from earwitness.records.channel import Channel
from earwitness.records.message import Participant
from earwitness.testing.reference import MemoryLedger, MemoryStore

Begin = Callable[..., Awaitable[Session]]
OpenApp = Callable[..., Awaitable[Earwitness]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]


async def entries(story: Session) -> int:
    """How many entries the journal has, the beginning among them."""
    return (await story.backstage().overview()).decided


def keys(memories: Sequence[Memory]) -> list[str]:
    return [key for memory in memories for key in memory.message_keys]


# ── keys ────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_same_key_with_the_same_text_returns_the_first_outcome(begin: Begin, memories: Memories) -> None:
    story = await begin()
    first = await story.say("alice", "Hello.", key="m1", audience=["bob"])
    again = await story.say("alice", "Hello.", key="m1")
    assert (first.created, again.created) == (True, False)
    assert again.sequence == first.sequence
    assert (await again.settled()).participants == (await first.settled()).participants
    assert len(await memories(story, "alice")) == 1


async def test_the_same_key_with_another_text_is_refused_and_names_edit(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "Hello.", key="m1")
    with pytest.raises(KeyConflict) as caught:
        await story.say("alice", "Goodbye.", key="m1")
    said = str(caught.value)
    assert said.startswith("key 'm1' already stands for 'alice: Hello.', not 'alice: Goodbye.'. ")
    assert "edit() or reroll()" in said
    assert "Goodbye" not in (await memories(story, "alice"))[0].content


async def test_the_same_key_from_another_speaker_is_refused_and_names_both(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "Hello.", key="m1")
    with pytest.raises(KeyConflict, match=r"'alice: Hello\.', not 'bob: Hello\.'"):
        await story.say("bob", "Hello.", key="m1")


async def test_a_message_that_was_edited_may_be_told_again_in_either_wording(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "Helo.", key="m1")
    await (await story.edit("m1", "Hello.")).settled()
    for wording in ("Helo.", "Hello."):
        assert not (await story.say("alice", wording, key="m1")).created
    with pytest.raises(KeyConflict):
        await story.say("alice", "Hullo.", key="m1")


async def test_a_message_and_a_change_cannot_share_a_key(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "Hello.", key="k")
    with pytest.raises(KeyConflict, match=r"'alice: Hello\.', not .changed {'changes': {'game_day': 2}}"):
        await story.change(game_day=2, key="k")


async def test_a_change_told_twice_under_its_key_happens_once(begin: Begin) -> None:
    story = await begin()
    for _ in range(2):
        await story.update("Alice acquired the Sacred Sword", character="alice", key="u1")
    assert await entries(story) == 2


async def test_without_a_key_the_same_words_are_two_messages(begin: Begin, memories: Memories) -> None:
    story = await begin()
    for _ in range(2):
        await story.say("alice", "Hello.")
    assert keys(await memories(story, "alice")) == ["#2", "#3"]


@pytest.mark.parametrize("key", ["#2", "", " m1", "a\nb", "k" * 201])
async def test_a_key_that_cannot_be_one_is_refused_before_anything_is_written(begin: Begin, key: str) -> None:
    story = await begin()
    with pytest.raises(InvalidId):
        await story.say("alice", "Hello.", key=key)
    assert await entries(story) == 1


# ── names ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["bob", "Bob", "ROBERT", "the Innkeeper", " robert "])
async def test_a_speaker_may_be_named_by_id_name_or_alias(begin: Begin, name: str) -> None:
    story = await begin(cast=["alice", Character("bob", aliases=["Robert", "the Innkeeper"])])
    assert list((await (await story.say(name, "Hello.")).settled()).participants) == ["bob"]


async def test_an_unknown_speaker_is_refused_with_the_cast_and_the_likeliest(begin: Begin) -> None:
    story = await begin(cast=["alice", Character("bob", aliases=["Robert"])])
    with pytest.raises(UnknownName) as caught:
        await story.say("Robret", "Hello.")
    assert str(caught.value).startswith("unknown character 'Robret'. Known: Alice, Bob, Robert, alice, bob.")
    assert str(caught.value).endswith("Did you mean 'Robert'?")
    assert await entries(story) == 1


async def test_a_name_that_two_answer_to_is_refused_with_both_ids(begin: Begin) -> None:
    story = await begin(cast=[Character("bob_smith", aliases=["Bob"]), Character("bob_jones", aliases=["Bob"])])
    with pytest.raises(UnknownName, match=r"'Bob' could mean bob_smith or bob_jones"):
        await story.say("Bob", "Hello.")


async def test_those_present_may_be_named_by_alias_and_the_speaker_need_not_be(begin: Begin) -> None:
    story = await begin(cast=["alice", Character("bob", aliases=["Robert"]), "charlie"])
    settled = await (await story.say("alice", "Hello.", audience=["Robert"])).settled()
    assert {id: (part.role, part.confidence) for id, part in settled.participants.items()} == {
        "alice": ("speaker", 1),
        "bob": ("present", 1),
    }
    assert settled.participants["bob"].evidence == ("the host said so",)


async def test_present_by_nobody_leaves_the_speaker_alone(begin: Begin) -> None:
    story = await begin(present=["bob"])
    assert list((await (await story.say("alice", "Hm.", audience=[])).settled()).participants) == ["alice"]


async def test_somebody_unknown_among_those_present_is_refused_before_anything_is_written(begin: Begin) -> None:
    story = await begin()
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await story.say("alice", "Hello.", audience=["bob", "zoe"])
    assert await entries(story) == 1


# ── outcomes ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("field", ["settlement", "participants", "deliveries", "degraded"])
async def test_what_was_decided_raises_before_it_is_settled(begin: Begin, field: str) -> None:
    outcome = await (await begin()).say("alice", "Hello.", key="m1")
    assert (outcome.key, outcome.sequence) == ("m1", 2)
    with pytest.raises(
        NotDecided,
        match=r"'m1' is acknowledged, but not decided yet: await outcome\.decided\(\) or outcome\.settled\(\) first",
    ):
        getattr(outcome, field)
    await outcome.settled()
    getattr(outcome, field)


async def test_many_tasks_may_speak_at_once_and_each_message_has_its_own_place(
    begin: Begin, memories: Memories
) -> None:
    story = await begin()
    outcomes = await asyncio.gather(*(story.say("alice", f"Word {n}.", key=f"m{n}") for n in range(20)))
    await asyncio.gather(*(outcome.settled() for outcome in outcomes))
    assert sorted(outcome.sequence for outcome in outcomes) == list(range(2, 22))
    in_order = sorted(outcomes, key=lambda outcome: outcome.sequence)
    assert keys(await memories(story, "alice")) == [outcome.key for outcome in in_order]


# ── state ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def changed(story: Session, **changes: Any) -> None:
    await (await story.change(**changes)).settled()


async def test_the_state_takes_typed_keys_and_any_of_the_host_s_own(begin: Begin) -> None:
    story = await begin(state={"current_scene": "tavern", "gold": 3})
    await changed(story, gameDay=2.5, quest="the sword", gold=4, map={"north": "cave"})
    state = story.state
    assert (state.current_scene, state.game_day, state.quest) == ("tavern", 2.5, "the sword")
    assert state.model_dump()["gold"] == 4
    assert state.model_dump()["map"] == {"north": "cave"}


async def test_a_key_of_the_hosts_own_stays_as_it_is_written_and_ours_take_either_spelling(begin: Begin) -> None:
    story = await begin(state={"questLog": 1, "HP": 3, "gameDay": 2})
    await changed(story, questLog=2, HP=4, currentScene="cave")
    assert (story.state.game_day, story.state.current_scene) == (2, "cave")
    assert story.state.model_extra == {"questLog": 2, "HP": 4}
    await changed(story, questLog=None, HP=None)
    assert story.state.model_extra == {}
    with pytest.raises(InputError, match="state game_day is given twice, also as 'gameDay'"):
        await story.change(game_day=3, gameDay=4)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"game_day": "soon"}, "state game_day = 'soon' cannot be used"),
        ({"game_day": float("nan")}, "state game_day = nan cannot be used"),
        ({"current_scene": 5}, "state current_scene = 5 cannot be used"),
        ({"flags": ["open"]}, r"state flags = \['open'\] cannot be used"),
        ({"whereabouts": {"bob": "tavern"}}, r"state whereabouts\.bob = 'tavern' cannot be used"),
        ({"game_day": None}, "state game_day = None cannot be used: every story has one"),
        ({"current_scene": None}, "state current_scene = None cannot be used: every story has one"),
        ({"mood": object()}, "state mood = <object .* cannot be used: JSON cannot hold it"),
    ],
)
async def test_a_value_the_state_cannot_hold_is_quoted_and_changes_nothing(
    begin: Begin, changes: dict[str, Any], said: str
) -> None:
    story = await begin()
    with pytest.raises(InputError, match=said):
        await story.change(**changes)
    assert await entries(story) == 1


@pytest.mark.parametrize("name", ["game_time", "gameTime", "GameTime", "GameDay"])
async def test_the_game_time_is_the_game_day(begin: Begin, name: str) -> None:
    story = await begin(state={name: 3})
    assert (story.state.game_day, story.state.model_extra) == (3, {})
    await changed(story, **{name: 6})
    assert (story.state.game_day, story.state.model_extra) == (6, {})
    with pytest.raises(InputError, match=r"state game_day = 'soon' cannot be used"):
        await story.change(**{name: "soon"})


async def test_an_update_may_not_carry_a_game_time_of_its_own(begin: Begin, memories: Memories) -> None:
    story = await begin(state={"game_day": 4})
    await (await story.update("Alice acquired the sword", game_time=9)).settled()
    (told,) = await memories(story, "world")
    assert (told.metadata["gameDay"], told.metadata.keys() & {"gameTime", "game_time"}) == (4, set())


async def test_a_story_cannot_begin_with_a_value_the_state_cannot_hold(open_app: OpenApp) -> None:
    ew = await open_app()
    with pytest.raises(InputError, match="state game_day = 'soon' cannot be used"):
        await ew.session("s1", cast=["alice"], state={"game_day": "soon"})
    assert await ew.sessions() == ()


async def test_none_removes_what_need_not_be_there(begin: Begin) -> None:
    story = await begin(state={"quest": "the sword", "gold": 3})
    await changed(story, quest=None, gold=None)
    assert story.state.quest is None
    assert "gold" not in story.state.model_dump()


async def test_whereabouts_may_be_given_as_records(begin: Begin) -> None:
    story = await begin()
    await changed(story, whereabouts={"bob": Whereabouts(place="cave")})
    assert story.state.whereabouts["bob"].place == "cave"


async def test_a_host_that_lists_the_participants_moves_nobody(begin: Begin) -> None:
    story = await begin(cast=["alice", Character("bob", aliases=["Robert"]), "charlie"], present=["alice", "charlie"])
    outcome = await (await story.change(participants=["Robert", "alice"])).settled()
    assert outcome.movements == ()
    assert (story.state.here, story.state.participants) == (("alice", "charlie"), ("bob", "alice"))


async def test_the_participants_are_whom_the_host_counted_whatever_is_said(begin: Begin) -> None:
    story = await begin(state={"participants": ["alice", "bob", "charlie"]}, present=["alice", "bob"])
    await (await story.say("alice", "Hello.", audience=["bob"])).settled()
    assert story.state.participants == ("alice", "bob", "charlie")
    assert story.state.last_perceivers == ("alice", "bob")
    await (await story.retract("#2")).settled()
    assert (story.state.participants, story.state.last_perceivers) == (("alice", "bob", "charlie"), ())


async def test_nobody_whom_the_host_does_not_count_is_guessed_to_be_there(begin: Begin, directions: Detector) -> None:
    story = await begin(detector=directions, state={"participants": ["alice", "bob"]})
    settled = await (await story.say("alice", "(to bob, charlie) (charlie enters)")).settled()
    assert list(settled.participants) == ["alice", "bob"]
    assert story.state.here == ()
    settled = await (await story.say("charlie", "(to alice)")).settled()
    assert list(settled.participants) == ["charlie", "alice"]


async def test_whom_the_host_has_placed_is_there_without_being_counted(begin: Begin, directions: Detector) -> None:
    story = await begin(
        cast=["alice", "bob", "charlie", Character("voice", kind="narrator")],
        detector=directions,
        state={"participants": ["alice"]},
        present=["charlie"],
    )
    settled = await (await story.say("alice", "(to bob, charlie, voice)")).settled()
    assert list(settled.participants) == ["alice", "charlie", "voice"]


async def test_a_world_agent_names_nobody_whom_the_host_does_not_count(begin: Begin) -> None:
    class Agent:
        def propose(self, event: WorldAgentEvent) -> WorldAnswer:
            likely = Participant(role="present", confidence=1)
            return WorldAnswer(participants={"bob": likely, "charlie": likely})

    story = await begin(world_agent=Agent(), state={"participants": ["alice", "bob"]})
    assert list((await (await story.say("alice", "Hello.")).settled()).participants) == ["alice", "bob"]


async def test_whoever_joins_is_counted_in_and_whoever_is_forgotten_is_not(begin: Begin) -> None:
    story = await begin(state={"participants": ["alice", "bob"]})
    await story.join("dana")
    assert story.state.participants == ("alice", "bob", "dana")
    await (await story.say("alice", "Hello.", audience=["bob"])).settled()
    await story.forget("bob")
    assert (story.state.participants, story.state.last_perceivers) == (("alice", "dana"), ("alice",))
    other = await begin(id="s2")
    await other.join("dana")
    assert other.state.participants == ()


async def test_a_stranger_among_the_participants_is_refused_before_anything_is_written(
    begin: Begin, open_app: OpenApp
) -> None:
    story = await begin()
    with pytest.raises(UnknownName, match="'zorro'"):
        await story.change(participants=["alice", "zorro"])
    assert story.state.participants == ()
    ew = await open_app()
    with pytest.raises(UnknownName, match="'zorro'"):
        await ew.session("s2", cast=["alice"], state={"participants": ["zorro"]})
    assert await ew.sessions() == ()
    begun = await ew.session("s2", cast=["alice", Character("bob", aliases=["Rob"])], state={"participants": ["Rob"]})
    assert (begun.state.participants, begun.state.here) == (("bob",), ())


async def test_messages_and_turns_are_counted(begin: Begin) -> None:
    story = await begin()
    await story.say("alice", "One.")
    turn = await story.turn("bob")
    await (await turn.say("Two.")).settled()
    assert (story.state.message_count, story.state.turn_count) == (2, 1)
    assert (story.state.last_perceivers, story.state.participants) == (("bob",), ())


async def test_an_audience_that_is_none_is_refused(begin: Begin) -> None:
    story = await begin()
    with pytest.raises(InputError, match="audience 'everyone' must be 'present', 'public' or a list"):
        await story.change(quest="the sword", audience="everyone")  # type: ignore[arg-type]


async def test_coming_going_and_moving_is_kept_in_the_whereabouts(begin: Begin) -> None:
    story = await begin(state={"current_scene": "tavern"}, present=["alice"])
    await story.enter("Bob", "charlie")
    await story.leave("charlie", to="the cellar")
    await (await story.move("bob", "cave")).settled()
    assert story.state.here == ("alice",)
    assert {id: where.place for id, where in story.state.whereabouts.items()} == {
        "alice": "tavern",
        "bob": "cave",
        "charlie": "the cellar",
    }


async def test_the_host_s_word_on_who_is_present_brings_them_here(begin: Begin) -> None:
    story = await begin(cast=("alice", "bob", "charlie"), present=["charlie"])
    await (await story.say("alice", "Hello.", present=["bob"])).settled()
    assert story.state.here == ("alice", "bob")
    await (await story.say("alice", "Hello.", audience=["charlie"])).settled()
    assert story.state.here == ("alice", "bob")


# ── users, personas, a narrator ─────────────────────────────────────────────────────────────────────────────────────


class Curious:
    """A guard that lets everything through and keeps who asked."""

    def __init__(self) -> None:
        self.readers: list[ReadEvent] = []

    def filter(self, event: ReadEvent) -> Filter:
        self.readers.append(event)
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        return ()


async def test_several_users_take_part_by_their_personas_and_each_remembers_on_her_own(
    begin: Begin, memories: Memories
) -> None:
    guard = Curious()
    cast = [
        Character("nomad", kind="persona", user_id="u1"),
        Character("seer", kind="persona", user_id="u2"),
        Character("teller", kind="narrator"),
        "alice",
    ]
    story = await begin(cast=cast, guards=[guard])
    await story.say("nomad", "I come alone.", key="m1", audience=["alice"])
    await story.say("seer", "I saw it coming.", key="m2", audience=["nomad"])
    await story.say("teller", "Night falls.", key="m3", audience=["nomad", "seer", "alice"])
    heard = {id: keys(await memories(story, id)) for id in story.cast.ids}
    assert heard == {"nomad": ["m1", "m2", "m3"], "seer": ["m2", "m3"], "teller": ["m3"], "alice": ["m1", "m3"]}
    await story.turn("seer", context="dm")
    (reader,) = guard.readers
    assert (reader.session, reader.character, reader.personality) == ("s1", "seer", "seer")
    assert (reader.container, reader.channel, reader.day) == ("s1-seer", Channel(context="dm"), 1)
    assert reader.users == ("u1", "u2")


# ── joining ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_newcomer_remembers_nothing_from_before_and_everything_since(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("alice", "The sword is in the cave.", key="m1", audience=["bob", "charlie"])
    await story.join(Character("dana", aliases=["Di"]))
    await story.say("alice", "Hello, Dana.", key="m2", audience=["Di"])
    assert keys(await memories(story, "dana")) == ["m2"]


async def test_a_newcomer_may_speak_at_once(begin: Begin) -> None:
    story = await begin()
    await story.join("dana")
    assert list((await (await story.say("dana", "Here I am.")).settled()).participants) == ["dana"]


async def test_a_newcomer_has_what_everybody_knows_and_no_more(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.prepare(
        plot="A sword is lost.",
        cards={"alice": "Alice is brave."},
        lore=[{"text": "The moon is cursed."}, {"text": "Bob is the thief.", "known_by": ["bob"]}],
    )
    await story.join("dana")
    assert [memory.content for memory in await memories(story, "dana")] == ["A sword is lost.", "The moon is cursed."]


async def test_joining_again_takes_the_new_names_and_loses_no_memory(begin: Begin, memories: Memories) -> None:
    story = await begin()
    await story.say("bob", "Hello.", key="m1")
    await story.join(Character("bob", name="Sir Bob", aliases=["Robert"]))
    await story.say("Robert", "Hello again.", key="m2")
    assert story.cast["bob"].name == "Sir Bob"
    assert keys(await memories(story, "bob")) == ["m1", "m2"]


async def test_a_newcomer_whose_container_is_somebody_else_s_is_refused(open_app: OpenApp) -> None:
    ew = await open_app()
    await ew.session("s1-x", cast=["alice"])
    story = await ew.session("s1", cast=["alice"])
    with pytest.raises(ContainerCollision, match="'s1-x-alice'"):
        await story.join("x-alice")
    assert "x-alice" not in story.cast


async def test_a_cast_with_the_same_id_twice_is_refused(open_app: OpenApp) -> None:
    with pytest.raises(InputError, match="'alice' appears twice"):
        await (await open_app()).session("s1", cast=["alice", Character("alice", aliases=["Al"])])


async def test_somebody_unknown_cannot_be_there_when_the_story_begins(open_app: OpenApp) -> None:
    with pytest.raises(UnknownName, match="unknown character 'zoe'"):
        await (await open_app()).session("s1", cast=["alice"], present=["zoe"])


# ── forgetting ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def with_bob_forgotten(begin: Begin, store: MemoryStore) -> Session:
    story = await begin(store=store)
    await story.say("bob", "I took the sword.", key="m1", audience=["alice", "charlie"])
    await story.say("alice", "You, Bob?", key="m2", audience=["bob", "charlie"])
    await story.forget("Bob")
    return story


async def test_a_forgotten_character_is_gone_and_what_others_remember_of_him_stays(
    begin: Begin, memories: Memories
) -> None:
    store = MemoryStore()
    story = await with_bob_forgotten(begin, store)
    assert "bob" not in story.cast
    assert await store.count("s1-bob") == 0
    assert keys(await memories(story, "alice")) == ["m1", "m2"]
    with pytest.raises(UnknownName):
        await story.say("bob", "Still here.")
    with pytest.raises(UnknownName):
        await story.backstage().inspect("bob")


async def test_a_turn_goes_on_after_somebody_was_forgotten(begin: Begin) -> None:
    story = await with_bob_forgotten(begin, MemoryStore())
    assert "You, Bob?" in (await story.turn("alice")).query


@pytest.mark.parametrize("key", ["m1", "m2"])
async def test_an_edit_brings_no_memory_to_who_was_forgotten(begin: Begin, memories: Memories, key: str) -> None:
    store = MemoryStore()
    story = await with_bob_forgotten(begin, store)
    settled = await (await story.edit(key, "Never mind.")).settled()
    assert await store.count("s1-bob") == 0
    assert "bob" not in {delivery.owner for delivery in settled.deliveries}
    assert "Never mind." in (await memories(story, "charlie"))[-1].content


async def test_who_was_forgotten_may_come_back_and_begins_anew(begin: Begin, memories: Memories) -> None:
    story = await with_bob_forgotten(begin, MemoryStore())
    await story.join("bob")
    await story.say("alice", "Who are you?", key="m3", audience=["bob"])
    assert keys(await memories(story, "bob")) == ["m3"]


async def test_a_forgotten_story_is_gone_and_its_id_is_free(open_app: OpenApp, memories: Memories) -> None:
    ew = await open_app()
    story = await ew.session("s1", cast=["alice"])
    await story.say("alice", "Hello.")
    await ew.forget("s1")
    assert await ew.sessions() == ()
    with pytest.raises(UnknownName):
        await story.say("alice", "Am I still here?")
    assert await memories(await ew.session("s1", cast=["alice"]), "alice") == ()


async def test_a_handle_of_a_forgotten_story_never_acts_on_another_of_its_id(open_app: OpenApp) -> None:
    ew = await open_app()
    old = await ew.session("s1", cast=["alice"])
    turn, backstage = await old.turn("alice"), old.backstage()
    await old.say("alice", "Hello.", key="m1")
    await ew.forget("s1")
    new = await ew.session("s1", cast=["alice"])
    await new.say("alice", "Hello again.", key="m1")
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: old.say("alice", "Am I here?"),
        lambda: turn.say("Am I here?"),
        lambda: old.turn("alice"),
        lambda: old.edit("m1", "Am I here?"),
        lambda: old.reroll("Am I here?"),
        lambda: old.retract("m1"),
        lambda: old.change(game_day=9),
        lambda: old.join("bob"),
        lambda: old.forget("alice"),
        lambda: old.fork("s2"),
        lambda: old.prepare(plot="Dark."),
        old.settled,
        lambda: backstage.inspect("alice"),
        lambda: backstage.retract("m1"),
    ]
    for call in calls:
        with pytest.raises(UnknownName, match="'s1' was forgotten: this handle cannot be used any more"):
            await call()
    assert await entries(new) == 2
    assert new.cast.ids == ("alice",)
    assert new.state.game_day == 1


@pytest.mark.parametrize("drops", [0, 1])
@pytest.mark.parametrize("again", ["forget", "session", "open_session"])
async def test_forgetting_cut_short_is_finished_by_the_next_who_names_the_story(
    open_app: OpenApp, memories: Memories, drops: int, again: str
) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": (store := Failing())}
    ew = await open_app(**kept)
    story = await ew.session("s1", cast=["alice"])
    await (await story.say("alice", "Hello.")).settled()
    store.drops = drops
    with pytest.raises(StorageError):
        await ew.forget("s1")
    assert await ew.sessions() == ()
    store.drops = 10
    other = await open_app(**kept)
    if again == "session":
        assert await entries(await other.session("s1", cast=["alice"])) == 1
    elif again == "forget":
        await other.forget("s1")
    else:
        with pytest.raises(UnknownName, match="unknown session 's1'"):
            await other.open_session("s1")
    assert await store.count("s1-alice") == await store.count("s1-world") == 0
    assert await other.sessions() == (("s1",) if again == "session" else ())


class Failing(MemoryStore):
    """Drops so many containers, then fails."""

    drops = 10

    async def drop(self, container: str) -> None:
        self.drops -= 1
        if self.drops < 0:
            raise StorageError("away")
        await super().drop(container)


async def test_a_story_nobody_began_cannot_be_forgotten_or_taken_up(open_app: OpenApp) -> None:
    ew = await open_app()
    await ew.session("s1", cast=["alice"])
    for call in (ew.forget, ew.open_session):
        with pytest.raises(UnknownName, match=r"unknown session 's2'. Known: s1\."):
            await call("s2")


# ── taking a story up again ─────────────────────────────────────────────────────────────────────────────────────────


async def test_the_same_session_is_one_object_in_one_instance(open_app: OpenApp) -> None:
    ew = await open_app()
    first, second = await asyncio.gather(ew.session("s1", cast=["alice"]), ew.session("s1", cast=["alice"]))
    assert first is second


async def test_a_story_goes_on_where_it_was_left(begin: Begin, memories: Memories) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    story = await begin(state={"current_scene": "tavern"}, **kept)
    await story.say("alice", "Hello.", key="m1", audience=["bob"])
    await changed(story, game_day=6)
    again = await begin(cast=[], state={"current_scene": "elsewhere", "game_day": 1}, **kept)
    assert again.cast == story.cast
    assert (again.state.current_scene, again.state.game_day) == ("tavern", 6)
    assert "Message: Alice: Hello. GameDay: 1" in (await again.turn("bob")).query
    assert not (await again.say("alice", "Hello.", key="m1")).created


async def test_new_members_of_the_cast_join_and_known_ones_change_nothing(begin: Begin) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    cast = [Character("alice", aliases=["Al"]), Character("bob")]
    story = await begin(cast=cast, **kept)
    same = await begin(cast=["alice", Character("bob")], **kept)
    assert await entries(same) == await entries(story) == 1
    more = await begin(cast=["alice", "bob", "dana"], **kept)
    assert more.cast.ids == ("alice", "bob", "dana")
    assert more.cast["alice"].aliases == ("Al",)


@pytest.mark.parametrize(
    "naming", ["turn", "say", "present", "perceivers", "move", "update", "audience", "lore", "forget"]
)
async def test_a_newcomer_another_process_brought_is_known_here(begin: Begin, naming: str) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    here = await begin(**kept)
    await here.say("alice", "Hello.", key="m1")
    there = await begin(**kept)
    await there.join(Character("dana", aliases=["Dee"]))
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "turn": lambda: here.turn("Dee"),
        "say": lambda: here.say("Dee", "Hello!"),
        "present": lambda: here.say("alice", "Hello, Dee!", present=iter(["bob", "Dee"])),
        "perceivers": lambda: here.say("alice", "Hello, Dee!", audience=iter(["bob", "Dee"])),
        "move": lambda: here.move("Dee", "cellar"),
        "update": lambda: here.update("Dee arrives", character="Dee"),
        "audience": lambda: here.change(game_day=2, audience=["Dee"]),
        "lore": lambda: here.prepare(lore=iter([{"text": "Dragons sleep badly.", "known_by": ["Dee"]}])),
        "forget": lambda: here.forget("Dee"),
    }
    await calls[naming]()
    await here.settled()
    assert ("dana" in here.cast) is (naming != "forget")


async def test_who_was_forgotten_by_another_process_cannot_speak_here(begin: Begin) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    here, there = await begin(**kept), await begin(**kept)
    await there.forget("bob")
    for call in (
        lambda: here.say("bob", "Am I still here?"),
        lambda: here.say("alice", "Bob?", audience=["bob"]),
        lambda: here.enter("bob"),
    ):
        with pytest.raises(UnknownName, match="'bob'"):
            await call()
    assert await entries(here) == await entries(there) == 2


@pytest.mark.parametrize("anew", [False, True])
async def test_a_handle_notices_that_another_process_forgot_its_story(
    open_app: OpenApp, memories: Memories, anew: bool
) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    ew, other = await open_app(**kept), await open_app(**kept)
    old = await ew.session("s1", cast=["alice"])
    await (await old.say("alice", "Hello.")).settled()
    await other.forget("s1")
    if anew:
        begun = await other.session("s1", cast=["alice"])
        await (await begun.say("alice", "Hello again.")).settled()
        await (await begun.say("alice", "And again.")).settled()
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: old.say("alice", "Am I here?"),
        lambda: old.turn("alice"),
        old.settled,
        lambda: old.change(game_day=9),
        lambda: old.backstage().inspect("alice"),
    ]
    for call in calls:
        with pytest.raises(UnknownName, match="'s1' was forgotten: this handle cannot be used any more"):
            await call()
    new = await ew.session("s1", cast=["alice"])
    assert new is not old
    assert len(await memories(new, "alice")) == (2 if anew else 0)


async def test_who_waits_for_an_outcome_is_told_that_another_process_forgot_the_story(open_app: OpenApp) -> None:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()}
    asked, answers = asyncio.Event(), asyncio.Event()

    class Slow:
        async def detect(self, moment: Moment) -> Presence:
            asked.set()
            await answers.wait()
            return Presence(characters={})

    ew, other = await open_app(**kept, detector=Slow()), await open_app(**kept)
    outcome = await (await ew.session("s1", cast=["alice"])).say("alice", "Hello.")
    await asked.wait()
    await other.forget("s1")
    answers.set()
    with pytest.raises(UnknownName, match="'s1'"):
        await asyncio.wait_for(outcome.settled(), 5)


async def test_the_embedded_file_takes_a_story_up_again(tmp_path: Path) -> None:
    settings = Settings.of(plugins=(), detector="none", world_agent="none", strict=True)
    for expected in (1, 2):
        async with Earwitness.open(tmp_path / "story.db", settings=settings) as ew:
            story = await ew.session("s1", cast=["alice", "bob"])
            await story.say("alice", f"Word {expected}.", key=f"m{expected}", audience=["bob"])
            assert (await story.backstage().inspect("bob")).total == expected


async def test_what_was_acknowledged_is_settled_before_the_instance_closes() -> None:
    ledger = MemoryLedger()
    settings = Settings.of(plugins=(), embedder="none", detector="none", world_agent="none")
    async with Earwitness.open(settings=settings, store=MemoryStore(), ledger=ledger) as ew:
        await (await ew.session("s1", cast=["alice"])).say("alice", "Hello.")
    assert all(entry.applied for entry in await ledger.entries("s1"))


async def test_the_host_s_own_error_comes_through_as_it_is() -> None:
    settings = Settings.of(plugins=(), embedder="none", detector="none", world_agent="none")
    opened = Earwitness.open(settings=settings, store=MemoryStore(), ledger=MemoryLedger())

    async def host() -> None:
        async with opened as ew:
            await (await ew.session("s1", cast=["alice"])).say("alice", "Hello.")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await host()


# ── open and closed ─────────────────────────────────────────────────────────────────────────────────────────────────


BARE = Settings.of(plugins=(), detector="none", world_agent="none", embedder="none", strict=True)


def an_instance(**given: Any) -> Earwitness:
    kept: dict[str, Any] = {"ledger": MemoryLedger(), "store": MemoryStore()} | given
    return Earwitness.open(settings=BARE, **kept)


async def test_an_instance_that_is_not_open_says_how_to_open_it() -> None:
    ew = an_instance()
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: ew.session("s1"),
        lambda: ew.open_session("s1"),
        ew.sessions,
        lambda: ew.forget("s1"),
        lambda: ew.import_session([]),
    ]
    for call in calls:
        with pytest.raises(NotOpen, match=r"`async with Earwitness.open\(…\)`, or between `await ew.start\(\)`"):
            await call()


async def test_an_instance_may_be_started_in_one_task_and_closed_in_another(memories: Memories) -> None:
    ew = await asyncio.create_task(an_instance().start())
    story = await ew.session("s1", cast=["alice"])
    await asyncio.create_task(story.say("alice", "Hello."))
    await asyncio.create_task(ew.close())
    with pytest.raises(NotOpen):
        await story.say("alice", "Is anybody there?")
    await ew.close()
    await ew.start()
    assert keys(await memories(await ew.open_session("s1"), "alice")) == ["#2"]
    await ew.close()


async def test_an_instance_is_started_once_and_what_cannot_be_opened_says_so() -> None:
    class Away(MemoryLedger):
        async def open(self) -> None:
            raise StorageError("away")

    ew = await an_instance().start()
    with pytest.raises(InputError, match="open already"):
        await ew.start()
    await ew.sessions()
    await ew.close()
    away = an_instance(ledger=Away())
    for _ in range(2):
        with pytest.raises(StorageError, match="away"):
            await away.start()


async def test_whoever_gives_up_waiting_for_the_start_leaves_nothing_open() -> None:
    closed: list[str] = []

    class Slow(MemoryStore):
        async def open(self) -> None:
            await asyncio.sleep(0.05)

        async def close(self) -> None:
            closed.append("store")

    ew = an_instance(store=Slow())
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ew.start(), 0.01)
    assert closed == ["store"]
    with pytest.raises(NotOpen):
        await ew.sessions()
