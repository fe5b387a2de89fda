"""`earwitness fork SESSION NEW [--at KEY]`: a branch that shares the past and goes its own way."""

from __future__ import annotations

import click

from earwitness.cli import Desk, story_command


@story_command("fork")
@click.argument("session")
@click.argument("new")
@click.option("--at", metavar="KEY", help="The last message or change the two share; else all there is.")
async def command(desk: Desk, session: str, new: str, at: str | None) -> None:
    """Branch off a story under the id NEW.

    Nobody is asked again: everybody remembers in the branch what they remembered then.
    """
    from .terminal.people import plain

    async with desk.open() as ew:
        branch = await (await ew.open_session(session)).fork(new, at=at)
        data = {"session": branch.id, "parent": session, "at": at, "cast": list(branch.cast.ids)}
        shared = f"all up to {plain(at)}" if at else "all up to now"
        desk.answer(data, f"{plain(branch.id)} shares with {plain(session)} {shared}, and goes its own way.")
