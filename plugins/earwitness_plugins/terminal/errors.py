"""Errors as the user sees them: one line on standard error, and an exit code."""

from __future__ import annotations

from pathlib import Path

import click

from earwitness.errors import EarwitnessError, InputError, StorageError, named


class CommandFailed(click.ClickException):
    """The command failed: exit code 1."""

    exit_code = 1


class BadInput(CommandFailed):
    """What was handed in cannot be used: exit code 2."""

    exit_code = 2


class BadStorage(CommandFailed):
    """A file or a service could not do its work: exit code 3."""

    exit_code = 3


def first_of(error: BaseException) -> BaseException:
    """The first error of an exception group; any other error is itself."""
    return first_of(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def as_failure(error: BaseException) -> CommandFailed:
    """The failure to report for an error: 2 for bad input, 3 for storage, 1 for anything else."""
    match error:
        case InputError():
            return BadInput(str(error))
        case StorageError():
            return BadStorage(str(error))
        case FileNotFoundError(filename=str(path)) if not Path(path).parent.exists():
            return BadStorage(f"{Path(path).parent}: there is no such folder. Make it first.")
        case OSError(filename=str(path), strerror=str(why)):
            advice = " Change its permissions or choose another." if isinstance(error, PermissionError) else ""
            return BadStorage(f"{path!r} cannot be read or written: {why}.{advice}")
        case OSError():
            return BadStorage(str(error))
        case EarwitnessError():
            return CommandFailed(str(error))
    return CommandFailed(f"unexpected {named(error)}. This should not happen; --traceback shows where.")
