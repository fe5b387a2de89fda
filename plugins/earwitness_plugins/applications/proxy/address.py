"""Which story, who answers, who the user is: from headers, the body, the model's name, or a marked beginning of the
prompt.

Nothing that is said in a chat is asked. The beginning of a prompt counts only behind a word that the host has chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args
from urllib.parse import parse_qsl, unquote

from earwitness.errors import InputError, quoted

ChatAction = Literal["auto", "continue", "reroll", "user", "none"]
ACTIONS: tuple[ChatAction, ...] = get_args(ChatAction)
OTHER_WORDS: Mapping[str, ChatAction] = {
    "normal": "auto",
    "append": "auto",
    "swipe": "reroll",
    "regenerate": "reroll",
    "impersonate": "user",
    "quiet": "none",
}
"""SillyTavern's words, as its macro `{{lastGenerationType}}` gives them → ours."""
BODY = "earwitness"
"""The table in the body of a request that says where it belongs. The model is not sent it."""
FIELDS = ("session", "character", "user", "cast", "action")
HEADER = "x-earwitness-"


@dataclass(frozen=True, slots=True)
class ChatAddress:
    """Where a request belongs."""

    session: str
    """Session id."""
    character: str
    """Who is to answer: an id or name."""
    user: str
    """Who types: an id or name."""
    cast: tuple[str, ...] = ()
    """Ids or names of all characters of a group chat; empty = it is none."""
    action: ChatAction = "auto"
    """`continue` = the answer goes on with the last message; `reroll` = it replaces the last answer; `user` = it is
    what the user might say next; `none` = it is not a message of the story."""

    @property
    def everybody(self) -> tuple[str, ...]:
        """All who take part, each once."""
        return tuple(dict.fromkeys((self.character, *self.cast, self.user)))


def split_model(name: str) -> tuple[str, dict[str, str]]:
    """The model's own name, and what follows it after a `#`: `llama3#session=s1&character=Alice`.

    Raises `InputError` for an unknown field, and for what is not UTF-8.
    """
    model, _, said = name.partition("#")
    try:
        fields = dict(parse_qsl(said, errors="strict"))
    except UnicodeDecodeError as error:
        raise _no_text("the model's name", said) from error
    return model, _known(fields, "the model's name")


def split_mark(
    messages: Sequence[Mapping[str, Any]], mark: str | None
) -> tuple[list[Mapping[str, Any]], dict[str, str]]:
    """The messages without the marked beginning of the first one, and what it says.

    It is `###Earwitness MARK###`, lines such as `character: Alice`, and `###`. The first line on a field counts. Raises
    `InputError` for an unknown field.
    """
    rest = list(messages)
    first = rest[0] if rest else {}
    text = first.get("content")
    if not mark or first.get("role") not in {"system", "developer"} or not isinstance(text, str):
        return rest, {}
    head, _, body = text.partition("\n")
    if head.strip() != f"###Earwitness {mark}###":
        return rest, {}
    lines, end, prompt = body.partition("\n###")
    if not end:
        raise InputError("the marked beginning of the prompt has no end: write a line with ### after its fields.")
    fields: dict[str, str] = {}
    for line in lines.splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip().casefold(), value.strip())
    rest[0] = {**first, "content": prompt.lstrip("\r\n")}
    return rest, _known(fields, "the marked beginning of the prompt")


def split_body(body: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The body without its table `earwitness`, and what that says. Raises `InputError`."""
    rest = {name: value for name, value in body.items() if name != BODY}
    said = body.get(BODY, {})
    if not isinstance(said, Mapping):
        raise InputError(f"`{BODY}` in the request is {quoted(said)}: it must be a table with {', '.join(FIELDS)}.")
    fields = {str(name): value for name, value in said.items() if value is not None}
    for name, value in fields.items():
        names = value if isinstance(value, list) and name == "cast" else [value]
        if not all(isinstance(each, str) for each in names):
            raise InputError(f"`{BODY}` in the request: {name} = {quoted(value)} must be text.")
        fields[name] = ",".join(names).strip()
    return rest, _known(fields, f"`{BODY}` in the request")


def in_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """What the headers `X-Earwitness-…` say, percent-encoded where it is not ASCII. Raises `InputError`."""
    found = {name.lower().removeprefix(HEADER): value for name, value in headers.items() if name.lower()[:13] == HEADER}
    return _known({name: _unquoted(name, value) for name, value in found.items()}, "the headers X-Earwitness-…")


def _unquoted(name: str, value: str) -> str:
    try:
        return unquote(value, errors="strict").strip()
    except UnicodeDecodeError as error:
        raise _no_text(f"the header X-Earwitness-{name.title()}", value) from error


def _no_text(where: str, value: str) -> InputError:
    return InputError(f"{where}: {quoted(value)} is not percent-encoded UTF-8, as 'J%C3%BCrgen' is.")


def address_of(*said: Mapping[str, str]) -> ChatAddress:
    """The address; what is said later counts for more. Raises `InputError` where session or character is missing."""
    fields = {name: value for each in said for name, value in each.items() if value}
    for name, value in fields.items():
        if value.startswith("{{") and name != "action":
            raise InputError(f"{name} = {quoted(value)} is a macro that the front end has not filled in.")
    for needed in ("session", "character"):
        if needed not in fields:
            raise InputError(
                f"which {needed}? Send the header X-Earwitness-{needed.title()}, a table `earwitness` in the body, or "
                "a model named MODEL#session=SESSION&character=NAME&user=NAME."
            )
    action = _action(fields.get("action", "auto"))
    cast = tuple(name for each in fields.get("cast", "").split(",") if (name := each.strip()))
    user = fields.get("user", "User")
    return ChatAddress(fields["session"], fields["character"], user, cast, action)


def _action(said: str) -> ChatAction:
    """Raises `InputError`."""
    if said.startswith("{{"):  # a macro that the front end does not know
        return "auto"
    found = next((each for each in ACTIONS if each == said), OTHER_WORDS.get(said))
    if found is None:
        raise InputError(f"action {quoted(said)} is unknown. Known: {', '.join((*ACTIONS, *OTHER_WORDS))}.")
    return found


def _known(fields: dict[str, str], where: str) -> dict[str, str]:
    for name in fields:
        if name not in FIELDS:
            raise InputError(f"{where}: field {quoted(name)} is unknown. Known: {', '.join(FIELDS)}.")
    return fields
