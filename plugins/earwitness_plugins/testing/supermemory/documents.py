"""What was written, and when it can be found: namespaces, documents, their versions, chunks and extracted memories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

CHUNK = 2_000
"""Characters of a chunk."""
_URL = re.compile(r"https?://\S+\Z")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


class DocumentVersion(NamedTuple):
    """A document as it was written once."""

    at: float
    """When, in seconds since 1970."""
    content: str
    metadata: Mapping[str, Any]
    task_type: str
    dreaming: str


class Passage(NamedTuple):
    """A chunk, or a memory extracted from a document."""

    id: str
    text: str
    document: EmulatedDocument
    metadata: Mapping[str, Any]
    """Of the version it was made from."""
    at: float
    """When that was written."""


@dataclass
class EmulatedDocument:
    """A document with all that was ever written to it."""

    id: str
    created: float
    versions: list[DocumentVersion] = field(default_factory=list)
    forgotten: set[str] = field(default_factory=set)
    """Ids of its extracted memories that are to be recalled no more."""

    @property
    def latest(self) -> DocumentVersion:
        """What was written last."""
        return self.versions[-1]


@dataclass
class EmulatedNamespace:
    """What belongs together, and apart from everything else."""

    name: str
    created: float
    updated: float
    supporting_context: str = ""
    documents: dict[str, EmulatedDocument] = field(default_factory=dict)
    deleted: list[tuple[float, EmulatedDocument]] = field(default_factory=list)
    """What was deleted, and when: searches may still find it."""


class Pipeline(NamedTuple):
    """What a document goes through before it can be found."""

    lag: float = 0.0
    """Seconds until its chunks are found and its text is shown."""
    dream: float = 0.0
    """Seconds more until memories are extracted from it, unless they are asked for at once."""
    stale: float = 0.0
    """Seconds more for which searches find what was edited or deleted, as it was before."""

    def status(self, document: EmulatedDocument, now: float) -> str:
        """`queued`, `indexing` or `done`."""
        waited = now - document.latest.at
        return "done" if waited >= self.lag else "indexing" if waited >= self.lag / 2 else "queued"

    def dreaming_status(self, document: EmulatedDocument, now: float) -> str:
        """`dreaming` or `done`."""
        return "done" if self._dreamt(document.latest, now) else "dreaming"

    def published(self, document: EmulatedDocument, now: float) -> DocumentVersion | None:
        """The version that is shown and found."""
        return next((each for each in reversed(document.versions) if now - each.at >= self.lag), None)

    def searched(self, namespace: EmulatedNamespace, now: float) -> Iterator[EmulatedDocument]:
        """The documents as searches see them."""
        for document in namespace.documents.values():
            first, *edits = document.versions
            known = [first, *(each for each in edits if now - each.at >= self.lag + self.stale)]
            yield replace(document, versions=known) if self.stale else document
        yield from (document for at, document in namespace.deleted if now - at < self.stale)

    def chunks(self, document: EmulatedDocument, now: float) -> Iterator[Passage]:
        """The pieces of its text."""
        version = self.published(document, now)
        for position, text in enumerate(pieces(version.content) if version else ()):
            assert version is not None  # noqa: S101 - there are no pieces of nothing
            yield Passage(f"chunk_{document.id}_{position}", text, document, version.metadata, version.at)

    def memories(self, document: EmulatedDocument, now: float) -> Iterator[Passage]:
        """What was extracted from it: its sentences, where they were asked for."""
        version = next((each for each in reversed(document.versions) if self._dreamt(each, now)), None)
        if version is None or version.task_type != "memory":
            return
        for number, found in enumerate(_SENTENCE.finditer(version.content)):
            if text := found[0].strip():
                yield Passage(f"mem_{document.id}_{number}", text, document, version.metadata, version.at)

    def _dreamt(self, version: DocumentVersion, now: float) -> bool:
        waits = version.task_type == "memory" and version.dreaming == "dynamic"
        return now - version.at >= self.lag + (self.dream if waits else 0.0)


def canonical(content: str) -> str:
    """A text as the service keeps it: trimmed, with one kind of line ends. A URL alone is fetched."""
    text = content.replace("\r\n", "\n").replace("\r", "\n").strip()
    return f"What was found at {text}" if _URL.match(text) else text


def kept_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata as the service keeps it: with the numbers of JavaScript."""
    return {key: _javascript(value) for key, value in metadata.items()}


def _javascript(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number


def pieces(text: str) -> list[str]:
    """The text in chunks, cut at white space where there is any."""
    found: list[str] = []
    while len(text) > CHUNK:
        end = text.rfind(" ", CHUNK // 2, CHUNK)
        end = end if end > 0 else CHUNK
        found.append(text[:end])
        text = text[end:].strip()
    return [*found, text]
