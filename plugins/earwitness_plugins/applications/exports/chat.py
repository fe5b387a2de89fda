"""Chats, as SillyTavern reads them, of what a story now says.

A chat that came into the story keeps every line that nothing has changed, byte by byte. An edit changes its line, a
reroll adds a swipe to it, a retraction takes it out; what was said since follows. What came from no chat is a new one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from earwitness.formats import as_said
from earwitness.records.character import Cast, Character, display_name
from earwitness.records.journal import Original
from earwitness_plugins.applications.replay.roles import session_id
from earwitness_plugins.importers.chat_rows import NARRATOR, UNUSED, chat_rows
from earwitness_plugins.importers.files.documents import parsed
from earwitness_plugins.importers.files.text_encoding import MARK, decoded

from .told import ToldMessage

Row = dict[str, Any]
UNICODE = ("utf-8", "utf-8-sig")
OF_A_MEMBER = ("original_avatar", "force_avatar", "is_group")
"""Fields by which a group chat knows its members: a new line of theirs gets them too."""


@dataclass(frozen=True, slots=True)
class ChatFile:
    """A chat that came into the story."""

    original: Original
    """The file as it came."""
    lines: list[str]
    """Its exact lines."""
    rows: dict[str, tuple[int, Row]]
    """Key → index of the line, and its row."""
    unsaid: frozenset[str]
    """Keys of rows that are hidden or without a text, which are not told."""
    members: dict[str, Row]
    """Name → what `OF_A_MEMBER` says of them."""
    added: dict[int, list[ToldMessage]] = field(default_factory=dict)
    """Index of a line → what was said after it, and came from no chat."""

    @classmethod
    def of(cls, original: Original) -> ChatFile:
        """Read the original again, as its importer did."""
        text = decoded(original.text.encode(original.encoding)).text
        clean = text.split("\n")
        _, found = chat_rows(text, original.name, [])
        prefix = f"{session_id(Path(original.name).stem)}:"
        rows, unsaid, members = {}, set(), {}
        for number, each in enumerate(each for each in found if each.in_story):
            row = parsed(clean[each.line], original.name, [])
            rows[f"{prefix}{number}"] = (each.line, row)
            if not each.hidden:
                members[each.name] = {key: row[key] for key in OF_A_MEMBER if key in row}
            if each.hidden or not as_said(each.text).strip():
                unsaid.add(f"{prefix}{number}")
        return cls(original, original.text.split("\n"), rows, frozenset(unsaid), members)

    def data(self, told: Mapping[str, ToldMessage], cast: Cast) -> bytes:
        """The file, with what the story says of its messages now."""
        if not any(key in told for key in self.rows):
            return self._encoded(self.lines)  # its messages are not in this story
        lines: dict[int, str | None] = dict(enumerate(self.lines))
        for key, (line, row) in self.rows.items():
            if key not in self.unsaid or key in told:  # it was hidden later
                lines[line] = self._line(line, row, told.get(key))
        names = {told[key].speaker: str(row["name"]) for key, (_, row) in self.rows.items() if key in told}
        return self._encoded(list(self._with_added(lines, cast, names)))

    def _with_added(self, lines: Mapping[int, str | None], cast: Cast, names: Mapping[str, str]) -> Iterator[str]:
        """All lines that are left, with those that were added; an empty last line stays the last."""
        ending, last = ("\r" if self.lines[0].endswith("\r") else ""), len(lines) - 1
        for line, text in lines.items():
            added = [self._json(self._new_row(each, cast, names)) for each in self.added.get(line, ())]
            if text is not None:
                yield text + ending if line == last and added else text
            yield from (f"{each}{ending}" for each in (added[:-1] if line == last else added))
            yield from added[-1:] if line == last else ()

    def _new_row(self, message: ToldMessage, cast: Cast, names: Mapping[str, str]) -> Row:
        """A line for a message that came from no chat, under the name that its speaker has in this one."""
        speaker = _speaker(message, cast)
        name = message.speak_as or names.get(speaker.id, speaker.name)
        return {**_row(message, speaker), "name": name, **self.members.get(name, {})}

    def _line(self, line: int, row: Row, message: ToldMessage | None) -> str | None:
        """The line as it came if nothing has changed it; `None` for a message that was retracted."""
        if message is None or message.retracted:
            return None
        changed = _revised(row, message)
        if changed == row:
            return self.lines[line]
        mark = MARK if self.lines[line].startswith(MARK) else ""
        return mark + self._json(changed) + ("\r" if self.lines[line].endswith("\r") else "")

    def _json(self, row: Row) -> str:
        """One line; in a file that is not UTF-8, in ASCII."""
        return _compact(row, ascii_only=self.original.encoding not in UNICODE)

    def _encoded(self, lines: Sequence[str]) -> bytes:
        return "\n".join(lines).encode(self.original.encoding)


def chats(
    originals: Sequence[Original], told: Mapping[str, ToldMessage], cast: Cast
) -> tuple[list[tuple[Original, bytes]], bytes | None]:
    """The chats that came into the story, and a new one of what was said before any of them; `None` for nothing."""
    files = [ChatFile.of(each) for each in originals]
    fresh = _follow(files, told)
    return [(each.original, each.data(told, cast)) for each in files], _fresh(fresh, cast) if fresh else None


def _follow(files: Sequence[ChatFile], told: Mapping[str, ToldMessage]) -> list[ToldMessage]:
    """Add each message that came from no chat behind the chat's message before it; returns those before any chat."""
    places = {key: (file, line) for file in files for key, (line, _) in file.rows.items()}
    place: tuple[ChatFile, int] | None = None
    first: list[ToldMessage] = []
    for message in told.values():
        if message.key in places:
            place = places[message.key]
        elif not message.retracted:
            (first if place is None else place[0].added.setdefault(place[1], [])).append(message)
    return first


# ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _row(message: ToldMessage, speaker: Character) -> Row:
    """A new line of a chat."""
    row: Row = {
        "name": message.speak_as or speaker.name,
        "is_user": speaker.kind == "persona",
        "is_system": False,
        "send_date": message.timestamp,
        "mes": message.first,
        "extra": {"type": NARRATOR} if speaker.kind == "narrator" else {},
    }
    return _revised(row, message)


def _revised(row: Row, message: ToldMessage) -> Row:
    """The row after edits, which change the chosen swipe, and rerolls, which add one."""
    if not message.revisions:
        return row
    swipes, chosen = _swipes(row)
    if swipes[chosen] == message.revisions[-1].content:
        return row  # the file says so already
    for body in message.revisions:
        if body.reroll:
            swipes, chosen = [*swipes, body.content], len(swipes)
        else:
            swipes[chosen] = body.content
    after = {**row, "mes": swipes[chosen]}
    if "swipes" in row or len(swipes) > 1:
        after |= {"swipes": swipes, "swipe_id": chosen}
    if isinstance(info := row.get("swipe_info"), list):
        more = len(swipes) - len(info)
        after["swipe_info"] = [*info, *({"send_date": message.timestamp, "extra": {}} for _ in range(more))]
    return after


def _swipes(row: Row) -> tuple[list[str], int]:
    """All swipes and the number of the chosen one; the message alone where there are none that can be read."""
    swipes, chosen = row.get("swipes"), row.get("swipe_id")
    if isinstance(chosen, str) and chosen.isdecimal():
        chosen = int(chosen[:9])
    if isinstance(swipes, list) and type(chosen) is int and 0 <= chosen < len(swipes):
        return [str(each) for each in swipes], chosen
    return [str(row.get("mes") or "")], 0


def _speaker(message: ToldMessage, cast: Cast) -> Character:
    """The speaker; one who was forgotten goes by the id."""
    if message.speaker in cast:
        return cast[message.speaker]
    return Character(message.speaker, name=display_name(message.speaker))


def _fresh(told: Iterable[ToldMessage], cast: Cast) -> bytes:
    """A chat of its own: a header, and a line for each message."""
    told = list(told)
    speakers = list({each.speaker: _speaker(each, cast) for each in told}.values())
    header = {
        "user_name": _only(each.name for each in speakers if each.kind == "persona"),
        "character_name": _only(each.name for each in speakers if each.kind == "character"),
        "create_date": told[0].timestamp,
        "chat_metadata": {},
    }
    rows = [header, *(_row(each, _speaker(each, cast)) for each in told)]
    return "\n".join(_compact(each) for each in rows).encode()


def _only(names: Iterable[str]) -> str:
    """The only name; SillyTavern writes `unused` for a group."""
    found = list(names)
    return found[0] if len(found) == 1 else UNUSED


def _compact(row: Row, *, ascii_only: bool = False) -> str:
    return json.dumps(row, ensure_ascii=ascii_only, separators=(",", ":"))
