"""Options that the commands on labelled files have in common."""

from __future__ import annotations

import click

NO_STORE = "Not used: this command reads files, and opens no store."
format = click.option("--format", "format", metavar="NAME", help="The importer.  [default: whichever takes the file]")
directions = click.option("--directions", type=click.Choice(["shown", "hidden"]), default="shown", show_default=True)
threshold = click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    help="From which probability on somebody perceives a message.  [default: of the settings, 0.5]",
)
