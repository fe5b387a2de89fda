"""Memory for chat assistants: `ew.conversation("telegram:42")`, for a personal bot with one user.

`conversation` is what a bot calls, `conversations` are all of a `bot`. `file` keeps a conversation on this machine
until its `upload` is confirmed, in one of the `folders`; `documents` makes of it what is uploaded, and `settings` is
the table `[supermemory]`. What is remembered of it here, its `long_term` memory, is made by a consolidator, as for
stories; what a model says of it are `proposals`, which wait for `review`. `local_search` finds what the store does not
have.
"""

from .conversation import AssistantConversation
from .conversations import AssistantConversations
from .folders import ConversationFolders
from .review import ConversationReview

__all__ = ["AssistantConversation", "AssistantConversations", "ConversationFolders", "ConversationReview"]
