"""Rows of a SillyTavern chat: JSON Lines with a header, then one message per line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from earwitness.display_names import usable_name
from earwitness.errors import StoryError, quoted

from .chat_marks import ChatMark, mark_of
from .files.documents import parsed
from .files.lenient import LenientObject, lenient_object

NARRATOR = "narrator"
UNUSED = "unused"
HEADER = ("chat_metadata", "user_name", "character_name")


@dataclass(frozen=True, slots=True)
class ChatHeader:
    """The header of a chat."""

    line: int | None
    """Index of its line in the text; `None` for a chat without one."""
    row: LenientObject
    """What it says."""


@dataclass(frozen=True, slots=True)
class ChatRow:
    """One message of a chat."""

    line: int
    """Index of its line in the text."""
    name: str
    """Who says it; not used for narration."""
    text: str
    """The text of the chosen swipe."""
    user: bool
    """Whether a user says it."""
    narrated: bool
    """Whether it is narration."""
    in_story: bool
    """False for help texts, comments and the like: they have no number. Hidden messages have one."""
    hidden: bool
    """Whether the front end hides it from the model: then nobody hears it."""
    face: str
    """The avatar file of a group member."""
    present: tuple[str, ...] | None
    """Avatar files of those whom the extension «Presence» lists."""
    mark: ChatMark | None
    """What an export of Earwitness says of it."""


def is_header(row: Mapping[str, Any]) -> bool:
    """Whether it is the header of a chat."""
    return any(key in row for key in HEADER) and "mes" not in row


def is_message(row: Mapping[str, Any]) -> bool:
    """Whether it is a message of a chat."""
    return "mes" in row and "name" in row


def chat_rows(text: str, path: str, repairs: list[str]) -> tuple[ChatHeader, list[ChatRow]]:
    """Header and messages. A line that cannot be read is left out and reported."""
    header, messages = ChatHeader(None, lenient_object({}, path, repairs)), list[ChatRow]()
    renamed = dict[str, tuple[str, str]]()
    for index, line in enumerate(text.split("\n")):
        if not line.strip():
            continue
        place = f"{path}:{index + 1}"
        try:
            row = lenient_object(parsed(line, place, repairs), place, repairs)
        except StoryError as error:
            repairs.append(f"{str(error).removesuffix('.')}; the line was left out")
            continue
        if is_header(row.values):
            header = ChatHeader(index, row)
        elif is_message(row.values):
            messages.append(_message(row, index))
            renamed.setdefault(" ".join(row.text("name").split()) or messages[-1].name, (place, messages[-1].name))
        else:
            repairs.append(f"{place}: neither a header nor a message; left out")
    repairs += [
        f"{place}: the name {quoted(given)} is taken as {name!r}; a name has no colon and nothing invisible"
        for given, (place, name) in renamed.items()
        if given != name
    ]
    return header, messages


def _message(row: LenientObject, index: int) -> ChatRow:
    extra = row.values.get("extra")
    kind = str(extra.get("type") or "") if isinstance(extra, dict) else ""
    there, hidden = row.values.get("present"), row.flag("is_system")
    text, mark = chosen_text(row), mark_of(row)
    return ChatRow(
        line=index,
        name=usable_name(row.text("name")),
        text=text,
        user=row.flag("is_user"),
        narrated=kind == NARRATOR,
        in_story=not (hidden and kind not in ("", NARRATOR)),
        hidden=hidden,
        face=row.text("original_avatar"),
        present=tuple(map(str, there)) if isinstance(there, list) else None,
        mark=mark and mark.of(text),
    )


def chosen_text(row: LenientObject) -> str:
    """The text of the chosen swipe; the message itself where it is in none of the swipes, or there are none."""
    swipes, number = row.values.get("swipes"), row.values.get("swipe_id")
    if isinstance(number, str) and number.isdecimal():
        row.repaired("swipe_id", number, "taken as a number")
        number = int(number[:9])
    if not isinstance(swipes, list) or type(number) is not int:
        return row.text("mes")
    if not 0 <= number < len(swipes) or not isinstance(swipes[number], str):
        row.repaired("swipe_id", number, f"there are {len(swipes)} swipes; the message itself was taken")
        return row.text("mes")
    if is_rewritten(row.values.get("mes"), swipes):
        row.repaired("mes", row.values["mes"], "in none of the swipes; taken in place of the chosen one")
        return row.text("mes")
    return row.within(f"swipes[{number}]", {"mes": swipes[number]}).text("mes")


def is_rewritten(shown: object, swipes: Collection[object]) -> bool:
    """Whether the message that a front end shows was changed by a program that left the swipes as they were."""
    if not isinstance(shown, str) or not shown.strip():
        return False
    return shown.strip() not in {each.strip() for each in swipes if isinstance(each, str)}
