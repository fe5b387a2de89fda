"""Memory for chat assistants: `ew.conversation("telegram:42")`, for a personal bot with one user.

`conversation` is what a bot calls. `file` keeps a conversation on this machine until its upload is confirmed, in one of
the `folders`, `documents` makes of it what is uploaded, and `settings` is the table `[supermemory]`. What is remembered
of it here is made by a consolidator, as for stories.
"""

from .conversation import AssistantConversation, AssistantConversations
from .folders import ConversationFolders

__all__ = ["AssistantConversation", "AssistantConversations", "ConversationFolders"]
