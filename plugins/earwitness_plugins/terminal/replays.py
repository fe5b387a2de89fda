"""Replayed transcripts, for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from rich.text import Text

from earwitness_plugins.applications.replay.replay import ReplayedLine, ReplayedScene
from earwitness_plugins.terminal.context import program

from .people import HEARD, plain

MOST_NAMED = 6


def each_line(line: ReplayedLine, names: Mapping[str, str]) -> Text:
    """One message, and who heard it; `names` are by character id."""
    heard = ", ".join(names.get(id, id) for id in line.heard)
    return Text.assemble(
        (plain(names.get(line.speaker, line.speaker)), "bold"),
        "  ",
        plain(line.text),
        (f"\n    {HEARD} {plain(heard)}", "dim"),
    )


def scene_line(replayed: ReplayedScene) -> Text:
    """One scene: the number of messages, and how many each character heard."""
    listeners = sorted(((n, id) for id, n in replayed.heard.items() if id in replayed.names), key=lambda each: -each[0])
    named = [f"{replayed.names[id]} {n}" for n, id in listeners[:MOST_NAMED]]
    more = f" and {len(listeners) - MOST_NAMED} more" if len(listeners) > MOST_NAMED else ""
    news = "" if replayed.new == len(replayed.lines) else f" ({replayed.new} new)"
    head = f"  {len(replayed.lines)} messages{news}  "
    return Text.assemble((plain(replayed.session), "bold"), head, (plain(" · ".join(named)) + more, "dim"))


def total_line(scenes: Sequence[ReplayedScene], seconds: float) -> Text:
    """All scenes, and how long they took."""
    messages, new = sum(len(scene.lines) for scene in scenes), sum(scene.new for scene in scenes)
    stories = f"{len(scenes):,} {'story' if len(scenes) == 1 else 'stories'}"
    return Text(f"\n{messages:,} messages in {stories}, {new:,} new, {seconds:.1f} s", style="bold")


def next_question(scenes: Sequence[ReplayedScene], where: Sequence[str]) -> str:
    """The next command to try."""
    return f"Look around:  {shlex.join([program(), 'inspect', *(scene.session for scene in scenes[-1:]), *where])}"
