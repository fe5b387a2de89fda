"""`earwitness consolidate` and `prune SESSION`: sum up old memories; take old ones out of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from earwitness_plugins.terminal import CliContext, options, story_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from earwitness import Record

CHARACTER = click.option("--character", metavar="ID", help="Only this character's.  [default: everybody's]")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Only show which memories; nothing is written.")
WRITE = click.option(
    "--write",
    type=click.Choice(["review", "off", "auto"]),
    help="Let it wait for review, or write it at once.  [default: as the settings say]",
)


@story_command("consolidate")
@click.argument("session")
@CHARACTER
@click.option(
    "--keep",
    type=click.IntRange(min=0),
    help="Newest memories to leave as they are.  [default: the settings']",
)
@click.option("--limit", type=click.IntRange(min=1), help="Number of summaries at most.")
@DRY_RUN
@WRITE
@options.role
async def command(cli: CliContext, session: str, dry_run: bool, role: str, **given: Any) -> None:
    """Replace old memories of characters by summaries. The originals leave recall, and can be restored.

    With the consolidator of the settings, by default without a model. Summaries wait for review unless --write auto.
    """
    async with cli.open() as ew:
        story = await ew.open_session(session)
        found = await story.consolidate.acting(role=role)(dry_run=dry_run, **given)
        await story.delivered()
        cli.answer(_data(found), _shown(found) or "There is nothing to sum up.")
    cli.finish(ok=not any(each.failure for each in found))


@story_command("prune")
@click.argument("session")
@CHARACTER
@click.option(
    "--age",
    type=click.FloatRange(min=0, min_open=True),
    help="Take memories learned this many game days ago, or earlier.",
)
@click.option("--count", type=click.IntRange(min=1), help="Keep this many memories, and take the older ones.")
@DRY_RUN
@WRITE
@options.role
async def prune(cli: CliContext, session: str, dry_run: bool, role: str, **given: Any) -> None:
    """Take old memories of characters out of recall; `restore` puts them back.

    They wait for review unless --write auto.
    """
    async with cli.open() as ew:
        story = await ew.open_session(session)
        found = await story.prune.acting(role=role)(dry_run=dry_run, **given)
        await story.delivered()
        cli.answer(_data(found), _shown(found) or "There is nothing to forget.")


def _data(found: Sequence[Record]) -> list[dict[str, Any]]:
    return [each.model_dump(mode="json") for each in found]


def _shown(found: Sequence[Record]) -> str:
    from earwitness_plugins.terminal.people import plain

    return "\n".join(plain(str(each)) for each in found)
