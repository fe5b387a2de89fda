"""What of a request is the chat: the user's lines and the characters' lines. The rest is the front end's prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from earwitness.formats import as_said

IMPERSONATE = ("[Write your next reply from the point of view of ",)
CONTINUE = ("[Continue your last message without repeating", "[Continue the following message.")
"""How SillyTavern asks, at the end of a request, for the user's next line, and for more of the last message: its
version 1.19, and 1.12."""


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


def by_other_personas(
    lines: Iterable[ChatLine], personas: NamedAs, said: Iterable[tuple[str, str]]
) -> Iterator[ChatLine]:
    """The lines; one of the user's that begins with the name of a persona who has said just that is without the name.

    So front ends send what was said under another persona. `said` are speakers and texts, as they are compared.
    """
    known = set(said)
    for line in lines:
        name, colon, rest = line.text.partition(": ")
        by_another = line.user and colon and (personas(name), alike(rest)) in known
        yield replace(line, text=rest, prefix=f"{line.prefix}{name}: ") if by_another else line


def without_name(text: str, name: str) -> str:
    """The text without the speaker's name before it, which models often write."""
    said, before = text.lstrip(), f"{name}: "
    return said.removeprefix(before) if said.startswith(before) else text


def gone_on_with(text: str, more: str) -> str:
    """The text with more of it; a new sentence is set apart, as front ends do."""
    is_apart = not text.endswith((".", "!", "?", "…", '"', "*")) or more[:1].isspace()
    return text + more if is_apart else f"{text} {more}"


def plain_name(name: str) -> str:
    """The name as the field `name` of a message has it: up to 64 plain letters, digits and underscores."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)[:64]


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


def _ends_with(messages: Sequence[Mapping[str, Any]], beginnings: tuple[str, ...]) -> bool:
    """Whether a line of the prompts after the chat begins so."""
    for each in reversed(messages):
        if each.get("role") != "system":
            return False
        if any(line.startswith(beginnings) for line in text_of(each.get("content")).splitlines()):
            return True
    return False
