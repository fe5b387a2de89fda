"""What a store has not taken yet, as a file.

It holds one story, as JSON Lines::

    {"kind": "spool", "version": 2, "session": "s1"}
    {"kind": "memory", "container": "s1-bob", "id": "…", "content": "…", "metadata": {…}}
    {"kind": "removal", "container": "s1-bob", "id": "…"}

Memories are in the order in which they are to be written, then come removals. Long lists of metadata, such as thousands
of participants, stand in the line of the first memory that has them; they are empty in the others, whose `lists_of` is
its id. Version 1 had them in every line. Each line may be delivered again. A file only names what is to be delivered:
the ledger decides whether it still is, and what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from .copies.long_lists import ListTexts
from .end.store_work import Work
from .errors import InputError, quoted
from .records.memory import Memory
from .records.refusal import explained

VERSION = 2


def spool_lines(session: str, work: Work) -> list[dict[str, Any]]:
    """The lines of a file with what is to be written and removed."""
    return [{"kind": "spool", "version": VERSION, "session": session}, *_lines(work)]


def _lines(work: Work) -> Iterator[dict[str, Any]]:
    lists, first = ListTexts(), dict[str, str]()
    for memories, _ in work.batches():
        for each in memories:
            short, text = lists.taken(each.metadata)
            its = each.id if text is None else first.setdefault(text, each.id)
            named = {} if its == each.id else {"metadata": short, "lists_of": its}
            yield {"kind": "memory", **each.model_dump(mode="json", exclude={*named}), **named}
    for container, ids in work.remove.items():
        for id in ids:
            yield {"kind": "removal", "container": container, "id": id}


def read_spool(lines: Sequence[Mapping[str, Any]]) -> tuple[str, list[Memory], dict[str, list[str]]]:
    """The session, its memories and its removals. Raises `InputError`."""
    if not lines:
        raise InputError("there are no lines. `earwitness spool export` writes them.")
    head = lines[0]
    version, session = head.get("version"), head.get("session")
    if head.get("kind") != "spool" or version not in (1, VERSION) or not isinstance(session, str):
        raise InputError(
            f"line 1: {quoted(dict(head))} does not begin a spool. Write one with `earwitness spool export`."
        )
    memories: list[Memory] = []
    removals: dict[str, list[str]] = {}
    for number, line in enumerate(lines[1:], 2):
        match dict(line):
            case {"kind": "removal", "container": str(container), "id": str(id)}:
                removals.setdefault(container, []).append(id)
            case {"kind": "memory", "lists_of": str(), **fields} | {"kind": "memory", **fields}:
                memories.append(_memory(number, fields))
            case other:
                raise InputError(f"line {number}: {quoted(other)} is neither a memory nor a removal.")
    return session, memories, removals


def _memory(number: int, fields: Mapping[str, Any]) -> Memory:
    try:
        return Memory.model_validate(fields)
    except ValidationError as error:
        raise InputError(f"line {number} is not a memory: {explained(error)}") from error
