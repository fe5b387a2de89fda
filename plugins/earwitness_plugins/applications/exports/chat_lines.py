"""Lines of a chat as they are written: of a message, of what was changed in it, and of who perceived it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from earwitness.records.channel import Channel
from earwitness.records.character import Cast, Character, display_name
from earwitness.records.journal import Revised
from earwitness_plugins.importers.chat_marks import EXTRA, ChatMark, digest, mark_of
from earwitness_plugins.importers.chat_rows import NARRATOR, chosen_text, is_rewritten
from earwitness_plugins.importers.files.lenient import LenientObject

from .chat_dates import dated
from .story_messages import StoryMessage

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LineWriter:
    """Writes the lines of one chat."""

    story: str
    """Session id."""
    cast: Cast
    """The characters."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Character id → the name that the character has in this chat."""
    date_like: object = None
    """A `send_date` of this chat."""

    def speaker(self, message: StoryMessage) -> Character:
        """The speaker; one who was forgotten goes by the id."""
        if message.speaker in self.cast:
            return self.cast[message.speaker]
        return Character(message.speaker, name=display_name(message.speaker))

    def name(self, id: str) -> str:
        """The name in this chat; else the display name, if nobody else has it, or the id."""
        if id in self.names or id not in self.cast:
            return self.names.get(id, display_name(id))
        name = self.cast[id].name
        return name if self.cast.called(name) == (self.cast[id],) else id

    def row(self, message: StoryMessage) -> Row:
        """A new line."""
        speaker = self.speaker(message)
        row: Row = {
            "name": message.speak_as or self.name(speaker.id),
            "is_user": speaker.kind == "persona",
            "is_system": False,
            "send_date": dated(message.timestamp, self.date_like),
            "mes": message.first,
            "extra": {"type": NARRATOR} if speaker.kind == "narrator" else {},
        }
        return self.marked(revised(row, message), message)

    def marked(self, row: Row, message: StoryMessage) -> Row:
        """The line with its mark. One that says the same of another story, or of an earlier text, stays as it is."""
        line = LenientObject(row, "", "", [])
        mark, there = replace(self.mark(message), text=digest(chosen_text(line))), mark_of(line)
        if there is not None and there.heard == mark.heard:
            return row
        extra = row.get("extra")
        return {**row, "extra": {**(extra if isinstance(extra, dict) else {}), EXTRA: mark.values()}}

    def mark(self, message: StoryMessage) -> ChatMark:
        """Which message it is, where it was said, and who perceived it.

        Where somebody perceived a part of it, those who did are there, and the text says again who perceives what.
        """
        heard = self._listed(message.perceived_by)
        there = heard if not message.whole else None if message.present is None else self._listed(message.present)
        return ChatMark(
            story=self.story,
            key=message.key,
            speaker=self.name(message.speaker) if message.speak_as else None,
            channel=None if message.channel == Channel() else message.channel,
            present=there,
            audience=heard if message.whole else None,
        )

    def _listed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Their names, without narrators, who are nobody in the story."""
        return tuple(self.name(id) for id in ids if id in self.cast and self.cast[id].kind != "narrator")


def needs_mark(message: StoryMessage, row: Row, own: Channel) -> bool:
    """Whether a line that came from a file does not say by itself who perceived it."""
    marked = isinstance(extra := row.get("extra"), dict) and EXTRA in extra
    certain = message.by_host or message.off_stage or bool(message.forgotten_by)
    return certain or message.channel != own or (marked and bool(message.revisions))


def revised(row: Row, message: StoryMessage) -> Row:
    """The row after edits, which change the chosen swipe, and rerolls, which add one."""
    if not message.revisions:
        return row
    found, chosen = swipes(row)
    said = found[chosen]
    for body in _since(message.revisions, said):
        if body.reroll:
            found, chosen = _with(found, body.content)
        else:
            found[chosen] = body.content
    if found[chosen] == said:
        return row  # as it was
    after = {**row, "mes": found[chosen]}
    if "swipes" in row or len(found) > 1:
        after |= {"swipes": found, "swipe_id": chosen}
    if isinstance(info := row.get("swipe_info"), list):
        more = len(found) - len(info)
        date = dated(message.timestamp, row.get("send_date", message.timestamp))
        after["swipe_info"] = [*info, *({"send_date": date, "extra": {}} for _ in range(more))]
    return after


def _since(revisions: Sequence[Revised], text: str) -> Sequence[Revised]:
    """The revisions after the last one that gave the message this text, which the file has."""
    known = [number for number, each in enumerate(revisions, 1) if each.content == text]
    return revisions[known[-1] if known else 0 :]


def _with(swipes: list[str], content: str) -> tuple[list[str], int]:
    """The swipes with one chosen; it is added unless it is one of them."""
    found = swipes if content in swipes else [*swipes, content]
    return found, found.index(content)


def swipes(row: Row) -> tuple[list[str], int]:
    """All swipes and the number of the chosen one; the message alone where there are none that can be read."""
    found, chosen = row.get("swipes"), row.get("swipe_id")
    if isinstance(chosen, str) and chosen.isdecimal():
        chosen = int(chosen[:9])
    if isinstance(found, list) and type(chosen) is int and 0 <= chosen < len(found):
        texts, shown = [str(each) for each in found], row.get("mes")
        if is_rewritten(shown, found):
            texts[chosen] = str(shown)
        return texts, chosen
    return [str(row.get("mes") or "")], 0


def compact(row: Row, *, ascii_only: bool = False) -> str:
    """A row as one line."""
    return json.dumps(row, ensure_ascii=ascii_only, separators=(",", ":"))
