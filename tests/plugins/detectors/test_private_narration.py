"""The detector `rules`: what a narrator tells only some, in whatever language, and what only some say to each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from earwitness.records.character import Character

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie")
NARRATOR = Character("narrator", kind="narrator")


def named(*names: str) -> list[Character]:
    """Alice, Bob and Charlie under other names, and a narrator."""
    return [*(Character(id, name=name) for id, name in zip(HERE, names, strict=True)), NARRATOR]


def test_a_whisper_told_of_nobody_by_name_is_for_those_who_came_close(story: Begin) -> None:
    told = 'Alice bends down to Bob. "Where is it?" she whispers. "At home," Bob whispers back. Charlie coughs.'
    heard = story(here=HERE).hears("narrator", told)
    assert heard["alice"] == heard["bob"] == told
    assert heard["charlie"] == "Alice bends down to Bob. Charlie coughs."


def test_a_whisper_told_of_nobody_at_all_reaches_nobody(story: Begin) -> None:
    heard = story(here=HERE).hears("narrator", 'The lamp goes out. "He lies," somebody whispers. The dog barks.')
    assert heard == dict.fromkeys(HERE, "The lamp goes out. The dog barks.")


def test_what_she_wonders_about_somebody_is_not_theirs(story: Begin) -> None:
    heard = story(here=HERE).hears("narrator", "Alice hums. She wonders whether Bob knows. Charlie yawns.")
    assert heard["alice"] == "Alice hums. She wonders whether Bob knows. Charlie yawns."
    assert heard["bob"] == heard["charlie"] == "Alice hums. Charlie yawns."


def test_what_somebody_is_told_to_mutter_to_herself_is_hers(story: Begin) -> None:
    heard = story(here=HERE).hears("narrator", '"Fool," mutters Alice to herself. Bob sits down.')
    assert heard["alice"] == '"Fool," mutters Alice to herself. Bob sits down.'
    assert heard["bob"] == heard["charlie"] == "Bob sits down."


def test_a_thought_told_of_one_of_several_places_stays_a_thought(story: Begin) -> None:
    told = "In the kitchen, Alice hums. Alice thinks that Charlie is lying.\n\nIn the cellar, Bob counts barrels."
    heard = story(here=HERE).hears("narrator", told)
    assert "Alice thinks" in heard["alice"]
    assert not any("Alice thinks" in heard.get(id, "") for id in ("bob", "charlie"))


@pytest.mark.parametrize(
    ("names", "told", "thought", "open_text"),
    [
        (HERE, "Bob setzte sich. Er dachte, dass Alice log. „Guten Abend“, sagte Alice.", "log", "Guten Abend"),
        (HERE, "Bob se sentó. Pensó que Alice mentía. «Buenas noches», dijo Alice.", "mentía", "Buenas noches"),
        (HERE, "Bob s'assit. Il pensa qu'Alice mentait. « Bonsoir », dit Alice.", "mentait", "Bonsoir"),
        (
            ("Алиса", "Боб", "Карл"),
            "Боб сел. Он подумал, что Алиса лжёт. «Добрый вечер», — сказала Алиса.",
            "лжёт",
            "Добрый вечер",
        ),
        (("秋月", "老邢", "阿菱"), "老邢坐下。他心想秋月在撒谎。“晚上好。”秋月说。", "撒谎", "晚上好"),
    ],
)
def test_a_thought_told_in_other_languages_is_for_whoever_thinks(
    story: Begin, names: Sequence[str], told: str, thought: str, open_text: str
) -> None:
    heard = story(cast=named(*names), here=HERE).hears("narrator", told)
    assert [id for id in HERE if thought in heard[id]] == ["bob"]
    assert all(open_text in heard[id] for id in HERE)


@pytest.mark.parametrize(
    ("names", "told", "secret", "deed"),
    [
        (HERE, "Alice beugte sich zu Bob. „Lauf!“, flüsterte sie. Charlie gähnte.", "Lauf", "gähnte"),
        (HERE, "Alice le susurró a Bob al oído: «Corre». Charlie bostezó.", "Corre", "bostezó"),
        (HERE, "Alice murmura à l'oreille de Bob : « Fuis ! » Charlie bâilla.", "Fuis", "bâilla"),
        (("秋月", "老邢", "阿菱"), "秋月凑到老邢耳边说“酒里有东西。”阿菱打了个哈欠。", "酒里有东西", "哈欠"),
    ],
)
def test_a_whisper_told_in_other_languages_is_for_two_and_what_follows_for_all(
    story: Begin, names: Sequence[str], told: str, secret: str, deed: str
) -> None:
    heard = story(cast=named(*names), here=HERE).hears("narrator", told)
    assert [id for id in HERE if secret in heard[id]] == ["alice", "bob"]
    assert all(deed in heard[id] for id in HERE)


def test_a_paragraph_out_of_sight_is_for_those_told_of_there(story: Begin) -> None:
    below, above = "Alice picks up the stool. Charlie laughs.", "Up on the roof Bob has not moved his ear."
    heard = story(here=HERE).hears("narrator", f"{below}\n\n{above}")
    assert heard["alice"] == heard["charlie"] == below
    assert above in heard["bob"]


def test_players_are_told_apart_also_behind_what_all_are_told(story: Begin) -> None:
    told = "It is Tuesday. Alice and Charlie, you are upstairs. There is a letter.\n\nBob, you are in the van."
    heard = story(here=HERE).hears("narrator", told)
    assert (
        heard["alice"] == heard["charlie"] == "It is Tuesday. Alice and Charlie, you are upstairs. There is a letter."
    )
    assert heard["bob"] == "It is Tuesday. Bob, you are in the van."


@pytest.mark.parametrize(
    "told",
    [
        '(for Bob only) The ring grows cold. The voice in it says: "He lies."',
        "GM note slipped to Bob's player: your brand begins to itch.",
        "Bob, your ears are better than theirs: somebody breathes behind the wall.",
    ],
)
def test_what_a_paragraph_is_headed_for_one_player_is_theirs(story: Begin, told: str) -> None:
    assert story(here=HERE).hears("narrator", f"The door opens.\n\n{told}") == {
        "alice": "The door opens.",
        "bob": f"The door opens.\n\n{told}",
        "charlie": "The door opens.",
    }
