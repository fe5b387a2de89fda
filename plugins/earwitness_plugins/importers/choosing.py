"""Which importer reads a file: the one that was named, or the first, by name, that takes the file for its own."""

from __future__ import annotations

from pathlib import Path

from earwitness.errors import StoryError, StrategyError
from earwitness.importing import Imported
from earwitness.loading.strategies import Strategies
from earwitness.protocols import Importer

from .files.limits import opened

HEAD = 4096


def read_file(strategies: Strategies, path: str, format: str | None = None) -> Imported:
    """What a file says. Raises `StoryError` for a file nobody takes, or that cannot be read, `UnknownName` for a format
    that nobody reads."""
    with opened(path) as file:
        head = file.read(HEAD)
    importer: Importer = strategies.make("importer", format) if format else _taker(strategies, path, head)
    return importer.read(path)


def _taker(strategies: Strategies, path: str, head: bytes) -> Importer:
    names = strategies.names("importer")
    for name in names:
        try:
            importer: Importer = strategies.make("importer", name)
        except StrategyError:  # somebody's that cannot be loaded: `doctor` names it
            continue
        if importer.accepts(path, head):
            return importer
    hint = "" if Path(path).suffix.casefold() != ".json" else " It may be damaged: is it JSON?"
    known = ", ".join(names)
    raise StoryError(f"{path}: no importer takes it for one of its files.{hint} Name one with --format: {known}.")
