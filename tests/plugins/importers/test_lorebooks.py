"""Lorebooks: every dialect, who knows an entry, and what finds it."""

import json
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import StoryError
from earwitness.imports import Imported, ImportedLore
from earwitness.protocols import Importer
from earwitness_plugins.importers.lorebook import LorebookImporter

from .making import ENTRY, WORLD, file

DIALECTS: dict[str, dict[str, Any]] = {
    "sillytavern": {
        "entries": {"3": {"uid": 3, "key": ["lamp"], "keysecondary": ["oil"], "content": "It burns.", "disable": False}}
    },
    "character_book": {
        "name": "Lights",
        "entries": [{"keys": ["lamp"], "secondary_keys": ["oil"], "content": "It burns.", "enabled": True, "id": 3}],
    },
    "lorebook_v3": {
        "spec": "lorebook_v3",
        "data": {"entries": [{"keys": ["lamp", "oil"], "content": "It burns.", "enabled": True, "use_regex": False}]},
    },
    "novelai": {
        "lorebookVersion": 6,
        "entries": [{"text": "It burns.", "displayName": "L", "id": "a-1", "keys": ["lamp", "oil"], "enabled": True}],
        "settings": {"orderByKeyLocations": False},
    },
    "agnai": {
        "kind": "memory",
        "name": "Lights",
        "entries": [{"name": "Lamp", "entry": "It burns.", "keywords": ["lamp", "oil"], "enabled": True, "weight": 1}],
    },
    "risu": {
        "type": "risu",
        "ver": 1,
        "data": [{"key": "lamp, oil", "secondkey": "", "content": "It burns.", "comment": "", "alwaysActive": False}],
    },
}


def read(folder: Path, book: object, name: str = "lights.json") -> Imported:
    path = file(folder, name, json.dumps(book))
    importer = LorebookImporter()
    assert importer.accepts(path, Path(path).read_bytes()[:4096])
    return importer.read(path)


def only(folder: Path, **entry: Any) -> ImportedLore:
    """What comes of a single entry."""
    (found,) = read(folder, {"entries": {"0": {"uid": 0, "content": "So it is.", **entry}}}).lore
    return found


def test_it_is_an_importer() -> None:
    assert isinstance(LorebookImporter(), Importer)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_says_the_same(tmp_path: Path, dialect: str) -> None:
    book = read(tmp_path, DIALECTS[dialect])
    (entry,) = book.lore
    assert (entry.text, entry.words) == ("It burns.", ("lamp", "oil"))
    assert (entry.own, entry.names, entry.tags) == (False, (), ())
    assert book.repairs == ()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_its_json_is_kept_to_the_letter(tmp_path: Path, dialect: str) -> None:
    written = json.dumps(DIALECTS[dialect])
    (original,) = read(tmp_path, DIALECTS[dialect]).originals
    assert (original.text, original.format, original.name) == (written, "worldinfo", "lights.json")


def test_entries_that_are_switched_off_are_known_to_nobody_and_kept(tmp_path: Path) -> None:
    off = [{"content": "A", "disable": True}, {"content": "B", "enabled": False}, {"content": "@@dont_activate\nC"}]
    book = read(tmp_path, {"entries": off})
    assert book.lore == ()
    assert "dont_activate" in book.originals[0].text


def test_a_filter_names_who_knows_an_entry_or_who_does_not(tmp_path: Path) -> None:
    entry = only(tmp_path, characterFilter={"isExclude": True, "names": ["Tom.png"], "tags": ["sea"]})
    assert (entry.names, entry.tags, entry.exclude) == (("Tom",), ("sea",), True)
    assert only(tmp_path, characterFilter={"isExclude": False, "names": [], "tags": []}).names == ()


def test_decorators_are_no_part_of_the_text(tmp_path: Path) -> None:
    entry = only(tmp_path, key=["lamp"], content="@@depth 4\n@@additional_keys oil, wick\n@@@role system\nIt burns.")
    assert entry.text == "It burns."
    assert entry.words == ("lamp", "oil", "wick")


def test_patterns_are_no_words(tmp_path: Path) -> None:
    assert only(tmp_path, key=["/lamp|light/i", "lamp", "lamp"]).words == ("lamp",)


def test_keys_stay_the_same_when_entries_move(tmp_path: Path) -> None:
    entries = [ENTRY, {**ENTRY, "id": 8, "content": "Tom trims it."}]
    there = {each.text: each.key for each in read(tmp_path, {"name": "Lights", "entries": entries}).lore}
    back = {each.text: each.key for each in read(tmp_path, {"name": "Lights", "entries": entries[::-1]}).lore}
    assert there == back == {"The lamp burns whale oil.": "Lights/7", "Tom trims it.": "Lights/8"}


def test_keys_are_distinct_though_ids_are_not(tmp_path: Path) -> None:
    entries = [{**ENTRY, "id": 1}, {**ENTRY, "id": 1}, {**ENTRY, "id": "1"}, {**ENTRY, "id": None}]
    keys = [each.key for each in read(tmp_path, {"entries": entries}).lore]
    assert len(set(keys)) == 4


def test_a_world_keeps_what_has_no_words_here(tmp_path: Path) -> None:
    assert "unheardOf" in read(tmp_path, WORLD).originals[0].text


def test_a_book_without_entries_is_a_book(tmp_path: Path) -> None:
    assert read(tmp_path, {"entries": {}}).lore == ()


@pytest.mark.parametrize("value", [{}, [], {"entries": [1, 2]}, {"entries": "x"}, {"entries": {"a": {"b": 1}}}])
def test_what_is_no_lorebook_is_left_to_others(tmp_path: Path, value: object) -> None:
    path = file(tmp_path, "x.json", json.dumps(value))
    assert not LorebookImporter().accepts(path, json.dumps(value).encode())


def test_a_list_is_refused_by_name(tmp_path: Path) -> None:
    path = file(tmp_path, "x.json", "[1, 2]")
    with pytest.raises(StoryError, match=r"x\.json: must be a JSON object; it is a list of 2"):
        LorebookImporter().read(path)
