"""The store on a PostgreSQL server with pgvector: one statement ranks one container, and nothing else.

`store` is what a host sees. Below it: `schema` has the tables and who may read them; `writes` puts memories into them;
`conditions` turns filters into SQL, and `search` asks for candidates that `earwitness_plugins.ranking` ranks.
"""

from .store import PostgresStore

__all__ = ["PostgresStore"]
