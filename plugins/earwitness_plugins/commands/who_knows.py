"""`earwitness who-knows SESSION "text"`: who knows about it, since when, and how?"""

from __future__ import annotations

import click

from earwitness_plugins.terminal import CliContext, story_command


@story_command("who-knows")
@click.argument("session")
@click.argument("text")
@click.option("--picture", metavar="FILE", help="Draw who learned it from whom: .svg, .png, or .mmd for Mermaid.")
@click.option("--force", is_flag=True, help="Write over a picture that exists.")
async def command(cli: CliContext, session: str, text: str, picture: str | None, force: bool) -> None:
    """Show who knows about something, since when, and how.

    Every character: nothing found, or how they know, with the memory that proves it.
    """
    from earwitness.errors import InputError
    from earwitness_plugins.applications.stories.events import WhoKnowsPlayed
    from earwitness_plugins.terminal.memories import knowledge
    from earwitness_plugins.terminal.output import refuse_existing
    from earwitness_plugins.terminal.people import People

    if not text.strip():
        raise InputError("the text is empty. Give some words of what they may know, as they were said.")
    if picture is not None:
        refuse_existing([picture], force=force)
    async with cli.open() as ew:
        story = await ew.open_session(session)
        answer = await story.backstage(role="owner").who_knows(text)
        if picture is not None:
            from earwitness_relationships.pictures import knowledge_picture, save_picture

            save_picture(knowledge_picture(answer, {each.id: each.name for each in story.cast}), picture)
        shown = WhoKnowsPlayed(text=text, knowers=answer.knowers)
        cli.answer(
            answer.model_dump(mode="json"), knowledge(shown, People(story.cast, ew.settings.calendar), proofs=True)
        )
        if picture is not None and not cli.json:
            click.echo(f"Wrote {picture}.")
