"""`earwitness recall SESSION CHARACTER "query"`: what does she remember, and why does it come to mind?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from earwitness_plugins.terminal import CliContext, options, story_command

if TYPE_CHECKING:
    from earwitness.records.channel import Channel


@story_command("recall")
@click.argument("session")
@click.argument("character")
@click.argument("query", required=False)
@click.option("--memories", type=click.IntRange(min=1), metavar="N", help="How many at most.")
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="TEST",
    help="Such as gameDay<=3 or location=tavern; may be repeated: all must hold.",
)
@click.option("--before", metavar="KEY", help="What the character remembered before the message with this KEY.")
@options.channel
async def command(
    cli: CliContext,
    session: str,
    character: str,
    query: str | None,
    memories: int | None,
    filters: tuple[str, ...],
    before: str | None,
    channel: Channel | None,
) -> None:
    """Show what a character remembers now, and why.

    Without a QUERY: what the recent messages bring to mind.
    """
    from earwitness.filters import all_of, parse
    from earwitness_plugins.applications.stories.player import asked, recollection
    from earwitness_plugins.applications.stories.steps import RecallStep
    from earwitness_plugins.terminal.memories import recollection as panel
    from earwitness_plugins.terminal.people import People
    from earwitness_plugins.terminal.warnings import warn

    query = query or None  # an empty question is none
    tests = [parse(test) for test in filters]
    async with cli.open() as ew:
        story = await ew.open_session(session)
        settings: dict[str, Any] = {"before": before} | ({} if memories is None else {"memories": memories})
        turn = await asked(story, character, query, channel=channel, filter=all_of(*tests), **settings)
        found = recollection(turn, RecallStep(character=turn.character, query=query, show=10_000))
        if tests and not turn.memories:
            back = story.backstage(role="owner")
            warn((await back.inspect(turn.character, filter=all_of(*tests), limit=0)).warnings)
        cli.answer(found.model_dump(mode="json"), panel(found, People(story.cast, ew.settings.calendar), ids=True))
