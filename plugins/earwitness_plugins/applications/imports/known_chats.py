"""A chat that comes back to its story: which of its lines the story has, which were changed, and which are new.

An export marks what it writes; all other lines are known by what they say, in order. What a front end appended is new,
what it changed is an edit or another swipe. What it put in between or took out, no story can be told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from earwitness.app import Earwitness
from earwitness.errors import KeyConflict
from earwitness.imports import Imported, Scene, SceneLine
from earwitness.records.channel import Channel
from earwitness.records.journal import Original
from earwitness_plugins.applications.exports.channels import channel_of
from earwitness_plugins.applications.exports.chat import ChatFile
from earwitness_plugins.applications.exports.chat_lines import swipes
from earwitness_plugins.applications.exports.story_messages import story_messages
from earwitness_plugins.applications.replay.replay import spoken
from earwitness_plugins.applications.replay.roles import Roles
from earwitness_plugins.importers.chat_rows import ChatRow

from .alignment import Alignment, FileLine, KnownMessage, aligned
from .known_lines import MOVED, KnownLines, keyed_lines, prefix_of, quoted_words


@dataclass(frozen=True, slots=True)
class Correction:
    """A line that says otherwise what the story has."""

    key: str
    """The message's key."""
    text: str
    """What it says now."""
    reroll: bool
    """Whether it is another swipe, and not the same one in other words."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as it goes into a story."""

    file: Imported
    """The file; a chat that the story has holds the lines that are new."""
    corrections: tuple[Correction, ...] = ()
    """What the story has and the file says otherwise."""
    known: int = 0
    """Number of messages left out of the file, because the story has them."""


async def as_known(ew: Earwitness, session: str, files: Sequence[Imported]) -> list[KnownFile]:
    """The files as they go into the story: a chat that it has under another name goes by that name.

    Raises `KeyConflict` for a file that cannot be told apart from another, or that the story has under other keys.
    Nothing is written.
    """
    if not any(file.scenes for file in files) or session not in await ew.sessions():
        return [KnownFile(file) for file in files]
    story = await ew.open_session(session)
    lines = KnownLines(session, story.cast, await story_messages(story))
    originals = [each for each in (await story.backstage().before()).originals if each.format == "chat"]
    return [_known(file, lines, originals) for file in files]


def _known(file: Imported, lines: KnownLines, originals: Sequence[Original]) -> KnownFile:
    chat = next((each for each in file.originals if each.format == "chat" and len(file.scenes) == 1), None)
    if chat is not None:
        return KnownChat(file, chat, lines, originals).named().checked()
    for scene in file.scenes:
        lines.check(scene, scene.id)
    return KnownFile(file)


class KnownChat:
    """One chat, and what the story has of it."""

    def __init__(self, file: Imported, chat: Original, lines: KnownLines, originals: Sequence[Original]) -> None:
        self._file, self._chat, self._lines, self._originals = file, chat, lines, originals
        self._read = ChatFile.of(chat)

    # ── which chat it is ────────────────────────────────────────────────────────────────────────────────────────────

    def named(self) -> KnownChat:
        """The chat, under the name of the chat of which the story has most messages in it."""
        if self._own:
            return self
        for older in self._originals:
            again = self._under(older.name)
            if again.is_most_of_it:
                return again
        return self

    def _under(self, name: str) -> KnownChat:
        scene = self._scene.model_copy(update={"id": Path(name).stem})
        chat = self._chat.model_copy(update={"name": name})
        said = f"{self._chat.name}: this chat is in the story as {name}, and goes on as that"
        more = {"scenes": (scene,), "originals": (chat,), "repairs": (*self._file.repairs, said)}
        file = self._file.model_copy(update=more)
        return KnownChat(file, chat, self._lines, self._originals)

    @property
    def is_most_of_it(self) -> bool:
        """Whether more than half of what the story has from a chat of this name is in it."""
        pairs = zip(self._alignment.keys, self._file_lines, strict=True)
        there = {key for key, line in pairs if key and line.words in self._lines.versions(key)}
        mine = [key for key in self._own if not self._lines.messages[key].retracted]
        return 2 * sum(key in there for key in mine) > len(mine)

    @property
    def _scene(self) -> Scene:
        return self._file.scenes[0]

    @cached_property
    def _older(self) -> ChatFile | None:
        """The file as it came the last time."""
        found = next((each for each in self._originals if each.name == self._chat.name), None)
        return None if found is None else ChatFile.of(found)

    @cached_property
    def _own(self) -> frozenset[str]:
        """Keys of the messages that came from this file."""
        before = self._older.keys if self._older is not None else ()
        return frozenset(
            (*self._lines.mine(prefix_of(self._scene)), *(key for key in before if key in self._lines.messages))
        )

    # ── its lines ───────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _spoken(self) -> dict[int, SceneLine]:
        """Number of a message in the file → the line that says it."""
        return {int(line.key or number): line for number, line in spoken(self._scene)}

    @cached_property
    def _file_lines(self) -> list[FileLine]:
        roles, marks = Roles(self._scene, self._lines.cast), set[str]()
        found: list[FileLine] = []
        for number, (row, values) in enumerate(zip(self._read.found, self._read.values, strict=True)):
            line = self._spoken.get(number)
            named = self._lines.cast.of_name(row.name)
            speaker = roles.speaker(line) if line is not None else named.id if named else ""
            words = self._lines.filled(speaker, row.text if line is None else line.text)
            key = self._marked(row, words)
            others = self._others(speaker, values)
            found.append(FileLine(words, None if key in marks else key, others, line is None, json.dumps(values)))
            marks |= {key} if key else set()
        return found

    def _marked(self, row: ChatRow, words: tuple[str, str]) -> str | None:
        """The key that its mark names, where that is a message of this story."""
        key = row.mark.key if row.mark else None
        if row.mark is None or key is None or key not in self._lines.messages:
            return None
        return key if row.mark.story == self._lines.session or words in self._lines.versions(key) else None

    def _others(self, speaker: str, values: dict[str, Any]) -> frozenset[str]:
        found, chosen = swipes(values)
        return frozenset(self._lines.filled(speaker, each)[1] for each in found[:chosen] + found[chosen + 1 :])

    @cached_property
    def _alignment(self) -> Alignment:
        elsewhere = {key for each in self._originals if each.name != self._chat.name for key in ChatFile.of(each).keys}
        rows = {} if self._older is None else {key: json.dumps(row) for key, (_, row) in self._older.rows.items()}
        known = [
            KnownMessage(key, tuple(self._lines.versions(key)), key in self._own, message.retracted, rows.get(key))
            for key, message in self._lines.messages.items()
            if key in self._own or key not in elsewhere
        ]
        return aligned(self._file_lines, known)

    # ── what goes into the story ────────────────────────────────────────────────────────────────────────────────────

    def checked(self) -> KnownFile:
        """The file as it goes into the story. Raises `KeyConflict`."""
        if not self._own and not any(line.key for line in self._file_lines):
            roles = Roles(self._scene, self._lines.cast)
            words = {key: self._lines.filled(roles.speaker(line), line.text) for key, line in keyed_lines(self._scene)}
            self._lines.refuse_twice(self._chat.name, words)
            return KnownFile(self._file)
        self._refuse_gaps()
        corrections = tuple(self._corrections())
        self._refuse_another(corrections)
        return KnownFile(self._with_new_lines(), corrections, sum(self._is_known(number) for number in self._spoken))

    def _is_known(self, number: int) -> bool:
        return self._alignment.keys[number] is not None

    def _refuse_gaps(self) -> None:
        if self._alignment.missing:
            raise self._lines.gone(self._chat.name, self._alignment.missing)
        if self._alignment.between:
            number = self._alignment.between[0]
            raise KeyConflict(
                f"{self._place(number)}: {quoted_words(self._file_lines[number].words)} is new, but the story "
                f"{self._lines.session!r} already has lines that come after it. Nothing was imported. {MOVED}"
            )

    def _refuse_another(self, corrections: Sequence[Correction]) -> None:
        """Raise `KeyConflict` if most of what the story has is other words: then it is another chat."""
        edits = [each for each in corrections if not each.reroll]
        known = sum(map(self._is_known, self._spoken))
        if 2 * len(edits) > known:
            number = self._alignment.keys.index(edits[0].key)
            words = self._file_lines[number].words
            raise self._lines.differs(self._place(number), edits[0].key, words, len(edits), moved=False)

    def _place(self, number: int) -> str:
        return f"{self._chat.name}:{self._read.found[number].line + 1}"

    def _corrections(self) -> Iterator[Correction]:
        for number, line in self._spoken.items():
            key = self._alignment.keys[number]
            if key is None or self._lines.messages[key].retracted:
                continue
            if (reroll := self._differs(number, key)) is not None:
                yield Correction(key, line.text, reroll)

    def _differs(self, number: int, key: str) -> bool | None:
        """Whether the line is another swipe (`True`) or changed (`False`); `None` where the front end changed nothing.

        What the file said the last time is nothing new, whatever has become of it in the story since.
        """
        line, values = self._file_lines[number], self._read.values[number]
        before = None if self._older is None else self._older.rows.get(key)
        now, *versions = self._lines.versions(key)
        if line.words == now or (before is not None and before[1] == values):
            return None
        if now[1] in line.others:
            return True
        same = line.words in versions if before is None else _chosen(before[1]) == _chosen(values)
        return None if same else False

    def _with_new_lines(self) -> Imported:
        keys = tuple(self._keys())
        prefix = prefix_of(self._scene)
        lines = [
            line.model_copy(update={"key": keys[number].removeprefix(prefix)})
            for number, line in self._spoken.items()
            if not self._is_known(number)
        ]
        channel = self._channel() if self._scene.channel == Channel() else self._scene.channel
        scene = self._scene.model_copy(update={"lines": tuple(lines), "present": None, "channel": channel})
        usual = keys == tuple(f"{prefix}{number}" for number in range(len(keys)))
        chat = self._chat.model_copy(update={"keys": None if usual else keys})
        return self._file.model_copy(update={"scenes": (scene,), "originals": (chat,)})

    def _channel(self) -> Channel:
        """Where the chat goes on: where its other lines were said, without those that say so themselves."""
        plain = zip(self._alignment.keys, self._read.found, strict=True)
        return channel_of(
            self._lines.messages[key].channel for key, row in plain if key and not (row.mark and row.mark.channel)
        )

    def _keys(self) -> Iterator[str]:
        """The key of each message: that of the story; for a new one its number, or the next that is free."""
        prefix, messages, there = prefix_of(self._scene), self._lines.messages, {*self._alignment.keys}
        numbers = (
            int(number) for key in messages if (number := key.removeprefix(prefix)).isdecimal() and number != key
        )
        free = count(max((len(self._file_lines), *numbers)) + 1)
        for place, key in enumerate(self._alignment.keys):
            usual = f"{prefix}{place}"
            if key is not None:
                yield key
            elif usual not in messages and usual not in there:
                yield usual
            else:
                yield f"{prefix}-{place}" if self._file_lines[place].silent else f"{prefix}{next(free)}"


def _chosen(values: dict[str, Any]) -> str:
    found, chosen = swipes(values)
    return found[chosen]
