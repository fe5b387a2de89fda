"""The embedded store: one SQLite file, and a search that looks at one container and nothing else.

`store` is what a host sees. Below it: `writes` and `segments` put memories into the tables of `schema`; `index_cache`,
`loader` and `container_index` bring a container into memory; `masks` and `columns` say which memories may be found,
and `search` scores them for `earwitness_plugins.ranking`.
"""

from .store import SqliteStore

__all__ = ["SqliteStore"]
