"""`earwitness preview "text" --speaker WHO`: who would learn this if it were said here and now?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, options, story_command

if TYPE_CHECKING:
    from earwitness.records.channel import Channel


@story_command("preview")
@click.argument("text")
@click.option("--speaker", required=True, metavar="WHO", help="Who would say it.")
@click.option("--speak-as", metavar="NAME", help="The name under which the speaker is in disguise.")
@click.option("--session", metavar="ID", help="The story.  [default: the only one]")
@options.host_word
@click.option("--place", metavar="PLACE", help="Where it would be said.  [default: the current scene]")
@options.channel
@click.option("--key", metavar="KEY", help="The key it would have: the coins of rules with chance depend on it.")
@click.option("--days", default=0.0, show_default=True, metavar="N", help="Play this many game days forward.")
@click.option("--picture", metavar="FILE", help="Draw how the message spreads: .svg, .png, or .mmd (Mermaid).")
@click.option("--force", is_flag=True, help="Write over a picture that exists.")
async def command(
    cli: CliContext,
    text: str,
    speaker: str,
    speak_as: str | None,
    session: str | None,
    present: tuple[str, ...],
    audience: tuple[str, ...],
    place: str | None,
    channel: Channel | None,
    key: str | None,
    days: float,
    picture: str | None,
    force: bool,
) -> None:
    """Show who would learn this if it were said now. Nothing is written."""
    from earwitness_plugins.terminal.output import refuse_existing
    from earwitness_plugins.terminal.people import People
    from earwitness_plugins.terminal.preview import preview
    from earwitness_plugins.terminal.rule_warnings import warn_of_misspelt_names

    if picture is not None:
        refuse_existing([picture], force=force)
    async with cli.open() as ew:
        story = await ew.open_session(session or await cli.only_story(ew))
        warn_of_misspelt_names(ew.settings, story.cast)
        found = await story.backstage(role="owner").preview(
            speaker,
            text,
            speak_as=speak_as,
            channel=channel,
            present=present or None,
            audience=audience or None,
            place=place,
            key=key,
            days=days,
        )
        if picture is not None:
            from earwitness_relationships.pictures import save_picture
            from earwitness_relationships.what_if import preview_picture

            save_picture(preview_picture(found, story.cast), picture)
        cli.answer(found.model_dump(mode="json"), preview(found, People(story.cast, ew.settings.calendar)))
        if picture is not None and not cli.json:
            click.echo(f"Wrote {picture}.")
