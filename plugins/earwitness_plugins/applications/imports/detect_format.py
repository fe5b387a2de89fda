"""The importer for a file: the one that was named, or else the first, by name, that accepts the file."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from earwitness.errors import StoryError, StrategyError
from earwitness.imports import Imported
from earwitness.loading.strategies import Strategies
from earwitness.protocols import Importer
from earwitness_plugins.importers.files.documents import document
from earwitness_plugins.importers.files.limits import opened, read_bytes
from earwitness_plugins.importers.rows import rows

HEAD = 4096
TEXTS = (".txt", ".text")


def read_file(strategies: Strategies, path: str, format: str | None = None) -> Imported:
    """The contents of a file. `format` names the importer.

    Raises `StoryError` for a file that no importer accepts or that cannot be read, `UnknownName` for an unknown format.
    """
    with opened(path) as file:
        head = file.read(HEAD)
    importer: Importer = strategies.make("importer", format) if format else _accepting(strategies, path, head)
    return importer.read(path)


def is_export(path: str) -> bool:
    """Whether the file is a whole session, as `earwitness export` writes it, by its first line."""
    with opened(path) as file:
        try:
            first = json.loads(file.readline(HEAD))
        except (ValueError, RecursionError):
            return False
    return isinstance(first, dict) and first.get("kind") == "session"


def _accepting(strategies: Strategies, path: str, head: bytes) -> Importer:
    names = strategies.names("importer")
    for name in names:
        try:
            importer: Importer = strategies.make("importer", name)
        except StrategyError:  # one that cannot be loaded: `doctor` reports it
            continue
        if importer.accepts(path, head):
            return importer
    if not head.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise StoryError(f"{path}: the file is empty.")
    raise StoryError(f"{path}: no importer accepts it. {_hint(path, head, names)}")


def _hint(path: str, head: bytes, names: Iterable[str]) -> str:
    if re.search(rb"^(cast|steps):", head, re.MULTILINE):
        return f"It looks like a story file: earwitness play {shlex.quote(path)}"
    ending = Path(path).suffix.casefold()
    if ending in TEXTS:
        return f"A transcript has a message on each line, as in Alice: Good morning. {_named(names)}"
    json_said = _of_json(path) if ending == ".json" else _of_lines(path) if ending == ".jsonl" else ""
    return f"{json_said}{_named(names)}"


def _named(names: Iterable[str]) -> str:
    return f"Name one with --format: {', '.join(names)}."


def _of_lines(path: str) -> str:
    try:
        next(rows(path), None)
    except StoryError as error:
        return f"It may be damaged: {error} "
    return ""


def _of_json(path: str) -> str:
    try:
        found = document(read_bytes(path), path, []).value
    except StoryError as error:
        return f"It may be damaged: {str(error).removeprefix(f'{path}: ')} "
    keys = f" with the keys {', '.join(map(repr, list(found)[:5]))}" if isinstance(found, dict) and found else ""
    return f"It is JSON{keys}: no card (data, or name and first_mes), no lorebook (entries), no chat. "
