"""The detector `rules`: who sleeps, is unconscious or dead perceives nothing."""

from pathlib import Path

import pytest

from earwitness import Earwitness
from earwitness.records.character import Character

from .conditions import ALL, Begin, condition

# ── asleep, unconscious, dead ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("speaker", "text", "became"),
    [
        ("narrator", "Bob falls asleep by the fire.", "asleep"),
        ("alice", "*Bob falls asleep by the fire*", "asleep"),
        ("bob", "*falls asleep by the fire*", "asleep"),
        ("bob", "*I lean back, close my eyes and fall asleep*", "asleep"),
        ("bob", '*yawns and dozes off* "Just five minutes..."', "asleep"),
        ("bob", "*drifts off to sleep, his head on the table*", "asleep"),
        ("narrator", "Bob is fast asleep in his chair.", "asleep"),
        ("narrator", "While Alice hums, Bob has fallen asleep.", "asleep"),
        ("narrator", "Bob goes back to sleep.", "asleep"),
        ("narrator", "Alice watches Bob nod off. Bob nods off.", "asleep"),
        ("bob", "Bob sleeps, snoring softly.", "asleep"),
        ("narrator", "Bob faints.", "unconscious"),
        ("bob", "*passes out from the pain*", "unconscious"),
        ("narrator", "The blow lands, and Bob is knocked unconscious.", "unconscious"),
        ("narrator", "Bob collapses unconscious at her feet.", "unconscious"),
        ("alice", "*knocks Bob out with the frying pan*", "unconscious"),
        ("narrator", "Bob dies in her arms.", "dead"),
        ("narrator", "Bob is killed by the dragon.", "dead"),
        ("narrator", "Charlie lowers the knife. Bob falls dead.", "dead"),
        ("narrator", "The dragon roars. It kills Bob.", "dead"),
    ],
)
def test_who_sleeps_or_is_dead_perceives_nothing(story: Begin, speaker: str, text: str, became: str) -> None:
    tavern = story(here=ALL)
    tavern.say(speaker, text)
    assert condition(tavern, "bob") == became
    assert tavern.say("alice", "Now that he sleeps: the key is under the mat.") == {"alice", "charlie"}
    assert tavern.say("charlie", "Bob? Bob! Wake up, Bob!") == {"alice", "charlie"}
    assert tavern.say("narrator", "It begins to rain.") == {"narrator", "alice", "charlie"}
    assert tavern.present == {"alice", "charlie"}


@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        ("narrator", "Bob wakes."),
        ("alice", "*shakes Bob awake*"),
        ("alice", "*Bob wakes with a start*"),
        ("alice", "*gently wakes Bob*"),
        ("bob", "*opens his eyes and stretches*"),
        ("bob", "*wakes up* Where am I?"),
        ("bob", "What was that noise?"),
        ("narrator", "A crash. Bob sits bolt upright."),
        ("narrator", "Alice sleeps on, but Bob comes to."),
    ],
)
@pytest.mark.parametrize("before", ["Bob falls asleep.", "Bob loses consciousness."])
def test_who_wakes_perceives_again(story: Begin, speaker: str, text: str, before: str) -> None:
    tavern = story(here=ALL)
    tavern.say("narrator", before)
    assert "bob" in tavern.say(speaker, text)
    assert condition(tavern, "bob") == "awake"
    assert "bob" in tavern.say("charlie", "Good morning.")


@pytest.mark.parametrize(
    "text", ["*snores*", '*mumbles in his sleep* "The gold..."', "*dreams of dragons*", "*does not stir*"]
)
def test_who_snores_or_talks_in_his_sleep_sleeps_on_and_is_heard(story: Begin, text: str) -> None:
    tavern = story(here=ALL)
    tavern.say("bob", "*falls asleep*")
    assert tavern.say("bob", text) == ALL
    assert condition(tavern, "bob") == "asleep"
    assert tavern.say("alice", "Listen to him!") == {"alice", "charlie"}


@pytest.mark.parametrize(
    "text", ["Bob wakes.", "Bob opens his eyes.", "Enter Bob.", "Bob comes in.", "Alice wakes Bob.", "Bob is awake."]
)
def test_the_dead_stay_dead_whatever_is_told_until_they_speak(story: Begin, text: str) -> None:
    tavern = story(here=ALL)
    tavern.say("narrator", "Bob dies.")
    assert tavern.say("narrator", text) == {"narrator", "alice", "charlie"}
    assert tavern.say("alice", "Is he?") == {"alice", "charlie"}
    assert tavern.say("bob", "Boo!") == ALL
    assert tavern.say("alice", "A ghost!") == ALL


def test_who_slept_missed_what_was_said_and_keeps_both_intervals(story: Begin) -> None:
    tavern = story(here=ALL)
    assert tavern.say("alice", "One.") == ALL
    tavern.say("bob", "*nods off*")
    assert tavern.say("alice", "Two.") == {"alice", "charlie"}
    tavern.say("narrator", "Bob wakes up.")
    assert tavern.say("alice", "Three.") == ALL


def test_all_leave_but_who_sleeps_and_who_is_carried_off_sleeps_on(story: Begin) -> None:
    tavern = story(here=ALL)
    tavern.say("narrator", "Bob falls asleep. They all leave the room.")
    assert tavern.state.whereabouts["bob"].place == "tavern"
    tavern = story(here=ALL)
    tavern.say("narrator", "Bob faints. Bob is carried out.")
    assert (tavern.state.whereabouts["bob"].place, condition(tavern, "bob")) == (None, "unconscious")
    tavern.say("narrator", "Bob wakes.")
    assert tavern.say("alice", "Poor Bob.") == {"alice", "charlie"}


def test_who_falls_asleep_at_a_place_apart_wakes_there(story: Begin) -> None:
    tavern = story(here=["alice"], places={"bob": "cellar", "charlie": "cellar"})
    tavern.say("bob", "*falls asleep on a sack*")
    assert tavern.say("charlie", "At last.") == {"charlie"}
    assert tavern.say("bob", "Who is there?") == {"bob", "charlie"}
    assert tavern.say("charlie", "Me.") == {"bob", "charlie"}


def test_who_was_never_placed_and_sleeps_is_not_called_awake(story: Begin) -> None:
    tavern = story(here=["alice"])
    assert tavern.say("narrator", "Bob sleeps by the fire.") == {"narrator", "alice"}
    assert tavern.say("alice", "Bob, are you listening?") == {"alice"}
    assert tavern.say("bob", "Hm? What?") == {"alice", "bob"}


UNTRUE = [
    "Bob is not asleep.",
    "Bob never sleeps on watch.",
    "Bob does not fall asleep.",
    "Bob will fall asleep soon.",
    "Bob could fall asleep any moment.",
    "Bob is about to fall asleep.",
    "Bob tries to fall asleep.",
    "Bob almost falls asleep.",
    "Bob seems half asleep.",
    "Bob is half asleep.",
    "If Bob falls asleep, the fire goes out.",
    "Alice waits until Bob falls asleep.",
    "Alice hopes that Bob falls asleep.",
    "Alice dreams that Bob dies.",
    "Bob dreams that he dies.",
    "Alice pretends that Bob is dead.",
    "Charlie says that Bob is dead.",
    "Bob would have died.",
    "Bob is dead tired.",
    "Bob is dead serious.",
    "Bob dies of laughter.",
    "Bob died a thousand deaths.",
    "Bob's father is dead.",
    "Bob's leg falls asleep.",
    "Bob's horse dies.",
    "The fire dies.",
    "His voice dies away.",
    "Bob's grandfather fell asleep here a hundred years ago.",
    "Bob fell asleep here last week.",
    "Bob hides a smile.",
    "Bob hides the letter.",
    "Bob passes out the cards.",
    "Bob nods.",
    "A man who looks like Bob lies dead in the street.",
]


@pytest.mark.parametrize("text", UNTRUE)
def test_what_is_denied_supposed_dreamt_or_meant_otherwise_changes_nothing(story: Begin, text: str) -> None:
    for speaker, marked in (("narrator", text), ("alice", f"*{text}*")):
        tavern = story(here=ALL)
        tavern.say(speaker, marked)
        assert condition(tavern, "bob") == "awake", (speaker, text)
        assert tavern.say("charlie", "Well.") == ALL


TRUE = ["Bob falls asleep.", "Bob dies.", "Charlie kills Bob.", "Bob faints.", "Bob hides behind the curtain."]


@pytest.mark.parametrize("told", TRUE)
@pytest.mark.parametrize(
    "frame", ["{}", '"{}"', '*reads* "{}"', "[{}]", "*thinks: {}*", "((OOC: {}))", "I dreamt it: {}", "(to Charlie) {}"]
)
def test_what_is_said_quoted_or_thought_puts_nobody_to_sleep(story: Begin, told: str, frame: str) -> None:
    tavern = story(here=ALL)
    tavern.say("alice", frame.format(told))
    assert condition(tavern, "bob") == "awake"
    assert tavern.say("charlie", "Listen, everybody.") == ALL


@pytest.mark.parametrize("told", ["Bob wakes.", "Charlie wakes Bob.", "Bob opens his eyes."])
@pytest.mark.parametrize(
    "frame", ["{}", '"{}"', "[{}]", "*thinks: {}*", "((OOC: {}))", "*imagines that {}*", "*if {}*", "*hopes {}*"]
)
def test_what_is_said_quoted_or_supposed_wakes_nobody(story: Begin, told: str, frame: str) -> None:
    tavern = story(here=ALL)
    tavern.say("bob", "*falls asleep*")
    tavern.say("alice", frame.format(told))
    assert tavern.say("charlie", "Bob, Bob!") == {"alice", "charlie"}


# ── as a story keeps it ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_sleeper_remembers_nothing_of_the_night_after_the_story_was_closed_and_opened_again(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "story.db")
    async with Earwitness.open(path, strict=True, embedder="none") as ew:
        tale = await ew.session("s1", cast=["alice", "bob", "charlie"], present=ALL)
        await tale.say("bob", "*falls asleep by the fire*")
        await tale.say("alice", "The key is under the mat.")
    async with Earwitness.open(path, strict=True, embedder="none") as ew:
        tale = await ew.open_session("s1")
        assert tale.state.whereabouts["bob"].condition == "asleep"
        await tale.say("charlie", "*hides the mat* Bob must not see it.")
        await (await tale.say("bob", "Good morning!")).settled()
        await (await tale.say("alice", "Good morning, Bob.")).settled()
        remembered = [memory.content for memory in (await tale.backstage().inspect("bob")).memories]
    assert not any("mat" in each for each in remembered)
    assert sum("ood morning" in each for each in remembered) == 2


async def test_the_dead_live_when_the_host_says_that_they_are_there(tmp_path: Path) -> None:
    async with Earwitness.open(str(tmp_path / "story.db"), strict=True, embedder="none") as ew:
        tale = await ew.session(
            "s1", cast=["alice", "bob", Character("narrator", kind="narrator")], present=["alice", "bob"]
        )
        await tale.say("narrator", "Bob dies.")
        assert list((await (await tale.say("alice", "Bob?")).settled()).participants) == ["alice"]
        await tale.enter("bob")
        assert list((await (await tale.say("alice", "Bob!")).settled()).participants) == ["alice", "bob"]
