"""Options that the programs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def output(command: F) -> F:
    """`--json` and `--plot FILE`."""
    plot = click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Save a picture, PNG or SVG.")
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(plot(command))


def peers(command: F) -> F:
    """`--only NAME`, several times."""
    return click.option("--only", multiple=True, metavar="NAME", help="Measure only these contenders.")(command)


def numbers(text: str) -> Sequence[int]:
    """`100,5000` → (100, 5000)."""
    try:
        return tuple(int(part) for part in text.replace("_", "").split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} must be numbers with commas between them.") from None
