"""Where a command writes its files. Nothing that is there already is replaced without `--force`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import click

from earwitness.errors import InputError

STDOUT = "-"
"""The name that stands for standard output."""


def destinations(names: Sequence[str], output: str, *, force: bool) -> list[str]:
    """The paths for files of these names. A folder that `output` names is made.

    Raises `InputError` for several files without a folder, and, unless `force`, for a file that is there already.
    """
    folder = is_folder(output)
    if len(names) > 1 and not folder:
        raise InputError(f"{len(names)} files ({', '.join(names)}) need a folder: --output FOLDER.")
    paths = [str(Path(output) / name) for name in names] if folder else [output]
    refuse_existing(paths, force=force)
    if folder:
        Path(output).mkdir(parents=True, exist_ok=True)
    return paths


def is_folder(output: str) -> bool:
    """Whether a path names a folder: it is one, or it does not exist yet and ends in `/` or has no ending."""
    path = Path(output)
    if output == STDOUT or path.exists():
        return output != STDOUT and path.is_dir()
    return output.endswith("/") or not path.suffix


def refuse_existing(paths: Sequence[str], *, force: bool) -> None:
    """Raise `InputError` for files that are there already, unless `force`."""
    there = [path for path in paths if path != STDOUT and Path(path).is_file()]
    if there and not force:
        are, them = ("is", "it") if len(there) == 1 else ("are", "them")
        raise InputError(
            f"{', '.join(there)} {are} there already. Choose another name, or write over {them} with --force."
        )


def opened(path: str, mode: str) -> IO[Any]:
    """The file to write, which appears whole or not at all; a device, or standard output, is written as it goes."""
    whole = path != STDOUT and (Path(path).is_file() or not Path(path).exists())
    return click.open_file(path, mode, encoding=None if "b" in mode else "utf-8", atomic=whole)
