"""`MEMORY.md`: a head that names the container, and a list with an item for each memory.

What is neither head nor list, such as headings and paragraphs, is kept where it is and is not a memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from earwitness.errors import StorageCorrupt, quoted
from earwitness.records.memory import Memory

from .item import BadItem, Item, read_item, shown_as

VERSION = 1
_BULLET = re.compile(r"[-*+](?: |$)")
_FENCE = "---"
_CONTAINER = re.compile(r"\A\ufeff?---\s+(?:earwitness: .*\s+)?container: (?P<value>.+)")
_HEAD = re.compile(r"(?P<key>earwitness|container): (?P<value>.+)")


@dataclass(frozen=True, eq=False)
class MemoryFile:
    """The memories of one container in the order of the file, by id."""

    items: Mapping[str, Item]
    end: tuple[str, ...] = ()
    """Lines after the last memory."""

    @property
    def memories(self) -> list[Memory]:
        """All memories."""
        return [item.memory for item in self.items.values()]

    def written(self, container: str) -> str:
        """The text of the file."""
        lines = [_FENCE, f"earwitness: {VERSION}", f"container: {json.dumps(container)}", _FENCE]
        if not any(item.notes for item in self.items.values()) and not self.end:
            lines += ["", f"# {shown_as(container)}".replace("\n", " "), ""]
        for item in self.items.values():
            lines += [*item.notes, *item.lines]
        return "\n".join([*lines, *self.end]).rstrip("\n") + "\n"


class _ItemLines(NamedTuple):
    """Lines of one item, without its indent, and the number of the first, from 0."""

    first: int
    indent: int
    lines: list[str]


def read_document(text: str, container: str, path: str, *, named: bool) -> MemoryFile:
    """The document that a file holds. `named` if the name of its folder says whose it is.

    Raises `StorageCorrupt`, which names line and column.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    begin = _checked_head(lines, container, path, named=named)
    items: dict[str, Item] = {}
    notes: list[str] = []
    place = begin
    while place < len(lines):
        if not _BULLET.match(lines[place]):
            notes.append(lines[place])
            place += 1
            continue
        block = _block(lines, place, path)
        item = _item(block, container, path, tuple(notes))
        if item is None:
            notes += lines[place : place + len(block.lines)]
        elif _added(items, item, f"{path}:{place + 1}:1"):
            notes = []
        place += len(block.lines)
    return MemoryFile(items, tuple(notes if any(notes) else ()))


def container_of(text: str) -> str | None:
    """The container that the head of a file names; `None` if it names none."""
    found = _CONTAINER.search(text)
    try:
        name = json.loads(found["value"]) if found else None
    except ValueError:
        return None
    return name if isinstance(name, str) else None


def _added(items: dict[str, Item], item: Item, at: str) -> bool:
    """Add an item. False for a fact that a person has written twice: it is one."""
    id = item.memory.id
    if id in items and item.wrote is not None:
        raise StorageCorrupt(
            f"{at}: two memories have the id {quoted(id)}. Remove one of them, or the comment of a copy."
        )
    return items.setdefault(id, item) is item


def _checked_head(lines: Sequence[str], container: str, path: str, *, named: bool) -> int:
    """The number of the first line after the head."""
    if lines[0].rstrip() != _FENCE:
        if named:
            return 0
        raise StorageCorrupt(f"{path}:1:1: the head is missing: it names the container, here {quoted(container)}.")
    for place, line in enumerate(lines[1:], 1):
        if line.rstrip() == _FENCE:
            return place + 1
        if found := _HEAD.fullmatch(line.rstrip()):
            _check_head(found["key"], found["value"], container, f"{path}:{place + 1}:{found.start('value') + 1}")
    raise StorageCorrupt(f"{path}:1:1: the head has no end: a second line with only {_FENCE!r} is missing.")


def _check_head(key: str, value: str, container: str, at: str) -> None:
    try:
        found = json.loads(value)
    except ValueError:
        raise StorageCorrupt(f"{at}: {key!r} cannot be read: {quoted(value)} is not JSON.") from None
    if key == "container" and found != container:
        raise StorageCorrupt(
            f"{at}: the file belongs to container {quoted(found)}, and lies in the folder of {quoted(container)}. "
            "Move it back."
        )
    if key == "earwitness" and found != VERSION:
        raise StorageCorrupt(f"{at}: the file has format {quoted(found)}; this version reads {VERSION}.")


def _block(lines: Sequence[str], first: int, path: str) -> _ItemLines:
    """An item's lines: those that are indented, and empty ones between them."""
    found, place = [lines[first][2:]], first + 1
    while place < len(lines):
        line = lines[place]
        if line.startswith("  "):
            found.append(line[2:])
        elif not line.strip():
            found.append("")
        elif _BULLET.match(line) or line.startswith("#") or not lines[place - 1].strip():
            break
        else:
            raise StorageCorrupt(
                f"{path}:{place + 1}:1: {quoted(line)} goes on from the memory above: indent it by two spaces. "
                "What is not a memory stands after an empty line."
            )
        place += 1
    while not found[-1].strip() and len(found) > 1:
        found.pop()
    return _ItemLines(first, 2, found)


def _item(block: _ItemLines, container: str, path: str, notes: tuple[str, ...]) -> Item | None:
    try:
        return read_item(container, block.lines, notes)
    except BadItem as bad:
        at = f"{path}:{block.first + bad.line + 1}:{block.indent + bad.column + 1}"
        raise StorageCorrupt(f"{at}: {bad}. Nothing was changed: mend the line, or take it out.") from None


def with_items(document: MemoryFile, new: Iterable[Item]) -> MemoryFile:
    """The document with these items, in their old places or at the end."""
    items = {**document.items}
    end = document.end
    for item in new:
        is_last = item.memory.id not in items
        items[item.memory.id] = Item(item.memory, item.wrote, end) if is_last and end else item
        end = () if is_last else end
    return MemoryFile(items, end)


def without_ids(document: MemoryFile, ids: Iterable[str]) -> MemoryFile:
    """The document without these memories. Notes before them stay."""
    gone, notes = set(ids), tuple[str, ...]()
    kept: dict[str, Item] = {}
    for id, item in document.items.items():
        if id in gone:
            notes += item.notes
        else:
            kept[id] = Item(item.memory, item.wrote, (*notes, *item.notes)) if notes else item
            notes = ()
    return MemoryFile(kept, (*notes, *document.end))
