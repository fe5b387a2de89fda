"""`earwitness import FILE`: take back what `export` wrote."""

from __future__ import annotations

import sys
from typing import Any

import click

from earwitness.cli import Desk, story_command


@story_command("import")
@click.argument("file", metavar="FILE")
@click.option("--as", "id", metavar="ID", help="Another id for the story.  [default: its own]")
async def command(desk: Desk, file: str, id: str | None) -> None:
    """Take in a story that `export` wrote. FILE may be - for standard input."""
    lines = _lines(file)
    async with desk.open(create=True) as ew:
        story = await ew.import_session(lines, id=id)
        desk.answer({"imported": story.id, "lines": len(lines)}, f"Imported {story.id}")


def _lines(file: str) -> list[dict[str, Any]]:
    from earwitness_plugins.importers.rows import rows, rows_in

    found = rows_in(sys.stdin, "standard input") if file == "-" else rows(file)
    return [row.values for row in found]
