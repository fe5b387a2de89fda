"""`earwitness explain MEMORY`: how did it get there, hop by hop?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.app import Earwitness

MOST = 6
"""Memories that are listed when several ids begin alike."""


@story_command("explain")
@click.argument("memory")
@click.option("--session", metavar="ID", help="The story to look in.  [default: all]")
async def command(cli: CliContext, memory: str, session: str | None) -> None:
    """Show how a memory got where it is, hop by hop, and where it was passed on but has not arrived.

    MEMORY is an id, as `recall`, `who-knows` and `inspect` show it, or the beginning of one.

    *Learned at the same time* is what the World Agent let this character know with that message: something of the world
    that is not in the message's own words. Below it stands what the world's memory says of it.
    """
    from earwitness_plugins.terminal.explanations import explanation
    from earwitness_plugins.terminal.people import People

    async with cli.open() as ew:
        sessions = [session] if session else await ew.sessions()
        id, where = _only(memory, await _found(ew, memory, sessions), sessions)
        story = await ew.open_session(where)
        found = await story.backstage(role="owner").explain(id)
        writer = found.origin.session if found.origin else None
        if session is None and writer is not None and writer in sessions:
            story = await ew.open_session(writer)  # it wrote the shared memory, and knows all about it
            found = await story.backstage(role="owner").explain(id)
        cli.answer(found.model_dump(mode="json"), explanation(found, People(story.cast, ew.settings.calendar)))


async def _found(ew: Earwitness, start: str, sessions: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """Memories whose id is, or begins with, `start`: id → session and owner."""
    found: dict[str, tuple[str, str]] = {}
    for session in sessions if start else ():
        story = await ew.open_session(session)
        here = await story.backstage(role="owner").find_memories(start)
        if start in here:
            return {start: (session, here[start])}
        found |= {id: (session, owner) for id, owner in here.items()}
    return found


def _only(memory: str, found: Mapping[str, tuple[str, str]], sessions: Sequence[str]) -> tuple[str, str]:
    """The id and session of the one memory found. Raises `InputError` for several, `UnknownName` for none."""
    from earwitness.errors import InputError, UnknownName

    if not found:
        where = ", ".join(sessions) or "any story"
        raise UnknownName(f"no memory {memory!r} in {where}: `earwitness inspect SESSION CHARACTER` lists ids.")
    if len(found) > 1:
        named = ", ".join(f"{id} ({owner}, {session})" for id, (session, owner) in [*found.items()][:MOST])
        more = ", …" if len(found) > MOST else ""
        raise InputError(f"{len(found)} ids begin with {memory!r}: {named}{more}. Write more of the one you mean.")
    ((id, (session, _)),) = found.items()
    return id, session
