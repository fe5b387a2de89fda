"""Where a command writes its files. What is there already is replaced with `--force` only, and a store never."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import click

from earwitness.errors import InputError
from earwitness.patterns import lazy_pattern

STDOUT = "-"
"""The name that stands for standard output."""
_SQLITE = b"SQLite format 3\0"
_SUFFIX = lazy_pattern(r"\.\w*[^\W\d]\w*")


def destinations(names: Sequence[str], output: str, *, force: bool) -> list[str]:
    """The paths for files of these names. A folder that `output` names is made.

    Raises `InputError` where a file stands in the place of a folder, and, unless `force`, for a file that is there
    already.
    """
    if output == STDOUT and len(names) > 1:
        raise InputError(f"{len(names)} files ({', '.join(names)}) need a folder: --output FOLDER.")
    if not is_folder(output, files=len(names)):
        refuse_existing([output], force=force)
        return [output]
    paths = [str(Path(output) / name) for name in names]
    refuse_existing(paths, force=force)
    _make_folder(output, names)
    return paths


def is_folder(output: str, *, files: int) -> bool:
    """Whether a path names a folder: what is there says so itself; else every path does, for any number of files,
    unless one file goes out and the path ends in a suffix, as in `story.jsonl`. `v1.2` ends in none."""
    path = Path(output)
    if output == STDOUT:
        return False
    if path.exists():
        return path.is_dir() or files > 1
    return files > 1 or output.endswith("/") or not _SUFFIX.fullmatch(path.suffix)


def _make_folder(output: str, names: Sequence[str]) -> None:
    try:
        Path(output).mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(
            f"--output {output!r} is a file, or inside one; {', '.join(names)} need a folder. Name another."
        ) from error


def refuse_existing(paths: Sequence[str], *, force: bool) -> None:
    """Raise `InputError` for files that are there already, unless `force`; for stores in any case."""
    for path in paths:
        refuse_store(path)
    there = [path for path in paths if path != STDOUT and Path(path).is_file()]
    if there and not force:
        exist, them = ("exists", "it") if len(there) == 1 else ("exist", "them")
        raise InputError(f"{', '.join(there)} already {exist}. Choose another name, or overwrite {them} with --force.")


def refuse_store(path: str) -> None:
    """Raise `InputError` for a file that may hold stories, which nothing else may replace."""
    if path == STDOUT or not Path(path).is_file():
        return
    with Path(path).open("rb") as file:
        is_store = file.read(len(_SQLITE)) == _SQLITE
    if is_store:
        raise InputError(f"{path} is a SQLite file, as stores of stories are, and is never overwritten. Name another.")


def opened(path: str, mode: str) -> IO[Any]:
    """The file to write, which appears whole or not at all; a device, or standard output, is written as it goes."""
    whole = path != STDOUT and (Path(path).is_file() or not Path(path).exists())
    return click.open_file(path, mode, encoding=None if "b" in mode else "utf-8", atomic=whole)
