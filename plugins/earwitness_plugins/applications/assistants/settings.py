"""The settings table `[supermemory]`, as chat assistants have it."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, SecretStr, field_validator

from earwitness import Record
from earwitness.containers import conversation_container
from earwitness.loading.quantities import Count

SEPARATORS = "/\\"
"""Characters that no container tag may hold."""


class AssistantSettings(Record):
    """What a chat assistant remembers, and where. A key chooses the store `supermemory`."""

    api_key: SecretStr | None = None
    """The key of Supermemory; `None` = the environment variable `SUPERMEMORY_API_KEY`, empty = the store here."""
    container_tag: str = "nanobot_memory"
    """The name that all conversations of this bot's user are kept under."""
    memory_window: Count = 50
    """Number of messages that may wait. With 50, the 51st has all but the newest 25 consolidated (only
    with a store on this machine). `context` leaves out that many of the conversation's own newest messages."""
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.6
    """The least likeness, from 0 to 1, of a document of the service that `context` finds."""
    profile: bool = True
    """Whether `context` also asks the service for its profile of the user."""
    folder: str | None = None
    """Where conversations are kept until their upload is confirmed; `None` = beside the stories' file."""

    brings: ClassVar[dict[str, tuple[str, ...]]] = {"store": ("supermemory",)}

    @field_validator("container_tag")
    @classmethod
    def _names_a_container(cls, tag: str) -> str:
        if found := next((each for each in tag if each in SEPARATORS), None):
            raise ValueError(
                f"{tag!r} holds {found!r}, which separates folders. Use letters, digits, '-', '_' and '.'."
            )
        return conversation_container(tag).name.removeprefix("conversation-")
