"""What the vectors and words of a store were made with, and the error where that is not what it was opened with."""

from __future__ import annotations

from typing import NamedTuple

from earwitness.errors import EmbedderMismatch
from earwitness.records.backends import EmbedderIdentity
from earwitness.words import VERSION

from .none import NoEmbedder


class Fingerprint(NamedTuple):
    """What a store that keeps vectors and words was filled with."""

    embedder: str
    """`EmbedderIdentity` as JSON."""
    words: str
    """`earwitness.words.VERSION`."""

    def __str__(self) -> str:
        return described(EmbedderIdentity.model_validate_json(self.embedder), self.words)


def fingerprint_of(identity: EmbedderIdentity) -> Fingerprint:
    """The fingerprint of this embedder and this version of `earwitness.words`."""
    return Fingerprint(identity.model_dump_json(), str(VERSION))


def described(identity: EmbedderIdentity, words: str | None = None) -> str:
    """An embedder in words; with the version of the words, where a store keeps those."""
    cut = "" if words is None else f", words {words}"
    if identity == NoEmbedder.identity:
        return f"the embedder 'none' (no vectors{cut})"
    return f"the embedder {identity.name!r} ({identity.dimension} dimensions, digest {identity.digest}{cut})"


def mismatch(place: str, found: str, ours: str) -> EmbedderMismatch:
    """The error for a place whose vectors, or words, are not those of the store that opened it."""
    return EmbedderMismatch(
        f"the vectors in {place!r} were made by {found}, but this store was opened with {ours}. "
        "Open it with the first, or make all vectors again with the second: `earwitness reembed`."
    )
