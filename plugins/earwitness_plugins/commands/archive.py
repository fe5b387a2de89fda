"""`earwitness archive` and `restore SESSION MEMORY…`: take memories out of recall, and put them back."""

from __future__ import annotations

import click

from earwitness_plugins.terminal import CliContext, story_command


@story_command("archive")
@click.argument("session")
@click.argument("memories", nargs=-1, required=True, metavar="MEMORY…")
async def command(cli: CliContext, session: str, memories: tuple[str, ...]) -> None:
    """Take memories out of recall. A message's key stands for everybody's memory of it.

    What rests on them stays. `restore` puts them back.
    """
    await _archive(cli, session, memories, restore=False)


@story_command("restore")
@click.argument("session")
@click.argument("memories", nargs=-1, required=True, metavar="MEMORY…")
async def restore(cli: CliContext, session: str, memories: tuple[str, ...]) -> None:
    """Put archived memories back into recall. A message's key stands for everybody's memory of it."""
    await _archive(cli, session, memories, restore=True)


async def _archive(cli: CliContext, session: str, memories: tuple[str, ...], *, restore: bool) -> None:
    from earwitness_plugins.terminal.people import plain

    async with cli.open() as ew:
        story = await ew.open_session(session)
        outcome = await (story.restore(*memories) if restore else story.archive(*memories))
        plan = (await outcome.settled()).plan
        changed = [len(each.restores) for each in plan.restorations] or [len(each.removes) for each in plan.withdrawals]
        number = sum(1 for each in changed if each)
        said = "Back in recall" if restore else "Out of recall"
        data = {"restored" if restore else "archived": list(memories), "session": session, "memories": number}
        cli.answer(data, f"{said}: {', '.join(map(plain, memories))} ({_counted(number)})")


def _counted(number: int) -> str:
    from earwitness.records.prose import counted

    return counted(number, "memory", "memories") if number else "as before"
