"""Character cards: from every container, of every version, in the words of a story."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import StoryError
from earwitness.imports import Imported
from earwitness.protocols import Importer
from earwitness_plugins.importers.card import CardImporter

from .making import V1, V2, V3, chunk, file, png, text, text_chunk, webp, zipped

JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(32) + b"\xff\xd9"
CONTAINERS = {
    "bare.json": text(V2),
    "marked.json": b"\xef\xbb\xbf" + text(V2),
    "wide.json": text(V2).decode().encode("utf-16"),
    "plain.png": png(text_chunk(V2)),
    "packed.png": png(text_chunk(V2, kind=b"zTXt")),
    "international.png": png(text_chunk(V2, kind=b"iTXt")),
    "odd-case.png": png(text_chunk(V2, b"Chara", b"TEXT")),
    "odd-packed.png": png(text_chunk(V2, b"CHARA", b"ZtXt")),
    "naked.png": png(chunk(b"tEXt", b"chara\0" + text(V2))),
    "unpadded.png": png(chunk(b"tEXt", b"chara\0" + base64.urlsafe_b64encode(text(V2)).rstrip(b"="))),
    "folded.png": png(chunk(b"tEXt", b"chara\0" + base64.encodebytes(text(V2)))),
    "behind.png": png(text_chunk("no card", b"parameters"), text_chunk(V2)),
    "card.charx": zipped({"assets/icon.png": png(), "card.json": text(V2)}),
    "photo.jpg": JPEG + zipped({"card.json": text(V2)}),
    "photo.jpeg": JPEG + zipped({"inner/Card.JSON": text(V2)}),
    "zipped.png": png() + zipped({"card.json": text(V2)}),
    "picture.webp": webp(V2),
}


def read(folder: Path, name: str, data: Any) -> Imported:
    path = file(folder, name, data)
    importer = CardImporter()
    assert importer.accepts(path, Path(path).read_bytes()[:4096])
    return importer.read(path)


def test_it_is_an_importer() -> None:
    assert isinstance(CardImporter(), Importer)


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_card_is_found_in_whatever_it_comes_in(tmp_path: Path, name: str) -> None:
    card = read(tmp_path, name, CONTAINERS[name])
    assert card.characters[0].name == "Mira Vale"
    assert card.repairs == ()


@pytest.mark.parametrize("name", CONTAINERS)
def test_its_json_is_kept_to_the_letter(tmp_path: Path, name: str) -> None:
    (original,) = read(tmp_path, name, CONTAINERS[name]).originals
    assert json.loads(original.text.removeprefix("\ufeff")) == V2
    assert original.format == "card"
    if name.endswith(".json"):
        assert original.text.encode(original.encoding) == CONTAINERS[name]
    else:
        assert original.text.encode(original.encoding) == text(V2)


def test_a_card_says_who_somebody_is_how_they_speak_and_how_they_begin(tmp_path: Path) -> None:
    card = read(tmp_path, "mira.json", V2)
    (mira,) = card.characters
    assert mira.card == "Mira Vale keeps the lighthouse.\n\nPersonality: Dry."
    assert mira.examples == ("{{user}}: Who are you?\nMira Vale: The light.", "Mira Vale: Mind the stairs.")
    assert mira.greetings == ("You are late, {{user}}.", "Mind the gulls.")
    assert mira.tags == ("sea", "night")
    assert card.plot == "Mira Vale waits for {{user}} in the fog."


def test_instructions_to_a_model_are_no_memories(tmp_path: Path) -> None:
    assert "Obey" not in read(tmp_path, "mira.json", V2).model_dump_json(exclude={"originals"})


def test_version_one_is_flat_and_version_three_adds_names_and_greetings(tmp_path: Path) -> None:
    old, new = read(tmp_path, "old.json", V1), read(tmp_path, "new.json", V3)
    assert old.characters[0].greetings == ("You are late, {{user}}.",)
    assert new.characters[0].aliases == ("Mi",)
    assert new.characters[0].group_greetings == ("Good evening, all.",)
    assert new.characters[0].card.startswith("Mi keeps"), "V3: {{char}} stands for the nickname"


def test_of_two_versions_in_one_picture_the_newer_counts(tmp_path: Path) -> None:
    both = png(text_chunk(V2), text_chunk(V3, b"ccv3"))
    assert read(tmp_path, "both.png", both).characters[0].aliases == ("Mi",)


def test_the_older_version_stands_in_for_a_newer_one_that_is_broken(tmp_path: Path) -> None:
    both = png(text_chunk(V2), text_chunk(b"{broken", b"ccv3"))
    card = read(tmp_path, "both.png", both)
    assert card.characters[0].aliases == ()
    assert "its ccv3 card cannot be read" in card.repairs[0]


def test_a_characters_own_book_is_known_to_that_character_but_for_what_is_constant(tmp_path: Path) -> None:
    entries = [
        V2["data"]["character_book"]["entries"][0],
        {"keys": [], "content": "{{char}} is mortal.", "constant": True, "enabled": True},
        {"keys": ["gulls"], "content": "Gulls lie.", "extensions": {"character_filter": {"names": ["Tom"]}}},
    ]
    book = {**V2, "data": {**V2["data"], "character_book": {"name": "Lights", "entries": entries}}}
    lamp, mortal, gulls = read(tmp_path, "mira.json", book).lore
    assert (lamp.own, lamp.key, lamp.words) == (True, "Lights/7", ("lamp", "light"))
    assert (mortal.own, mortal.text) == (False, "Mira Vale is mortal.")
    assert (gulls.own, gulls.names) == (False, ("Tom",))


def test_older_names_of_the_fields_are_known(tmp_path: Path) -> None:
    old = {"char_name": "Bo", "char_persona": "A dog.", "char_greeting": "Woof.", "world_scenario": "A yard."}
    card = read(tmp_path, "bo.json", old)
    assert card.plot == "A yard."
    assert (card.characters[0].name, card.characters[0].card, card.characters[0].greetings) == (
        "Bo",
        "A dog.",
        ("Woof.",),
    )


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.png", png(), "it has no character card"),
        ("photo.jpg", JPEG, "it has no character card"),
        ("other.charx", zipped({"readme.txt": b"hello"}), "it has no character card"),
        ("wrong.png", png(text_chunk(b"\xff\xfe\xfd{")), "not JSON"),
        ("list.png", png(text_chunk(b"[1]")), "must be a JSON object; it is a list of 1"),
        ("letters.png", png(chunk(b"tEXt", b"chara\0***")), "neither Base64 nor JSON"),
        (
            "nobody.png",
            png(text_chunk({"spec": "chara_card_v2", "data": {}})),
            "the card has no name",
        ),
        (
            "deep.json",
            b'{"name":"x","first_mes":"y","a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            "nested too deeply",
        ),
    ],
)
def test_what_is_no_card_is_one_error_that_names_the_file(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = file(tmp_path, name, data)
    with pytest.raises(StoryError) as caught:
        CardImporter().read(path)
    assert path in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("package.json", {"name": "left-pad", "description": "Pads.", "version": "1.0"}),
        ("world.json", {"name": "Lights", "description": "A book.", "entries": {}}),
        ("list.json", [V2]),
        ("notes.txt", "Mira: Hello."),
    ],
)
def test_what_only_looks_like_a_card_is_left_to_others(tmp_path: Path, name: str, data: Any) -> None:
    path = file(tmp_path, name, json.dumps(data) if not isinstance(data, str) else data)
    assert not CardImporter().accepts(path, Path(path).read_bytes()[:4096])


def test_a_long_card_is_known_though_its_first_bytes_say_little(tmp_path: Path) -> None:
    assert read(tmp_path, "long.json", {"name": "Mira", "description": "x" * 9000, "first_mes": "Hm."}).characters
