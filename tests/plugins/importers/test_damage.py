"""Damaged files: whatever is broken in a card or lorebook, it comes in with warnings or is refused in one sentence."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.errors import EarwitnessError, StoryError
from earwitness.imports import Imported
from earwitness.loading.strategies import Strategies
from earwitness.records.character import Cast
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.applications.imports.import_files import import_files
from earwitness_plugins.applications.imports.merge import merge
from earwitness_plugins.importers.card import CardImporter
from earwitness_plugins.importers.lorebook import LorebookImporter

from .making import V1, V2, V3, WORLD, file, png, text, text_chunk, zipped

EACH = 100
ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    float("nan"),
    "",
    " ",
    "true",
    "\ud800",
    "\0",
    "x" * 70_000,
    "###Message###",
    "{{char}}",
    [],
    [[]],
    {},
    {"": {}},
    ["a", 1, None],
    10**300,
    "<START>",
    "@@depth",
    "###SUPERMEMORY###",
    "../../etc/passwd",
)
GOOD: dict[str, bytes] = {
    "v1.json": text(V1),
    "v2.json": text(V2),
    "v3.png": png(text_chunk(V3, b"ccv3")),
    "v2.png": png(text_chunk(V2, kind=b"zTXt")),
    "v3.charx": zipped({"card.json": text(V3), "assets/a.png": png()}),
    "world.json": text(WORLD),
}


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The file with a part of it gone, doubled, moved or overwritten."""
    start, size = chance.randrange(len(data)), chance.choice([1, 2, 4, 16, 256, len(data)])
    part = data[start : start + size]
    match chance.randrange(5):
        case 0:
            return data[:start]
        case 1:
            return data[:start] + data[start + size :]
        case 2:
            return data[:start] + part + part + data[start + size :]
        case 3:
            return data[:start] + chance.randbytes(len(part)) + data[start + size :]
    return data[:start] + chance.choice([b"\0", b"\xff", b"[", b'"', b"}", b"\\ud800"]) * size + data[start + size :]


def spoilt(value: Any, chance: random.Random) -> Any:
    """The document with one to four of its values gone, or something else."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 4)):
        places = list(walk(value))
        if not places:
            return value
        home, key = chance.choice(places)
        if chance.random() < 0.2:
            del home[key]
        else:
            odd = chance.choice([*ODD, [home[key]], {"x": home[key]}, str(home[key])])
            home[key] = copy.deepcopy(odd)
    return value


def walk(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document, as its home and its key there."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from walk(value[key])


@cache
def strategies() -> Strategies:
    """Every importer there is."""
    return Strategies()


def outcome(path: Path, format: str | None = None) -> Imported | str:
    """What a file says, or why it cannot be read. Anything but an error of ours is raised."""
    try:
        found = read_file(strategies(), str(path), format)
    except EarwitnessError as error:
        return checked(str(error), path)
    merge([found], Cast())
    found.model_dump_json()
    return found


def checked(error: str, path: Path) -> str:
    """An error names the file, and is no longer than anybody reads."""
    assert str(path) in error
    assert len(error) < 1000
    return error


def documents(name: str, data: bytes) -> Any:
    """The JSON in a file that is good."""
    importer = LorebookImporter() if b'"entries"' in data[:30] else CardImporter()
    return json.loads(importer.read(name).originals[0].text.removeprefix("\ufeff"))


def check_bytes(folder: Path, name: str, data: bytes) -> list[Imported | str]:
    chance = random.Random(name)
    found = []
    for number in range(EACH):
        path = folder / f"{number}-{name}"
        path.write_bytes(damaged(data, chance))
        found.append(outcome(path))
        path.unlink()
    return found


def check_values(folder: Path, name: str, value: Any) -> list[Imported | str]:
    chance = random.Random(name)
    found = []
    for number in range(EACH):
        path = folder / f"{number}-{name}"
        spoiled = json.dumps(spoilt(value, chance)).encode()
        picture = number % 2 == 0 and "entries" not in value
        path.write_bytes(png(text_chunk(spoiled)) if picture else spoiled)
        found.append(outcome(path, chance.choice([None, "card", "lorebook"])))
        path.unlink()
    return found


@pytest.mark.parametrize("name", GOOD)
def test_a_hundred_files_with_bytes_gone_wrong_never_crash(tmp_path: Path, name: str) -> None:
    found = check_bytes(tmp_path, name, GOOD[name])
    assert any(isinstance(each, str) for each in found)
    assert any(isinstance(each, Imported) for each in found)


@pytest.mark.parametrize("value", [V1, V2, V3, WORLD], ids=["v1", "v2", "v3", "world"])
def test_a_hundred_documents_with_values_gone_wrong_never_crash(tmp_path: Path, value: Any) -> None:
    found = check_values(tmp_path, "spoilt", value)
    assert sum(isinstance(each, Imported) and bool(each.repairs) for each in found) > EACH / 5


def test_a_hundred_real_ones_of_each_kind_never_crash(tmp_path: Path, development_data: Path) -> None:
    for path in sorted((development_data / "cards").iterdir()):
        if path.name == "user-default.png":  # a picture without a card
            continue
        data = path.read_bytes()
        head = data if path.suffix == ".json" else png(text_chunk(documents(str(path), data)))
        check_bytes(tmp_path, path.name, head)
        check_values(tmp_path, path.name, documents(str(path), data))


async def test_what_could_be_read_of_them_can_be_told_to_a_story(tmp_path: Path) -> None:
    chance = random.Random("told")
    kept: dict[str, Any] = {"store": MemoryStore(), "ledger": MemoryLedger()}
    async with Earwitness.open(embedder="none", detector="none", strict=True, **kept) as ew:
        for number in range(EACH):
            path = tmp_path / f"{number}.json"
            path.write_text(json.dumps(spoilt(chance.choice([V2, V3, WORLD]), chance)), "utf-8")
            found = outcome(path)
            if isinstance(found, Imported):
                result = await import_files(ew, f"s{number}", [found])
                assert result.pieces >= len(found.lore)


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: data[: len(data) // 2], lambda data: b""])
def test_a_card_cut_off_within_its_text_is_refused(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    for name, data in {"a.json": text(V2), "a.png": png(text_chunk(spoil(text(V2))))}.items():
        path = tmp_path / name
        path.write_bytes(spoil(data) if name == "a.json" else data)
        assert isinstance(outcome(path), str)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("deep.json", b"[" * 200_000, "nested too deeply"),
        (
            "card.json",
            b'{"name":"A","description":"d","x":' + b"[" * 90_000 + b"]" * 90_000 + b"}",
            "nested too deeply",
        ),
        ("cut.json", b'{"name": "Ann", "descr', "not JSON"),
        ("empty.png", b"", "the file is empty"),
        ("zeros.json", b"\0" * 40, "the file is empty"),
        ("card.json", b'{"name": "A", "description": "d", "n": ' + b"9" * 6_000 + b"}", "not JSON: Exceeds the limit"),
    ],
)
def test_without_a_format_a_broken_file_is_one_error_that_says_why(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    path = file(tmp_path, name, data)
    with pytest.raises(StoryError) as caught:
        read_file(Strategies(), path)
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
