"""`earwitness backup FILE`: a copy of all stories, also while another program has them open."""

from __future__ import annotations

import click

from earwitness_plugins.terminal import CliContext, story_command


@story_command("backup")
@click.argument("file")
async def command(cli: CliContext, file: str) -> None:
    """Copy all stories to a new FILE, as they are at this moment.

    Programs that have the store open go on meanwhile. To restore a copy, close them and put it in place of the store.
    """
    async with cli.open() as ew:
        await ew.snapshot(file)
        stories = await ew.sessions()
    cli.answer({"backup": file, "sessions": stories}, f"Copied to {file}: {', '.join(stories) or 'no story yet'}")
