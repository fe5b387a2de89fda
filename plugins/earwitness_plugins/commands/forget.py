"""`earwitness forget SESSION [CHARACTER]`: remove a story, or a character with everything they remember, for good."""

from __future__ import annotations

import click

from earwitness_plugins.terminal import CliContext, story_command


@story_command("forget")
@click.argument("session")
@click.argument("character", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
async def command(cli: CliContext, session: str, character: str | None, yes: bool) -> None:
    """Remove a story, or a character and their memories, for good.

    What others remember of the character stays.
    """
    from earwitness_plugins.terminal.questions import confirm

    async with cli.open() as ew:
        story = await ew.open_session(session)
        member = story.cast.resolve(character) if character else None
        what = f"{member.name} and everything they remember" if member else f"the story {session!r}"
        if not yes and (character is None or member):
            confirm(f"Remove {what} for good?")
        await (story.forget(character) if character else ew.forget(session))
        cli.answer({"forgotten": character or session, "session": session}, f"Forgotten: {what}")
