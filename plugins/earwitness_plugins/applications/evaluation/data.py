"""Labelled data: read from files by whichever importer accepts them, with a digest of each file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from earwitness.errors import InputError, StoryError, did_you_mean, quoted
from earwitness.loading.strategies import Strategies
from earwitness.patterns import lazy_pattern
from earwitness.records.base import Record
from earwitness_plugins.applications.imports.detect_format import read_file
from earwitness_plugins.importers.labelled import Asked, Labelled, LabelledLine, LabelledScene, Question, as_labelled

_AND = lazy_pattern(r"\s*(?:[,;/&+]|\band\b)\s*")
TOGETHER = frozenset({"all", "everyone", "everybody", "both", "others", "several"})
"""Speakers who are not members of a roster by themselves, in small letters."""


class DataFile(Record):
    """One file of labelled data."""

    path: str
    """Path, as it was given."""
    sha256: str | None = None
    """Digest of its bytes; `None` in a run written by hand."""
    format: str | None = None
    """Name of the importer that reads it; `None` = the first one that accepts it."""


class Data(Record):
    """The contents of all files of a run."""

    files: tuple[DataFile, ...]
    """The files."""
    scenes: tuple[LabelledScene, ...] = ()
    """Scenes with their messages."""
    questions: tuple[Question, ...] = ()
    """Questions about who knows a fact."""
    asked: tuple[Asked, ...] = ()
    """Questions whose evidence is to be found."""


def read(strategies: Strategies, paths: Iterable[str], format: str | None = None) -> Data:
    """Read files of any format that an importer accepts. Raises `StoryError`, naming the file and the place in it,
    and `InputError` for a file that is named twice."""
    return _read(strategies, [DataFile(path=path, format=format) for path in paths])


def _read(strategies: Strategies, files: Iterable[DataFile]) -> Data:
    files = [*files]
    _refuse_twice([file.path for file in files])
    found = [(file, read_file(strategies, file.path, file.format)) for file in files]
    scenes = [(file.path, as_labelled(each, Path(file.path).stem)) for file, held in found for each in held.scenes]
    for path, scene in scenes:
        _refuse_strangers(path, scene)
    labelled = [each for _, each in found if isinstance(each, Labelled)]
    return Data(
        files=tuple(file.model_copy(update={"sha256": digest(file.path)}) for file, _ in found),
        scenes=tuple(scene for _, scene in scenes),
        questions=tuple(question for each in labelled for question in each.questions),
        asked=tuple(question for each in labelled for question in each.asked),
    )


def _refuse_twice(paths: Sequence[str]) -> None:
    """Raise `InputError` for a file that is named twice: its messages would count twice."""
    places = [Path(path).resolve() for path in paths]
    for number, path in enumerate(paths):
        if places[number] in places[:number]:
            raise InputError(f"{quoted(path)} is named twice, and its messages would count twice. Leave out one.")


def _refuse_strangers(path: str, scene: LabelledScene) -> None:
    """Raise `StoryError` for a label outside the roster. Scored on the roster, it would count for nothing."""
    for stranger in strangers(scene):
        raise StoryError(f"{path}: scene {quoted(scene.name)}, {stranger}")


def strangers(scene: LabelledScene) -> Iterator[str]:
    """Labels outside the roster, in sentences that name the message."""
    yield from (
        f"'present' has {outside(name, scene.roster)}" for name in scene.present or () if name not in scene.roster
    )
    for index, line in enumerate(scene.lines):
        for key, names in _labels(line):
            yield from (
                f"messages[{index}]: {key!r} has {outside(name, scene.roster)}"
                for name in names
                if name not in scene.roster
            )


def strange_speakers(scene: LabelledScene) -> Iterator[str]:
    """Speakers outside the roster, in sentences that name the message. Published corpora have such slips."""
    for index, line in enumerate(scene.lines):
        if line.speaker and not line.narration and not _is_known(line.speaker, scene.roster):
            yield f"messages[{index}]: the speaker is {outside(line.speaker, scene.roster)}"


def _is_known(speaker: str, roster: Sequence[str]) -> bool:
    """Whether it is somebody of the roster, or several of them together, as in `Ann, Ben and Cid` or `ALL`."""
    if speaker in roster or speaker.casefold() in TOGETHER:
        return True
    return all(part in roster for part in _AND.split(speaker) if part)


def _labels(line: LabelledLine) -> Iterator[tuple[str, Sequence[str]]]:
    yield "present", line.perceivers or ()
    yield "acts", [act.who for act in line.acts]
    for piece in line.pieces:
        yield "parts", piece.audience


def outside(name: str, roster: Sequence[str]) -> str:
    """The end of an error: a label that is not in its roster."""
    return f"{quoted(name)}, who is not in the roster {quoted([*roster])}.{did_you_mean(name, roster)}"


def read_again(strategies: Strategies, files: Sequence[DataFile]) -> Data:
    """Read the files of an earlier run. Raises `InputError` for a file that has changed since."""
    for file in files:
        if file.sha256 is not None and Path(file.path).exists() and (now := digest(file.path)) != file.sha256:
            raise InputError(
                f"{file.path} has changed since that run: its SHA-256 is {now[:12]}…, not "
                f"{file.sha256[:12]}…. Start a new evaluation."
            )
    return _read(strategies, files)


def digest(path: str) -> str:
    """SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
