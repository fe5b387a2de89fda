"""Stores that keep a folder, where a file has its place."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import StorageError
from earwitness_plugins.stores.markdown import MarkdownStore
from earwitness_plugins.stores.mem0 import Mem0Store
from earwitness_plugins.stores.qdrant import QdrantStore

pytestmark = pytest.mark.anyio
NEEDS = {"markdown": "earwitness", "qdrant": "qdrant_client", "mem0": "mem0"}


def made(name: str, folder: Path) -> Any:
    if name == "markdown":
        return MarkdownStore(path="story.db", embedder=None, folder=str(folder))
    return {"qdrant": QdrantStore, "mem0": Mem0Store}[name](path=str(folder), embedder=None)


@pytest.mark.parametrize("folder", ["file", "file/below"])
@pytest.mark.parametrize("name", NEEDS)
async def test_a_file_in_the_place_of_the_folder_is_named_and_left_alone(
    tmp_path: Path, name: str, folder: str
) -> None:
    if find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StorageError, match=rf"file' is a file, and the store '{name}' needs a folder"):
        await made(name, tmp_path / folder).open()
    assert (tmp_path / "file").read_text() == "mine"
