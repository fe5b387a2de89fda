"""Whose names a text holds: what `never_about` and the groups of players keep, however a name is written."""

import json
import unicodedata
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from earwitness import Character, Earwitness
from earwitness_relationships.propagation.names_in_texts import NamesInTexts

NAMES = NamesInTexts(
    [
        ("kim", "kim"),
        ("Kim", "kim"),
        ("Zoë", "zoe"),
        ("美琳", "mei"),
        ("Mei-Lin", "mei"),
        ("Борис", "boris"),
        ("Яна", "yana"),
        ("明", "ming"),
        ("민수", "minsu"),
        ("☆", "star"),
    ]
)


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("*_Kim_ is ill.*", "kim"),
        ("Have you seen __Kim__?", "kim"),
        ("KIM_ has it.", "kim"),
        ("\uff2b\uff49\uff4d is ill.", "kim"),
        ("Ki\u200bm is ill.", "kim"),
        (unicodedata.normalize("NFD", "Zoë is ill."), "zoe"),
        ("Zoe is ill.", "zoe"),
        ("我听说美琳病了。", "mei"),
        ("MeiLin is ill.", "mei"),
        ("Mei Lin is ill.", "mei"),
        ("Mei\u2011Lin is ill.", "mei"),
        ("민수가 아파요.", "minsu"),
        ("Have you heard of ☆?", "star"),
    ],
)
def test_a_name_is_found_however_it_is_written(text: str, who: str) -> None:
    assert NAMES.certain(text) == (who,)
    assert who in NAMES.possible(text)


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Kims Schwester wohnt in Bonn.", "kim"),
        ("**K**im is ill.", "kim"),
        ("Я сказала Борису.", "boris"),
        ("Яну видели.", "yana"),
        ("明病了。", "ming"),
        ("美 琳 病了", "mei"),
    ],
)
def test_a_wall_takes_more_for_a_name(text: str, who: str) -> None:
    assert NAMES.certain(text) == ()
    assert who in NAMES.possible(text)


@pytest.mark.parametrize(
    "text", ["", "A kimono.", "K. I. M.", "Mein Leben", "The meilinger.", "_ * ~ `", "Это январь."]
)
def test_other_words_are_no_names(text: str) -> None:
    assert NAMES.certain(text) == NAMES.possible(text) == ()


def test_a_wall_stands_for_everybody_of_one_name() -> None:
    names = NamesInTexts([("Kim", "kim-a"), ("Kim", "kim-b")])
    assert names.certain("Kim is ill.") == ("kim-a",)
    assert names.possible("Kim is ill.") == ("kim-a", "kim-b")


async def test_never_about_keeps_a_name_in_markup_and_in_text_without_spaces(
    open_app: Callable[..., Awaitable[Earwitness]], tmp_path: Path
) -> None:
    rules = {"inn": {"members": ["ann", "ben"], "rules": {"propagate_all": True, "never_about": ["kim", "mei"]}}}
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    ew = await open_app(relationships={"rules": str(tmp_path / "rules.json")})
    cast = ["ann", "ben", Character("kim", name="Kim"), Character("mei", name="美琳")]
    story = await ew.session("s", cast=cast, present=["ann"])
    for text in (
        "*_Kim_ broke the lamp.*",
        "Kims lamp.",
        "美琳 broke the lamp.",
        "我听说美琳病了。 lamp",
        "Only a lamp.",
    ):
        await story.say("ann", text, audience=[])
    await story.delivered()
    turn = await story.turn("ben", query="lamp", in_prompt=[], memories=20)
    assert len(turn.memories) == 1
    assert "Only a lamp." in turn.memories[0].text
