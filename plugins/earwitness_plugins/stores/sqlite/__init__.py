"""The embedded store: one SQLite file, and a search that looks at one container and nothing else.

`store` is what a host sees. Below it: `writes` and `segments` put memories into the tables of `schema`; `index_cache`,
`loader` and `container_index` bring a container into memory, and `search` scores its memories for
`earwitness_plugins.ranking`.
"""

from .store import SqliteStore

__all__ = ["SqliteStore"]
