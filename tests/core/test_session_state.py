"""The state of a session: typed keys and the host's own, participants, counters, whereabouts."""

from __future__ import annotations

from typing import Any

import pytest

from earwitness import Character, Whereabouts
from earwitness.errors import (
    InputError,
    UnknownName,
)
from earwitness.events import WorldAgentEvent, WorldAnswer
from earwitness.protocols import Detector
from earwitness.records.message import Participant

from .session_stories import Begin, Memories, OpenApp, changed, entries


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
        ({"game_day": float("nan")}, "state game_day = nan cannot be used: a finite number is needed"),
        ({"game_day": True}, "state game_day = True cannot be used: a number is needed"),
        ({"seal": b"x"}, "state seal = b'x' cannot be used: JSON has no bytes"),
        ({"seals": {"red": [b"x"]}}, "cannot be used: JSON has no bytes"),
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


@pytest.mark.parametrize("name", ["A\n###Message###", "###Message###", "a\tb", "a\u2028b", " "])
async def test_a_name_that_would_end_a_line_or_begin_a_section_is_refused(begin: Begin, name: str) -> None:
    story = await begin(cast=("alice", "bob"))
    for newcomer in (Character("zed", name=name), Character("zed", aliases=[name]), Character("bob", name=name)):
        with pytest.raises(InputError, match="cannot be used"):
            await story.join(newcomer)
    with pytest.raises(InputError, match="cannot be used"):
        await begin(id="s2", cast=(Character("zed", name=name), "bob"))
    assert story.cast.ids == ("alice", "bob")


async def test_a_mask_is_no_heading(begin: Begin) -> None:
    story = await begin(cast=("alice", "bob"))
    with pytest.raises(InputError, match="a section's heading in prompts"):
        await story.say("alice", "Hello.", speak_as="###Message###")
