"""Chats, as SillyTavern reads them, of what a story now says.

A chat that came into the story keeps every line that nothing has changed, byte by byte. An edit changes its line, a
reroll adds a swipe to it, a retraction takes it out; what was said since follows. What came from no chat is a new one.
What is written says in `extra.earwitness` which message it is and who perceived it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from earwitness.formats import as_said
from earwitness.records.channel import Channel
from earwitness.records.character import Cast
from earwitness.records.journal import Original
from earwitness_plugins.applications.replay.roles import session_id
from earwitness_plugins.importers.chat_cast import cast_of, with_cast
from earwitness_plugins.importers.chat_rows import UNUSED, ChatHeader, ChatRow, chat_rows
from earwitness_plugins.importers.files.documents import parsed
from earwitness_plugins.importers.files.text_encoding import MARK, decoded

from .channels import channel_of, is_open_in
from .chat_cast import everything, identities, updated
from .chat_lines import LineWriter, Row, compact, needs_mark, revised
from .story_messages import MessagesByKey, StoryMessage

UNICODE = ("utf-8", "utf-8-sig")
OF_A_MEMBER = ("original_avatar", "force_avatar", "is_group")
"""Fields by which a group chat knows its members: a new line of theirs gets them too."""


@dataclass(frozen=True)
class ChatFile:
    """A chat that came into the story, or is about to."""

    original: Original
    """The file as it came."""
    lines: list[str]
    """Its exact lines."""
    header: ChatHeader
    """Its header, as the importer reads it."""
    found: list[ChatRow]
    """Its messages in the story, as the importer reads them."""
    values: list[Row]
    """The same, as the file has them."""
    added: dict[int, list[StoryMessage]] = field(default_factory=dict)
    """Index of a line → what was said after it, and came from no chat."""

    @classmethod
    def of(cls, original: Original) -> ChatFile:
        """Read the original again, as its importer did."""
        text = decoded(original.text.encode(original.encoding)).text
        clean = text.split("\n")
        header, rows = chat_rows(text, original.name, [])
        found = [each for each in rows if each.in_story]
        values = [parsed(clean[each.line], original.name, []) for each in found]
        return cls(original, original.text.split("\n"), header, found, values)

    @cached_property
    def prefix(self) -> str:
        """How the keys of its messages begin."""
        return f"{session_id(Path(self.original.name).stem)}:"

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The key of each message."""
        return self.original.keys or tuple(f"{self.prefix}{number}" for number in range(len(self.found)))

    @cached_property
    def rows(self) -> dict[str, tuple[int, Row]]:
        """Key → index of the line, and its row."""
        return {key: (each.line, row) for key, each, row in zip(self.keys, self.found, self.values, strict=False)}

    @cached_property
    def unsaid(self) -> frozenset[str]:
        """Keys of rows that are hidden or without a text, which are not told."""
        silent = (each.hidden or not as_said(each.text).strip() for each in self.found)
        return frozenset(key for key, each in zip(self.keys, silent, strict=False) if each)

    @cached_property
    def members(self) -> dict[str, Row]:
        """Name → what `OF_A_MEMBER` says of them."""
        rows = ((each.name, row) for each, row in zip(self.found, self.values, strict=True) if not each.hidden)
        return {name: {key: row[key] for key in OF_A_MEMBER if key in row} for name, row in rows}

    def channel(self, messages: MessagesByKey) -> Channel:
        """Where its messages were said, without those whose lines say so themselves."""
        plain = zip(self.keys, self.found, strict=False)
        return channel_of(
            messages[key].channel for key, row in plain if key in messages and not (row.mark and row.mark.channel)
        )

    def data(self, messages: MessagesByKey, story: str, cast: Cast) -> bytes:
        """The file, with what the story says of its messages now."""
        if not any(key in messages for key in self.rows):
            return self._encoded(self.lines)  # its messages are not in this story
        lines: dict[int, str | None] = dict(enumerate(self.lines))
        writer = self._writer(messages, story, cast)
        changed = self._changed(messages, writer)
        for key, (line, row) in self.rows.items():
            if key in changed:
                lines[line] = self._line(line, row, changed[key])
        header = self._new_header(messages, writer)
        if header is not None and self.header.line is not None:
            lines[self.header.line] = self._line(self.header.line, self.header.row.values, header)
        written = list(self._with_added(lines, writer))
        return self._encoded(written if self.header.line is not None else self._headed(header, written))

    def _new_header(self, messages: MessagesByKey, writer: LineWriter) -> Row | None:
        """The header with the ids that the story has of those in the chat; `None` if it needs no more than it has."""
        here = [messages[key] for key in self.rows if key in messages and not messages[key].is_gone]
        said = [*here, *(each for some in self.added.values() for each in some)]
        cast = updated(cast_of(self.header.row), identities(said, writer))
        return None if cast is None else with_cast(self.header.row.values, cast)

    def _headed(self, header: Row | None, lines: list[str]) -> list[str]:
        """The lines of a chat that came without a header, below one if it needs one."""
        if header is None:
            return lines
        ending = "\r" if self.lines[0].endswith("\r") else ""
        mark = MARK if lines[0].startswith(MARK) else ""
        return [mark + self._json(header) + ending, lines[0].removeprefix(MARK), *lines[1:]]

    def _writer(self, messages: MessagesByKey, story: str, cast: Cast) -> LineWriter:
        names = {
            messages[key].speaker: str(row["name"])
            for key, (_, row) in self.rows.items()
            if key in messages and messages[key].speak_as is None
        }
        dates = [row["send_date"] for row in self.values if row.get("send_date")]
        return LineWriter(story, cast, names, dates[-1] if dates else None)

    def _changed(self, messages: MessagesByKey, writer: LineWriter) -> dict[str, Row | None]:
        """Key → the row as it is now; `None` for one that is gone."""
        own, moved = self.channel(messages), False
        mine = {key: row for key, (_, row) in self.rows.items()}
        changed: dict[str, Row | None] = {}
        for key in [*messages, *(key for key in mine if key not in messages and key not in self.unsaid)]:
            message = messages.get(key)
            if key in mine and (message is None or message.is_gone):
                changed[key] = None
            elif key in mine and message is not None:
                row = revised(mine[key], message)
                changed[key] = writer.marked(row, message) if moved or needs_mark(message, row, own) else row
            moved = moved or (message is not None and message.moves and not self._tells(message))
        return changed

    def _tells(self, message: StoryMessage) -> bool:
        """Whether a reader of the file reads this message as it was decided."""
        return not message.is_gone and not message.revisions

    def _with_added(self, lines: Mapping[int, str | None], writer: LineWriter) -> Iterator[str]:
        """All lines that are left, with those that were added; an empty last line stays the last."""
        ending, last = ("\r" if self.lines[0].endswith("\r") else ""), len(lines) - 1
        for line, text in lines.items():
            added = [self._json(self._new_row(each, writer)) for each in self.added.get(line, ())]
            if text is not None:
                yield text + ending if line == last and added else text
            yield from (f"{each}{ending}" for each in (added[:-1] if line == last else added))
            yield from added[-1:] if line == last else ()

    def _new_row(self, message: StoryMessage, writer: LineWriter) -> Row:
        """A line for a message that came from no chat, under the name that its speaker has in this one."""
        row = writer.row(message)
        return {**row, **self.members.get(row["name"], {})}

    def _line(self, line: int, row: Row, changed: Row | None) -> str | None:
        """The line as it came if nothing has changed it; `None` for a message that was retracted."""
        if changed is None:
            return None
        if changed == row:
            return self.lines[line]
        mark = MARK if self.lines[line].startswith(MARK) else ""
        return mark + self._json(changed) + ("\r" if self.lines[line].endswith("\r") else "")

    def _json(self, row: Row) -> str:
        """One line; in a file that is not UTF-8, in ASCII."""
        return compact(row, ascii_only=self.original.encoding not in UNICODE)

    def _encoded(self, lines: Sequence[str]) -> bytes:
        return "\n".join(lines).encode(self.original.encoding)


def chats(
    originals: Sequence[Original], messages: MessagesByKey, story: str, cast: Cast
) -> tuple[list[tuple[Original, bytes]], bytes | None]:
    """The chats that came into the story, and a new one of what was said before any of them; `None` for nothing."""
    files = [ChatFile.of(each) for each in originals]
    fresh = _follow(files, messages)
    writer = LineWriter(story, cast)
    return [(each.original, each.data(messages, story, cast)) for each in files], _fresh(
        fresh, writer
    ) if fresh else None


def said_apart(originals: Sequence[Original], messages: MessagesByKey) -> list[StoryMessage]:
    """The messages that were not said in the channel of the chat that they would go into, nor in public."""
    files = [ChatFile.of(each) for each in originals]
    fresh = _follow(files, messages)
    own = channel_of(each.channel for each in fresh)
    apart = [each for each in fresh if not is_open_in(each.channel, own)]
    for file in files:
        own = file.channel(messages)
        kept = (messages[key] for key in file.keys if key in messages and not messages[key].is_gone)
        added = (message for some in file.added.values() for message in some)
        apart += [each for each in (*kept, *added) if not is_open_in(each.channel, own)]
    return apart


def _follow(files: Sequence[ChatFile], messages: MessagesByKey) -> list[StoryMessage]:
    """Add each message that came from no chat behind the chat's message before it; returns those before any chat."""
    places = {key: (file, line) for file in files for key, (line, _) in file.rows.items()}
    place: tuple[ChatFile, int] | None = None
    first: list[StoryMessage] = []
    for message in messages.values():
        if message.key in places:
            place = places[message.key]
        elif not message.is_gone:
            (first if place is None else place[0].added.setdefault(place[1], [])).append(message)
    return first


def _fresh(messages: Iterable[StoryMessage], writer: LineWriter) -> bytes:
    """A chat of its own: a header, and a line for each message. It ends with a line break, so that lines may follow."""
    messages = list(messages)
    speakers = list({each.speaker: writer.speaker(each) for each in messages}.values())
    header: dict[str, Any] = {
        "user_name": _only(each.name for each in speakers if each.kind == "persona"),
        "character_name": _only(each.name for each in speakers if each.kind == "character"),
        "create_date": messages[0].timestamp,
        "chat_metadata": {},
    }
    if cast := everything(messages, writer):
        header = with_cast(header, cast)
    return "".join(f"{compact(row)}\n" for row in [header, *map(writer.row, messages)]).encode()


def _only(names: Iterable[str]) -> str:
    """The only name; SillyTavern writes `unused` for a group."""
    found = list(names)
    return found[0] if len(found) == 1 else UNUSED
