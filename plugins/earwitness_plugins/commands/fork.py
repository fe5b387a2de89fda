"""`earwitness fork SESSION NEW [--at KEY]`: a branch that shares the past and goes its own way."""

from __future__ import annotations

import click

from earwitness_plugins.terminal import CliContext, story_command


@story_command("fork")
@click.argument("session")
@click.argument("new")
@click.option("--at", metavar="KEY", help="The last message or change that both share.  [default: the newest]")
async def command(cli: CliContext, session: str, new: str, at: str | None) -> None:
    """Make a branch of a story, with the id NEW.

    Nothing is decided again: in the branch, everybody remembers what they remembered then.
    """
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        story = await ew.open_session(session)
        was_there = new in await ew.sessions()
        total = None if at else (await story.backstage(role="owner").overview()).decided
        with cli.progress("Forking", total) as advance:
            branch = await story.fork(new, at=at, seen=advance)
        data = {"session": branch.id, "parent": session, "at": at, "cast": list(branch.cast.ids)}
        shared = f"all up to {plain(at)}" if at else "what it shared before" if was_there else "all up to now"
        said = f"shares with {plain(session)} {shared}"
        said = f"was there already: it {said}." if was_there else f"{said}, and goes its own way."
        cli.answer({**data, "created": not was_there}, f"{plain(branch.id)} {said}")
