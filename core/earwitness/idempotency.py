"""Telling again under a key that was used before: the same is fine, anything else is a conflict."""

from __future__ import annotations

from .end.revise import settled_message
from .engine import Engine
from .errors import KeyConflict
from .formats import as_said
from .live import Live
from .records.journal import Body, Entry, Revised, Said


async def unless_same(engine: Engine, live: Live, entry: Entry, body: Body) -> None:
    """The same key may only come again with the same text: as first said, or as it was revised to.

    Raises `KeyConflict`.
    """
    if _as_kept(entry.body) == _as_kept(body):
        return
    told = _as_told_today(entry.body)
    if _as_kept(told) != _as_kept(body) and not await _revised_to(engine, live, entry.key, told, body):
        raise conflict(entry.key, entry.body, body)


def _as_kept(body: Body) -> dict[str, object]:
    return body.model_dump(mode="json")  # a tuple is a list


def _as_told_today(body: Body) -> Body:
    """Earlier versions kept a model's reasoning in what was said."""
    if not isinstance(body, Said | Revised):
        return body
    return body.model_copy(update={"content": as_said(body.content)})


def conflict(key: str, told: Body, body: Body) -> KeyConflict:
    """A key stands for one thing, and was given with another."""
    return KeyConflict(
        f"key {key!r} already stands for {_short(told)}, not {_short(body)}. "
        "To change a message, call edit() or reroll(); for a new one, choose another key."
    )


async def _revised_to(engine: Engine, live: Live, key: str, told: Body, body: Body) -> bool:
    if not isinstance(told, Said) or not isinstance(body, Said) or told.speaker != body.speaker:
        return False
    if told.content == body.content:
        return True
    current = await settled_message(engine, live, key)
    return current is not None and current.message.content == body.content


def _short(body: Body) -> str:
    if isinstance(body, Said):
        text = f"{body.speaker}: {body.content}"
    else:
        text = f"{body.kind} {body.model_dump(exclude_defaults=True)}"
    return repr(text if len(text) <= 60 else text[:57] + "…")
