"""Checks that a story that was played before still says the same."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten

from earwitness.errors import KeyConflict
from earwitness.formats import as_said
from earwitness.records.journal import Changed, Entry, Revised, Said
from earwitness.records.state import State

from .story import SayStep, Story

SHOWN = 100


def check_played(story: Story, journal: Sequence[Entry]) -> None:
    """Raise `KeyConflict` for the first difference from what was played. Messages edited since are not compared."""
    told = {entry.key: entry.body for entry in journal}
    revised = {entry.body.target for entry in journal if isinstance(entry.body, Revised)}
    begin = told.get("#begin")
    if isinstance(begin, Changed) and begin.joins:
        _check_beginning(story, begin)
    for number, step in enumerate(story.steps, 1):
        key = story.key(number)
        if isinstance(step, SayStep) and key in told.keys() - revised:
            _check_line(number, f"{step.speaker}: {as_said(step.text)}", told[key])


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
