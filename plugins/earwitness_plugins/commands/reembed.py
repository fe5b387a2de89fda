"""`earwitness reembed`: make the vectors of a store again, with the embedder that the settings name."""

from __future__ import annotations

from earwitness_plugins.terminal import CliContext, story_command


@story_command("reembed")
async def command(cli: CliContext) -> None:
    """Make all vectors of the store again, with the embedder of the settings.

    For a store that was written with another embedder. Close programs that have it open; until the end they go on with
    the old vectors, then they are refused. After an interruption, the command goes on where it stopped.
    """
    from earwitness.app import Earwitness

    settings = cli.existing_settings()
    memories = await Earwitness.open(settings=settings).reembed()
    name = settings.embedder.name if settings.embedder else "none"
    cli.answer({"memories": memories, "embedder": name}, f"{memories:,} memories have vectors of {name!r} now.")
