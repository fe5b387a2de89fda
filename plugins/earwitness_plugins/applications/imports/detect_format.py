"""Which importer reads a file: the one that was named, or the first, by name, that takes the file for its own."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from earwitness.errors import StoryError, StrategyError
from earwitness.importing import Imported
from earwitness.loading.strategies import Strategies
from earwitness.protocols import Importer
from earwitness_plugins.importers.files.documents import document
from earwitness_plugins.importers.files.limits import opened, whole

HEAD = 4096


def read_file(strategies: Strategies, path: str, format: str | None = None) -> Imported:
    """What a file says. Raises `StoryError` for a file nobody takes, or that cannot be read, `UnknownName` for a format
    that nobody reads."""
    with opened(path) as file:
        head = file.read(HEAD)
    importer: Importer = strategies.make("importer", format) if format else _taker(strategies, path, head)
    return importer.read(path)


def is_export(path: str) -> bool:
    """Whether the first line says that a whole session follows, as `earwitness export` writes it."""
    with opened(path) as file:
        try:
            first = json.loads(file.readline(HEAD))
        except (ValueError, RecursionError):
            return False
    return isinstance(first, dict) and first.get("kind") == "session"


def _taker(strategies: Strategies, path: str, head: bytes) -> Importer:
    names = strategies.names("importer")
    for name in names:
        try:
            importer: Importer = strategies.make("importer", name)
        except StrategyError:  # somebody's that cannot be loaded: `doctor` names it
            continue
        if importer.accepts(path, head):
            return importer
    if not head.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise StoryError(f"{path}: it is empty.")
    raise StoryError(f"{path}: no importer takes it for one of its files. {_hint(path, head, names)}")


def _hint(path: str, head: bytes, names: Iterable[str]) -> str:
    if re.search(rb"^(cast|steps):", head, re.MULTILINE):
        return f"It looks like a story file: earwitness play {shlex.quote(path)}"
    json_said = _of_json(path) if Path(path).suffix.casefold() == ".json" else ""
    return f"{json_said}Name one with --format: {', '.join(names)}."


def _of_json(path: str) -> str:
    try:
        found = document(whole(path), path, []).value
    except StoryError as error:
        return f"It may be damaged: {str(error).removeprefix(f'{path}: ')} "
    keys = f" with the keys {', '.join(map(repr, list(found)[:5]))}" if isinstance(found, dict) and found else ""
    return f"It is JSON{keys}: no card (data, or name and first_mes), no lorebook (entries), no chat. "
