"""A command is one asynchronous function.

::

    @story_command("greet")
    @click.argument("session")
    async def command(cli: CliContext, session: str) -> None:
        \"\"\"Greet everybody in a story.\"\"\"
        async with cli.open() as ew:
            ...
            cli.answer({"greeted": names}, f"Hello {', '.join(names)}!")

`story_command` adds `--store`, `--settings`, `--json` and `--traceback`. An error becomes one line and an exit code.
To keep `earwitness --help` quick, a command imports what is heavy inside its function.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any

import click

from earwitness.errors import did_you_mean

from .context import DEFAULT_STORE, CliContext

SENTENCES = ("query", "text")
"""Arguments that take a sentence."""


class GuessingGroup(click.Group):
    """A group of commands that says which one was probably meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a guess at what was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(error.message + did_you_mean(args[0], self.list_commands(ctx)), ctx) from None


class StoryCommand(click.Command):
    """A command that says how to put several words into one argument."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with a hint where the last argument takes a sentence."""
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            raise click.UsageError(f"unexpected {' '.join(map(repr, rest))}.{self._hint(ctx, rest)}", ctx)
        return rest

    def _hint(self, ctx: click.Context, rest: list[str]) -> str:
        last = [each.name for each in self.params if isinstance(each, click.Argument)][-1:]
        if not last or last[0] not in SENTENCES:
            return ""
        return f' Put a sentence in quotes: "{" ".join([str(ctx.params[last[0]]), *rest])}"'


def story_command(
    name: str, *, store: str = f"The file with the stories.  [default: {DEFAULT_STORE}]"
) -> Callable[[Callable[..., Awaitable[None]]], click.Command]:
    """Make a command of an asynchronous function `(cli, **arguments)`, with the options every command has.

    `store` is the help for `--store`, for a command that uses it in another way.
    """

    def decorate(run: Callable[..., Awaitable[None]]) -> click.Command:
        @wraps(run)
        def call(store: str | None, settings: str | None, as_json: bool, **given: Any) -> None:
            from anyio import run as run_in_loop

            run_in_loop(partial(run, CliContext(store, settings, as_json), **given))

        function: Callable[..., None] = call
        for option in _OPTIONS:
            function = option(function)
        function = click.option("--store", metavar="FILE", envvar="EARWITNESS_STORE", help=store)(function)
        return click.command(name, cls=StoryCommand)(function)

    return decorate


def _ask_for_traceback(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.find_root().params["traceback"] = True


# Last first: click shows the one applied last on top.
_OPTIONS = (
    click.option("--traceback", is_flag=True, expose_value=False, callback=_ask_for_traceback, hidden=True),
    click.option("--json", "as_json", is_flag=True, help="Answer in JSON, one value a line."),
    click.option(
        "--settings",
        metavar="FILE",
        envvar="EARWITNESS_SETTINGS",
        help="Settings.  [default: earwitness.toml, if it is there]",
    ),
)
