"""`earwitness explain MEMORY`: how did it get there, hop by hop?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.app import Earwitness
    from earwitness.records.plan import Delivery

MOST = 6
"""Memories that are listed when a beginning fits several."""


@story_command("explain")
@click.argument("memory")
@click.option("--session", metavar="ID", help="The story to look in.  [default: all]")
async def command(cli: CliContext, memory: str, session: str | None) -> None:
    """Show how a memory got where it is, hop by hop.

    MEMORY is an id, as `recall`, `who-knows` and `inspect` show it, or the beginning of one.
    """
    from earwitness_plugins.terminal.explanations import explanation
    from earwitness_plugins.terminal.people import People

    async with cli.open() as ew:
        id, where = await _found(ew, memory, [session] if session else await ew.sessions())
        story = await ew.open_session(where)
        found = await story.backstage().explain(id)
        cli.answer(found.model_dump(mode="json"), explanation(found, People(story.cast, ew.settings.calendar)))


async def _found(ew: Earwitness, memory: str, sessions: Sequence[str]) -> tuple[str, str]:
    """The whole id, and the story it is in: an id says nothing of its story, so they are asked one after the other."""
    for session in sessions:
        await ew.open_session(session)  # raises for one that is not there, and settles what is left of it
        if await ew.engine.ledger.deliveries(session, memory_ids=[memory], limit=1):
            return memory, session
    return _only(memory, await _beginning(ew, memory, sessions), sessions)


async def _beginning(ew: Earwitness, start: str, sessions: Sequence[str]) -> Mapping[str, Delivery]:
    """Every memory whose id begins like this."""
    all_of_them = [await ew.engine.ledger.deliveries(session) for session in sessions] if start else []
    return {each.memory_id: each for some in all_of_them for each in some if each.memory_id.startswith(start)}


def _only(memory: str, fitting: Mapping[str, Delivery], sessions: Sequence[str]) -> tuple[str, str]:
    from earwitness.errors import InputError, UnknownName

    if not fitting:
        where = ", ".join(sessions) or "any story"
        raise UnknownName(f"no memory {memory!r} in {where}: `earwitness inspect SESSION CHARACTER` lists ids.")
    if len(fitting) > 1:
        named = ", ".join(f"{id} ({each.owner}, {each.session})" for id, each in [*fitting.items()][:MOST])
        more = ", …" if len(fitting) > MOST else ""
        raise InputError(f"{memory!r} begins {len(fitting)} ids: {named}{more}. Write more of the one you mean.")
    ((id, found),) = fitting.items()
    return id, found.session
