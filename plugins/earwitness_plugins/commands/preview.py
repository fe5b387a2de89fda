"""`earwitness preview "text" --speaker WHO`: who would learn this if it were said here and now?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.records.channel import Context


@story_command("preview")
@click.argument("text")
@click.option("--speaker", required=True, metavar="WHO", help="Who would say it.")
@click.option("--session", metavar="ID", help="The story.  [default: the only one]")
@click.option("--context", type=click.Choice(["dm", "private_channel", "public_channel"]), default="private_channel")
@click.option("--present", multiple=True, metavar="WHO", help="Who perceives it, if that is certain; once for each.")
async def command(
    cli: CliContext, text: str, speaker: str, session: str | None, context: Context, present: tuple[str, ...]
) -> None:
    """Show who would learn this if it were said now. Nothing is written."""
    from earwitness_plugins.terminal.containers import preview
    from earwitness_plugins.terminal.people import People

    async with cli.open() as ew:
        story = await ew.open_session(session or cli.only_story(await ew.sessions()))
        found = await story.backstage(role="author").preview(
            speaker,
            text,
            context=context,
            present=present or None,
        )
        cli.answer(found.model_dump(mode="json"), preview(found, People(story.cast, ew.settings.calendar)))
