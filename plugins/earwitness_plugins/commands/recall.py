"""`earwitness recall SESSION CHARACTER "query"`: what does she remember, and why does it come to mind?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.records.channel import Context


@story_command("recall")
@click.argument("session")
@click.argument("character")
@click.argument("query", required=False)
@click.option("--memories", type=click.IntRange(min=1), metavar="N", help="How many at most.")
@click.option("--context", type=click.Choice(["dm", "private_channel", "public_channel"]), default="private_channel")
async def command(
    cli: CliContext, session: str, character: str, query: str | None, memories: int | None, context: Context
) -> None:
    """Show what a character remembers now, and why.

    Without a QUERY: what the recent messages bring to mind.
    """
    from earwitness_plugins.applications.stories.player import asked, recollection
    from earwitness_plugins.applications.stories.story import RecallStep
    from earwitness_plugins.terminal.memories import recollection as panel
    from earwitness_plugins.terminal.people import People

    query = query or None  # an empty question is none
    async with cli.open() as ew:
        story = await ew.open_session(session)
        settings: dict[str, Any] = {} if memories is None else {"memories": memories}
        turn = await asked(story, character, query, context=context, **settings)
        found = recollection(turn, RecallStep(character=turn.character, query=query, show=10_000))
        cli.answer(found.model_dump(mode="json"), panel(found, People(story.cast, ew.settings.calendar), ids=True))
