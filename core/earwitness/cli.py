"""The command line `earwitness`: its commands come in by entry points (`earwitness.command`), ours like anybody's.

A command is one asynchronous function::

    @story_command("greet")
    @click.argument("session")
    async def command(desk: Desk, session: str) -> None:
        \"\"\"Greet everybody in a story.\"\"\"
        async with desk.open() as ew:
            ...
            desk.answer({"greeted": names}, f"Hello {', '.join(names)}!")

`story_command` gives it `--store`, `--settings`, `--json` and `--traceback`. What it raises becomes one line and
an exit code. To keep `earwitness --help` quick, commands import what weighs inside the function.
"""

from __future__ import annotations

import gc
import json
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import EarwitnessError, InputError, StorageError, meant, named

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from .app import Earwitness
    from .loading.settings import Settings

COMMANDS = "earwitness.command"
STORE = "earwitness.db"
INTERRUPTED = 130
EVERYWHERE = ("--store", "--settings", "--json")
WORDS = ("query", "text")
GARBAGE = 10_000
"""After so many more objects than went Python looks for cycles, and records have none; its own 700 took an eighth of a
replay's time."""


def main() -> None:
    """The command line. Strategies may be named that stand in the current folder, as in `mine.LastTwo`."""
    sys.path.append(str(Path.cwd()))  # last, so that a file there hides no module
    gc.set_threshold(GARBAGE)
    group(prog_name="earwitness")


def program() -> str:
    """How this program is called from here, for naming a command to try: by its path if the shell would not find it."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "earwitness" and shutil.which("earwitness") is None else "earwitness"


class Failed(click.ClickException):
    """One line on standard error, and an exit code."""

    exit_code = 1


class BadInput(Failed):
    """What was handed in cannot be used."""

    exit_code = 2


class BadStorage(Failed):
    """The file or service could not do its work."""

    exit_code = 3


class Commands(click.Group):
    """Commands by entry point. One that cannot be loaded is listed as such, and the others work."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted."""
        return sorted(point.name for point in _points())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or one in its place that says why it cannot be loaded."""
        point = next((point for point in _points() if point.name == cmd_name), None)
        return _loaded(point) if point else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; options of the commands are told from unknown ones."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name not in EVERYWHERE:
                raise
            value = "" if error.option_name == "--json" else " FILE"
            where = f"It goes after the command: {program()} COMMAND … {error.option_name}{value}"
            raise click.UsageError(f"{error.option_name} is an option of the commands. {where}", ctx) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a guess at what was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(error.message + meant(args[0], self.list_commands(ctx)), ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it raises becomes one line and an exit code, unless the traceback was asked for."""
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
            if isinstance(first, BrokenPipeError):  # whoever read us has seen enough
                raise first from None
            raise as_failure(first) from error


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
        if not last or last[0] not in WORDS:
            return ""
        return f' What belongs together goes in quotes: "{" ".join([str(ctx.params[last[0]]), *rest])}"'


def first_of(error: BaseException) -> BaseException:
    """The first error of a group; any other is itself."""
    return first_of(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def as_failure(error: BaseException) -> Failed:
    """What the user is told about an error, and the exit code: 2 bad input, 3 storage, 1 anything else."""
    match error:
        case InputError():
            return BadInput(str(error))
        case StorageError():
            return BadStorage(str(error))
        case FileNotFoundError(filename=str(path)) if not Path(path).parent.exists():
            return BadStorage(f"{Path(path).parent}: there is no such folder. Make it first.")
        case OSError():
            return BadStorage(str(error))
        case EarwitnessError():
            return Failed(str(error))
    return Failed(f"unexpected {named(error)}. This should not happen; --traceback shows where.")


def _points() -> Iterable[EntryPoint]:
    return entry_points(group=COMMANDS)


def _loaded(point: EntryPoint) -> click.Command:
    try:
        command = point.load()
    except Exception as error:  # noqa: BLE001 - one broken command must not take the others along
        return _broken(point, named(error))
    return command if isinstance(command, click.Command) else _broken(point, f"{point.value} is no click command")


def _broken(point: EntryPoint, why: str) -> click.Command:
    def refuse() -> None:
        raise Failed(f"the command {point.name!r} ({point.value}) cannot be loaded: {why}.")

    return click.Command(
        point.name,
        callback=refuse,
        short_help=f"(cannot be loaded: {why})",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 bad input, 3 storage, 130 interrupted.",
)
@click.version_option(version("earwitness"), prog_name="earwitness")
@click.option("--traceback", is_flag=True, help="Show where an error comes from.")
def group(traceback: bool) -> None:
    """Who remembers what, and how do they know?"""
    del traceback  # read by `Commands.invoke`, also after the command


# ── what a command is given ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Desk:
    """Where the stories are, and how to answer."""

    store: str | None = None
    """`--store`: the file of the embedded ledger and store."""
    settings_file: str | None = None
    """`--settings`."""
    json: bool = False
    """`--json`: answers are JSON, one value a line, and nothing else is on standard output."""

    def settings(self) -> Settings:
        """The settings file, with `--store` put in. Raises `SettingsError`."""
        from .loading.settings import FILE_NAME, Settings

        file = self.settings_file or (FILE_NAME if Path(FILE_NAME).exists() else None)
        settings = Settings.load(file) if file else Settings()
        path = self.store or settings.path or STORE
        return settings.model_copy(update={"path": path})

    @asynccontextmanager
    async def open(self, *, create: bool = False) -> AsyncIterator[Earwitness]:
        """The stories. Raises `InputError` when there are none yet, unless the command may `create` the file."""
        from .app import Earwitness

        settings = self.settings()
        if not create:
            _refuse_missing(settings)
        async with Earwitness.open(settings=settings) as opened:
            yield opened

    def only(self, sessions: Sequence[str]) -> str:
        """The one story there is, when none was named. Raises `InputError` that lists them otherwise."""
        if len(sessions) != 1:
            raise InputError(f"name the story with --session ID. There are: {', '.join(sessions) or 'none'}.")
        return sessions[0]

    def where(self) -> list[str]:
        """The options that find the same stories again, for naming the next command to try."""
        given = {"--store": self.store, "--settings": self.settings_file}
        return [word for option, value in given.items() if value for word in (option, value)]

    def answer(self, data: object, shown: RenderableType) -> None:
        """Print an answer: `data` as a line of JSON with `--json`, else what is to be shown."""
        if self.json:
            click.echo(json.dumps(data, ensure_ascii=False, default=str))
        elif isinstance(shown, str):
            click.echo(shown)  # to the letter: rich would break lines, and take [brackets] for markup
        else:
            self.console.print(shown)

    def finish(self, *, ok: bool) -> None:
        """End the command, with exit code 1 if what it looked for is not well."""
        if not ok:
            raise click.exceptions.Exit(1)

    @property
    def console(self) -> Console:
        """Standard output, for people."""
        from rich.console import Console

        return Console(highlight=False, soft_wrap=False)

    @contextmanager
    def progress(self, what: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """A bar on standard error, if that is a terminal; call what it gives with each number of steps done."""
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task(what, total=total)
            yield partial(bar.advance, task)


def _refuse_missing(settings: Settings) -> None:
    path = settings.path
    if settings.ledger.name == "sqlite" and "path" not in settings.ledger.settings and path and not Path(path).exists():
        raise InputError(
            f"there is no store {path!r} yet. Name one with --store FILE, or begin one: earwitness play STORY."
        )


def story_command(
    name: str, *, store: str = f"The file with the stories.  [default: {STORE}]"
) -> Callable[[Callable[..., Awaitable[None]]], click.Command]:
    """Make a command of an asynchronous function `(desk, **arguments)`, with the options every command has.

    `store` is the help for `--store`, for a command that makes something else of it.
    """

    def decorate(run: Callable[..., Awaitable[None]]) -> click.Command:
        @wraps(run)
        def call(store: str | None, settings: str | None, as_json: bool, **given: Any) -> None:
            from anyio import run as run_in_loop

            run_in_loop(partial(run, Desk(store, settings, as_json), **given))

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

if __name__ == "__main__":
    main()
