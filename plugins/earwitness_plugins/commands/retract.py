"""`earwitness retract SESSION TARGET`: take back a message, change or memory, and what rested on it."""

from __future__ import annotations

import click

from earwitness.cli import Desk, story_command


@story_command("retract")
@click.argument("session")
@click.argument("target")
@click.option("--by", default="author", show_default=True, metavar="ROLE", help="Who takes it back; `explain` tells.")
async def command(desk: Desk, session: str, target: str, by: str) -> None:
    """Take back a message or change (by its key) or one memory (by its id).

    Whatever rested on it goes too, everywhere.
    """
    async with desk.open() as ew:
        story = await ew.open_session(session)
        await (await story.backstage(role=by).retract(target)).settled()
        desk.answer({"retracted": target, "session": session}, f"Taken back: {target}")
