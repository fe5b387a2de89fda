"""The detector `rules`: who hides, or is far away on a call."""

import pytest

from .conditions import ALL, Begin, condition

# ── hiding ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        ("charlie", "*hides behind the curtain*"),
        ("charlie", "*slips in and hides under the table*"),
        ("charlie", "Charlie ducks behind the counter."),
        ("narrator", "Charlie hides behind the curtain."),
        ("charlie", "*I hide among the barrels*"),
        ("narrator", "Charlie melts into the shadows."),
    ],
)
def test_who_hides_overhears(story: Begin, speaker: str, text: str) -> None:
    tavern = story(here=ALL)
    tavern.say(speaker, text)
    presence = tavern.judge("alice", "We are alone now.")
    assert presence.characters["charlie"].role == "overhearing"
    assert presence.characters["charlie"].probability >= 0.5
    assert "is hiding" in presence.characters["charlie"].evidence


def test_who_was_never_seen_and_is_told_to_hide_overhears(story: Begin) -> None:
    tavern = story(here=["alice", "bob"])
    assert "charlie" in tavern.say("narrator", "Unseen, Charlie hides behind the curtain.")
    assert tavern.say("alice", "We are alone now.") == ALL
    assert tavern.say("alice", "*whispers to Bob* The key!") == {"alice", "bob"}


@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        ("charlie", "Caught you!"),
        ("charlie", "*steps out from behind the curtain*"),
        ("narrator", "Charlie comes out of hiding."),
        ("narrator", "Charlie is discovered."),
        ("charlie", "*reveals herself*"),
    ],
)
def test_who_speaks_or_steps_out_hides_no_more_and_is_still_there(story: Begin, speaker: str, text: str) -> None:
    tavern = story(here=ALL)
    tavern.say("charlie", "*hides behind the curtain*")
    tavern.say(speaker, text)
    assert condition(tavern, "charlie") == "awake"
    assert tavern.judge("alice", "You!").characters["charlie"].role == "present"


def test_who_hides_and_thinks_or_whispers_stays_hidden(story: Begin) -> None:
    tavern = story(here=ALL)
    tavern.say("charlie", "*hides behind the curtain*")
    for text in ("[They must not see me.]", "*whispers to Bob* Hush.", "*holds her breath*"):
        tavern.say("charlie", text)
        assert condition(tavern, "charlie") == "hiding"


def test_who_hides_is_not_taken_to_have_gone_by_keeping_silent(story: Begin) -> None:
    tavern = story(cast=["alice", "bob", "charlie", "dan"], here=["alice", "bob", "charlie", "dan"])
    tavern.say("charlie", "Good evening.")
    tavern.say("charlie", "*hides behind the curtain*")
    for _ in range(8):
        for who in ("alice", "bob", "dan"):
            assert "charlie" in tavern.say(who, "And then?")


# ── far away, on a call ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        '*Charlie, over the radio* "I am at the gate."',
        '*over the radio* "I am at the gate."',
        '(over the phone) "I am at the gate."',
        "*by phone* I am at the gate.",
        '*his voice crackles through the intercom* "I am at the gate."',
    ],
)
def test_who_talks_from_afar_is_heard_and_is_not_here(story: Begin, text: str) -> None:
    for told in ({"away": ["charlie"]}, {"places": {"charlie": "gate"}}, {}):
        tavern = story(here=["alice", "bob"], **told)
        assert tavern.say("charlie", text) == ALL
        assert tavern.present == {"alice", "bob"}
        assert condition(tavern, "charlie") == "on_call"


def test_who_is_on_a_call_perceives_what_is_said_to_the_call(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], places={"charlie": "gate"})
    tavern.say("charlie", '*over the radio* "I am at the gate."')
    assert tavern.say("alice", "What do you see?") == ALL
    assert tavern.say("bob", "Alice, he lies.") == {"alice", "bob"}
    assert tavern.say("alice", "Do you think so?") == {"alice", "bob"}
    assert tavern.say("alice", "Charlie, come back!") == ALL
    assert tavern.say("bob", '*into the radio* "At once!"') == ALL
    assert tavern.say("charlie", "I am coming.") == ALL
    assert tavern.present == {"alice", "bob"}


def test_what_is_done_does_not_go_over_a_call(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], away=["charlie"])
    tavern.say("charlie", '*over the radio* "I am at the gate."')
    heard = tavern.hears("alice", '*winks at Bob* "Charlie, we are on our way!"')
    assert heard == {"bob": '*winks at Bob* "Charlie, we are on our way!"', "charlie": '"Charlie, we are on our way!"'}


@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        ("charlie", "*hangs up*"),
        ("alice", "*hangs up the phone*"),
        ("charlie", "*ends the call*"),
        ("bob", "*the line goes dead*"),
    ],
)
def test_when_the_call_is_ended_nothing_reaches_them(story: Begin, speaker: str, text: str) -> None:
    tavern = story(here=["alice", "bob"], away=["charlie"])
    tavern.say("charlie", '*over the phone* "Hello?"')
    tavern.say(speaker, text)
    assert tavern.say("alice", "Charlie, are you there?") == {"alice", "bob"}
    assert condition(tavern, "charlie") == "awake"


def test_who_is_called_by_name_hears_it_and_by_answering_is_on_the_call(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], away=["charlie"])
    presence = tavern.judge("alice", '*into the radio* "Charlie, do you copy?"')
    assert presence.characters["charlie"].probability == 0.8
    assert tavern.say("charlie", "I do.") == ALL
    assert tavern.present == {"alice", "bob"}
    assert tavern.say("charlie", '*walks in* "Here I am."') == ALL
    assert tavern.present == ALL
    assert condition(tavern, "charlie") == "awake"


def test_who_is_at_the_caller_s_place_hears_the_caller_and_not_the_answer(story: Begin) -> None:
    tavern = story(cast=["alice", "bob", "dan"], here=["alice"], places={"bob": "gate", "dan": "gate"})
    assert tavern.say("bob", '*over the radio* "All quiet."') == {"alice", "bob", "dan"}
    assert tavern.say("alice", "Stay there, Bob.") == {"alice", "bob"}
    assert tavern.say("dan", "What does she say?") == {"bob", "dan"}


def test_a_voice_that_is_told_to_come_over_the_radio_is_no_entrance(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], away=["charlie"])
    assert tavern.say("narrator", "Charlie's voice comes over the radio: he is at the gate.") == {*ALL, "narrator"}
    assert tavern.present == {"alice", "bob"}
    assert tavern.say("narrator", "Alice shrugs.") == {"alice", "bob", "narrator"}


@pytest.mark.parametrize(
    "text",
    [
        "He said it over the radio.",
        '"Over the phone?"',
        "[over the radio]",
        "*turns on the radio*",
        "*looks at the phone*",
    ],
)
def test_only_what_is_done_over_a_device_makes_a_call(story: Begin, text: str) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("charlie", text)
    assert condition(tavern, "charlie") == "awake"
    away = story(here=["alice", "bob"], away=["charlie"])
    away.say("alice", text)
    assert away.say("alice", "Charlie, do you hear?") == {"alice", "bob"}
