"""Replayed transcripts as they are shown."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.text import Text

from earwitness_plugins.importers.replaying import Line, Replayed

from .people import HEARD, plain

MOST_NAMED = 6


def each_line(line: Line) -> Text:
    """One message, and who heard it."""
    heard = ", ".join(line.heard)
    return Text.assemble(
        (plain(line.speaker), "bold"), "  ", plain(line.text), (f"\n    {HEARD} {plain(heard)}", "dim")
    )


def scene_line(replayed: Replayed) -> Text:
    """One scene: how many messages, and how many of them each heard."""
    listeners = sorted(((n, id) for id, n in replayed.heard.items() if id in replayed.names), key=lambda each: -each[0])
    named = [f"{replayed.names[id]} {n}" for n, id in listeners[:MOST_NAMED]]
    more = f" and {len(listeners) - MOST_NAMED} more" if len(listeners) > MOST_NAMED else ""
    news = "" if replayed.new == replayed.messages else f" ({replayed.new} new)"
    head = f"  {replayed.messages} messages{news}  "
    return Text.assemble((plain(replayed.session), "bold"), head, (plain(" · ".join(named)) + more, "dim"))


def total_line(scenes: Sequence[Replayed], seconds: float, where: Sequence[str]) -> Text:
    """All scenes, how long they took, and the next command to try."""
    messages, new = sum(scene.messages for scene in scenes), sum(scene.new for scene in scenes)
    line = Text(f"\n{messages:,} messages in {len(scenes):,} stories, {new:,} new, {seconds:.1f} s", style="bold")
    if scenes:
        line.append(
            f"\nNow ask:  {shlex.join(['earwitness', 'inspect', scenes[-1].session, *where])}", style="not bold"
        )
    return line
