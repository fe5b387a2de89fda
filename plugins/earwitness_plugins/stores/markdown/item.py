"""One memory in `MEMORY.md`: an item of a list, with what people need not read in a comment below it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

from earwitness.by_hand import BY_HAND
from earwitness.errors import StorageError, quoted
from earwitness.ids import derive
from earwitness.records.memory import Memory
from earwitness.records.memory_types import MetaValue
from earwitness.records.read_only import read_only

NOTHING = "(nothing)"
"""How a memory without content is shown."""
_KEYS = ("id", "wrote", "content", "metadata")
_BREAKS = re.compile(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_COMMENT = re.compile(r"^([^\S\n]*)(?=\\*<!--)", re.MULTILINE)
_ESCAPED_COMMENT = re.compile(r"^([^\S\n]*)\\(?=\\*<!--)", re.MULTILINE)
_UNSAFE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff>]|(?<=-)-")
_BEGIN, _END = "<!-- {", "} -->"


class BadItem(ValueError):
    """An item cannot be read. `line` and `column` count from 0, from its first line on."""

    def __init__(self, said: str, line: int, column: int) -> None:
        super().__init__(said)
        self.line, self.column = line, column


@dataclass(frozen=True, eq=False)
class Item:
    """A memory, as the file has it."""

    memory: Memory
    wrote: str | None
    """Digest of the content that was put last; `None` = a person wrote it, and it was never put."""
    notes: tuple[str, ...] = ()
    """Lines before it that are not memories, such as headings."""

    @property
    def is_edited(self) -> bool:
        """Whether a person has changed what was put."""
        return self.wrote is not None and digest(self.memory.content) != self.wrote

    @cached_property
    def lines(self) -> list[str]:
        """The item's lines, without the notes."""
        content, metadata = self.memory.content, self.memory.metadata
        shown = shown_as(content)
        hidden: dict[str, Any] = {"id": self.memory.id, "wrote": self.wrote or digest(content)}
        if read_from(shown) != content:
            hidden["content"] = content
        hidden["metadata"] = metadata
        first, *more = shown.split("\n")
        return [f"- {first}", *(f"  {line}" if line else "" for line in more), f"  <!-- {_json(hidden)} -->"]


def item_of(memory: Memory, before: Item | None) -> Item:
    """The item of a memory that is put, in place of the one `before`. Raises `StorageError` for what JSON cannot hold.

    Where a person has changed the text, and the same is put again, the person's text stays.
    """
    try:
        wrote = digest(memory.content)
        metadata = memory.metadata
        if before is not None and before.is_edited and before.wrote == wrote:
            memory, metadata = before.memory, {**memory.metadata, BY_HAND: True}
        made = Item(memory.model_copy(update={"metadata": read_only(metadata)}), wrote, before.notes if before else ())
        made.lines  # noqa: B018 - what cannot be written is refused before anything is
    except (TypeError, ValueError, AttributeError) as error:
        raise StorageError(f"memory {memory.id!r} cannot be written as text: {error}.") from error
    return made


def read_item(container: str, lines: Sequence[str], notes: tuple[str, ...]) -> Item | None:
    """The item that these lines are, without the marks of a list; `None` where nothing is said. Raises `BadItem`."""
    comments = [place for place, line in enumerate(lines) if line.lstrip().startswith(_BEGIN)]
    if len(comments) > 1:
        raise BadItem("a memory has one comment with its id, and this is a second one", comments[1], 0)
    shown = "\n".join(line.rstrip() for place, line in enumerate(lines) if place not in comments).strip("\n")
    if comments:
        return _known(container, _hidden(lines[comments[0]], comments[0]), shown, comments[0], notes)
    return Item(_written_by_hand(container, read_from(shown), {}), None, notes) if shown.strip() else None


def _known(container: str, hidden: dict[str, Any], shown: str, line: int, notes: tuple[str, ...]) -> Item:
    content, metadata = read_from(shown), _metadata(hidden.get("metadata", {}), line)
    exact, wrote, id = hidden.get("content"), hidden.get("wrote"), hidden.get("id")
    for key, value in (("content", exact), ("wrote", wrote), ("id", id)):
        if value is not None and not isinstance(value, str):
            raise BadItem(f"{key!r} must be text, not {quoted(value)}", line, 0)
    if exact is not None and shown_as(exact) == shown:
        content = exact
    if not id:
        return Item(_written_by_hand(container, content, metadata), None, notes)
    if wrote is not None and digest(content) != wrote:
        metadata = {**metadata, BY_HAND: True}
    memory = Memory.unchecked({"id": id, "container": container, "content": content, "metadata": read_only(metadata)})
    return Item(memory, wrote or digest(content), notes)


def _written_by_hand(container: str, content: str, metadata: dict[str, MetaValue]) -> Memory:
    """A fact that a person wrote. Without a day it was always known."""
    always: dict[str, MetaValue] = {} if "learnedDay" in metadata else {"permanent": True}
    whole = {"type": "fact", **always, **metadata, BY_HAND: True}
    id = derive("by hand", container, content)
    return Memory.unchecked({"id": id, "container": container, "content": content, "metadata": read_only(whole)})


def _hidden(line: str, place: int) -> dict[str, Any]:
    """What a comment says."""
    begin = line.index(_BEGIN) + len(_BEGIN) - 1
    end = line.rstrip()
    if not end.endswith(_END):
        raise BadItem(f"the comment must end with {_END!r} on the same line", place, len(end))
    try:
        hidden = json.loads(end[begin : 1 - len(_END)])
    except ValueError as error:
        column = error.colno - 1 if isinstance(error, json.JSONDecodeError) else 0
        raise BadItem(f"the comment is not JSON: {error}", place, begin + column) from None
    if unknown := hidden.keys() - set(_KEYS):
        raise BadItem(f"the comment has {quoted(min(unknown))}. It may have: {', '.join(_KEYS)}", place, begin)
    return dict(hidden)


def _metadata(given: object, line: int) -> dict[str, MetaValue]:
    if not isinstance(given, dict):
        raise BadItem(f"'metadata' must be an object, not {quoted(given)}", line, 0)
    for key, value in given.items():
        fits = isinstance(value, str | int | float) or (
            isinstance(value, list) and all(isinstance(each, str) for each in value)
        )
        if not fits:
            raise BadItem(f"metadata {key!r} must be text, a number, a boolean or a list of texts", line, 0)
    return given


def shown_as(content: str) -> str:
    """A content as people see it: common line breaks, no trailing spaces, and no comment of ours."""
    text = _UNSEEN.sub("\ufffd", _BREAKS.sub("\n", content))
    text = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
    return _COMMENT.sub(r"\1" + r"\\", text) if text.strip() else NOTHING


def read_from(shown: str) -> str:
    """The content that is shown so, if nothing was lost in showing it."""
    return _ESCAPED_COMMENT.sub(r"\1", shown)


def digest(content: str) -> str:
    """Eight hexadecimal digits."""
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _json(value: object) -> str:
    """JSON on one line that ends no comment."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
