"""Labelled data from files, by whichever importer takes them, and what proves that it is the same data again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from earwitness.errors import InputError
from earwitness.loading.strategies import Strategies
from earwitness.records.base import Record
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.importers.labelled import Asked, Labelled, LabelledScene, Question, as_labelled


class DataFile(Record):
    """One file of a run."""

    path: str
    """As it was named."""
    sha256: str | None = None
    """Of its bytes; `None` in a run written by hand."""
    format: str | None = None
    """The importer that reads it; `None` = whichever takes it."""


class Data(Record):
    """Everything the files of a run hold."""

    files: tuple[DataFile, ...]
    """Where it comes from."""
    scenes: tuple[LabelledScene, ...] = ()
    """What was said."""
    questions: tuple[Question, ...] = ()
    """Who knows what."""
    asked: tuple[Asked, ...] = ()
    """What is to be found."""


def read(strategies: Strategies, paths: Iterable[str], format: str | None = None) -> Data:
    """Read files of any format an importer knows. Raises `StoryError` that names the file, and where in it."""
    return _read(strategies, [DataFile(path=path, format=format) for path in paths])


def _read(strategies: Strategies, files: Iterable[DataFile]) -> Data:
    found = [(file, read_file(strategies, file.path, file.format)) for file in files]
    labelled = [each for _, each in found if isinstance(each, Labelled)]
    return Data(
        files=tuple(file.model_copy(update={"sha256": digest(file.path)}) for file, _ in found),
        scenes=tuple(as_labelled(scene, Path(file.path).stem) for file, each in found for scene in each.scenes),
        questions=tuple(question for each in labelled for question in each.questions),
        asked=tuple(question for each in labelled for question in each.asked),
    )


def again(strategies: Strategies, files: Sequence[DataFile]) -> Data:
    """Read the files of an earlier run. Raises `InputError` for one that has changed since."""
    for file in files:
        if file.sha256 is not None and Path(file.path).exists() and (now := digest(file.path)) != file.sha256:
            raise InputError(
                f"{file.path} is not the file of that run any more: its SHA-256 is {now[:12]}…, not "
                f"{file.sha256[:12]}…. Evaluate it afresh."
            )
    return _read(strategies, files)


def digest(path: str) -> str:
    """SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
