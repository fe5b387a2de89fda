"""Vectors as pgvector reads and keeps them: half precision, as text, or as the bytes that go over the wire."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from earwitness_plugins.postgres import Connection
from earwitness_plugins.ranking import Floats

TYPE = "SELECT 'halfvec'::regtype::oid"
"""The number of the type in this database."""


def as_halves(vector: Floats) -> bytes | None:
    """A vector of shape (dimension,) in half precision; `None` for zeros, the vector of a text without meaning."""
    return vector.astype(">f2").tobytes() if vector.any() else None


def as_text(vector: Floats) -> str | None:
    """A vector of shape (dimension,) as pgvector's text; `None` for zeros."""
    return None if (halves := as_halves(vector)) is None else text_of(halves)


def text_of(halves: bytes) -> str:
    """The same, of what `as_halves` made."""
    numbers = np.frombuffer(halves, ">f2").tolist()
    return _text(len(numbers)) % tuple(numbers)


def text_array(vectors: Iterable[bytes | None]) -> str:
    """Vectors as the text of an array. The driver would look for quotes in each of their numbers."""
    return "{" + ",".join("NULL" if each is None else f'"{text_of(each)}"' for each in vectors) + "}"


class BinaryArray(bytes):
    """An array of vectors as the server receives it (`array_recv` of PostgreSQL, `halfvec_recv` of pgvector)."""

    @classmethod
    def of(cls, vectors: Sequence[bytes | None], type: int) -> BinaryArray:
        """What `as_halves` made. To write and read them as text takes a third of the time of a small batch."""
        if not vectors:
            return cls(struct.pack(">iiI", 0, 0, type))
        parts = [struct.pack(">iiIii", 1, int(None in vectors), type, len(vectors), 1)]
        for each in vectors:
            head = (-1,) if each is None else (4 + len(each), len(each) // 2, 0)
            parts += [struct.pack(">i" if each is None else ">ihh", *head), each or b""]
        return cls(b"".join(parts))


def take_binary(connection: Connection) -> None:
    """Let statements on this connection have a `BinaryArray` as a parameter."""
    connection.adapters.register_dumper(BinaryArray, _dumper())


@cache
def _dumper() -> type:
    from psycopg.adapt import Dumper
    from psycopg.pq import Format

    class BinaryArrayDumper(Dumper):
        format = Format.BINARY

        def dump(self, obj: BinaryArray) -> bytes:
            return bytes(obj)

    return BinaryArrayDumper


@cache
def _text(dimension: int) -> str:
    """Five digits are enough to tell all numbers of half precision apart."""
    return "[" + ",".join(["%.5g"] * dimension) + "]"
