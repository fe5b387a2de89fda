"""Whether somebody takes leave in so many words."""

import pytest

from earwitness.rehearsal import Rehearsal
from earwitness_plugins.detectors.rules import RulesDetector
from earwitness_plugins.detectors.text.farewells import _FAREWELL, _RETURN, bids_farewell, leave_taken, returns


@pytest.mark.parametrize(
    "text",
    [
        "I have to go.",
        "I'm afraid I must leave you now.",
        "I’ve got to head home.",
        "Sorry, gotta go!",
        "I'll be right back.",
        "I need to step out for a moment.",
        "I think I should get going.",
        "I hate to cut this short.",
        "Excuse me for a minute.",
        "brb",
        "I'm off. Good night!",
    ],
)
def test_saying_that_one_goes_is_leaving(text: str) -> None:
    assert list(leave_taken(text))


@pytest.mark.parametrize(
    "text", ["Goodbye, everyone!", "Bye!", "See you later.", "Farewell, my friends.", "Good night."]
)
def test_a_goodbye_may_be_leaving(text: str) -> None:
    assert bids_farewell(text)


@pytest.mark.parametrize(
    "text",
    [
        "If I have to go, I will tell you.",
        "I have to go with Bob on this one.",
        "I will go to Rome next year.",
        "I must leave it to you.",
        "I never said goodbye.",
        "She waved a last goodbye.",
        "Let us go to the cave.",
        "You have to go.",
        "I'll go first.",
        "I want to leave the guild.",
        "I need to leave the choice to you.",
        "Bob had to go.",
        "",
    ],
)
def test_talk_of_going_is_not_leaving(text: str) -> None:
    assert not list(leave_taken(text))
    assert not bids_farewell(text)


def test_a_question_or_a_change_of_mind_keeps_one_there() -> None:
    assert returns("I'm back!")
    assert returns("All right, I'll stay.")
    assert returns("Did I miss anything?")
    assert not returns("Thank you, goodbye.")


_BEGINS = ["good ", "see you ", "see ya two ", "catch you ", "chat with you ", "till next ", "so ", "pick it ", ""]
_ENDS = ["bye", "NIGHT", "n\u0131ght", "later", "\u017foon", "then", "tomorrow", "next time", "long.", "ttyl"]


@pytest.mark.parametrize("begin", _BEGINS)
@pytest.mark.parametrize("end", _ENDS)
def test_no_goodbye_is_overlooked_by_the_quick_look(begin: str, end: str) -> None:
    text = f"Well, {begin}{end}"
    assert bids_farewell(text) is bool(_FAREWELL.search(text))


@pytest.mark.parametrize("text", ["I'm bac\u212a.", "I will \u017ftay", "Why not?", "I AM BACK", "am back", "Never."])
def test_no_return_is_overlooked_by_the_quick_look(text: str) -> None:
    assert returns(text) is bool(_RETURN.search(text))


@pytest.mark.parametrize(
    ("leave", "back"),
    [
        ("Ich muss los, tschüss!", "Bin wieder da."),
        ("Мне пора, пока!", "Я вернулся."),
        ("Je dois y aller, salut !", "Je suis de retour."),
        ("Me tengo que ir, adiós.", "Ya estoy aquí."),
    ],
)
async def test_who_says_in_another_language_that_they_are_back_is_there_again(leave: str, back: str) -> None:
    rehearsal = Rehearsal(RulesDetector(), ["Ann", "Ben", "Tom"])
    for speaker, text in [("Ann", "Hello!"), ("Ben", "Hi."), ("Tom", "Hi."), ("Ann", leave)]:
        await rehearsal.tell(speaker, text)
    assert "Ann" not in (await rehearsal.tell("Tom", "The key is under the barrel.")).settled.participants
    again = Rehearsal(RulesDetector(), ["Ann", "Ben", "Tom"])
    for speaker, text in [("Ann", "Hello!"), ("Ben", "Hi."), ("Tom", "Hi."), ("Ann", leave), ("Ann", back)]:
        await again.tell(speaker, text)
    assert "Ann" in (await again.tell("Tom", "The key is under the barrel.")).settled.participants
