"""Characters, and the cast they form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from earwitness.errors import InputError, UnknownName
from earwitness.records.character import Cast, Character, as_cast, display_name


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("alice", "Alice"),
        ("shadow_fox", "Shadow Fox"),
        ("McCoy", "McCoy"),
        ("dr_Grey", "dr Grey"),
        ("空", "空"),
        ("r2d2", "R2D2"),
    ],
)
def test_a_character_without_a_name_is_called_by_its_id(id: str, name: str) -> None:
    assert display_name(id) == Character(id).name == name


def test_a_character_has_what_it_was_given() -> None:
    fox = Character("fox", name="Shadow Fox", aliases=["the Fox", "Fox"], kind="persona", user_id="u1")
    assert (fox.id, fox.name, fox.aliases, fox.kind, fox.user_id) == (
        "fox",
        "Shadow Fox",
        ("the Fox", "Fox"),
        "persona",
        "u1",
    )
    assert fox.names == ("fox", "Shadow Fox", "the Fox", "Fox")


def test_a_character_does_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Character("alice").name = "Mallory"  # type: ignore[misc]


@pytest.mark.parametrize("id", ["world", "World", "", " alice", "ali\nce", "ali\u200bce"])
def test_a_character_needs_a_usable_id(id: str) -> None:
    with pytest.raises(ValueError, match=r"reserved for the world|must be text|invisible"):
        Character(id)


def test_a_character_and_a_cast_come_back_from_json() -> None:
    cast = as_cast([Character("fox", aliases=["the Fox"], kind="persona", user_id="u1"), "bob"])
    assert Cast.model_validate_json(cast.model_dump_json()) == cast


def test_a_cast_is_made_of_characters_and_bare_ids_in_their_order() -> None:
    cast = as_cast(["bob", Character("alice"), "charlie"])
    assert cast.ids == tuple(member.id for member in cast) == ("bob", "alice", "charlie")
    assert len(cast) == 3
    assert "bob" in cast
    assert "Bob" not in cast
    assert "zoe" not in cast


def test_nobody_stands_twice_in_a_cast() -> None:
    with pytest.raises(InputError, match="'bob' appears twice"):
        as_cast(["bob", "alice", Character("bob", name="Robert")])


def test_an_unknown_character_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"'alise'.*alice, bob.*'alice'"):
        as_cast(["bob", "alice"])["alise"]
    assert as_cast(["bob", "alice"])["bob"] == Character("bob")


@pytest.mark.parametrize("called", ["bob", "Bob", "BOB", "robert", "Robert", " bobby "])
def test_a_character_is_found_by_any_of_its_names(called: str) -> None:
    cast = as_cast(["alice", Character("bob", aliases=["Robert", "Bobby"])])
    found = cast.resolve(called)
    assert found is not None
    assert found.id == "bob"


def test_a_name_that_nobody_has_finds_nobody() -> None:
    assert as_cast(["alice"]).resolve("zoe") is as_cast([]).resolve("alice") is None


def test_a_name_that_two_have_finds_neither() -> None:
    cast = as_cast([Character("grey_a", aliases=["Dr. Grey"]), Character("grey_b", aliases=["dr. grey"])])
    assert cast.resolve("Dr. Grey") is None
    assert cast.resolve("grey_a") == cast["grey_a"]


def test_an_id_goes_before_anybody_elses_alias() -> None:
    cast = as_cast([Character("fox"), Character("robin", aliases=["fox"])])
    assert cast.resolve("fox") == cast["fox"]
    assert cast.resolve("Fox") is None


def test_newcomers_join_at_the_end_and_a_known_id_takes_new_names() -> None:
    cast = as_cast(["alice", "bob"]).joined([Character("zoe"), Character("alice", aliases=["Al"])])
    assert cast.ids == ("alice", "bob", "zoe")
    assert cast["alice"].aliases == ("Al",)
    assert cast.resolve("al") == cast["alice"]


def test_who_is_forgotten_has_left_the_cast() -> None:
    cast = as_cast(["alice", "bob"])
    assert cast.without("bob").ids == ("alice",)
    assert cast.without("zoe") == cast
    assert cast.ids == ("alice", "bob")


@given(
    st.lists(st.sampled_from(("alice", "bob", "Bob", "BOB", "zoe")), max_size=4, unique=True),
    st.sampled_from(("bob", "BOB", "Alice")),
)
def test_resolving_names_one_of_the_cast_or_nobody(ids: list[str], called: str) -> None:
    cast = as_cast(ids)
    found = cast.resolve(called)
    assert found is None or (found.id in ids and found.id.casefold() == called.casefold())
    if called in ids:
        assert found == cast[called]
