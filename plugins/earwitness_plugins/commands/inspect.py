"""`earwitness inspect SESSION [CHARACTER|world]`: what a container holds."""

from __future__ import annotations

import click

from earwitness_plugins.terminal import CliContext, story_command


@story_command("inspect")
@click.argument("session", required=False)
@click.argument("owner", required=False, metavar="[CHARACTER|world]")
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="TEST",
    help="Such as gameDay<=3 or type==lore; may be repeated: all must hold.",
)
@click.option("--limit", type=click.IntRange(min=0), default=50, show_default=True, help="How many at most.")
@click.option("--offset", type=click.IntRange(min=0), default=0, help="How many to skip.")
@click.option("--costs", is_flag=True, help="What models were asked in the story, and what that cost.")
async def command(
    cli: CliContext,
    session: str | None,
    owner: str | None,
    filters: tuple[str, ...],
    limit: int,
    offset: int,
    costs: bool,
) -> None:
    """List the stories; the cast and state of one; or what a character, or the world, remembers."""
    from earwitness.errors import InputError
    from earwitness.filters import all_of, parse
    from earwitness_plugins.terminal.containers import container_page, overview, sessions
    from earwitness_plugins.terminal.people import People
    from earwitness_plugins.terminal.warnings import warn

    tests = [parse(test) for test in filters]
    if owner is None and (tests or offset):
        raise InputError(
            "--filter and --offset apply to memories. Name a character or world, as in inspect SESSION world."
        )
    if costs and (session is None or owner is not None):
        raise InputError("--costs applies to a story, as in inspect SESSION --costs.")
    async with cli.open() as ew:
        if session is None:
            names = await ew.sessions()
            return cli.answer(list(names), sessions(names))
        story = await ew.open_session(session)
        back = story.backstage(role="owner")
        if costs:
            spent = await back.costs()
            return cli.answer(spent.model_dump(mode="json"), str(spent))
        if owner is None:
            whole = await back.overview()
            return cli.answer(whole.model_dump(mode="json"), overview(whole, People(story.cast, ew.settings.calendar)))
        found = await back.inspect(owner, filter=all_of(*tests), limit=limit, offset=offset)
        warn(found.warnings)
        people = People(story.cast, ew.settings.calendar)
        return cli.answer(found.model_dump(mode="json"), container_page(found, people, offset))
