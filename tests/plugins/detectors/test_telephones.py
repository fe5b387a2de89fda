"""The detector `rules`: telephones that somebody in the scene uses, rung up, answered and hung up."""

import pytest

from .conditions import ALL, Begin, condition


@pytest.mark.parametrize(
    "hangs_up",
    [
        "*hangs up*",
        "*hangs up with a sigh* Wrong number.",
        "*ends the call* Later.",
        "*switches the radio off* Later.",
        "*legt auf*",
        "*raccroche*",
        "*cuelga*",
        "*desliga*",
        "*вешает трубку*",
        "*挂断电话*",
    ],
)
def test_who_hangs_up_is_still_in_the_room(story: Begin, hangs_up: str) -> None:
    kitchen = story(here=ALL)
    kitchen.say("alice", '*the phone buzzes; she picks it up* "Yes? Speaking."')
    kitchen.say("alice", hangs_up)
    assert "alice" in kitchen.say("bob", "Who was it?")


def test_who_hangs_up_where_nobody_held_a_telephone_has_left(story: Begin) -> None:
    lobby = story(here=ALL)
    lobby.say("alice", "*hangs up*")
    assert lobby.say("bob", "She is gone.") == {"bob", "charlie"}


def test_a_goodbye_into_the_telephone_is_no_leave_taking(story: Begin) -> None:
    kitchen = story(here=["alice", "bob"], away=["charlie"])
    kitchen.say("alice", '*calls Charlie from her mobile* "Is the train late?"')
    kitchen.say("charlie", '"By an hour."')
    kitchen.say("alice", '"See you later, bye!"')
    assert "alice" in kitchen.say("bob", "An hour?")


@pytest.mark.parametrize(
    ("calls", "answers", "hangs_up"),
    [
        ('*calls Charlie* "How far are you?"', '"At the bridge. Keep it from Bob."', '"I will." *hangs up*'),
        (
            '*rings Charlie from her mobile* "How far are you?"',
            '*on the phone* "At the bridge. Keep it from Bob."',
            '"I will." *puts the phone away*',
        ),
        ('*ruft Charlie an* "Wie weit bist du?"', '*am Telefon* "An der Brücke."', '"Schön." *legt auf*'),
        ('*appelle Charlie* "Tu es loin ?"', '*au téléphone* "Au pont."', '"Parfait." *raccroche*'),
        ('*llama a Charlie* "¿Estás lejos?"', '*por teléfono* "En el puente."', '"Bien." *cuelga*'),
        ('*liga para Charlie* "Estás longe?"', '*ao telefone* "Na ponte."', '"Bom." *desliga*'),
        ('*звонит Charlie* "Ты далеко?"', '*по телефону* "Ещё далеко."', '"Хорошо." *кладёт трубку*'),
    ],
)
def test_who_is_rung_up_hears_this_end_and_who_stands_beside_does_not_hear_the_other(
    story: Begin, calls: str, answers: str, hangs_up: str
) -> None:
    for told in ({"away": ["charlie"]}, {"places": {"charlie": "bridge"}}):
        hall = story(here=["alice", "bob"], **told)
        assert hall.say("alice", calls) == ALL
        assert hall.say("charlie", answers) == {"alice", "charlie"}
        assert condition(hall, "charlie") == "on_call"
        hall.say("alice", hangs_up)
        assert hall.say("bob", '"Who was that?"') == {"alice", "bob"}
        assert hall.present == {"alice", "bob"}


def test_what_is_done_beside_a_telephone_is_not_heard_at_the_other_end(story: Begin) -> None:
    hall = story(here=["alice", "bob"], away=["charlie"])
    assert hall.hears("alice", '*calls Charlie, winking at Bob* "All well?"')["charlie"] == '"All well?"'


@pytest.mark.parametrize(
    "text",
    [
        '*calls Charlie a liar* "I knew it."',
        '*calls Charlie* "No answer, straight to voicemail. He is the thief."',
        '*into the radio* "Do not let Charlie know."',
        '*scrolls on her phone* "Charlie, what a fool you are."',
    ],
)
def test_who_is_only_spoken_of_or_cannot_be_reached_hears_nothing(story: Begin, text: str) -> None:
    assert story(here=["alice", "bob"], away=["charlie"]).say("alice", text) == {"alice", "bob"}


def test_who_only_speaks_of_a_telephone_takes_leave_of_those_here(story: Begin) -> None:
    chat = story(here=ALL)
    chat.say("alice", "the pictures never load on my phone, so I just guess")
    chat.say("alice", "gotta go, bye all")
    assert chat.say("bob", "who is left?") == {"bob", "charlie"}
