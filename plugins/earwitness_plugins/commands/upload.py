"""`earwitness upload SESSION FILE --for alice`: a document becomes part of what somebody remembers."""

from __future__ import annotations

import click

from earwitness_plugins.terminal import CliContext, story_command


@story_command("upload")
@click.argument("session")
@click.argument("file")
@click.option(
    "--for", "owner", metavar="OWNER", required=True, help="A character, or the name of a hub or global canon."
)
@click.option("--title", metavar="TITLE", help="What readers are shown.  [default: the file's name]")
@click.option("--id", "id", metavar="ID", help="The document that it is a version of.  [default: the file's name]")
async def command(cli: CliContext, session: str, file: str, owner: str, title: str | None, id: str | None) -> None:
    """Put a text, Markdown or PDF file into somebody's memory, in pieces.

    The same file again changes nothing. A new version takes the place of the last one, which is archived.
    """
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        story = await ew.open_session(session)
        done = await story.documents.upload_file(owner, file, title=title, id=id, role="owner")
        await story.delivered()
        cli.answer(done.model_dump(mode="json"), plain(str(done)))
