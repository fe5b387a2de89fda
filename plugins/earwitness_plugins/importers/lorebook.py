"""Standalone lorebooks: SillyTavern world info, V3 lorebooks, and those of NovelAI, Agnai and Risu."""

from __future__ import annotations

from pathlib import Path

from earwitness.imports import Imported

from .cards.book import imported, is_lorebook
from .files.content_type import json_in
from .files.documents import document
from .files.lenient import storable
from .files.limits import read_bytes


class LorebookImporter:
    """Reads the entries of a lorebook. Everybody knows an entry that names nobody."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the file is JSON with lorebook entries."""
        return is_lorebook(json_in(path, head))

    def read(self, path: str) -> Imported:
        """The entries. Raises `StoryError` for a file that is not a JSON object."""
        repairs: list[str] = []
        found = document(read_bytes(path), path, repairs)
        book = imported(found.value, path, storable(Path(path).stem), repairs)
        return book.model_copy(update={"originals": (found.original(path, "worldinfo"),)})
