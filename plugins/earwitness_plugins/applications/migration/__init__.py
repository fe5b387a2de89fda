"""Move house: all stories and their memories, from any ledger and store to any others.

`move` is the whole way. `sessions` moves one story's journal, plans and deliveries over the protocol of ledgers,
`shared` what belongs to no story, and `memories` one container of a store; `digests` compares.
"""

from .move import Backends, Moved, MovedSession, moved

__all__ = ["Backends", "Moved", "MovedSession", "moved"]
