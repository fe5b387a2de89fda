"""Who is named in a text."""

import time

import pytest

from earwitness.records.character import Character
from earwitness_plugins.detectors.text.names import Names, lists

CAST = (
    Character("alice"),
    Character("bob", aliases=["Robert", "the Crow"]),
    Character("shadow_fox"),
    Character("mira", name="Captain Mira Vance"),
    Character("jean", name="Jean-Luc O'Brien"),
    Character("will"),
    Character("renee", name="Renée"),
    Character("xiaoli", name="小丽"),
    Character("gertrude", name="Queen Gertrude"),
    Character("edmund", name="Duke of Kent"),
    Character("don"),
    Character("guard_1", name="First Guard"),
    Character("guard_2", name="Second Guard"),
    Character("james_a", name="James Carter"),
    Character("james_b", name="James Wood"),
)


def named(text: str) -> list[str]:
    return [mention.id for mention in Names(CAST).find(text)]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Alice saw Bob.", ["alice", "bob"]),
        ("ALICE! alice?", ["alice", "alice"]),
        ("Robert is another name for the crow.", ["bob", "bob"]),
        ("The Shadow Fox, shadow-fox or shadow_fox", ["shadow_fox"] * 3),
        ("Captain Mira Vance, or Mira, or Captain Vance, or the captain", ["mira"] * 4),
        ("Jean-Luc O’Brien and Jean-Luc O'Brien", ["jean", "jean"]),
        ("O'Brien", ["jean"]),
        ("Renee and RENÉE", ["renee"] * 2),
        ("小丽看见了。你好小丽。", ["xiaoli", "xiaoli"]),
        ("Gertrude, the Queen", ["gertrude", "gertrude"]),
        ("Bob's sword", ["bob"]),
    ],
)
def test_names_aliases_titles_and_parts_are_found(text: str, ids: list[str]) -> None:
    assert named(text) == ids


@pytest.mark.parametrize(
    "text",
    [
        "Bobby bobbed in the bobsleigh.",
        "Malice and aliceblue.",
        "I will go, and you will not.",
        "A fox in the shadow.",
        "the Queen of Spain and Queen Isabella",
        "Everyone, everybody, they, us.",
        "James came by.",
        "Don't go. I don’t know.",
        "",
    ],
)
def test_what_only_looks_like_a_name_is_none(text: str) -> None:
    assert named(text) == []


def test_a_name_that_is_an_everyday_word_needs_its_capital() -> None:
    assert named("Will, you will see.") == ["will"]


def test_a_title_with_somebody_elses_name_is_somebody_else() -> None:
    assert named("the Duke of York") == []
    assert named("the Duke of Kent") == ["edmund"]
    assert named("the duke") == ["edmund"]


def test_a_name_shared_by_two_finds_neither_but_each_full_name_finds_its_own() -> None:
    assert named("James and James Wood and Carter") == ["james_b", "james_a"]


def test_a_full_name_beats_a_part_of_anothers() -> None:
    names = Names((Character("helena"), Character("other", name="Helena Smith")))
    assert [mention.id for mention in names.find("Helena and Helena Smith")] == ["helena", "other"]


def test_a_plural_names_all_who_share_the_word() -> None:
    assert named("The guards look up.") == ["guard_1", "guard_2"]
    assert named("The guard looks up.") == []


def test_what_is_owned_is_marked_as_possessive() -> None:
    mentions = Names(CAST).find("Bob's sword lies by Alice, and James' is gone. Alice’s too.")
    assert [(mention.id, mention.possessive) for mention in mentions] == [
        ("bob", True),
        ("alice", False),
        ("alice", True),
    ]


def test_lists_of_names_stand_together() -> None:
    text = "Alice, Bob and the Captain met Will & Renée."
    groups = lists(text, Names(CAST).find(text))
    assert [[mention.id for mention in group] for group in groups] == [["alice", "bob", "mira"], ["will", "renee"]]


def test_a_users_persona_called_you_is_not_every_you() -> None:
    assert Names((Character("you", kind="persona"),)).find("What do you think of it?") == ()


def test_a_long_text_is_read_in_linear_time() -> None:
    names = Names(CAST)
    started = time.process_time()
    names.find("Alice saw Bob and the guards, " * 20_000)
    assert time.process_time() - started < 5
