"""The detector `rules`: whispers, thoughts, asides, and what is not said in the story at all."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character
from earwitness_plugins.detectors.rules import RulesDetector

Begin = Callable[..., Any]
EVERYBODY = ["alice", "bob", "charlie"]


@pytest.mark.parametrize(
    "text",
    [
        '*whispers to Bob* "Let us find the Sacred Sword."',
        "*whispers to Bob* Let us find the Sacred Sword.",
        "*whispers to bob",
        "/w Bob Let us find the Sacred Sword.",
        "/whisper Bob: Charlie must not know.",
        "(to Bob) Let us find the Sacred Sword.",
        "((to Bob)) Let us go.",
        "[whispers to Bob] Let us go.",
        '*leans to Bob\'s ear* "Charlie must not know."',
        "*leans over and murmurs something into Bob’s left ear*",
        '*whispers* "Bob, let us go."',
        '*whispers to him* "Bob, let us go."',
        '*pulls Bob aside* "Charlie is lying."',
        '*says quietly to Bob* "Not a word to Charlie."',
        'Alice leans to Bob\'s ear. "Let us go."',
        '"Let us go," Alice whispers to Bob.',
        "whispers to Bob: let us go, and not a word to Charlie",
        "I whisper to Bob that Charlie must not know.",
        '"*whispers to Bob* Let us go."',
    ],
)
def test_a_whisper_reaches_only_its_addressee(story: Begin, text: str) -> None:
    presence = story(here=EVERYBODY).judge("alice", text)
    heard = {id for id, who in presence.characters.items() if who.probability >= 0.5}
    assert heard == {"alice", "bob"}
    assert presence.characters["bob"].role == "addressee"
    assert presence.characters["charlie"].role == "overhearing"


@pytest.mark.parametrize(
    "text",
    [
        '*whispers to everyone* "Guards ahead."',
        '*whispers back to all of them* "Guards ahead."',
        '"Guards ahead," she whispered to the whole group.',
        '*flüstert allen zu* "Wachen."',
    ],
)
def test_a_whisper_to_everyone_reaches_everybody_here(story: Begin, text: str) -> None:
    assert set(story(here=EVERYBODY).hears("alice", text)) == {"bob", "charlie"}


@pytest.mark.parametrize(
    "text",
    [
        '*whispers to everyone but Bob* "Guards."',
        '*whispers to everyone at the other table* "Guards."',
        '*whispers, pointing at the whole group* "Guards."',
        '*whispers to the others* "Guards."',
    ],
)
def test_a_whisper_to_some_is_no_whisper_to_everyone(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == {}


@pytest.mark.parametrize(
    "text", ['*whispers* "Now."', '"Now," she whispered.', '*whispers to him* "Now."', '*flüstert* "Jetzt."']
)
def test_between_the_only_two_who_are_there_a_whisper_is_for_the_other(story: Begin, text: str) -> None:
    assert set(story(here=["alice", "bob"], away=["charlie"]).hears("alice", text)) == {"bob"}
    assert set(story(places={"alice": "cellar", "bob": "cellar"}, here=["charlie"]).hears("alice", text)) == {"bob"}
    assert story(here=["alice", "bob"]).hears("alice", text) == {}, "charlie may be there"


@pytest.mark.parametrize(
    "text",
    [
        '*whispers to Zorro* "Now."',
        '*whispers to herself* "Now."',
        "*whispers a prayer* Hear me.",
        '*whispers into her phone* "Now."',
        '*types a message* "Now."',
        '*mutters* "Now."',
        "*thinks* Now he whispers.",
    ],
)
def test_a_whisper_between_two_that_is_for_somebody_else_is_not_for_the_other(story: Begin, text: str) -> None:
    assert not any(
        "Now" in heard for heard in story(here=["alice", "bob"], away=["charlie"]).hears("alice", text).values()
    )


def test_somebody_who_hides_keeps_a_whisper_between_two_from_the_other(story: Begin) -> None:
    tavern = story(here=EVERYBODY)
    tavern.say("charlie", "*hides behind the curtain*")
    assert tavern.hears("alice", '*whispers* "Now."') == {}


@pytest.mark.parametrize("text", ['*mouths "run" at Bob*', '*mouths the word "run" to Bob*', '*in Bobs Ohr* "Lauf."'])
def test_what_is_mouthed_or_said_into_an_ear_reaches_only_whom_it_names(story: Begin, text: str) -> None:
    assert set(story(here=EVERYBODY).hears("alice", text)) == {"bob"}


@pytest.mark.parametrize(
    "text",
    [
        "*legt den Brief auf den Tisch*",
        "*lässt den Brief liegen*",
        "*deja la carta en la mesa*",
        "*laisse une lettre sur la table*",
        "*lascia la lettera sul tavolo*",
        "*deixa a carta na mesa*",
        "*кладёт письмо на стол*",
    ],
)
def test_a_letter_that_is_only_put_somewhere_is_no_secret(story: Begin, text: str) -> None:
    assert set(story(here=EVERYBODY).hears("alice", text)) == {"bob", "charlie"}


@pytest.mark.parametrize(
    "text",
    [
        "*legt heimlich den Brief auf den Tisch*",
        "*schreibt einen Brief*",
        "*liest den Brief: „Komm allein.“*",
        "*öffnet den Brief: „Komm allein.“*",
        "*abre la carta: «Ven solo.»*",
    ],
)
def test_a_letter_that_is_written_read_or_hidden_is_the_speaker_s_own(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == {}


def test_brackets_within_a_line_that_say_only_i_confine_nothing(story: Begin) -> None:
    assert set(story(here=EVERYBODY).hears("alice", '"I (and only I) know the way."')) == {"bob", "charlie"}


@pytest.mark.parametrize(
    "text",
    [
        '*whispers to Zorro* "Let us go."',
        "/w Zorro Tell Bob to come.",
        "(to Zorro) Bob is a fool.",
        '*whispers to the stranger about Bob* "He is a fool."',
        "*whispers that she is going to Bob*",
        "*whispers to Bob's sister*",
        '*whispers* "Let us go."',
        "whispers to Zorro: Bob whispers to Charlie",
    ],
)
def test_a_whisper_to_nobody_known_reaches_nobody(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).say("alice", text) == {"alice"}


def test_a_whisper_about_somebody_is_not_to_them(story: Begin) -> None:
    assert story(here=EVERYBODY).say("alice", "*whispers to Bob about Charlie*") == {"alice", "bob"}


def test_a_whisper_to_two_reaches_both(story: Begin) -> None:
    here = [*EVERYBODY, "dan"]
    assert story(cast=here, here=here).say("alice", '*whispers to Bob and Dan* "Now."') == {"alice", "bob", "dan"}


def test_a_whisper_to_somebody_not_yet_placed_places_them(story: Begin) -> None:
    tavern = story()
    assert tavern.say("alice", '*whispers to Bob* "Let us find the Sacred Sword."') == {"alice", "bob"}
    assert tavern.present == {"alice", "bob"}


def test_a_whisper_to_somebody_who_left_reaches_nobody(story: Begin) -> None:
    tavern = story(here=["alice", "charlie"], away=["bob"])
    assert tavern.say("alice", '*whispers to Bob* "Now."') == {"alice"}
    assert tavern.present == {"alice", "charlie"}


MIXED = '"Good morning, all!" *whispers to Bob* "Not you, Charlie."'
IN_TURN = '*whispers to Bob* "Charlie lies." *whispers to Charlie* "Bob lies."'


def test_of_a_whisper_mixed_with_open_speech_the_others_get_the_open_part(story: Begin) -> None:
    assert story(here=EVERYBODY).hears("alice", MIXED) == {"bob": MIXED, "charlie": '"Good morning, all!"'}


def test_whispers_to_two_in_turn_reach_each_with_their_own(story: Begin) -> None:
    heard = story(here=EVERYBODY).hears("alice", IN_TURN)
    assert heard == {
        "bob": '*whispers to Bob* "Charlie lies."',
        "charlie": '*whispers to Charlie* "Bob lies."',
    }


def test_judged_whole_a_whisper_mixed_with_open_speech_reaches_only_the_whispers_audience(story: Begin) -> None:
    assert story(here=EVERYBODY, detector=RulesDetector(perception="whole")).say("alice", MIXED) == {"alice", "bob"}


def test_judged_whole_whispers_to_two_in_turn_reach_only_who_may_hear_both(story: Begin) -> None:
    assert story(here=EVERYBODY, detector=RulesDetector(perception="whole")).say("alice", IN_TURN) == {"alice"}


def test_talk_out_of_character_after_open_speech_is_heard_by_nobody(story: Begin) -> None:
    heard = story(here=EVERYBODY).hears("alice", "Good evening, Bob. ((I will betray him tonight.))")
    assert heard == dict.fromkeys(("bob", "charlie"), "Good evening, Bob.")


@pytest.mark.parametrize(
    "text",
    [
        "[Bob must not know.]",
        "*thinks that Bob is lying*",
        '*thinks* "What a fool Bob is."',
        '*wonders whether Bob knows* "Good evening, Bob."',
        "Alice thinks that Bob is lying.",
        "(aside) How little Bob knows.",
        "(aside to himself) How little he knows.",
        "*aside* How little Bob knows.",
        "*mutters to herself* Bob is a fool.",
        "(OOC: Bob's player is late)",
        "((Bob, are you there?))",
        "OOC: Bob, are you there?",
        "/ooc Bob, are you there?",
        "[thinking: Bob lies",
    ],
)
def test_a_thought_an_aside_and_talk_out_of_character_stay_with_the_speaker(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).say("alice", text) == {"alice"}


@pytest.mark.parametrize(
    "text", ["[I wonder where they are.]", "((brb))", "(OOC: Charlie, your turn)", "*thinks of Charlie*"]
)
def test_who_is_away_does_not_come_back_by_thinking_or_talking_out_of_character(story: Begin, text: str) -> None:
    tavern = story(here=["bob"], away=["alice"])
    assert tavern.say("alice", text) == {"alice"}
    assert tavern.present == {"bob"}


@pytest.mark.parametrize(
    "text",
    [
        '*thinks for a moment* "Fine."',
        "I *really* think so.",
        "(to everyone) Listen!",
        "*whistles*",
        "I think that Bob is right.",
    ],
)
def test_what_only_looks_private_reaches_everybody(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).say("alice", text) == set(EVERYBODY)


def test_who_whispers_and_goes_is_gone(story: Begin) -> None:
    tavern = story(here=EVERYBODY)
    tavern.say("alice", "*whispers to Bob, then leaves the room*")
    assert tavern.present == {"bob", "charlie"}


def test_a_persona_hears_and_whispers_like_anybody(story: Begin) -> None:
    cast = ["alice", "bob", Character("nomad", kind="persona", user_id="u1")]
    tavern = story(cast=cast, here=["alice", "bob", "nomad"])
    assert tavern.say("nomad", "/w Alice Psst.") == {"nomad", "alice"}
