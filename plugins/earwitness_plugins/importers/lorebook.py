"""Lorebooks that stand by themselves: world info of SillyTavern, V3 lorebooks, and those of NovelAI, Agnai and Risu."""

from __future__ import annotations

from pathlib import Path

from earwitness.importing import Imported

from .cards.book import imported, is_lorebook
from .files.content_type import json_in
from .files.documents import document
from .files.lenient import storable
from .files.limits import whole


class LorebookImporter:
    """Reads what is so in a world. Who knows an entry that names nobody? Everybody."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether this is JSON with entries of a lorebook."""
        return is_lorebook(json_in(path, head))

    def read(self, path: str) -> Imported:
        """Its entries. Raises `StoryError` for a file that is no JSON object."""
        repairs: list[str] = []
        found = document(whole(path), path, repairs)
        book = imported(found.value, path, storable(Path(path).stem), repairs)
        return book.model_copy(update={"originals": (found.original(path, "worldinfo"),)})
