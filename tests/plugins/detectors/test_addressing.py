"""Who is spoken to by name, and who is only talked about."""

import pytest

from earwitness.records.character import Character
from earwitness_plugins.detectors.text.names import Names
from earwitness_plugins.detectors.text.vocatives import addressed

NAMES = Names(tuple(Character(id) for id in ("alice", "bob", "carol", "watson")))


def to(text: str) -> set[str]:
    return set(addressed(text, NAMES.find(text)))


@pytest.mark.parametrize(
    "text",
    [
        "Bob, look!",
        "Hi Bob, nice to see you.",
        "hey bob how are you",
        "What about you, Bob?",
        "Thanks, Bob.",
        "Thank you, my dear Bob.",
        "Sure Bob. Go ahead.",
        "Oh, certainly, Bob!",
        "Bob! Over here!",
        "I must say, Bob, I like it.",
        "Excuse me, Bob, is this seat taken?",
        "Nice to meet you Bob.",
        "@bob look at this",
        "Listen, Bob, we need to talk.",
        "Well — Bob, is it?",
    ],
)
def test_a_name_set_off_from_the_sentence_is_spoken_to(text: str) -> None:
    assert to(text) == {"bob"}


@pytest.mark.parametrize(
    "text",
    [
        "I saw Bob yesterday.",
        "Bob is my friend.",
        "Bob and I agreed.",
        "Bob's sword, of course.",
        "Ask Bob.",
        "I like Alice, Bob, and Carol.",
        "Bob, Carol and I went to the market.",
        "My brother, Bob, is away.",
        "Who did it? Bob.",
        "I told my friend Bob everything.",
        "The door, said Bob, was open.",
        "",
    ],
)
def test_a_name_within_the_sentence_is_talked_about(text: str) -> None:
    assert to(text) == set()


def test_several_can_be_spoken_to_at_once() -> None:
    assert to("Bob, Carol, come here!") == {"bob", "carol"}
    assert to("Hello Bob and Carol!") == {"bob", "carol"}
    assert to("Elementary, my dear Watson. And you, Alice?") == {"watson", "alice"}
