"""`earwitness documents SESSION`: what was uploaded to a story."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness import Session


@story_command("documents")
@click.argument("session")
@click.option("--for", "owner", metavar="OWNER", help="Only those of this character or container.")
@click.option(
    "--forget",
    "gone",
    metavar="ID",
    help="Retract the document with this id of the owner --for names, with all of its versions.",
)
async def command(cli: CliContext, session: str, owner: str | None, gone: str | None) -> None:
    """List the documents of a story, or forget one, whole."""
    from earwitness.errors import InputError
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        story = await ew.open_session(session)
        if gone is not None:
            if owner is None:
                raise InputError("say whose document it is: --for OWNER.")
            forgotten = await story.documents.forget(owner, gone, role="owner")
            await story.delivered()
            return cli.answer(forgotten.model_dump(mode="json"), plain(str(forgotten)))
        await story.settled()
        found = story.documents.uploaded(None if owner is None else _whose(owner, story))
        shown = plain("\n".join(map(str, found))) or "no documents"
        return cli.answer({"documents": [each.model_dump(mode="json") for each in found]}, shown)


def _whose(owner: str, story: Session) -> str:
    """Character id, or the name of a container that has documents. Raises `UnknownName`."""
    from earwitness.errors import unknown

    if story.cast.called(owner):
        return story.cast.named(owner).id
    containers = {each.owner for each in story.documents.uploaded()} - set(story.cast.ids)
    if owner not in containers:
        known = [*story.cast.ids, *containers]
        raise unknown("character, or container with documents,", owner, known, story.cast.other_names)
    return owner
