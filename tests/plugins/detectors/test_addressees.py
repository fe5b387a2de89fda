"""The detector `addressees`: who is spoken to."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character
from earwitness.records.moment import Perceived
from earwitness_plugins.detectors.addressees import AddresseesDetector

from ...durations import ever_below

Begin = Callable[..., Any]

CAST = ("alice", "bob", "charlie", "dora", Character("narrator", kind="narrator"))


@pytest.fixture
def talk(story: Begin) -> Begin:
    """Begin a talk of which nobody said who is where: `talk(("alice", "Hello."), …)`."""

    def begin(*lines: tuple[str, str], **scene: Any) -> Any:
        begun = story(**{"cast": CAST, "detector": AddresseesDetector(), **scene})
        for speaker, text in lines:
            begun.judge(speaker, text)
        return begun

    return begin


def spoken_to(talk: Any, speaker: str, text: str, context: str = "private_channel") -> set[str]:
    """Who is spoken to, as far as END would take it."""
    characters = talk.judge(speaker, text, context).characters
    return {id for id, who in characters.items() if who.role == "addressee" and who.probability >= 0.5}


def belief(talk: Any, speaker: str, text: str, of: str) -> Perceived:
    return talk.judge(speaker, text).characters[of]  # type: ignore[no-any-return]


PAIR = [("alice", "Is it far?"), ("bob", "An hour."), ("alice", "And the road?"), ("bob", "Bad.")]


def test_an_answer_is_for_who_spoke_last(talk: Begin) -> None:
    assert spoken_to(talk(("bob", "Where is the sword?")), "alice", "In the cave.") == {"bob"}


def test_two_who_talk_and_talk_speak_to_each_other(talk: Begin) -> None:
    begun = talk(("charlie", "Good night."), *PAIR * 4)
    assert spoken_to(begun, "alice", "Then we go by boat.") == {"bob"}


def test_going_on_after_a_pause_for_breath_is_for_the_same_listener(talk: Begin) -> None:
    begun = talk(*PAIR, ("alice", "Hm."))
    assert spoken_to(begun, "alice", "So be it.") == {"bob"}


def test_talk_that_goes_round_is_for_the_whole_round(talk: Begin) -> None:
    begun = talk(*[(who, "I saw it too.") for who in ("alice", "bob", "charlie")] * 3)
    assert spoken_to(begun, "alice", "What shall we do now, all of us?") == {"bob", "charlie"}


def test_whoever_is_called_by_name_is_spoken_to(talk: Begin) -> None:
    begun = talk(("alice", "Is it far?"), ("bob", "An hour."))
    assert "dora" in spoken_to(begun, "alice", "Dora, are you awake?")


def test_calling_one_by_name_makes_the_others_less_likely(talk: Begin) -> None:
    round_of_three = [("alice", "Well?"), ("bob", "Well what?"), ("charlie", "Exactly.")] * 2
    plain = belief(talk(*round_of_three), "alice", "What do you say?", of="charlie").probability
    called = belief(talk(*round_of_three), "alice", "Bob, what do you say?", of="charlie").probability
    assert called < plain


@pytest.mark.parametrize(
    "text",
    [
        "I saw Dora at the market yesterday.",
        "Dora is a fool.",
        "Dora's horse is lame.",
        "They say that Dora has the sword.",
        "Tell Dora that I am ill.",
        "I asked for Dora, but nobody came.",
        "He cried, 'Dora, come here!'",
        "Who is Dora?",
    ],
)
def test_who_is_only_talked_about_is_not_spoken_to(talk: Begin, text: str) -> None:
    assert spoken_to(talk(("bob", "What news?")), "alice", text) == {"bob"}


def test_sir_and_madam_are_for_those_whose_title_they_fit(talk: Begin) -> None:
    cast = (Character("m", name="Mr. Poole"), Character("w", name="Mrs. Lane"), "alice")
    lines = [("w", "Good evening."), ("m", "Good evening."), ("alice", "Good evening.")]
    sir = talk(*lines, cast=cast).judge("alice", "Thank you, sir.").characters
    madam = talk(*lines, cast=cast).judge("alice", "Thank you, madam.").characters
    assert sir["m"].probability > madam["m"].probability
    assert madam["w"].probability > sir["w"].probability


def test_a_title_is_part_of_a_name(talk: Begin) -> None:
    cast = (Character("m", name="Mr. Poole"), Character("w", name="Mrs. Poole"), "alice")
    assert "w" in spoken_to(talk(("m", "Tea?"), cast=cast), "alice", "Mrs. Poole, do you take sugar?")


def test_another_of_the_same_surname_is_not_the_one_we_know(talk: Begin) -> None:
    cast = (Character("m", name="Mr. Poole"), Character("w", name="Mrs. Lane"), "alice")
    assert spoken_to(talk(("m", "Tea?"), cast=cast), "alice", "Mr. Lane, how are you?") == {"m"}


def test_who_is_pitied_aloud_is_talked_about(talk: Begin) -> None:
    assert spoken_to(talk(("bob", "She is ill.")), "alice", "Poor Dora! And it rains.") == {"bob"}


def test_a_list_of_names_with_the_speakers_own_calls_nobody(talk: Begin) -> None:
    assert spoken_to(talk(("bob", "Who goes?")), "alice", "These go: alice, bob, dora") == {"bob"}


def test_a_long_narration_parts_scenes(talk: Begin) -> None:
    told = "The summer went by. " * 300
    before = belief(talk(("bob", "Farewell.")), "alice", "What a day.", of="bob").probability
    after = belief(talk(("bob", "Farewell."), ("narrator", told)), "alice", "What a day.", of="bob").probability
    assert after < 0.5 < before


def test_narration_speaks_to_nobody_and_is_spoken_to_by_nobody(talk: Begin) -> None:
    begun = talk(("bob", "Hello."), ("narrator", "Alice nods."))
    assert spoken_to(begun, "alice", "Hello.") == {"bob"}
    assert set(begun.judge("narrator", "Bob, the story goes on.").characters) == {"narrator"}


def test_turning_to_somebody_in_action_text_is_speaking_to_them(talk: Begin) -> None:
    begun = talk(("bob", "An hour."), ("charlie", "Two."), here=("alice", "bob", "charlie", "dora"))
    assert "dora" in spoken_to(begun, "alice", '*turns to Dora* "And what do you think?"')


def test_a_whisper_is_for_whom_it_names(talk: Begin) -> None:
    begun = talk(*PAIR, ("charlie", "Indeed."), here=("alice", "bob", "charlie"))
    assert spoken_to(begun, "alice", '*whispers to Charlie* "Bob is lying."') == {"charlie"}


@pytest.mark.parametrize(
    "text",
    [
        "[Bob must not know.]",
        "*thinks that Bob is lying*",
        "(OOC: Bob, brb)",
        "((Bob, are you there?))",
        "(aside) Poor Bob!",
    ],
)
def test_thoughts_asides_and_talk_out_of_character_are_for_nobody(talk: Begin, text: str) -> None:
    assert spoken_to(talk(*PAIR, here=("alice", "bob")), "alice", text) == set()


def test_the_only_other_who_is_here_is_spoken_to(talk: Begin) -> None:
    assert spoken_to(talk(here=("alice", "bob"), away=("charlie", "dora")), "alice", "What a day.") == {"bob"}


def test_who_begins_a_talk_speaks_to_those_who_are_here(talk: Begin) -> None:
    begun = talk(here=("alice", "bob", "charlie"), away=("dora",))
    assert spoken_to(begun, "alice", "What a day.") == {"bob", "charlie"}


def test_who_has_left_is_not_spoken_to_even_by_name(talk: Begin) -> None:
    assert spoken_to(talk(here=("alice", "bob"), away=("dora",)), "alice", "Dora, where are you?") == set()


def test_a_direct_message_is_for_the_other_of_the_last_exchange(talk: Begin) -> None:
    begun = talk()
    begun.judge("bob", "Psst.", "dm")
    begun.judge("charlie", "Hello everybody!")
    assert spoken_to(begun, "alice", "Yes?", "dm") == {"bob"}


def test_a_first_direct_message_that_calls_nobody_is_for_nobody(talk: Begin) -> None:
    assert spoken_to(talk(here=("alice", "bob", "charlie")), "alice", "Psst.", "dm") == set()


def test_every_belief_comes_with_its_reasons(talk: Begin) -> None:
    begun = talk(*PAIR, ("charlie", "I am back."))
    characters = begun.judge("alice", "Dora and Charlie, look!").characters
    assert all(who.evidence for who in characters.values())
    assert "called by name" in characters["charlie"].evidence
    assert characters["bob"].evidence[0] == "spoke lately"


def test_leaning_changes_how_many_are_taken_as_spoken_to_but_not_who_spoke_last(story: Begin) -> None:
    found = []
    for lean in (-9.0, 9.0):
        begun = story(cast=CAST, detector=AddresseesDetector(lean=lean))
        for who in ("alice", "bob", "charlie"):
            begun.judge(who, "I saw it too.")
        found.append(spoken_to(begun, "alice", "So did I."))
    assert found == [{"charlie"}, {"bob", "charlie"}]


def test_looking_back_on_nothing_leaves_only_the_line_itself(story: Begin) -> None:
    begun = story(cast=CAST, detector=AddresseesDetector(recent=0))
    begun.judge("bob", "Hello.")
    assert spoken_to(begun, "alice", "Hello.") == set()


def test_a_message_costs_less_than_a_millisecond(talk: Begin) -> None:
    begun = talk(*[(who, f"Line {n}, and some more words, Bob.") for n in range(8) for who in CAST[:4]])
    asked = [begun.moment("alice", f"What do you say, Dora, for the {n}th time?") for n in range(200)]

    def answer() -> None:
        for moment in asked:
            begun.detector.detect(moment)

    assert ever_below(0.004 * len(asked), answer), "four times the promise, as machines are busy"
