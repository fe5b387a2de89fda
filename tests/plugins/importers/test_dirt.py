"""Dirty files are mended and said so; what would fill the memory is refused."""

import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import StoryError
from earwitness.imports import Imported
from earwitness.loading.strategies import Strategies
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.importers.files.limits import MAX_FILE, MAX_TEXT, MIB

from .making import ENTRY, V2, WORLD, Json, chunk, file, png, text, text_chunk, zipped


def read(path: str) -> Imported:
    return read_file(Strategies(), path)


def card(**fields: Any) -> Json:
    """A good card, but for these fields of its data."""
    return {**V2, "data": {**V2["data"], **fields}}


def entry(**fields: Any) -> Json:
    """A good card, but for these fields of the entry of its book."""
    return card(character_book={"name": "Lights", "entries": [{**ENTRY, **fields}]})


DIRT: dict[str, tuple[Json, str, Callable[[Imported], bool]]] = {
    "no book": (card(character_book=None), "data.character_book is null: read as none", lambda found: not found.lore),
    "a book that is a list": (
        card(character_book=[]),
        "data.character_book is a list of 0",
        lambda found: not found.lore,
    ),
    "one greeting": (
        card(alternate_greetings="Ahoy."),
        "data.alternate_greetings is the text 'Ahoy.': taken as the only one of a list",
        lambda found: found.characters[0].greetings[1:] == ("Ahoy.",),
    ),
    "no name": (
        card(name=""),
        "data.name is empty: the character is named 'the keeper' after the file",
        lambda found: found.characters[0].name == "the keeper",
    ),
    "a name of many lines": (card(name="Mira\n\tVale"), "", lambda found: found.characters[0].name == "Mira Vale"),
    "an endless name": (
        card(name="x" * 5000),
        "data.name is the text",
        lambda found: len(found.characters[0].name) == 200,
    ),
    "a number for a position": (entry(position=1), "entries[0].position is 1", lambda found: len(found.lore) == 1),
    "false in words": (entry(enabled="false"), "entries[0].enabled is the text 'false'", lambda found: not found.lore),
    "true in words": (
        entry(constant="True"),
        "entries[0].constant is the text 'True'",
        lambda found: not found.lore[0].own,
    ),
    "true as a number": (
        entry(constant=1),
        "entries[0].constant is 1: taken as true",
        lambda found: not found.lore[0].own,
    ),
    "a version that is a number": (
        {**V2, "spec_version": 2.0},
        "spec_version is 2.0: taken as text",
        lambda found: found.characters[0].name == "Mira Vale",
    ),
    "an unknown specification": (
        {**V2, "spec": "chara_card_v9"},
        "spec is the text 'chara_card_v9'",
        lambda found: found.characters[0].name == "Mira Vale",
    ),
    "no data": (
        {**V2["data"], "spec": "chara_card_v2", "spec_version": "2.0"},
        "data is missing: the fields at the root were read",
        lambda found: found.characters[0].name == "Mira Vale",
    ),
    "keys in one text": (entry(keys="lamp, light"), "", lambda found: found.lore[0].words == ("lamp", "light")),
    "keys that are numbers": (
        entry(keys=[1984, None, {}]),
        "keys[0] is 1984",
        lambda found: found.lore[0].words == ("1984",),
    ),
    "a text that is a list": (
        card(description=["One.", "Two."]),
        "data.description is a list of 2: its texts were joined",
        lambda found: found.characters[0].card.startswith("One.\nTwo."),
    ),
    "a text that is an object": (
        card(scenario={"a": 1}),
        "data.scenario is an object",
        lambda found: found.plot is None,
    ),
    "entries that are an object": (
        card(character_book={"entries": {"5": {k: v for k, v in ENTRY.items() if k != "id"}}}),
        "",
        lambda found: found.lore[0].key == "Mira Vale/5",
    ),
    "an entry that is none": (
        card(character_book={"entries": [ENTRY, "x", None]}),
        "entries[1] is the text 'x': left out",
        lambda found: len(found.lore) == 1,
    ),
    "half of a letter": (
        card(description="sea\ud83d\u0000!"),
        "data.description holds characters that no text may hold",
        lambda found: found.characters[0].card.startswith("sea!"),
    ),
    "a filter that is none": (
        {"entries": {"0": {**WORLD["entries"]["0"], "characterFilter": "Mira"}}},
        "entries[0].characterFilter is the text 'Mira': read as none",
        lambda found: len(found.lore) == 1,
    ),
}


@pytest.mark.parametrize("dirt", DIRT)
def test_dirt_is_mended_and_named_and_kept_as_it_was(tmp_path: Path, dirt: str) -> None:
    value, said, right = DIRT[dirt]
    path = file(tmp_path, "the_keeper.json", json.dumps(value))
    found = read(path)
    assert right(found)
    assert any(said in repair for repair in found.repairs) or not said
    assert all(repair.startswith(f"{path}: ") for repair in found.repairs)
    assert found.originals[0].text == json.dumps(value)


def test_a_good_card_needs_no_mending(tmp_path: Path) -> None:
    assert read(file(tmp_path, "mira.json", V2)).repairs == ()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (
            "old.json",
            json.dumps(V2).replace("lighthouse", "caf\xe9").encode("cp1252"),
            "); read as cp1252. If",
        ),
        ("loose.json", text(V2).replace(b"whale oil", b"whale\noil"), "bare line breaks or control characters"),
        ("cut.png", png(text_chunk(V2))[:-20], "the picture is cut off"),
        ("sum.png", png(text_chunk(V2)[:-4] + b"0000"), "the checksum of a text chunk is wrong"),
        ("other.png", png(chunk(b"zTXt", b"note\0\0broken"), text_chunk(V2)), "a damaged text chunk was left out"),
        ("short.png", png(chunk(b"iTXt", b"note"), text_chunk(V2)), "a damaged text chunk was left out"),
    ],
)
def test_damage_that_leaves_the_card_readable_is_named(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    found = read(file(tmp_path, name, data))
    assert found.characters[0].name == "Mira Vale"
    assert any(said in repair for repair in found.repairs)


DASHES = {
    **V2,
    "data": {**V2["data"], "description": "Mira — the keeper — of the light — and the fog.", "first_mes": "!"},
}


def test_one_bad_byte_costs_one_character_and_is_named_with_its_place(tmp_path: Path) -> None:
    data = json.dumps(DASHES, ensure_ascii=False, indent=1).encode().replace(b"!", b"You are late\x97")
    found = read(file(tmp_path, "mira.json", data))
    (mira,) = found.characters
    assert "Mira — the keeper — of the light — and the fog." in mira.card
    assert mira.greetings[0] == "You are late\ufffd"
    (repair,) = found.repairs
    line = data[: data.index(b"\x97")].count(b"\n") + 1
    column = data.index(b"\x97") - data.rindex(b"\n", 0, data.index(b"\x97"))
    assert "mira.json: damaged UTF-8; 1 of its characters could not be read and became \ufffd" in repair
    assert repair.endswith(f"(line {line}, column {column})")


def test_one_dash_among_several_bad_bytes_is_still_a_dash(tmp_path: Path) -> None:
    data = json.dumps(V2, ensure_ascii=False).replace("lighthouse", "l\u2014t").encode().replace(b"M", b"\xe9\xff")
    found = read(file(tmp_path, "mira.json", data))
    assert "l\u2014t" in found.characters[0].card
    assert "damaged UTF-8" in found.repairs[0]


def test_a_damaged_file_goes_out_again_byte_by_byte(tmp_path: Path) -> None:
    data = json.dumps(DASHES, ensure_ascii=False).encode().replace(b"!", b"\x97\x98")
    (original,) = read(file(tmp_path, "mira.json", data)).originals
    assert original.text.encode(original.encoding) == data


def test_a_file_without_a_readable_character_beyond_ascii_is_in_another_encoding(tmp_path: Path) -> None:
    data = json.dumps(DASHES, ensure_ascii=False).encode("cp1252")
    found = read(file(tmp_path, "mira.json", data))
    assert "Mira — the keeper" in found.characters[0].card
    byte = data.index("—".encode("cp1252"))
    assert [repair.partition("mira.json: ")[2] for repair in found.repairs] == [
        f"not UTF-8 (byte {byte}, line 1, column {byte + 1}); read as cp1252. If letters look wrong, save it as UTF-8"
    ]


def test_a_damaged_chat_and_a_damaged_transcript_are_named_too(tmp_path: Path) -> None:
    lines = [{"name": "Kim", "is_user": True, "mes": "Late — again?"}, {"name": "Mira", "mes": "Never!"}]
    chat = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode().replace(b"!", b"\x85")
    written = "Kim: Late — again?\nMira: Never!".encode().replace(b"!", b"\x85")
    for name, data in {"night.jsonl": chat, "night.txt": written}.items():
        found = read(file(tmp_path, name, data))
        assert [line.text for line in found.scenes[0].lines] == ["Late — again?", "Never\ufffd"], name
        assert "(line 2, column " in found.repairs[0], name


# ── limits ──────────────────────────────────────────────────────────────────────────────────────────────────────────

BOMB = zlib.compress(bytes(MAX_TEXT * 4), 9)
DENSE = zlib.compress(b'{"name": "x", "first_mes": "' + b"a" * 8 * MIB + b'"}', 9)


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """What is done within takes so many bytes of memory at most."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] <= size
    finally:
        tracemalloc.stop()


def lying(archive: bytes, size: int) -> bytes:
    """The archive, saying that what is in it has another size."""
    for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = archive.index(signature) + place
        archive = archive[:at] + struct.pack("<I", size) + archive[at + 4 :]
    return archive


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("ztxt.png", png(chunk(b"zTXt", b"chara\0\0" + BOMB))),
        ("itxt.png", png(chunk(b"iTXt", b"chara\0\1\0\0\0" + BOMB))),
        ("dense.png", png(chunk(b"zTXt", b"chara\0\0" + DENSE))),
        ("bomb.charx", zipped({"card.json": bytes(MAX_TEXT * 4)})),
        ("dense.charx", zipped({"card.json": zlib.decompress(DENSE)})),
        ("lying.charx", lying(zipped({"card.json": bytes(MAX_TEXT * 4)}), 100)),
        ("lzma.charx", zipped({"card.json": bytes(MAX_TEXT)}, zipfile.ZIP_LZMA)),
        ("bzip2.charx", zipped({"card.json": bytes(MAX_TEXT)}, zipfile.ZIP_BZIP2)),
        ("large.json", b'{"name": "x", "first_mes": "' + b"a" * MAX_TEXT + b'"}'),
        ("large.webp", b"RIFF\0\0\0\0WEBPEXIF" + struct.pack("<I", MAX_TEXT + 1)),
        ("large.png", png()[:-12] + struct.pack(">I", MAX_TEXT * 2) + b"tEXtchara\0" + b"a"),
    ],
)
def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path: Path, name: str, data: bytes) -> None:
    path = file(tmp_path, name, data)
    with at_most(3 * MAX_TEXT), pytest.raises(StoryError) as caught:
        read_file(Strategies(), path, "card")
    assert str(caught.value).startswith(path)


def test_a_file_of_any_kind_may_only_be_so_large(tmp_path: Path) -> None:
    for name in ("a.png", "a.json", "a.jsonl", "a.txt"):
        path = tmp_path / name
        with path.open("wb") as hole:
            hole.truncate(MAX_FILE + 1)
        with pytest.raises(StoryError, match="larger than 1024 MiB"):
            read(str(path))


def test_a_picture_may_be_large_since_it_is_not_read(tmp_path: Path) -> None:
    pixels = struct.pack(">I", 64 * MIB) + b"IDAT" + bytes(64 * MIB + 4)
    whole = png(text_chunk(V2))
    path = file(tmp_path, "large.png", whole[:33] + pixels + whole[33:])
    with at_most(4 * MIB):
        assert read(path).characters[0].name == "Mira Vale"


@pytest.mark.parametrize("name", ["none.png", "."])
def test_what_is_no_file_is_one_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoryError, match=r"there is no such file|cannot be read"):
        read(str(tmp_path / name))


def test_a_file_nobody_takes_is_told_who_there_is(tmp_path: Path) -> None:
    with pytest.raises(StoryError, match=r"x\.bin: no importer accepts it.*: .*card, .*lorebook, .*text"):
        read(file(tmp_path, "x.bin", bytes(range(100))))
