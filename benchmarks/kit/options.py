"""Options that the programs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from .conversations import Conversation, read

F = TypeVar("F", bound=Callable[..., Any])


def output(command: F) -> F:
    """`--json` and `--plot FILE`."""
    plot = click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Save a picture, PNG or SVG.")
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(plot(command))


def conversation_files(command: F) -> F:
    """The files of conversations, `FILES...`, read as `conversations`."""

    def conversations(context: click.Context, option: click.Parameter, files: Sequence[Path]) -> Sequence[Conversation]:
        try:
            return [read(path) for path in files]
        except (ValueError, KeyError) as error:
            raise click.UsageError(f"cannot read the conversations: {error}") from None

    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    return click.argument(
        "conversations", metavar="FILES...", nargs=-1, required=True, type=file, callback=conversations
    )(command)


def peers(command: F) -> F:
    """`--only NAME`, several times."""
    return click.option("--only", multiple=True, metavar="NAME", help="Measure only these contenders.")(command)


def numbers(text: str) -> Sequence[int]:
    """`100,5000` → (100, 5000)."""
    try:
        return tuple(int(part) for part in text.replace("_", "").split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} must be numbers with commas between them.") from None
