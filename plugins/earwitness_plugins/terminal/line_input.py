"""Lines that a person types, with editing on a terminal; or those of a pipe or file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import Protocol

from anyio import to_thread

from earwitness.errors import SettingsError

NEEDED = "to edit lines in a terminal it needs prompt_toolkit: pip install 'earwitness[chat]'."
Completions = Callable[[], Sequence[str]]
"""What the person may be about to type."""


class LineInput(Protocol):
    """Reads one line after another."""

    shows: bool
    """Whether what was typed is on the screen already."""

    async def line(self, prompt: str) -> str:
        """The next line, without its end. Raises `EOFError` at the end, and `KeyboardInterrupt` for Ctrl-C."""
        ...


def line_input(words: Completions, *, edited: bool) -> LineInput:
    """The reader for standard input; `edited` = a person may edit lines there, if it is a terminal.

    Raises `SettingsError` where the package for that is missing.
    """
    return TerminalLines(words) if edited and sys.stdin.isatty() and sys.stdout.isatty() else PipedLines()


class PipedLines:
    """Lines as they come."""

    shows = False

    def __init__(self) -> None:
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    async def line(self, prompt: str) -> str:
        """The next line; `prompt` is not shown."""
        read: str = await to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
        if not read:
            raise EOFError
        return read.rstrip("\r\n").removeprefix("\ufeff")  # with which some programs begin a file


class TerminalLines:
    """Lines that are edited, with a history and completion of the last word."""

    shows = True

    def __init__(self, words: Completions) -> None:
        try:
            from prompt_toolkit import PromptSession
            from prompt_toolkit.completion import WordCompleter
        except ModuleNotFoundError as missing:
            raise SettingsError(NEEDED) from missing
        completer = WordCompleter(lambda: list(words()), WORD=True)
        self._session: PromptSession[str] = PromptSession(completer=completer, complete_while_typing=False)

    async def line(self, prompt: str) -> str:
        """The line as it is when Enter is pressed."""
        return await self._session.prompt_async(prompt)
