"""The embedded store: one SQLite file, and a search that looks at one container and nothing else.

`store` is what a host sees. Below it: `writing` and `segments` put memories into the tables of `schema`; `snapshots`,
`loading` and `snapshot` bring a container into memory; `filtering` and `columns` say which memories may be found, and
`searching` scores them for `earwitness_plugins.ranking`.
"""

from .store import SqliteStore

__all__ = ["SqliteStore"]
