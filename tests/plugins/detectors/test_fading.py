"""The detector `rules` where nobody tells who goes: silence among many makes less sure, and puts nobody in."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character
from earwitness_plugins.detectors.presence import PresenceDetector
from earwitness_plugins.detectors.rules import RulesDetector

Begin = Callable[..., Any]
MANY = ("ada", "bea", "cid", "dan", "eva", "fay", "gus", "hal", "ivo", "jan", "kim", "lea")


def silent_after(story: Begin, messages: int, **settings: Any) -> float:
    """How likely Ada, who spoke once, is to hear the last of so many messages by eight others."""
    hall = story(cast=MANY, **settings)
    hall.judge("ada", "Here I am.")
    for at in range(messages):
        found = hall.judge(MANY[1 + at % 8], "And so it went on.").characters
    return found["ada"].probability if "ada" in found else 0.0


def test_who_falls_silent_among_many_grows_less_likely_to_be_there(story: Begin) -> None:
    assert silent_after(story, 1) > silent_after(story, 6) > silent_after(story, 12)


def test_who_spoke_of_going_and_then_falls_silent_soon_hears_nothing(story: Begin) -> None:
    hall = story(cast=MANY)
    hall.judge("ada", "Come, let us go.")
    heard = [hall.say(MANY[1 + at % 8], "And so it went on.") for at in range(16)]
    assert "ada" in heard[0]
    assert "ada" not in heard[-1]


def test_where_the_state_machine_alone_is_asked_silence_says_nothing(story: Begin) -> None:
    assert silent_after(story, 20, detector=PresenceDetector()) > 0.5
    assert silent_after(story, 20, detector=RulesDetector(fading=False)) > 0.5


def test_where_a_narrator_tells_who_goes_silence_says_nothing(story: Begin) -> None:
    hall = story(cast=[*MANY, Character("narrator", kind="narrator")])
    hall.judge("narrator", "A long evening in the hall.")
    hall.judge("ada", "Here I am.")
    for at in range(20):
        found = hall.judge(MANY[1 + at % 8], "And so it went on.").characters
    assert found["ada"].probability > 0.5


def test_a_silent_observer_stays(story: Begin) -> None:
    hall = story(cast=MANY, here=MANY[:9])
    for at in range(20):
        found = hall.judge(MANY[1 + at % 8], "And so it went on.").characters
    assert found["ada"].probability > 0.5


def test_whom_the_host_put_there_stays_however_long_they_are_silent(story: Begin) -> None:
    hall = story(cast=MANY, here=MANY[:9])
    hall.put(*MANY[:9])
    hall.judge("ada", "Here I am.")
    for at in range(40):
        found = hall.judge(MANY[1 + at % 8], "And so it went on.").characters
    assert found["ada"].probability > 0.5


def test_two_of_three_may_talk_for_long_and_the_third_still_hears(story: Begin) -> None:
    tavern = story(cast=("alice", "bob", "charlie"))
    tavern.judge("charlie", "Good evening.")
    for _ in range(4):
        tavern.judge("alice", "And so it went on.")
        assert "charlie" in tavern.say("bob", "Indeed it did.")


def test_who_comes_back_by_speaking_is_there_again(story: Begin) -> None:
    hall = story(cast=MANY)
    hall.judge("ada", "Here I am.")
    for at in range(20):
        hall.judge(MANY[1 + at % 8], "And so it went on.")
    hall.judge("ada", "So it did.")
    assert "ada" in hall.say("bea", "Ah, Ada!")


def test_who_was_only_called_and_never_answers_is_not_there(story: Begin) -> None:
    hall = story(cast=MANY)
    assert "ada" in hall.say("bea", "Ada, are you there?")
    for at in range(6):
        heard = hall.say(MANY[1 + at % 8], "Nobody knows.")
    assert "ada" not in heard


def test_who_was_only_counted_in_and_never_speaks_fades_among_others_who_do(story: Begin) -> None:
    hall = story(cast=MANY)
    assert "ada" in hall.say("bea", "Ada and I agreed to find the sword.")
    heard = [hall.say(MANY[1 + at % 3], "Nobody knows.") for at in range(6)]
    assert ["ada" in each for each in heard] == [True, True, True, False, False, False]
    assert "ada" not in hall.present


def test_who_is_counted_in_again_or_spoken_to_is_given_more_time(story: Begin) -> None:
    hall = story(cast=MANY)
    hall.say("bea", "Ada and I agreed to find the sword.")
    for line in ("Nobody knows.", "Nobody knows.", "Ada, shall we?", "Nobody knows.", "Nobody knows.", "Nobody knows."):
        assert "ada" in hall.say("cid", line)


def test_who_is_counted_in_stays_while_nobody_else_speaks(story: Begin) -> None:
    tavern = story(cast=("alice", "bob", "charlie"))
    tavern.say("alice", "Bob and I agreed to find the sword.")
    for _ in range(8):
        assert tavern.say("alice", "And so it went on.") == {"alice", "bob"}


def test_who_was_counted_in_and_speaks_is_there(story: Begin) -> None:
    hall = story(cast=MANY)
    hall.say("bea", "Ada and I agreed to find the sword.")
    hall.say("ada", "So we did.")
    for at in range(4):
        assert "ada" in hall.say(MANY[1 + at % 3], "Nobody knows.")


def test_the_penalty_of_silence_is_also_read_under_its_old_name(story: Begin) -> None:
    with pytest.warns(FutureWarning, match="caution is called silence_penalty now"):
        old = RulesDetector(caution=2.0)
    assert old.silence_penalty == RulesDetector(silence_penalty=2.0).silence_penalty
    severe, mild = (RulesDetector(silence_penalty=each) for each in (3.0, -3.0))
    found = [silent_after(story, 6, detector=each) for each in (severe, RulesDetector(), mild)]
    assert found == sorted(set(found))
