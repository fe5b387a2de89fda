"""A memory as documents of the service, and back.

Metadata that the service can hold and filter stands there as it is. What it would change or refuse is kept beside that,
as JSON in one field: odd keys, whole floats, numbers beyond 2⁵³, control characters. Fields of our own begin with
`earwitness`. `earwitnessHas` lists which fields a document has and of which kind, because a filter cannot ask the
service what is missing. A digest over content and metadata says whether what the service shows is what was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from earwitness.errors import StorageError, quoted
from earwitness.records.memory import Memory
from earwitness.records.memory_types import MetaValue

from .names import cleaned, digest, document_id, encoded, is_clean, is_document_of, restored

OURS = "earwitness"
ID, CONTAINER, ORDER, VERSION = "earwitnessId", "earwitnessContainer", "earwitnessOrder", "earwitnessVersion"
DIGEST, METADATA, PART, PARTS, HAS, EXACT = (
    "earwitnessDigest",
    "earwitnessMetadata",
    "earwitnessPart",
    "earwitnessParts",
    "earwitnessHas",
    "earwitnessExact",
)
REPLACES = "earwitnessReplaces"
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}\Z")
_NOT_INDEXED = "sm_"
ODD = "\ufffd"
"""Stands for what the service cannot hold. No filter asks for it there."""
LARGEST_WHOLE = 2**53
"""Whole numbers are exact up to here."""
_ALONE = re.compile(r"\S+\Z")
_TEXT = re.compile(r"[\t\n]")


class Stamp(NamedTuple):
    """When a memory was written; both in microseconds since 1970, and no two alike from one process."""

    order: int
    """For the first time: lists are in this order."""
    version: int
    """For the last time."""


class NewPart(NamedTuple):
    """A document as it is to be written."""

    id: str
    content: str
    metadata: dict[str, MetaValue]


class StoredPart(NamedTuple):
    """A document of ours as the service shows it."""

    id: str
    """Of the document."""
    memory_id: str
    stamp: Stamp
    digest: str
    part: int
    parts: int
    metadata: dict[str, MetaValue]
    """The memory's."""
    metadata_digest: object
    """What the service shows as the digest of the metadata that were written."""
    text: str | None
    """Of this part; `None` while the service does not show it."""
    done: bool
    """Whether the service says that it is found by searches."""
    replaces: Sequence[str]
    """Ids of documents that are deleted once all of the memory is there."""

    @property
    def is_whole(self) -> bool:
        """Whether the metadata are those that were written: walls rest on them."""
        return self.metadata_digest == digest(self.metadata)[:32]


def digest_of(memory: Memory) -> str:
    """What tells this content and metadata from any other."""
    return digest([memory.content, memory.metadata])[:32]


class MemoryDraft(NamedTuple):
    """A memory as documents that lack only the stamp."""

    memory: Memory
    digest: str
    """As of `digest_of`."""
    pieces: Sequence[str]
    """The texts of the documents: one, unless the content is too long for it."""
    metadata: dict[str, MetaValue]
    """What they share."""

    def documents(self, stamp: Stamp) -> list[NewPart]:
        """The documents, as they are written now."""
        shared = {**self.metadata, VERSION: stamp.version}
        if stamp.order != stamp.version:
            shared[ORDER] = stamp.order
        return [
            NewPart(document_id(self.memory.id, part, self.digest), piece, {**shared, PART: part})
            for part, piece in enumerate(self.pieces)
        ]


def drafted(memory: Memory, largest: int) -> MemoryDraft:
    """What there is to write of a memory, in documents of at most `largest` bytes.

    Raises `StorageError` for content or metadata that no record could have.
    """
    try:
        pieces = [_shown(piece) for piece in _pieces(memory.content, largest)]
        digest_here = digest_of(memory)
        common = _wire_metadata(memory.metadata) | {
            ID: cleaned(memory.id),
            CONTAINER: cleaned(memory.container),
            DIGEST: digest_here,
            METADATA: digest(memory.metadata)[:32],
        }
        if len(pieces) > 1:
            common[PARTS] = len(pieces)
    except (TypeError, ValueError, AttributeError) as error:
        raise StorageError(f"memory {quoted(memory.id)} cannot be written as it is: {error}") from error
    return MemoryDraft(memory, digest_here, pieces, common)


def stored_part(
    id: str, metadata: Mapping[str, Any], text: str | None, *, container: str, done: bool = False
) -> StoredPart | None:
    """A document that the service has shown; `None` if it is none of ours, or of another container."""
    try:
        part, memory_id = int(metadata[PART]), restored(metadata[ID])
        if restored(metadata[CONTAINER]) != container or not is_document_of(id, memory_id, part):
            return None
        return StoredPart(
            id=id,
            memory_id=memory_id,
            stamp=Stamp(int(metadata.get(ORDER, metadata[VERSION])), int(metadata[VERSION])),
            digest=str(metadata[DIGEST]),
            part=part,
            parts=int(metadata.get(PARTS, 1)),
            metadata=_memory_metadata(metadata),
            metadata_digest=metadata.get(METADATA),
            text=None if text is None else restored(text),
            done=done,
            replaces=tuple(metadata.get(REPLACES, ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def by_memory(parts: Iterable[StoredPart]) -> dict[str, list[StoredPart]]:
    """Memory id → its parts, in order."""
    found: dict[str, list[StoredPart]] = {}
    for each in parts:
        found.setdefault(each.memory_id, []).append(each)
    return {id: sorted(several, key=lambda each: each.part) for id, several in found.items()}


def latest(parts: Sequence[StoredPart]) -> list[StoredPart]:
    """The parts of a memory as it was last written whole: what replaces others counts once these are deleted.

    What nothing replaces, such as what somebody else has sent under the same id, gives way to the newest.
    """
    newest = max(parts, key=lambda each: each.stamp.version).digest
    found = [each for each in parts if each.digest == newest]
    replaced = {id for each in found for id in each.replaces}
    before = [each for each in parts if each.digest != newest and each.id in replaced]
    return latest(before) if before else found


def memory_of(parts: list[StoredPart], container: str) -> Memory | None:
    """The memory that these parts make up; `None` while the service does not show it as it was last written.

    A text that was changed there by hand is taken as it is, once the service is done with it; metadata never are.
    """
    texts = [each.text for each in parts if each.text is not None]
    if len(texts) != len(parts) or [each.part for each in parts] != list(range(parts[0].parts)):
        return None
    newest = max(parts, key=lambda each: each.stamp.version)
    found = Memory(id=newest.memory_id, container=container, content="".join(texts), metadata=newest.metadata)
    by_hand = all(each.done for each in parts) and newest.is_whole
    return found if by_hand or digest_of(found) == newest.digest else None


def is_tampered(parts: list[StoredPart]) -> bool:
    """Whether the metadata are no longer those that were written, although the service is done with the memory."""
    return all(each.done for each in parts) and not all(each.is_whole for each in parts)


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _shown(text: str) -> str:
    """Text as the service keeps it unchanged: not blank, not a URL alone, nothing that it would trim."""
    plain = text == text.strip() and is_clean(_TEXT.sub("", text)) and is_clean(text[:5])
    return text if text and plain and not (_ALONE.match(text) and ("://" in text or "." in text)) else encoded(text)


def _pieces(text: str, largest: int) -> Iterator[str]:
    """The text in pieces that take at most `largest` bytes, however they are written."""
    room = max(largest // 6, 1) if len(_shown(text).encode()) > largest else max(len(text), 1)
    for start in range(0, max(len(text), 1), room):
        yield text[start : start + room]


# ── metadata ─────────────────────────────────────────────────────────────────────────────────────────────────────


def can_hold(key: str) -> bool:
    """Whether the service can hold and filter a field of this name."""
    return bool(_KEY.match(key)) and not key.startswith((_NOT_INDEXED, OURS))


def has(key: str, kind: str) -> str:
    """What `earwitnessHas` says of a field."""
    return f"{key}:{kind}"


def kind_of(value: object) -> str:
    """`flag`, `number`, `text` or `list`."""
    if isinstance(value, bool):
        return "flag"
    return "number" if isinstance(value, int | float) else "text" if isinstance(value, str) else "list"


def _wire_metadata(metadata: Mapping[str, MetaValue]) -> dict[str, MetaValue]:
    plain = {key: _held(value) for key, value in metadata.items() if can_hold(key)}
    exact = {key: value for key, value in metadata.items() if not _survives(plain.get(key), value)}
    found: dict[str, MetaValue] = {**plain, HAS: [has(key, kind_of(value)) for key, value in plain.items()] or [ODD]}
    return found | ({EXACT: json.dumps(exact)} if exact else {})


def _held(value: MetaValue) -> MetaValue:
    """The value, or the next best that the service can hold."""
    if isinstance(value, str):
        return value if is_clean(value) else ODD
    if isinstance(value, list):
        return [each if is_clean(each) else ODD for each in value] or [ODD]
    return value


def _survives(held: object, value: MetaValue) -> bool:
    """Whether a service that knows only one kind of numbers gives back the value with its type."""
    if held != value or isinstance(value, bool | str | list):
        return held == value
    return abs(value) <= LARGEST_WHOLE if isinstance(value, int) else not value.is_integer()


def _memory_metadata(metadata: Mapping[str, Any]) -> dict[str, MetaValue]:
    written = {each.rpartition(":")[0] for each in metadata.get(HAS, ())}
    plain = {key: value for key, value in metadata.items() if key in written}
    exact = metadata.get(EXACT)
    return plain if exact is None else {**plain, **json.loads(exact)}
