"""`HISTORY.md`: a line for each thing that happened to a memory. Lines are only added, and no search reads them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from .document import MemoryFile
from .item import Item, shown_as

NAME = "HISTORY.md"


def changes(before: MemoryFile, after: MemoryFile) -> list[str]:
    """What happened between two versions of a container."""
    found = []
    for id, item in after.items.items():
        old = before.items.get(id)
        if old is None:
            found.append(_line("remembered", item))
        elif old.memory.content != item.memory.content:
            found.append(_line("changed", item))
    found += [_line("forgot", item) for id, item in before.items.items() if id not in after.items]
    return found


def by_hand(read: MemoryFile) -> list[str]:
    """What people have written since the store wrote last."""
    return [_line("by hand", item) for item in read.items.values() if item.wrote is None]


def written(lines: Iterable[str]) -> str:
    """The lines, with the time of now."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    return "".join(f"- {now} {line}\n" for line in lines)


def _line(what: str, item: Item) -> str:
    return f"{what}: {' '.join(shown_as(item.memory.content).split())}"
