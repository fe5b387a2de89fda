"""The detector `rules`: who is there when somebody speaks."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.records.character import Character

Begin = Callable[..., Any]


def test_those_here_hear_it_and_those_away_do_not(story: Begin) -> None:
    assert story(here=["alice", "bob"], away=["charlie"]).say("alice", "The sword is in the cave.") == {"alice", "bob"}


def test_flow_one_the_agreement_reaches_bob_and_not_charlie(story: Begin) -> None:
    tavern = story(here=["alice", "bob"])
    presence = tavern.judge("alice", "Bob and I agreed to find the Sacred Sword!")
    assert {id: who.role for id, who in presence.characters.items()} == {"alice": "speaker", "bob": "present"}
    assert presence.characters["bob"].evidence == ("named together with the speaker", "here")
    assert presence.movements == ()


def test_we_raises_how_sure_one_is_of_who_is_named_and_here(story: Begin) -> None:
    alone = story(here=["alice", "bob"]).judge("alice", "Bob likes swords.").characters["bob"].probability
    together = (
        story(here=["alice", "bob"]).judge("alice", "We like swords, as Bob knows.").characters["bob"].probability
    )
    assert together > alone


def test_we_does_not_summon_who_is_away_or_was_never_placed(story: Begin) -> None:
    tavern = story(here=["alice"], away=["bob"])
    assert tavern.say("alice", "Bob and I agreed, and Charlie is with us.") == {"alice"}
    assert tavern.present == {"alice"}


def test_who_speaks_is_here(story: Begin) -> None:
    tavern = story(here=["alice"])
    assert tavern.say("bob", "Good evening.") == {"bob", "alice"}
    assert tavern.present == {"alice", "bob"}


def test_who_is_spoken_to_before_the_story_placed_them_is_taken_as_here(story: Begin) -> None:
    tavern = story()
    presence = tavern.judge("alice", "Hello Bob, how are you?")
    assert presence.characters["bob"].role == "addressee"
    assert tavern.present == {"alice", "bob"}


def test_who_is_talked_about_is_not_there(story: Begin) -> None:
    """Earlier, the subject of a secret counted as knowing it."""
    tavern = story(here=["alice", "bob"])
    presence = tavern.judge("alice", "Charlie stole the crown.")
    assert presence.characters["charlie"].role == "mentioned"
    assert presence.characters["charlie"].probability < 0.5
    assert tavern.present == {"alice", "bob"}


def test_a_silent_observer_is_not_forgotten(story: Begin) -> None:
    """Earlier, a silent observer was forgotten."""
    tavern = story(here=["alice", "bob", "charlie"])
    for _ in range(30):
        assert "charlie" in tavern.say("alice", "And then?")
        assert "charlie" in tavern.say("bob", "Then it rained.")


def test_leaving_and_returning_keeps_both_intervals(story: Begin) -> None:
    """Earlier, leaving and returning kept only the last interval."""
    tavern = story(here=["alice", "bob", "charlie"])
    assert tavern.say("alice", "One.") == {"alice", "bob", "charlie"}
    assert tavern.say("bob", "*leaves the room*") == {"alice", "bob", "charlie"}
    assert tavern.say("alice", "Two.") == {"alice", "charlie"}
    assert tavern.say("bob", "*comes back in* Sorry, where were we?") == {"alice", "bob", "charlie"}
    assert tavern.say("alice", "Three.") == {"alice", "bob", "charlie"}


def test_who_took_leave_does_not_come_back_by_being_spoken_to_or_about(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("bob", "*walks out*")
    assert tavern.say("alice", "Bob is a fool.") == {"alice", "charlie"}
    tavern.say("charlie", "So he is.")
    assert tavern.say("alice", "Bob, come back!") == {"alice", "charlie"}
    assert tavern.present == {"alice", "charlie"}


def test_who_says_goodbye_still_hears_the_answer_and_nothing_after_it(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    assert tavern.say("bob", "I have to go. Goodbye, all!") == {"alice", "bob", "charlie"}
    assert tavern.present == {"alice", "charlie"}
    assert tavern.say("alice", "Take care, Bob!") == {"alice", "bob", "charlie"}
    assert tavern.say("charlie", "Bye, Bob.") == {"alice", "bob", "charlie"}
    assert tavern.say("alice", "Is he gone? He cheats at cards.") == {"alice", "charlie"}
    assert tavern.say("charlie", "Bob? He does.") == {"alice", "charlie"}


def test_who_goes_without_a_word_hears_nothing_more_even_if_called_by_name(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("bob", '*storms out of the room* "Goodbye!"')
    assert tavern.say("alice", "Good riddance, Bob!") == {"alice", "charlie"}


def test_gossip_right_after_a_goodbye_does_not_reach_who_took_leave(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("bob", "I have to go.")
    assert tavern.say("alice", "Bob is a fool.") == {"alice", "charlie"}


def test_a_last_word_at_the_door_is_no_coming_back_but_a_question_is(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("bob", "I have to go.")
    tavern.say("alice", "Goodbye, Bob.")
    tavern.say("bob", "Thank you, Alice.")
    assert tavern.present == {"alice", "charlie"}
    tavern.say("alice", "Safe travels, Bob.")
    tavern.say("bob", "Wait, what did you say?")
    assert tavern.present == {"alice", "bob", "charlie"}


def test_answering_a_goodbye_is_not_leaving(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("bob", "I must leave now.")
    tavern.say("alice", "Goodbye!")
    assert "alice" in tavern.present


def test_a_goodbye_to_one_of_several_leaves_the_speaker_there(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("alice", "Goodbye, Bob.")
    assert "alice" in tavern.present


@pytest.mark.parametrize(
    "text", ["*brings Charlie in*", "Enter Charlie.", "I wish Charlie were here.", "Charlie enters."]
)
def test_only_action_text_brings_somebody_in(story: Begin, text: str) -> None:
    """What somebody says of others' coming and going is talk."""
    tavern = story(here=["alice", "bob"])
    tavern.say("alice", text)
    assert tavern.present == {"alice", "bob"}


def test_action_text_that_tells_of_an_entrance_brings_somebody_in(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], away=["charlie"])
    presence = tavern.judge("alice", '*looks up as Charlie comes in* "At last."')
    assert presence.characters["charlie"].evidence == ("entered: 'looks up as Charlie comes in'",)
    assert tavern.present == {"alice", "bob", "charlie"}


def test_aliases_and_other_scripts_are_names_too(story: Begin) -> None:
    tavern = story(cast=["alice", Character("bob", aliases=["Robert"]), Character("xiaoli", name="小丽")])
    assert tavern.say("alice", "Robert, look at this.") == {"alice", "bob"}
    assert tavern.say("xiaoli", "你好") == {"alice", "bob", "xiaoli"}


def test_an_unknown_name_in_a_text_makes_no_listener(story: Begin) -> None:
    """Earlier, unknown, misspelt and doubled names were taken."""
    presence = story(here=["alice"]).judge("alice", "Zorro, Bobb, Alicia and bob-bob, come here! Zorro! Zorro!")
    assert set(presence.characters) <= {"alice", "bob"}
    assert presence.characters["alice"].probability == 1


def test_evidence_says_since_when_somebody_is_here(story: Begin) -> None:
    tavern = story(here=["alice"])
    tavern.say("alice", "Hello?")
    tavern.say("bob", "Hello.")
    assert tavern.judge("alice", "Well.").characters["bob"].evidence == ("spoke lately", "here since message 2")


def test_at_a_place_apart_only_those_there_hear_it(story: Begin) -> None:
    tavern = story(here=["alice"], places={"bob": "cellar", "charlie": "cellar"})
    assert tavern.say("bob", "Nobody can hear us, Charlie.") == {"bob", "charlie"}
    assert tavern.say("alice", "Where are they?") == {"alice"}
    assert tavern.present == {"alice"}


def test_going_to_a_known_place_and_coming_back(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], places={"charlie": "cellar"})
    assert tavern.say("bob", "*walks into the cellar*") == {"alice", "bob"}
    assert tavern.say("bob", "Charlie? Are you there?") == {"bob", "charlie"}
    tavern.say("bob", "*enters the tavern again*")
    assert tavern.present == {"alice", "bob"}


def test_going_off_to_a_place_nobody_set_up_is_being_there_until_one_comes_back(story: Begin) -> None:
    tavern = story(here=["alice", "bob"])
    tavern.say("bob", "*walks into the pantry*")
    assert tavern.say("alice", "He snores.") == {"alice"}
    assert tavern.say("bob", "Who snores?") == {"bob"}
    tavern.say("bob", "*returns*")
    assert tavern.say("bob", "Who snores?") == {"alice", "bob"}


def test_who_tells_of_leaving_by_their_own_name_has_left(story: Begin) -> None:
    tavern = story(here=["alice", "bob"])
    assert tavern.say("alice", "Alice bows and leaves the room.") == {"alice", "bob"}
    assert tavern.present == {"bob"}


def test_where_the_place_has_no_name_yet_entering_one_is_arriving(story: Begin) -> None:
    nowhere = story(here=["alice", "bob"], scene="start")
    nowhere.say("alice", '*enters the tavern* "Good evening."')
    assert nowhere.present == {"alice", "bob"}


def test_beliefs_are_settings(story: Begin) -> None:
    spec = StrategySpec(name="rules", settings={"recent": 2, "confidences": {"here": 0.4}})
    wary = Strategies().make("detector", spec)
    assert story(here=["alice", "bob"], detector=wary).say("alice", "Hello.") == {"alice"}
