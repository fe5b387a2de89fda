"""Chats of SillyTavern, with one character or a group: JSON Lines with a header, then one message per line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from earwitness.display_names import usable_name
from earwitness.errors import StoryError
from earwitness.imports import Imported, Scene, SceneLine
from earwitness.records.journal import Original
from earwitness.records.prose import counted

from .cards.macros import with_character, with_user
from .chat_cast import cast_of
from .chat_marks import ChatMark
from .chat_rows import HEADER, UNUSED, ChatRow, chat_rows, is_header, is_message
from .chat_start import there_at_first
from .files.content_type import is_text, text_of
from .files.lenient import LenientObject, storable
from .files.limits import read_bytes
from .files.text_encoding import decoded

EVERYWHERE = "presence_universal_tracker"


class SillyTavernChatImporter:
    """Reads one chat per file; of several swipes, the chosen one counts, and of hidden lines none.

    The session is named after the file. A line's key is its number, hidden lines counted.
    """

    def accepts(self, path: str, head: bytes) -> bool:
        """Whether the first line is, or begins like, the header or a message of a chat."""
        del path
        line = text_of(head).partition("\n")[0] if is_text(head) else ""
        try:
            first = json.loads(line)
        except (ValueError, RecursionError):  # the line is longer than the head
            return line.startswith("{") and any(f'"{key}"' in line for key in (*HEADER, "is_user"))
        return isinstance(first, dict) and (is_header(first) or is_message(first))

    def read(self, path: str) -> Imported:
        """The chat. Raises `StoryError` when it holds no message."""
        found = decoded(read_bytes(path))
        repairs = [f"{path}: {repair}" for repair in found.repairs]
        header, messages = chat_rows(found.text, path, repairs)
        numbered = list(enumerate(message for message in messages if message.in_story))
        audible = [(number, message) for number, message in numbered if not message.hidden]
        if hidden := len(numbered) - len(audible):
            lines = counted(hidden, "hidden line")
            repairs.append(f"{path}: {lines} (is_system) kept for the export; nobody hears them")
        if not audible:
            unread = next((f" {each}" for each in repairs if "left out" in each or "hidden" in each), "")
            raise StoryError(f"{path}: it holds no message.{unread}")
        stem = storable(Path(path).stem)
        original = Original(name=storable(Path(path).name), format="chat", text=found.exact, encoding=found.encoding)
        return Imported(scenes=(_scene(stem, header.row, audible),), originals=(original,), repairs=tuple(repairs))


def _scene(id: str, header: LenientObject, numbered: Sequence[tuple[int, ChatRow]]) -> Scene:
    messages = [message for _, message in numbered]
    cast = cast_of(header)
    masks = {each.name: each.mark.speaker for each in messages if each.mark and each.mark.speaker}
    users = list(dict.fromkeys(masks.get(each.name, each.name) for each in messages if each.user and not each.narrated))
    user = _named(header, "user_name") or next(iter(users), "")
    users += [each.name for each in cast if each.kind == "persona" and each.name not in users]
    personas = tuple(users or filter(None, (user,)))
    character = _named(header, "character_name")
    faces = {each.face: each.name for each in messages if each.face and not each.user and not each.narrated}
    lines = tuple(_line(number, message, user, character, faces, masks) for number, message in numbered)
    speakers = (line.speaker for line in lines if line.speaker)
    heard = (name for line in lines if line.certain for name in (*(line.present or ()), *(line.audience or ())))
    roster = tuple(dict.fromkeys((*filter(None, (character,)), *speakers, *personas, *heard)))
    there = there_at_first(roster, personas)
    return Scene(id=id, roster=roster, lines=lines, personas=personas, present=there, cast=cast)


def _named(header: LenientObject, key: str) -> str:
    """A name in the header; for a group it is `unused`."""
    name = usable_name(header.text(key), "")
    return "" if name == UNUSED else name


def _line(
    number: int,
    message: ChatRow,
    user: str,
    character: str,
    faces: Mapping[str, str],
    masks: Mapping[str, str],
) -> SceneLine:
    """One message. A name that an export marks as a disguise is one in the lines after it, too."""
    text = with_user(message.text, user) if user else message.text
    if meant := character if message.user or message.narrated else message.name:
        text = with_character(text, meant)
    return SceneLine(
        speaker=None if message.narrated else masks.get(message.name, message.name),
        speak_as=message.name if message.name in masks and not message.narrated else None,
        text=text,
        key=str(number),
        **_heard(message.mark, _present(message, user, faces)),
    )


def _heard(mark: ChatMark | None, present: tuple[str, ...] | None) -> dict[str, Any]:
    """Where a line was said and who perceived it: as an export of Earwitness says, else who was there by the chat."""
    if mark is None or (mark.present is None and mark.audience is None):
        return {"present": present, "channel": mark and mark.channel}
    return {"present": mark.present, "audience": mark.audience, "channel": mark.channel, "certain": True}


def _present(message: ChatRow, user: str, faces: Mapping[str, str]) -> tuple[str, ...] | None:
    """Names of those who were present, if all their avatars are known. The user sees the whole chat."""
    there = [each for each in message.present or () if each != EVERYWHERE]
    if message.present is None or not all(each in faces for each in there):
        return None
    speaker = () if message.narrated else (message.name,)
    return tuple(dict.fromkeys((*speaker, *(faces[each] for each in there), *filter(None, (user,)))))
