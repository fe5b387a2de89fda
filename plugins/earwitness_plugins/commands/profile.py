"""`earwitness profile SESSION CHARACTER --of OTHER`: what does she think of him, and from which memories?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, options, story_command

if TYPE_CHECKING:
    from earwitness.records.channel import Channel
    from earwitness_plugins.applications.profiles.records import ProfileBy


@story_command("profile")
@click.argument("session")
@click.argument("character")
@click.option("--of", required=True, metavar="OTHER", help="Another character, or the id of a user.")
@click.option("--by", type=click.Choice(["extract", "model"]), help="Quote memories, or ask the model of [model].")
@click.option("--days", is_flag=True, help="Show it game day by game day.")
@options.channel
async def command(
    cli: CliContext,
    session: str,
    character: str,
    of: str,
    by: ProfileBy | None,
    days: bool,
    channel: Channel | None,
) -> None:
    """Show what a character thinks of another one, or of a user, with the memories that show it.

    Only the character's own memories count, as far as they may be recalled in the channel. Without --by, the model is
    asked where the settings have one. With --by model, the exit code is 1 if it could not answer, and memories are
    quoted.
    """
    from earwitness_plugins.applications.profiles import Profiles
    from earwitness_plugins.terminal.people import People
    from earwitness_plugins.terminal.profiles import profile
    from earwitness_plugins.terminal.warnings import warn

    async with cli.open() as ew:
        story = await ew.open_session(session)
        found = await Profiles(story, ew)(character, of=of, by=by, channel=channel)
        warn([each.rstrip(".") for each in found.failures])
        cli.answer(found.model_dump(mode="json"), profile(found, People(story.cast, ew.settings.calendar), days=days))
        cli.finish(ok=by != "model" or found.by == "model")
