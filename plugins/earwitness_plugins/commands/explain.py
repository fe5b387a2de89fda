"""`earwitness explain MEMORY`: how did it get there, hop by hop?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from earwitness.cli import Desk, story_command

if TYPE_CHECKING:
    from earwitness.app import Earwitness
    from earwitness.backstage.records import Explanation


@story_command("explain")
@click.argument("memory")
@click.option("--session", metavar="ID", help="The story to look in.  [default: all]")
async def command(desk: Desk, memory: str, session: str | None) -> None:
    """Show how a memory got where it is, hop by hop.

    MEMORY is an id, as `recall`, `who-knows` and `inspect` show it.
    """
    from .terminal.shelves import explanation

    async with desk.open() as ew:
        found = await _found(ew, memory, [session] if session else await ew.sessions())
        desk.answer(found.model_dump(mode="json"), explanation(found))


async def _found(ew: Earwitness, memory: str, sessions: list[str] | tuple[str, ...]) -> Explanation:
    """Ids say nothing about their story, so the stories are asked one after the other."""
    from earwitness.errors import UnknownName

    for session in sessions:
        story = await ew.open_session(session)
        try:
            return await story.backstage().explain(memory)
        except UnknownName:
            continue
    raise UnknownName(f"no memory {memory!r} in {', '.join(sessions) or 'any story'}: `earwitness inspect` lists ids.")
