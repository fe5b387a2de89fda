"""Memory for chat assistants: `ew.conversation("telegram:42")`, for a personal bot with one user.

`conversation` is what a bot calls. `file` keeps a conversation on this machine until its upload is confirmed,
`documents` makes of it what is uploaded, `consolidation` what is remembered of it here, and `settings` is the table
`[supermemory]`.
"""

from .conversation import AssistantConversation, AssistantConversations

__all__ = ["AssistantConversation", "AssistantConversations"]
