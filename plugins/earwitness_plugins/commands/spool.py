"""`earwitness spool list|replay|drop|export|import`: what is decided, and what the store has not taken yet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from earwitness_plugins.terminal import CliContext, GuessingGroup, story_command

if TYPE_CHECKING:
    from earwitness.spool import Undelivered

NOTHING = "Nothing waits: the store has everything."


@click.group("spool", cls=GuessingGroup)
def command() -> None:
    """Show, deliver or drop what the store has not taken yet, for example because a service is away."""


@story_command("list")
@click.argument("session", required=False)
async def list_(cli: CliContext, session: str | None) -> None:
    """List what waits, of one story or of all: by container, how much, since when, and why."""
    async with cli.open() as ew:
        waiting = await ew.spool.waiting(session)
        cli.answer(_data(waiting), _table(waiting) or NOTHING)


@story_command("replay")
@click.argument("session", required=False)
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds to go on trying a story; else once."
)
async def replay(cli: CliContext, session: str | None, timeout: float | None) -> None:
    """Try now to deliver what waits, of one story or of all, and say what is left. Exits with 1 if something is."""
    async with cli.open() as ew:
        before = await ew.spool.waiting(session)
        left = await ew.spool.replay(session, timeout=timeout)
        removed = max(0, _removals(before) - _removals(left))
        delivered = max(0, _number(before) - _number(left)) + removed
        said = f"Delivered: {_counted(delivered, removed)}." if before else NOTHING
        rest = f"\nLeft:\n{_table(left)}" if left else ""
        cli.answer({"delivered": delivered, "removed": removed, "left": _data(left)}, said + rest)
    cli.finish(ok=not left)


@story_command("drop")
@click.argument("session")
@click.argument("containers", nargs=-1, metavar="[CONTAINER]…")
@click.option("--reason", default="dropped by hand", show_default=True, help="Why; the story records it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
async def drop(cli: CliContext, session: str, containers: tuple[str, ...], reason: str, yes: bool) -> None:
    """Strike what waits of a story, or for some containers of it, for good: whoever was to remember it does not."""
    from earwitness_plugins.terminal.questions import confirm

    async with cli.open() as ew:
        waiting = [each for each in await ew.spool.waiting(session) if not containers or each.container in containers]
        if waiting and not yes:
            click.echo(_table(waiting), err=True)
            confirm(f"Drop {_counted(_number(waiting))} for good?")
        number = await ew.spool.drop(session, containers=containers, reason=reason)
        cli.answer({"dropped": number, "session": session, "reason": reason}, f"Dropped: {_counted(number)}.")


@story_command("export")
@click.argument("session")
@click.option("--output", "-o", metavar="FILE", default="-", help="A file.  [default: standard output]")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
async def export(cli: CliContext, session: str, output: str, force: bool) -> None:
    """Write what waits of a story as JSON Lines. It goes on waiting."""
    from earwitness_plugins.terminal.output import opened, refuse_existing

    refuse_existing([output], force=force)
    async with cli.open() as ew:
        lines = await ew.spool.lines(session)
    with opened(output, "w") as file:
        file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in lines)
    if output != "-":
        number, removed = len(lines) - 1, sum(each["kind"] == "removal" for each in lines)
        cli.answer({"exported": number, "file": output}, f"Wrote {_counted(number, removed)} to {output}")


@story_command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
async def import_(cli: CliContext, file: str) -> None:
    """Deliver what `export` wrote, as far as the ledger still has it: nothing comes twice, or comes back."""
    async with cli.open() as ew:
        receipt = await ew.spool.deliver(_read(file))
        left = "".join(f"\nLeft out, {why}: {_counted(number)}." for why, number in receipt.skipped.items())
        cli.answer(
            {**receipt.model_dump(), "file": file},
            f"Delivered: {_counted(receipt.delivered, receipt.removed)}.{left}",
        )


def _read(file: str) -> list[dict[str, object]]:
    from earwitness.errors import InputError

    found = []
    with click.open_file(file, "rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                read = json.loads(line.decode())
            except ValueError as error:
                raise InputError(f"{file}, line {number}: this is not JSON ({error}).") from error
            if not isinstance(read, dict):
                raise InputError(f"{file}, line {number}: this is not a JSON object.")
            found.append(read)
    return found


def _table(waiting: Sequence[Undelivered]) -> str:
    """A line for each container, and each reason once, below the containers that it holds for."""
    by_reason: dict[str | None, list[str]] = {}
    for each in waiting:
        line = f"{each.session}  {each.model_copy(update={'failure': None})}"
        by_reason.setdefault(each.failure, []).append(line)
    return "\n".join(
        line for why, lines in by_reason.items() for line in [*lines, *([f"    not taken: {why}"] if why else [])]
    )


def _data(waiting: Sequence[Undelivered]) -> list[dict[str, object]]:
    return [each.model_dump() for each in waiting]


def _number(waiting: Sequence[Undelivered]) -> int:
    return sum(each.count for each in waiting)


def _removals(waiting: Sequence[Undelivered]) -> int:
    return sum(each.removals for each in waiting)


def _counted(number: int, removed: int = 0) -> str:
    """So many memories, of which some are removals."""
    from earwitness.records.prose import counted

    memories = [counted(number - removed, "memory", "memories")] if number > removed or not removed else []
    return " and ".join([*memories, *([counted(removed, "removal")] if removed else [])])


for each in (list_, replay, drop, export, import_):
    command.add_command(each)
