"""Chats of SillyTavern, with one character or a group: JSON Lines with a header, then one message per line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from earwitness.errors import StoryError
from earwitness.imports import Imported, Scene, SceneLine
from earwitness.records.journal import Original

from .cards.macros import with_character, with_user
from .chat_opening import there_at_first
from .files.content_type import is_text, text_of
from .files.documents import parsed
from .files.lenient import LenientObject, lenient_object, storable
from .files.limits import whole
from .files.text_encoding import decoded

NARRATOR = "narrator"
UNUSED = "unused"
EVERYWHERE = "presence_universal_tracker"
_HEADER = ("chat_metadata", "user_name", "character_name")


class SillyTavernChatImporter:
    """Reads one chat per file; of several swipes, the chosen one counts. The session is named after the file."""

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line is, or begins like, the header or a message of a chat."""
        del path
        line = text_of(head).partition("\n")[0] if is_text(head) else ""
        try:
            first = json.loads(line)
        except (ValueError, RecursionError):  # the line is longer than the head
            return line.startswith("{") and any(f'"{key}"' in line for key in (*_HEADER, "is_user"))
        return isinstance(first, dict) and (_is_header(first) or _is_message(first))

    def read(self, path: str) -> Imported:
        """The chat. Raises `StoryError` when it holds no message."""
        found = decoded(whole(path))
        repairs = [f"{path}: {repair}" for repair in found.repairs]
        header, messages = _read(found.text, path, repairs)
        told = [message for message in messages if message.in_story]
        if not told:
            raise StoryError(f"{path}: it holds no message.")
        stem = storable(Path(path).stem)
        original = Original(name=storable(Path(path).name), format="chat", text=found.exact, encoding=found.encoding)
        return Imported(scenes=(_scene(stem, header, told),), originals=(original,), repairs=tuple(repairs))


def _is_header(row: Mapping[str, Any]) -> bool:
    return any(key in row for key in _HEADER) and "mes" not in row


def _is_message(row: Mapping[str, Any]) -> bool:
    return "mes" in row and "name" in row


def _read(text: str, path: str, repairs: list[str]) -> tuple[LenientObject, list[_ChatMessage]]:
    """Header and messages. A line that cannot be read is left out and reported."""
    header, messages = lenient_object({}, path, repairs), list[_ChatMessage]()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            row = lenient_object(parsed(line, place, repairs), place, repairs)
        except StoryError as error:
            repairs.append(f"{error} The line was left out.")
            continue
        if _is_header(row.values):
            header = row
        elif _is_message(row.values):
            messages.append(_message(row))
        else:
            repairs.append(f"{place}: neither a header nor a message; left out")
    return header, messages


# ── one message ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _ChatMessage:
    name: str
    """Who says it; not used for narration."""
    text: str
    """The text of the chosen swipe."""
    user: bool
    """Whether a user says it."""
    narrated: bool
    """Whether it is narration."""
    in_story: bool
    """False for help texts, comments and the like. Hidden messages are in the story: they were said."""
    face: str
    """The avatar file of a group member."""
    present: tuple[str, ...] | None
    """Avatar files of those whom the extension «Presence» lists."""


def _message(row: LenientObject) -> _ChatMessage:
    extra = row.values.get("extra")
    kind = str(extra.get("type") or "") if isinstance(extra, dict) else ""
    there = row.values.get("present")
    return _ChatMessage(
        name=" ".join(row.text("name").split()) or "Somebody",
        text=_chosen(row),
        user=row.flag("is_user"),
        narrated=kind == NARRATOR,
        in_story=not (row.flag("is_system") and kind not in ("", NARRATOR)),
        face=row.text("original_avatar"),
        present=tuple(map(str, there)) if isinstance(there, list) else None,
    )


def _chosen(row: LenientObject) -> str:
    """The text of the chosen swipe; the message itself where there are no swipes."""
    swipes, number = row.values.get("swipes"), row.values.get("swipe_id")
    if isinstance(number, str) and number.isdecimal():
        row.repaired("swipe_id", number, "taken as a number")
        number = int(number[:9])
    if not isinstance(swipes, list) or type(number) is not int:
        return row.text("mes")
    if not 0 <= number < len(swipes) or not isinstance(swipes[number], str):
        row.repaired("swipe_id", number, f"there are {len(swipes)} swipes; the message itself was taken")
        return row.text("mes")
    return row.within(f"swipes[{number}]", {"mes": swipes[number]}).text("mes")


# ── the whole chat ──────────────────────────────────────────────────────────────────────────────────────────────────


def _scene(id: str, header: LenientObject, messages: Sequence[_ChatMessage]) -> Scene:
    users = list(dict.fromkeys(each.name for each in messages if each.user and not each.narrated))
    user = _named(header, "user_name") or next(iter(users), "")
    personas = tuple(users or filter(None, (user,)))
    character = _named(header, "character_name")
    faces = {each.face: each.name for each in messages if each.face and not each.user and not each.narrated}
    lines = tuple(_line(message, user, character, faces) for message in messages)
    speakers = (line.speaker for line in lines if line.speaker)
    roster = tuple(dict.fromkeys((*filter(None, (character,)), *speakers, *personas)))
    return Scene(id=id, roster=roster, lines=lines, personas=personas, present=there_at_first(roster, personas))


def _named(header: LenientObject, key: str) -> str:
    """A name in the header; for a group it is `unused`."""
    name = " ".join(header.text(key).split())
    return "" if name == UNUSED else name


def _line(message: _ChatMessage, user: str, character: str, faces: Mapping[str, str]) -> SceneLine:
    speaker = None if message.narrated else message.name
    text = with_user(message.text, user) if user else message.text
    if meant := character if message.user or message.narrated else message.name:
        text = with_character(text, meant)
    return SceneLine(speaker=speaker, text=text, present=_present(message, user, faces))


def _present(message: _ChatMessage, user: str, faces: Mapping[str, str]) -> tuple[str, ...] | None:
    """Names of those who were present, if all their avatars are known. The user sees the whole chat."""
    there = [each for each in message.present or () if each != EVERYWHERE]
    if message.present is None or not all(each in faces for each in there):
        return None
    speaker = () if message.narrated else (message.name,)
    return tuple(dict.fromkeys((*speaker, *(faces[each] for each in there), *filter(None, (user,)))))
