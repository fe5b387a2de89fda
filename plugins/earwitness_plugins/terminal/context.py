"""What a command is given: where the stories are, and how to answer."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from earwitness.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from earwitness.app import Earwitness
    from earwitness.loading.settings import Settings

DEFAULT_STORE = "earwitness.db"


def program() -> str:
    """The command that runs this program from here, to name the next one: a path if the shell would not find it."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "earwitness" and shutil.which("earwitness") is None else "earwitness"


@dataclass(frozen=True)
class CliContext:
    """Where the stories are, and how to answer."""

    store: str | None = None
    """`--store`: the file of the embedded ledger and store."""
    settings_file: str | None = None
    """`--settings`."""
    json: bool = False
    """`--json`: answers are JSON, one value a line, and nothing else goes to standard output."""

    def settings(self) -> Settings:
        """The settings file, with `--store` put in. Raises `SettingsError`."""
        from earwitness.loading.settings import FILE_NAME, Settings

        file = self.settings_file or (FILE_NAME if Path(FILE_NAME).exists() else None)
        settings = Settings.load(file) if file else Settings()
        path = self.store or settings.path or DEFAULT_STORE
        return settings.model_copy(update={"path": path})

    @asynccontextmanager
    async def open(self, *, create: bool = False) -> AsyncIterator[Earwitness]:
        """The open store. Raises `InputError` when there is none yet, unless the command may `create` the file."""
        from earwitness.app import Earwitness

        settings = self.settings() if create else self.existing_settings()
        async with Earwitness.open(settings=settings) as opened:
            yield opened

    def existing_settings(self) -> Settings:
        """The settings of a store that is there. Raises `InputError` when there is none yet."""
        settings = self.settings()
        if (file := store_file(settings)) is None:
            return settings
        begin = f"Name one with --store FILE, or begin one: {program()} play STORY."
        if not file.exists():
            raise InputError(f"there is no store {str(file)!r} yet. {begin}")
        if is_empty_file(file):
            raise InputError(f"{str(file)!r} is an empty file and holds no stories. {begin}")
        return settings

    async def only_story(self, ew: Earwitness, how: str = "--session ID") -> str:
        """The only story in the store, when none was named; its bubbles do not count. Raises `InputError` that lists
        them otherwise.

        `how` says how the command names a story.
        """
        from earwitness_relationships.canon.bubbles import without_bubbles

        stories = await without_bubbles(ew)
        if len(stories) != 1:
            raise InputError(f"name the story: {how}. Stories here: {', '.join(stories) or 'none'}.")
        return stories[0]

    def where(self) -> list[str]:
        """The options that find the same stories again, to name the next command to try."""
        given = {"--store": self.store, "--settings": self.settings_file}
        return [word for option, value in given.items() if value for word in (option, value)]

    def answer(self, data: object, shown: RenderableType) -> None:
        """Print an answer: `data` as a line of JSON with `--json`, `shown` otherwise."""
        if self.json:
            click.echo(json.dumps(data, ensure_ascii=False, default=str))
        elif isinstance(shown, str):
            click.echo(shown)  # to the letter: rich would break lines, and take [brackets] for markup
        else:
            self.console.print(shown)

    def finish(self, *, ok: bool) -> None:
        """End the command; with exit code 1 if not `ok`."""
        if not ok:
            raise click.exceptions.Exit(1)

    @property
    def console(self) -> Console:
        """Standard output, for people."""
        from rich.console import Console

        return Console(highlight=False, soft_wrap=False)

    @contextmanager
    def progress(self, what: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """A progress bar on standard error, if that is a terminal. Call what it yields with each number of steps."""
        if not sys.stderr.isatty():
            yield lambda steps: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield partial(bar.advance, task)


def store_exists(settings: Settings) -> bool:
    """Whether the file of the embedded store exists; a store of another kind is taken to exist."""
    file = store_file(settings)
    return file is None or file.exists()


def store_file(settings: Settings) -> Path | None:
    """The file of the embedded ledger; `None` for a ledger that is in no file."""
    path = settings.ledger.settings.get("path", settings.path)
    return Path(path) if settings.ledger.name == "sqlite" and path not in {None, ":memory:"} else None


def is_empty_file(file: Path) -> bool:
    """Whether there is nothing in a file yet, so that opening it as a store would begin one there."""
    return file.is_file() and file.stat().st_size == 0
