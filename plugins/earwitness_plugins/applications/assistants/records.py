"""What chat assistants say, and what they are told."""

from __future__ import annotations

from earwitness import Record
from earwitness.errors import InputError, did_you_mean, quoted

ROLES = ("user", "assistant", "system", "tool")
"""Who may say something in a conversation."""


class AssistantMessage(Record):
    """One message of a conversation."""

    role: str
    """`user`, `assistant`, `system` or `tool`."""
    content: str
    """Its text."""
    timestamp: str
    """When it was added, as an ISO timestamp."""

    def __str__(self) -> str:
        return f"{self.role}: {self.content}"


class AssistantContext(Record):
    """What a bot should know before it answers."""

    memories: tuple[str, ...] = ()
    """What was found, best first."""
    static: tuple[str, ...] = ()
    """What rarely changes about the user, by the service's profile. Empty where the service makes none."""
    dynamic: tuple[str, ...] = ()
    """What is so at present, by the same."""
    failures: tuple[str, ...] = ()
    """Why the store did not answer (the memories are those of this machine then), and which files cannot be read."""

    def __str__(self) -> str:
        return "\n".join((*self.static, *self.dynamic, *self.memories))


class ConversationClosing(Record):
    """What became of a conversation that was closed."""

    uploaded: bool
    """Whether the store has confirmed all of it."""
    cleared: bool
    """Whether it was removed from this machine, or nothing of it was here."""
    missing: int = 0
    """How many documents the store has not taken. They are tried again after the next upload that succeeds."""
    replayed: tuple[str, ...] = ()
    """Keys of earlier conversations that were uploaded along with it."""
    left_out: tuple[str, ...] = ()
    """Why others were not: files that cannot be read, and whatever else failed."""
    failure: str | None = None
    """Why the store did not take it, or why it was not consolidated, and so not cleared."""


def check_message(role: object, content: object) -> None:
    """Raises `InputError` for what cannot be a message."""
    if role not in ROLES:
        hint = did_you_mean(role, ROLES) if isinstance(role, str) else ""
        raise InputError(
            f"role = {quoted(role)} is not a role: use {', '.join(map(repr, ROLES))}, as in add('user', 'Hello.')."
            f"{hint}"
        )
    if not isinstance(content, str):
        raise InputError(f"content = {quoted(content)} must be text, as in add('user', 'Hello.').")
    if not content.strip():
        raise InputError(f"content = {quoted(content)} is empty: there is nothing to remember. Leave the message out.")
    check_text("content", content)


def check_clear(clear: object) -> None:
    """Raises `InputError` for what is neither true nor false."""
    if not isinstance(clear, bool):
        raise InputError(f"clear = {quoted(clear)} must be true or false, as in close(clear=False).")


def check_question(query: object, limit: object) -> None:
    """Raises `InputError` for what cannot be asked."""
    if not isinstance(query, str):
        raise InputError(f"query = {quoted(query)} must be text, as in context('What is my cat called?').")
    check_text("query", query)
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise InputError(f"limit = {quoted(limit)} must be a whole number from 0 on, as in context('…', limit=5).")


def check_text(name: str, text: str) -> None:
    """Raises `InputError` for text that no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name} = {quoted(text)} holds half a character ({text[error.start]!r}) at {error.start}. Replace it."
        ) from error
