"""Telling again under a key that was used before: the same is fine, anything else is a conflict."""

from __future__ import annotations

from .end.revise import settled_message
from .engine import Engine
from .errors import KeyConflict
from .live import Live
from .records.journal import Body, Entry, Said


async def unless_same(engine: Engine, live: Live, entry: Entry, body: Body) -> None:
    """The same key may only come again with the same text: as first said, or as it was revised to.

    Raises `KeyConflict`.
    """
    told, given = (each.model_dump(mode="json") for each in (entry.body, body))  # as it was kept: a tuple is a list
    if told != given and not await _revised_to(engine, live, entry, body):
        raise conflict(entry.key, entry.body, body)


def conflict(key: str, told: Body, body: Body) -> KeyConflict:
    """A key stands for one thing, and was given with another."""
    return KeyConflict(
        f"key {key!r} already stands for {_short(told)}, not {_short(body)}. "
        "To change a message, call edit() or reroll(); for a new one, choose another key."
    )


async def _revised_to(engine: Engine, live: Live, entry: Entry, body: Body) -> bool:
    if not isinstance(entry.body, Said) or not isinstance(body, Said) or entry.body.speaker != body.speaker:
        return False
    if entry.body.content == body.content:
        return True
    current = await settled_message(engine, live, entry.key)
    return current is not None and current.message.content == body.content


def _short(body: Body) -> str:
    if isinstance(body, Said):
        text = f"{body.speaker}: {body.content}"
    else:
        text = f"{body.kind} {body.model_dump(exclude_defaults=True)}"
    return repr(text if len(text) <= 60 else text[:57] + "…")
