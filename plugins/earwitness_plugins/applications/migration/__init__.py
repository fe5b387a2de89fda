"""Move house: all stories and their memories, from any ledger and store to any others.

`move` is the whole way. `sessions` moves one story's journal, plans and deliveries over the protocol of ledgers,
`shared` what belongs to no story, `memories` one container of a store, and `conversations` the files of chat
assistants; `digests` compares.
"""

from .conversations import MovedConversations
from .move import Backends, Moved, MovedSession, moved

__all__ = ["Backends", "Moved", "MovedConversations", "MovedSession", "moved"]
