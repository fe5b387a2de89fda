"""`earwitness export SESSION`: a whole story as JSON Lines."""

from __future__ import annotations

import json

import click

from earwitness.cli import Desk, story_command


@story_command("export")
@click.argument("session")
@click.option("--output", "-o", metavar="FILE", default="-", help="Where to.  [default: standard output]")
async def command(desk: Desk, session: str, output: str) -> None:
    """Write a story as JSON Lines: everything said and decided. `import` takes it back."""
    async with desk.open() as ew:
        story = await ew.open_session(session)
        with click.open_file(output, "w", encoding="utf-8", atomic=True) as file:
            async for line in story.backstage().export():
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    if output != "-":
        desk.answer({"exported": session, "file": output}, f"Exported {session} to {output}")
