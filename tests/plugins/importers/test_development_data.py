"""Real cards and a real world come in, and go out to the letter."""

import base64
import json
import struct
from pathlib import Path

import pytest

from earwitness import Earwitness
from earwitness.errors import StoryError
from earwitness.loading.strategies import Strategies
from earwitness_plugins.applications.exports.files import files
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.applications.imports.import_files import import_files

PICTURE = "user-default.png"


def cards(folder: Path) -> list[Path]:
    """Every card there is; one picture is a user's, with nothing in it."""
    return [path for path in sorted((folder / "cards").glob("*.png")) if path.name != PICTURE]


def raw(path: Path) -> bytes:
    """The JSON in a picture, found another way than ours: the last text chunk that is a card."""
    data, at, found = path.read_bytes(), 8, b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        keyword, _, value = data[at + 8 : at + 8 + size].partition(b"\0")
        if data[at + 4 : at + 8] == b"tEXt" and keyword in (b"chara", b"ccv3"):
            found = base64.b64decode(value)
        at += size + 12
    return found


async def test_every_card_and_world_comes_in_and_goes_out_to_the_letter(tmp_path: Path, development_data: Path) -> None:
    paths = cards(development_data)
    assert len(paths) == 7
    async with Earwitness.open(tmp_path / "s.db", strict=True) as ew:
        for path in paths:
            result = await import_files(ew, path.stem, [read_file(Strategies(), str(path))])
            assert result.warnings == ()
            story = await ew.open_session(path.stem)
            (card,) = files("card", await story.backstage().before(), story.cast, story.id)
            assert card.data == raw(path)
            (name,) = result.characters
            assert (await story.backstage().inspect(name)).total > 0
        world = development_data / "cards" / "Eldoria.json"
        await import_files(ew, "world", [read_file(Strategies(), str(world))])
        story = await ew.open_session("world")
        (book,) = files("worldinfo", await story.backstage().before(), story.cast, story.id)
        assert book.data == world.read_bytes()
        assert (await story.backstage().inspect("world")).total == len(json.loads(book.data)["entries"])


def test_a_picture_without_a_card_says_so(development_data: Path) -> None:
    with pytest.raises(StoryError, match=rf"{PICTURE}: it has no character card"):
        read_file(Strategies(), str(development_data / "cards" / PICTURE))
