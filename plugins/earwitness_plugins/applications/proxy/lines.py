"""What of a request is the chat: the user's lines and the characters' lines. The rest is the front end's prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from earwitness.formats import as_said

IMPERSONATE, CONTINUE = "[Write your next reply from the point of view of ", "[Continue the following message."
"""How SillyTavern asks, at the end of a request, for the user's next line, and for more of the last message."""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One line of the chat in a request."""

    place: int
    """Its place among the messages of the request."""
    user: bool
    """Whether the user says it; else a character."""
    text: str
    """What is said, without a name before it."""
    name: str | None
    """The character whose name is before it or with it, if that is one of a group."""
    prefix: str = ""
    """The name before it, as it was sent."""


NamedAs = Callable[[str], str | None]
"""The id of the one who has this name; `None` for a stranger."""


def chat_lines(messages: Sequence[Mapping[str, Any]], *, user: NamedAs, group: NamedAs) -> list[ChatLine]:
    """The lines, oldest first. `user` knows the user's names, `group` those of the characters of a group chat.

    A name before a user's line never says that somebody else speaks.
    """
    found = [_line(place, each, user, group) for place, each in enumerate(messages)]
    return [each for each in found if each is not None and each.text]


def asks_for_user(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the request is for what the user might say next."""
    return _ends_with(messages, IMPERSONATE)


def asks_for_more(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the request is for more of the last message."""
    return _ends_with(messages, CONTINUE)


def text_of(content: object) -> str:
    """The text of a message's content, which may be in parts."""
    if isinstance(content, list):
        return "\n".join(str(each.get("text") or "") for each in content if isinstance(each, Mapping)).strip()
    return content if isinstance(content, str) else ""


def alike(text: str) -> str:
    """The text as it is compared: front ends trim it, and change its line breaks."""
    return " ".join(as_said(text).split())


def _line(place: int, message: Mapping[str, Any], user: NamedAs, group: NamedAs) -> ChatLine | None:
    role, text = message.get("role"), as_said(text_of(message.get("content"))).strip()
    if role not in {"user", "assistant"}:
        return None
    is_user = role == "user"
    known = user if is_user else group
    before, colon, rest = text.partition(": ")
    if colon and "\n" not in before and (named := known(before)):
        return ChatLine(place, is_user, rest.strip(), None if is_user else named, f"{before}: ")
    name = message.get("name")
    return ChatLine(place, is_user, text, group(name) if not is_user and isinstance(name, str) else None)


def _ends_with(messages: Sequence[Mapping[str, Any]], beginning: str) -> bool:
    last = messages[-1] if messages else {}
    return last.get("role") == "system" and text_of(last.get("content")).startswith(beginning)
