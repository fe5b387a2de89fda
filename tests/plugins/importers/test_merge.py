"""Several files become one story: who is who, and who of them knows what."""

from typing import Any

import pytest

from earwitness.imports import Imported, ImportedCharacter, ImportedLore
from earwitness.lore import Lore
from earwitness.records.character import Cast, Character
from earwitness_plugins.applications.imports.merge import MergedFiles, merge

CAST = Cast(members=(Character("tom", name="Old Tom", aliases=["Thomas"]), Character("kim", kind="persona")))


def card(name: str, **more: Any) -> Imported:
    """A card of somebody, with lore of their own."""
    lore = more.pop("lore", ())
    plot = more.pop("plot", None)
    return Imported(characters=(ImportedCharacter(name=name, **more),), lore=lore, plot=plot)


def book(*lore: ImportedLore) -> Imported:
    return Imported(lore=lore)


def entry(text: str = "So it is.", key: str = "book/1", **more: Any) -> ImportedLore:
    return ImportedLore(text=text, key=key, **more)


def lore(found: MergedFiles) -> list[Lore]:
    """The entries of all files."""
    return [each for part in found.parts for each in part.lore]


def knowers(found: MergedFiles) -> list[tuple[str, ...] | None]:
    return [each.known_by for each in lore(found)]


def test_a_newcomer_gets_an_id_from_the_name_that_nobody_has() -> None:
    found = merge([card("Mira Vale"), card("Mira  Vale"), card("World")], Cast(), avoid=["mira_vale"])
    assert [each.id for each in found.cast] == ["mira_vale_2", "mira_vale_3", "world_"]


def test_who_is_in_the_story_already_stays_who_they_are_and_gets_more_names() -> None:
    (tom,) = merge([card("thomas", aliases=("Captain",))], CAST).cast
    assert (tom.id, tom.name, tom.aliases) == ("tom", "Old Tom", ("Thomas", "Captain"))


def test_two_cards_of_one_name_are_two_characters() -> None:
    first, second = merge([card("Old Tom"), card("Old Tom")], CAST).cast
    assert (first.id, second.id) == ("tom", "old_tom")


def test_own_lore_is_the_files_characters_though_somebody_else_has_the_name() -> None:
    found = merge([card("Ann", lore=[entry("A", own=True)]), card("Ann", lore=[entry("B", own=True)])], Cast())
    assert knowers(found) == [("ann",), ("ann_2",)]


def test_lore_that_names_nobody_is_common_knowledge() -> None:
    assert knowers(merge([book(entry())], CAST)) == [None]


@pytest.mark.parametrize("name", ["Mira", "mira", "MI", "mira_v2"])
def test_lore_names_its_knowers_by_name_alias_or_file(name: str) -> None:
    mira = card("Mira", aliases=("Mi",), file="Mira_v2")
    assert knowers(merge([mira, card("Bo"), book(entry(names=(name,)))], CAST)) == [("mira",)]


def test_lore_that_leaves_somebody_out_is_known_to_everybody_else() -> None:
    hidden = entry(names=("Mira",), exclude=True)
    assert knowers(merge([card("Mira"), card("Bo"), book(hidden)], CAST)) == [("bo", "tom", "kim")]


def test_lore_for_somebody_who_is_not_here_is_known_to_nobody_and_said_so() -> None:
    found = merge([card("Mira"), book(entry(names=("Bo",)))], Cast())
    assert knowers(found) == [()]
    assert "'book/1' is known to Bo, who is not here: import it again once they are" in found.warnings[0]


def test_tags_name_knowers_too_and_with_names_both_must_hold() -> None:
    cards = [card("Mira", tags=("Sea", "night")), card("Bo", tags=("sea",)), card("Cat")]
    for more, expected in [
        ({"tags": ("sea",)}, ("mira", "bo")),
        ({"tags": ("sea",), "exclude": True}, ("cat",)),
        ({"tags": ("sea",), "names": ("Bo", "Cat")}, ("bo",)),
        ({"tags": ("8f3c-id",), "exclude": True}, ()),
    ]:
        assert knowers(merge([*cards, book(entry(**more))], Cast())) == [expected], more


def test_the_user_and_the_one_it_can_only_be_are_named_in_every_text() -> None:
    mira = card(
        "Mira",
        card="{{user}}'s keeper",
        examples=("{{user}}: Hm.",),
        greetings=("You, {{User}}!",),
        plot="<USER> waits.",
        lore=[entry("{{user}} pays {{char}}.", own=True, words=("{{user}}",)), entry("{{char}} is mortal.", key="b/2")],
    )
    found = merge([mira], Cast(), user="Kim")
    (part,) = found.parts
    assert (part.cards["mira"], part.plot["mira"], part.examples["mira"]) == (
        "Kim's keeper",
        "Kim waits.",
        ("Kim: Hm.",),
    )
    assert found.characters["mira"].greetings == ("You, Kim!",)
    assert part.lore[0] == Lore(text="Kim pays Mira.", key="book/1", known_by=("mira",), words=("Kim",))
    assert part.lore[1].text == "{{char}} is mortal.", "of all, nobody knows who is meant"
    assert found.names_user


def test_an_entry_of_the_same_name_and_another_text_gets_another_key() -> None:
    found = merge([book(entry("A")), book(entry("A")), book(entry("B"))], Cast())
    assert [(each.key, each.text) for each in lore(found)] == [("book/1", "A"), ("book/1", "A"), ("book/1'", "B")]


def test_every_card_has_its_own_plot() -> None:
    found = merge([card("Mira", plot="Fog."), card("Bo", plot="Rain.")], Cast())
    assert [part.plot for part in found.parts] == [{"mira": "Fog."}, {"bo": "Rain."}]


def test_an_empty_card_and_doubled_dialogue_leave_nothing_behind() -> None:
    (part,) = merge([card("Mira", examples=("Hm.", "Hm."))], Cast()).parts
    assert (part.cards, part.examples) == ({}, {"mira": ("Hm.",)})
