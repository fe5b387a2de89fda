"""`earwitness retract SESSION TARGET`: retract a message, change or memory, and whatever rested on it."""

from __future__ import annotations

import click

from earwitness_plugins.terminal import CliContext, story_command


@story_command("retract")
@click.argument("session")
@click.argument("target")
@click.option("--by", default="owner", show_default=True, metavar="ROLE", help="Who retracts it; shown by `explain`.")
async def command(cli: CliContext, session: str, target: str, by: str) -> None:
    """Retract a message or change (by its key) or one memory (by its id).

    Whatever rested on it goes too, everywhere.
    """
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        story = await ew.open_session(session)
        outcome = await story.retract(target, by=by)
        await outcome.settled()
        said = "Retracted" if outcome.created else "It was retracted already, and nothing changes"
        data = {"retracted": target, "session": session, "already": not outcome.created}
        cli.answer(data, f"{said}: {plain(target)}")
