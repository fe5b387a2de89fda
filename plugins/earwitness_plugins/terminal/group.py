"""The command line `earwitness`: its commands come in by entry points (`earwitness.command`), ours like anybody's."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from importlib.metadata import EntryPoint, version
from pathlib import Path
from typing import Any

import click

from earwitness.errors import named
from earwitness.loading.installed_packages import entry_points

from .command import GuessingGroup
from .context import program
from .errors import CommandFailed, as_failure, first_of

COMMANDS = "earwitness.command"
INTERRUPTED = 130
EVERYWHERE = ("--store", "--settings", "--json")
GC_THRESHOLD = 100_000
"""New objects before Python looks for cycles. Records have none: its own 700 took an eighth of a replay's time, and
10,000 a thirtieth; this takes no more memory, as what has no cycle is freed at once."""


def main() -> None:
    """Run the command line. A strategy may be named that is in the current folder, as in `mine.LastTwo`."""
    sys.path.append(str(Path.cwd()))  # last, so that a file there hides no module
    gc.set_threshold(GC_THRESHOLD)
    group(prog_name="earwitness")


class CommandGroup(GuessingGroup):
    """Commands by entry point. One that cannot be loaded is listed as such, and the others work."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted."""
        return sorted(point.name for point in _points())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or one in its place that says why it cannot be loaded."""
        point = next((point for point in _points() if point.name == cmd_name), None)
        return _loaded(point) if point else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with a hint for an option that belongs after the command."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name not in EVERYWHERE:
                raise
            value = "" if error.option_name == "--json" else " FILE"
            where = f"It goes after the command: {program()} COMMAND … {error.option_name}{value}"
            raise click.UsageError(f"{error.option_name} is an option of the commands. {where}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An error becomes one line and an exit code, unless the traceback was asked for."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except (KeyboardInterrupt, click.Abort):
            ctx.exit(INTERRUPTED)
        except Exception as error:
            first = first_of(error)
            if ctx.params["traceback"]:
                raise
            if isinstance(first, BrokenPipeError):  # the reader of our output has seen enough
                raise first from None
            raise as_failure(first) from error


def _points() -> Iterable[EntryPoint]:
    return entry_points(group=COMMANDS)


def _loaded(point: EntryPoint) -> click.Command:
    try:
        command = point.load()
    except Exception as error:  # noqa: BLE001 - one broken command must not take the others along
        return _broken(point, named(error))
    return command if isinstance(command, click.Command) else _broken(point, f"{point.value} is not a click command")


def _broken(point: EntryPoint, why: str) -> click.Command:
    def refuse() -> None:
        raise CommandFailed(f"the command {point.name!r} ({point.value}) cannot be loaded: {why}.")

    return click.Command(
        point.name,
        callback=refuse,
        short_help=f"(cannot be loaded: {why})",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 bad input, 3 storage, 130 interrupted.",
)
@click.version_option(version("earwitness"), prog_name="earwitness")
@click.option("--traceback", is_flag=True, help="Show where an error comes from.")
def group(traceback: bool) -> None:
    """Who remembers what, and how do they know?"""
    del traceback  # read by `CommandGroup.invoke`, also after the command
