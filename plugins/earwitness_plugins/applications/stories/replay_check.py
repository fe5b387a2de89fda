"""Checks that a story that was played before still says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from textwrap import shorten

from earwitness.errors import KeyConflict, StoryError
from earwitness.formats import as_said
from earwitness.records.journal import Body, Changed, Entry, Prepared, Revised, Said
from earwitness.records.state import State
from earwitness_plugins.applications.replay.roles import session_id

from .steps import SayStep
from .story import Story

SHOWN = 100


def check_played(story: Story, journal: Sequence[Entry]) -> None:
    """Raise `KeyConflict` for the first difference from what was played. Messages edited since are not compared.

    Raises `StoryError` for a story that was not played: it was imported, or a program told it.
    """
    stored = {entry.key: entry.body for entry in journal}
    if not _was_played(story, stored):
        raise StoryError(
            f"The story {story.story!r} is in the store, but was not played from a story file: it was imported, or "
            "told by a program. Play this one under another name (`story:`). To continue the existing one: "
            f"earwitness import FILE --into {story.story}"
        )
    revised = {entry.body.target for entry in journal if isinstance(entry.body, Revised)}
    begin = stored.get("#begin")
    if isinstance(begin, Changed) and begin.joins:
        _check_beginning(story, begin)
    for number, step in enumerate(story.steps, 1):
        key = story.key(number)
        if isinstance(step, SayStep) and key in stored.keys() - revised:
            _check_line(number, f"{step.speaker}: {as_said(step.text)}", stored[key])


def _was_played(story: Story, stored: Mapping[str, Body]) -> bool:
    """Whether a story file made this story. Steps count from 1, and what came before them is not a message."""
    keys = {f"{story.story}:0", *(story.key(number) for number in range(1, len(story.steps) + 1))}
    if isinstance(stored.get(f"{story.story}:0"), Said) or any(map(partial(_keeps_chat, story.story), stored.values())):
        return False
    return not keys.isdisjoint(stored) or not any(isinstance(body, Said | Prepared) for body in stored.values())


def _keeps_chat(name: str, body: Body) -> bool:
    """Whether a chat of this name came into the story: its messages have keys like those of steps."""
    originals = body.originals if isinstance(body, Prepared) else ()
    return any(each.format == "chat" and session_id(Path(each.name).stem) == name for each in originals)


def _check_beginning(story: Story, begin: Changed) -> None:
    same_state = State().updated(story.state) == State().updated(begin.changes)
    if not same_state or {who for who, _, _ in begin.moves} != set(story.present or ()):
        what = "present" if same_state else "state"
        raise KeyConflict(f"The story {story.story!r} was played here with another `{what}:` at its beginning.")


def _check_line(number: int, now: str, body: object) -> None:
    then = f"{body.speaker}: {body.content}" if isinstance(body, Said) else "something else"
    if then != now:
        raise KeyConflict(
            f"Step {number} was {shorten(then, SHOWN)!r} when the story was played here, and differs now."
        )
