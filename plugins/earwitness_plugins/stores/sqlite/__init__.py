"""The embedded store: one SQLite file, and a search that looks at one container and nothing else.

`store` is what a host sees. Below it: `writing` and `segments` put memories into the tables of `schema`, `snapshots`,
`loading` and `snapshot` bring a container into memory, `searching` ranks it by `bm25`, `fusion` and `rerank` among what
`filtering` and `columns` let through.
"""

from .store import SqliteStore

__all__ = ["SqliteStore"]
