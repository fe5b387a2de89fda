"""A corpus, read whole from its folder."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, ValidationError

from earwitness.errors import InputError, unknown
from earwitness.records.base import Record
from earwitness.records.refusal import explained
from earwitness_plugins.importers.knowledge import KnowledgeImporter
from earwitness_plugins.importers.labelled import LabelledScene, Question
from earwitness_plugins.importers.rows import JsonRow, rows
from earwitness_plugins.importers.scenes import ScenesImporter

from .places import CARD, PARTS


class Promises(Record):
    """What a corpus says of itself in `corpus.toml`; `corpus check` holds it to that."""

    name: str
    """Its name."""
    licence: str
    """SPDX identifier of its licence."""
    scenes: int = 0
    """At least so many scenes."""
    messages: int = 0
    """At least so many messages."""
    scenes_per_style: int = 0
    """At least so many scenes of every style."""
    other_languages: int = 0
    """At least so many scenes that are not in English."""
    somebody_absent: float = 0.0
    """At least this share of the scenes has messages that a member of the roster does not perceive."""
    queries: int = 0
    """At least so many recall queries."""
    agreement: float = 0.0
    """At least this share of the messages has the same perceivers from both annotators."""
    test_modulo: int | None = Field(default=None, ge=1)
    """A scene is of the part `test` if the SHA-256 of its name, as a number, is divisible by this; `None` = the parts
    were divided in another way."""


class CorpusScene(Record):
    """A scene of a corpus, and which part of it."""

    part: str
    """`dev` or `test`."""
    style: str
    """How it is written."""
    language: str
    """ISO 639-1 code."""
    labelled: LabelledScene
    """The scene."""


class Corpus(Record):
    """A whole corpus."""

    promises: Promises
    """What it says of itself."""
    scenes: tuple[CorpusScene, ...]
    """Its scenes."""
    questions: tuple[tuple[str, Question], ...]
    """Its questions about who knows what, each with its part."""
    queries: int
    """Number of its recall queries."""


def read_corpus(folder: Path) -> Corpus:
    """Read all parts. Raises `InputError` for a bad `corpus.toml`, `StoryError` that names file and line."""
    return Corpus(
        promises=_promises(folder / CARD),
        scenes=tuple(scene for part in PARTS for scene in _scenes(folder, part)),
        questions=tuple((part, question) for part in PARTS for question in _questions(folder, part)),
        queries=sum(1 for part in PARTS for _ in _rows(folder, "recall", part)),
    )


def belongs_to_test(scene: str, modulo: int) -> bool:
    """Whether a scene is of the part `test`, by the hash of its name, which knows nothing of what is in it."""
    return int(hashlib.sha256(scene.encode()).hexdigest(), 16) % modulo == 0


def _promises(path: Path) -> Promises:
    try:
        return Promises.model_validate(tomllib.loads(path.read_text("utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "extra_forbidden":
            raise InputError(f"{path}: {unknown('promise', first['loc'][0], Promises.model_fields)}") from error
        raise InputError(f"{path}: {explained(error)}") from error


def _scenes(folder: Path, part: str) -> Iterator[CorpusScene]:
    path = _file(folder, "participants", part)
    if path.is_file():
        labelled = ScenesImporter().read(str(path)).scenes
        for row, scene in zip(rows(str(path)), labelled, strict=True):
            yield CorpusScene(part=part, style=row.text("style"), language=row.text("language"), labelled=scene)


def _questions(folder: Path, part: str) -> Iterator[Question]:
    path = _file(folder, "knowledge", part)
    if path.is_file():
        yield from KnowledgeImporter().read(str(path)).questions


def _rows(folder: Path, task: str, part: str) -> Iterator[JsonRow]:
    path = _file(folder, task, part)
    return rows(str(path)) if path.is_file() else iter(())


def _file(folder: Path, task: str, part: str) -> Path:
    return folder / task / f"{part}.jsonl"
